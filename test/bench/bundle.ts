import { fileURLToPath } from 'node:url'
import { bundle as bundleFile } from '#infra/constructs/bundling.ts'

/** Bundles a module of the repository as functions are bundled for Lambda. @returns `outfile` */
export async function bundle(entry: string, outfile: string): Promise<string> {
  await bundleFile(inRepository(entry), outfile)
  return outfile
}

/** The absolute path of a file of the repository. */
export function inRepository(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
