import { execFile } from 'node:child_process'
import { inRepository } from '#infra/in-repository.ts'

export type Ended = { code: number; out: string; err: string }

/**
 * Runs `npm run admin -- …` in a process of its own.
 *
 * @param environment set in addition to the test's own, which names no table
 * @param input what it reads from its standard input
 */
export function runAdmin(args: string[], environment: Record<string, string>, input = ''): Promise<Ended> {
  const node = ['--disable-warning=ExperimentalWarning', inRepository('infra/tools/admin/cli.ts'), ...args]
  const { AWS_ENDPOINT_URL_DYNAMODB: _, TABLE_NAME: __, AWS_REGION: ___, ...clean } = process.env
  return new Promise((resolve) => {
    const child = execFile(process.execPath, node, { env: { ...clean, ...environment } }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
    child.stdin?.end(input)
  })
}
