import { execFile } from 'node:child_process'
import { inRepository } from '#infra/in-repository.ts'
import { explainedFault, run } from '#infra/tools/admin/run.ts'
import { keptEnvironment } from '#test/support/environment.ts'

export type Ended = { code: number; out: string; err: string }

/**
 * Runs a command of `npm run admin` in this process, which needs no time to start. Run one at a time: a command changes
 * the variables of its process.
 *
 * @param environment set in addition to the test's own, which names no table
 */
export async function runAdmin(args: string[], environment: Record<string, string>): Promise<Ended> {
  const restoreEnvironment = keptEnvironment()
  for (const name of ofATable) delete process.env[name]
  Object.assign(process.env, environment)
  try {
    return { code: 0, out: JSON.stringify(await run(args)), err: '' }
  } catch (error) {
    return { code: 1, out: '', err: `${explainedFault(error)}\n` }
  } finally {
    restoreEnvironment()
  }
}

const ofATable = ['AWS_ENDPOINT_URL_DYNAMODB', 'TABLE_NAME', 'AWS_REGION']

/**
 * Runs `npm run admin -- …` in a process of its own.
 *
 * @param environment set in addition to the test's own, which names no table
 * @param options.input what it reads from its standard input
 * @param options.killedAfter milliseconds after which it is killed; then its code is -1
 */
export function runAdminProcess(
  args: string[],
  environment: Record<string, string>,
  { input = '', killedAfter = 0 }: { input?: string; killedAfter?: number } = {},
): Promise<Ended> {
  const node = ['--disable-warning=ExperimentalWarning', inRepository('infra/tools/admin/cli.ts'), ...args]
  const own = Object.entries(process.env).filter(([name]) => !ofATable.includes(name))
  const options = {
    env: { ...Object.fromEntries(own), ...environment },
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
