import { rmSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import { createTable } from '#infra/local/create-table.ts'
import { createClient } from '#store/client.ts'
import { twoTables } from '#store/two-tables.ts'
import { api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { corpus, settled, upload } from '#test/support/documents.ts'
import { restoredKinds } from '#test/support/restored-kinds.ts'
import { type Service, startService } from '#test/support/service.ts'
import { runAdmin } from '../admin/run-admin.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const ownerOf = ({ baseUrl, credentials }: Service) =>
  api(baseUrl, credentials.workspaces[0]?.users[0]?.api_key)

/** The table as it is now, under another name: what DynamoDB's restore to a second gives. */
async function restoredTable({ environment }: Service): Promise<string> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const to = 'aktenlage-restored'
  await createTable(to)
  const client = createClient()
  await twoTables({ client, from: environment.TABLE_NAME ?? '', to }).copy({}, { onlyMissing: true })
  vi.unstubAllEnvs()
  return to
}

const endpoints = '/api/v1/webhooks/endpoints'

/** The rehearsal of "Restore to a second" in infra/README.md. */
it('a service on a restored table has what was there at that second, gives no number twice, takes no revoked key, and goes on with new credentials', async () => {
  // Prepare
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = await startService({ dataDir, commandLine: ['--empty'] })
  const owner = ownerOf(before)
  const open = async (name: string) => (await owner('POST', '/api/v1/cases', { body: { name } })).body
  const kept = await open('Vorher')
  const { body: document } = await upload(
    owner,
    { bytes: corpus('schriftsatz.pdf'), filename: 'Schriftsatz.pdf' },
    { case_id: kept.id },
  )
  await settled(owner, document.id)
  const { body: user } = await owner('POST', '/api/v1/users', {
    body: { name: 'Rita Roth', email: 'roth@example.com' },
  })
  const { body: key } = await owner('POST', '/api/v1/api-keys', {
    body: { user_id: user.id, name: 'Gestohlen', scopes: ['cases:read'] },
  })
  const table = await restoredTable(before)
  const admin = async (...args: string[]) => {
    const { out, err } = await runAdmin(['table', ...args], { LOCAL_DATA_DIR: dataDir })
    expect(err).toBe('')
    return JSON.parse(out)
  }
  const names = ['--from', before.environment.TABLE_NAME ?? '', '--to', table]

  // Act
  const lost = await open('Nachher')
  await owner('DELETE', `/api/v1/cases/${kept.id}`)
  await owner('DELETE', `/api/v1/api-keys/${key.id}`)
  const { body: rotated } = await owner('POST', '/api/v1/workspace/webhooks/rotate')
  const { body: endpoint } = await owner('POST', endpoints, { body: { url: 'https://kanzlei.example/hook' } })
  const compared = await admin('compare', ...names, '--kinds', 'case,filenumber,apikey')
  const taken = await admin('copy', ...names, '--kinds', restoredKinds().join())
  await before.stop()
  const after = await startService({ dataDir, environment: { TABLE_NAME: table } })
  ending.push(() => after.stop())

  // Assess
  const restored = ownerOf(after)
  expect(compared.kinds).toMatchObject({
    case: { missing: 1, changed: 1, surplus: 0 },
    filenumber: { missing: 1 },
    apikey: { changed: 1 },
  })
  // The list entry of the revoked key, and the old token of the webhook.
  expect(taken).toMatchObject({ replaced: expect.any(Number), removed: 2 })
  expect((await restored('GET', `/api/v1/cases/${kept.id}`)).body.name).toBe('Vorher')
  expect((await restored('GET', `/api/v1/cases/${lost.id}`)).status).toBe(404)
  const { bytes } = await restored('GET', `/api/v1/documents/${document.id}/download`)
  expect(Buffer.compare(bytes, corpus('schriftsatz.pdf'))).toBe(0)
  expect((await api(after.baseUrl, key.key)('GET', '/api/v1/cases')).status).toBe(401)
  const begun = await api(after.baseUrl, undefined)('POST', '/api/v1/webhooks/inbox/uploads', {
    body: { filename: 'Klage.pdf', mime_type: 'application/pdf', size_bytes: 1_000 },
    headers: { 'X-Service-Token': rotated.token },
  })
  expect(begun.status).toBe(201)
  const moved = await restored('PATCH', `${endpoints}/${endpoint.id}`, {
    body: { url: 'https://kanzlei.example/neu' },
  })
  expect(moved.status).toBe(200)
  const next = await restored('POST', '/api/v1/cases', { body: { name: 'Danach' } })
  const numberOf = ({ file_number }: { file_number: string }) => Number(file_number.split('/')[0])
  expect(numberOf(next.body)).toBe(numberOf(lost) + 1)
  const since = await restored('GET', `/api/v1/cases?updated_since=${kept.created_at}`)
  expect(since.body.data.map(({ id }: { id: string }) => id)).toEqual([kept.id, next.body.id])
})
