import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundling } from '#infra/constructs/bundling.ts'

/** Bundles a module of the repository as functions are bundled for Lambda. @returns `outfile` */
export async function bundle(entry: string, outfile: string): Promise<string> {
  await build({ ...bundling, entryPoints: [inRepository(entry)], outfile, logLevel: 'warning' })
  return outfile
}

/** The absolute path of a file of the repository. */
export function inRepository(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
