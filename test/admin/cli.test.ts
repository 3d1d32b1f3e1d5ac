import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { stackName } from '#infra/stage.ts'
import { newId } from '#kernel/id.ts'
import { api } from '#test/support/api.ts'
import { newFirm } from '#test/support/firm.ts'
import { ownTable } from '#test/support/own-table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { type Ended, runAdmin, runAdminProcess } from './run-admin.ts'

const admin = (args: string[], environment: Record<string, string> = {}) =>
  runAdmin(args, { LOCAL_DATA_DIR: sharedService().dataDir, ...environment })
const adminProcess = (args: string[], environment: Record<string, string> = {}) =>
  runAdminProcess(args, { LOCAL_DATA_DIR: sharedService().dataDir, ...environment })

const anyFirm = 'ws_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

describe('npm run admin', () => {
  it('creates a workspace, a user and a key that opens a case', async () => {
    const workspace = JSON.parse(
      (
        await adminProcess([
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
        await adminProcess([
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
        await adminProcess([
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

    const call = api(sharedService().baseUrl, key.key)
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
    ...[
      ['workspace', 'list'],
      ['workspace', 'export', '--workspace', anyFirm, '--out', 'any'],
      ['workspace', 'erase', '--workspace', anyFirm, '--confirm', 'A'],
      ['table', 'compare', '--from', 'one', '--to', 'other'],
      ['table', 'copy', '--from', 'one', '--to', 'other', '--kinds', 'case'],
    ].map((command): [string[], string] => [
      [...command, '--units-per-second', '0'],
      '--units-per-second is a whole number',
    ]),
    [['workspace', 'create', '--name', 'A', '--inbound-domain', 'a.de', '--stage', 'test'], 'no stage test'],
  ])('%j ends with an explanation and creates nothing', async (args, explanation) => {
    const { code, out, err } = await admin(args)

    expect(code).toBe(1)
    expect(out).toBe('')
    expect(err).toContain(explanation)
    expect(err).not.toMatch(/^\s+at /m)
  })

  it('takes no more units of a table in a second than it may', async () => {
    const { client, table } = await ownTable()
    const workspaceId = newId('workspace')
    const text = 'x'.repeat(100_000)
    for (let at = 0; at < 10; at += 1)
      await client.send(
        new PutCommand({ TableName: table, Item: { pk: `${workspaceId}#${at}`, sk: '1', text } }),
      )
    const { admin: useCases } = await import('#infra/tools/admin/index.ts')
    const startedAt = performance.now()

    for await (const _ of useCases(100).otherTable(table).firmItems.all(workspaceId));

    // A megabyte has 250 units, of which the units of one second may be saved.
    expect(performance.now() - startedAt).toBeGreaterThan(1_400)
  })

  it('does nothing if its command does not have an option, such as a dry run of an erasure', async () => {
    const name = 'Kanzlei zur Probe'
    const { owner, workspace } = await newFirm(name)
    const named = ['--workspace', workspace.id, '--confirm', name]

    const { code, out, err } = await adminProcess(['workspace', 'erase', ...named, '--dry-run'])

    expect([code, out, err]).toEqual([
      1,
      '',
      expect.stringContaining('"workspace erase" has no option --dry-run'),
    ])
    expect((await owner('GET', '/api/v1/workspace')).status).toBe(200)
  })

  it('says so if no service runs', async () => {
    const { code, err } = await admin(['workspace', 'create', '--name', 'A', '--inbound-domain', 'a.de'], {
      LOCAL_DATA_DIR: '/nirgends',
    })

    expect(code).toBe(1)
    expect(err).toContain('npm start')
  })

  it('says so if the service was killed, which leaves the note of its run behind', async () => {
    const LOCAL_DATA_DIR = mkdtempSync(join(tmpdir(), 'aktenlage-killed-'))
    const { pid = 0 } = spawnSync(process.execPath, ['--version'])
    const note = {
      pid,
      environment: { ...sharedService().environment, AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1' },
    }
    writeFileSync(join(LOCAL_DATA_DIR, 'running.json'), JSON.stringify(note))

    const ended = await adminProcess(['jobs', 'list'], { LOCAL_DATA_DIR })
    rmSync(LOCAL_DATA_DIR, { recursive: true })

    expectOneSentence(ended, 'npm start')
  })

  it('says so if the service has only begun to start, and knows no table yet', async () => {
    const LOCAL_DATA_DIR = mkdtempSync(join(tmpdir(), 'aktenlage-starting-'))
    const note = { pid: process.pid, environment: {} }
    writeFileSync(join(LOCAL_DATA_DIR, 'running.json'), JSON.stringify(note))

    const ended = await admin(['jobs', 'list'], { LOCAL_DATA_DIR })
    rmSync(LOCAL_DATA_DIR, { recursive: true })

    expectOneSentence(ended, 'wait for its line Ready')
  })

  it('copies no other kinds back than records, and names these', async () => {
    const tables = ['--from', 'aktenlage-one', '--to', 'aktenlage-two', '--only-missing']

    const { code, err } = await admin(['table', 'copy', ...tables, '--kinds', 'case,webhooktoken'])

    expect([code, err]).toEqual([1, expect.stringMatching(/case,.*document.*Leave out webhooktoken\./)])
  })

  it('explains in a sentence what AWS refuses, such as a table that does not exist', async () => {
    const ended = await adminProcess([
      'table',
      'compare',
      '--from',
      'aktenlage-gone',
      '--to',
      'aktenlage-none',
    ])

    expectOneSentence(ended, 'AWS answered ResourceNotFoundException')
  })

  it('finds the table of a stage by its region in cdk.json and the outputs of its storage stack', async () => {
    const { table } = await ownTable('prod')
    const cloudFormation = await cloudFormationThat(() => [200, describeStacks(table)])
    const { TABLE_NAME: _, AWS_REGION: __, ...environment } = sharedService().environment

    const { out, err } = await admin(onProd, { ...environment, ...cloudFormation.environment })
    cloudFormation.close()

    expect(err).toBe('')
    expect(JSON.parse(out)).toMatchObject({ name: 'Auf AWS' })
    expect(cloudFormation.asked).toEqual([{ stack: stackName('prod', 'storage'), region: 'eu-central-1' }])
  })

  it('does nothing on a table whose layout item belongs to another stage, and says why', async () => {
    const { table } = await ownTable('dev')
    const cloudFormation = await cloudFormationThat(() => [200, describeStacks(table)])
    const { TABLE_NAME: _, AWS_REGION: __, ...environment } = sharedService().environment

    const ended = [
      await admin(onProd, { ...environment, ...cloudFormation.environment }),
      await admin(['upgrade', '--stage', 'prod'], { ...environment, ...cloudFormation.environment }),
    ]
    cloudFormation.close()

    for (const { code, err } of ended) {
      expect(code).toBe(1)
      expect(err).toContain('belongs to the stage dev; this stage is prod')
    }
  })

  it('lists the jobs of a stage', async () => {
    const { table } = await ownTable('prod')
    const cloudFormation = await cloudFormationThat(() => [200, describeStacks(table)])
    const { TABLE_NAME: _, AWS_REGION: __, ...environment } = sharedService().environment

    const { out } = await admin(['jobs', 'list', '--stage', 'prod'], {
      ...environment,
      ...cloudFormation.environment,
    })
    cloudFormation.close()

    expect(JSON.parse(out)).toMatchObject({ parked: expect.any(Number), jobs: expect.any(Array) })
  })

  it('looks in the region that the environment names, if it names one', async () => {
    const cloudFormation = await cloudFormationThat(() => [400, errorAnswer('ValidationError', 'No stack')])

    await admin(onProd, { ...credentials, ...cloudFormation.environment, AWS_REGION: 'eu-west-1' })
    cloudFormation.close()

    expect(cloudFormation.asked[0]?.region).toBe('eu-west-1')
  })

  it.each([
    [
      'a stack that was not deployed',
      'ValidationError',
      'Stack with id aktenlage-prod-storage does not exist',
      'There is no stack aktenlage-prod-storage in eu-central-1',
    ],
    [
      'credentials without the right',
      'AccessDenied',
      'User: arn:aws:iam::1:user/x is not authorized',
      'is not authorized',
    ],
    ['credentials that have expired', 'ExpiredToken', 'The security token has expired', 'has expired'],
  ])('explains %s in a sentence', async (_, code, message, explanation) => {
    const status = code === 'ValidationError' ? 400 : 403
    const cloudFormation = await cloudFormationThat(() => [status, errorAnswer(code, message)])

    const ended = await admin(onProd, { ...credentials, ...cloudFormation.environment })
    cloudFormation.close()

    expectOneSentence(ended, explanation)
  })

  it('explains in a sentence that there are no credentials', async () => {
    const ended = await adminProcess(onProd, withoutCredentials)

    expectOneSentence(ended, 'There are no AWS credentials: set AWS_PROFILE')
  })

  it('explains in a sentence that AWS cannot be reached', async () => {
    const cloudFormation = await cloudFormationThat(() => [500, ''])
    cloudFormation.close()

    const ended = await admin(onProd, { ...credentials, ...cloudFormation.environment })

    expectOneSentence(ended, 'aktenlage-prod-storage in eu-central-1 cannot be looked up')
  })
})

const onProd = ['workspace', 'create', '--name', 'Auf AWS', '--inbound-domain', 'a.de', '--stage', 'prod']

const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }

/** An environment without credentials in variables, files or the machine. */
const withoutCredentials = {
  HOME: '/nirgends',
  AWS_ACCESS_KEY_ID: '',
  AWS_SECRET_ACCESS_KEY: '',
  AWS_PROFILE: '',
  AWS_EC2_METADATA_DISABLED: 'true',
}

function expectOneSentence({ code, out, err }: Ended, explanation: string): void {
  expect(err).toContain(explanation)
  expect(err.trim().split('\n')).toHaveLength(1)
  expect([code, out]).toEqual([1, ''])
}

/** A CloudFormation that gives every request the same answer and records the stack and region it was asked for. */
async function cloudFormationThat(answer: () => [status: number, xml: string]) {
  const asked: { stack: string | null; region: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    // Credential=<key>/<date>/<region>/cloudformation/aws4_request
    const region = request.headers.authorization?.split('/')[2]
    asked.push({ stack: new URLSearchParams(body).get('StackName'), region })
    const [status, xml] = answer()
    response.writeHead(status, { 'content-type': 'text/xml' }).end(xml)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    asked,
    environment: { AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}` },
    close: () => server.close(),
  }
}

function errorAnswer(code: string, message: string): string {
  return `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type>
    <Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`
}

function describeStacks(table: string): string {
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
    <StackName>aktenlage</StackName><StackStatus>CREATE_COMPLETE</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime>
    <Outputs><member><OutputKey>TableName</OutputKey><OutputValue>${table}</OutputValue></member></Outputs>
    </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
}
