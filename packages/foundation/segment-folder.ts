import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder for local copies of segments. On Lambda it is emptied first. There `/tmp` outlives a process that crashed
 * or ran out of time, and its files would fill the disk of the next one ("Failures during the invoke phase", Lambda
 * runtime environment lifecycle).
 */
export function segmentFolder(): string {
  const folder = tmpdir()
  if (process.env.AWS_LAMBDA_FUNCTION_VERSION === undefined) return folder
  for (const name of readdirSync(folder))
    if (/^(search|segment)-/.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  return folder
}
