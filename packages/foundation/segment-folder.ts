import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder for local copies of segments. On Lambda it is emptied first: there `/tmp` outlives a process that crashed
 * or ran out of time, and its files would fill the disk of the next one. The source is "Failures during the invoke
 * phase" in the lifecycle of Lambda's runtime environment.
 */
export function segmentFolder(): string {
  const folder = tmpdir()
  if (process.env.AWS_LAMBDA_FUNCTION_VERSION === undefined) return folder
  for (const name of readdirSync(folder))
    if (/^(search|segment)-/.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  return folder
}
