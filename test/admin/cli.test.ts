import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import { stackName } from '#infra/stage.ts'
import { api } from '#test/support/api.ts'

const cli = fileURLToPath(new URL('../../functions/admin/cli.ts', import.meta.url))

/** Runs the command as `npm run admin --` does. */
function admin(
  args: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const node = ['--disable-warning=ExperimentalWarning', cli, ...args]
  const { AWS_ENDPOINT_URL_DYNAMODB: _, TABLE_NAME: __, ...clean } = process.env
  const env = { ...clean, LOCAL_DATA_DIR: inject('dataDir'), ...environment }
  return new Promise((resolve) => {
    execFile(process.execPath, node, { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

describe('npm run admin', () => {
  it('makes a workspace, a user and a key that opens a case', async () => {
    const workspace = JSON.parse(
      (
        await admin([
          'workspace',
          'create',
          '--name',
          'Kanzlei Süd',
          '--inbound-domain',
          'mail.example.de',
          '--region',
          'DE-BY',
        ])
      ).out,
    )
    const user = JSON.parse(
      (
        await admin([
          'user',
          'create',
          '--workspace',
          workspace.id,
          '--name',
          'Jörg Weiß',
          '--email',
          'weiss@example.de',
        ])
      ).out,
    )
    const key = JSON.parse(
      (
        await admin([
          'key',
          'create',
          '--workspace',
          workspace.id,
          '--user',
          user.id,
          '--name',
          'Erster',
          '--scopes',
          'all',
        ])
      ).out,
    )

    const call = api(inject('baseUrl'), key.key)
    const opened = await call('POST', '/api/v1/cases', { body: { name: 'Die erste Akte' } })
    const shown = await call('GET', '/api/v1/workspace')

    expect(opened.status).toBe(201)
    expect(shown.body).toEqual(workspace)
    expect(workspace.inbound_address).toMatch(/^[0-9a-f]{12}@mail\.example\.de$/)
  })

  it.each([
    [[], 'npm run admin -- workspace create'],
    [['case', 'create'], 'npm run admin -- workspace create'],
    [['workspace', 'create', '--name', 'A'], '--inbound-domain is missing'],
    [['workspace', 'create', '--name', 'A', '--inbound-domain', 'kein name'], 'not a domain name'],
    [
      ['user', 'create', '--workspace', 'ws_x', '--name', 'A', '--email', 'a@example.de'],
      'no workspace with this id',
    ],
    [['workspace', 'create', '--colour', 'red'], 'colour'],
    [['workspace', 'create', '--name', 'A', '--inbound-domain', 'a.de', '--stage', 'test'], 'no stage test'],
  ])('%j ends with an explanation and nothing made', async (args, explanation) => {
    const { code, out, err } = await admin(args)

    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err).toContain(explanation)
    expect(err).not.toMatch(/^\s+at /m)
  })

  it('says so where no service runs', async () => {
    const { code, err } = await admin(['workspace', 'create', '--name', 'A', '--inbound-domain', 'a.de'], {
      LOCAL_DATA_DIR: '/nirgends',
    })

    expect(code).toBe(1)
    expect(err).toContain('npm start')
  })

  it('finds the table of a stage by the outputs of its storage stack', async () => {
    const asked: string[] = []
    const cloudFormation = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        asked.push(new URLSearchParams(body).get('StackName') ?? '')
        response.setHeader('content-type', 'text/xml')
        response.end(describeStacks(inject('environment').TABLE_NAME ?? ''))
      })
    })
    await new Promise<void>((resolve) => {
      cloudFormation.listen(0, '127.0.0.1', resolve)
    })
    const address = cloudFormation.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { TABLE_NAME: _, ...environment } = inject('environment')

    const { out, err } = await admin(
      ['workspace', 'create', '--name', 'Auf AWS', '--inbound-domain', 'a.de', '--stage', 'prod'],
      {
        ...environment,
        AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`,
      },
    )
    cloudFormation.close()

    expect(err).toBe('')
    expect(JSON.parse(out)).toMatchObject({ name: 'Auf AWS' })
    expect(asked).toEqual([stackName('prod', 'storage')])
  })
})

function describeStacks(table: string): string {
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
    <StackName>aktenlage</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime>
    <Outputs><member><OutputKey>TableName</OutputKey><OutputValue>${table}</OutputValue></member></Outputs>
    </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
}
