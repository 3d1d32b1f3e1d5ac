import { execFile } from 'node:child_process'
import { inRepository } from '#infra/in-repository.ts'

export type Ended = { code: number; out: string; err: string }

/**
 * Runs `npm run admin -- …` in a process of its own.
 *
 * @param environment set in addition to the test's own, which names no table
 * @param options.input what it reads from its standard input
 * @param options.killedAfter milliseconds after which it is killed; then its code is -1
 */
export function runAdmin(
  args: string[],
  environment: Record<string, string>,
  { input = '', killedAfter = 0 }: { input?: string; killedAfter?: number } = {},
): Promise<Ended> {
  const node = ['--disable-warning=ExperimentalWarning', inRepository('infra/tools/admin/cli.ts'), ...args]
  const { AWS_ENDPOINT_URL_DYNAMODB: _, TABLE_NAME: __, AWS_REGION: ___, ...clean } = process.env
  const options = {
    env: { ...clean, ...environment },
    timeout: killedAfter,
    killSignal: 'SIGKILL',
  } as const
  return new Promise((resolve) => {
    const child = execFile(process.execPath, node, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    )
    child.stdin?.end(input)
  })
}
