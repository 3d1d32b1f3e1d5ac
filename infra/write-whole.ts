import { renameSync, type WriteFileOptions, writeFileSync } from 'node:fs'

/** Writes a file completely, or leaves it as it was. A killed process leaves only `<path>.part` behind. */
export function writeWhole(path: string, content: string | Buffer, options?: WriteFileOptions): void {
  writeFileSync(`${path}.part`, content, options)
  renameSync(`${path}.part`, path)
}
