import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { keyed, writeAll } from '#store/batch.ts'
import { layoutKey } from '#store/table.ts'
import { scan, twoTables } from '#store/two-tables.ts'
import { newFirm } from '#test/support/firm.ts'
import { ownTable } from '#test/support/own-table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { runAdmin } from './run-admin.ts'

const admin = (...args: string[]) => runAdmin(args, { LOCAL_DATA_DIR: sharedService().dataDir })

it('records come back from a table of an older layout only once it is upgraded: a conflict check finds them', async () => {
  const { owner, workspace } = await newFirm()
  const { body: party } = await owner('POST', '/api/v1/parties', { body: { name: 'Stephan Maierhofer' } })
  const restored = await ownTable()
  const { TABLE_NAME: inUse = '' } = sharedService().environment
  await twoTables({ client: restored.client, from: inUse, to: restored.table }).copy({
    workspaceId: workspace.id,
  })
  // Layout 9 has no item for the layout and files no party by its name.
  await restored.client.send(new DeleteCommand({ TableName: restored.table, Key: layoutKey }))
  for await (const entries of scan(restored, { kinds: ['party_names'] }))
    await writeAll(restored, [], entries.map(keyed))
  await owner('DELETE', `/api/v1/parties/${party.id}`)
  const names = ['--from', restored.table, '--to', inUse, '--workspace', workspace.id]
  const copy = () => admin('table', 'copy', ...names, '--kinds', 'party', '--only-missing')

  const refused = await copy()
  const missing = await owner('GET', `/api/v1/parties/${party.id}`)
  const upgraded = await admin('upgrade', '--table', restored.table)
  const copied = await copy()

  expect([refused.code, refused.out, missing.status]).toEqual([1, '', 404])
  expect(refused.err).toContain(`upgrade --table ${restored.table}`)
  expect([upgraded.code, copied.code]).toEqual([0, 0])
  expect(JSON.parse(copied.out).records).toEqual({ party: [party.id] })
  const checked = await owner('POST', '/api/v1/conflict-check', { body: { names: ['Stephan Maierhofer'] } })
  expect(checked.body.data.map((found: { party: { id: string } }) => found.party.id)).toEqual([party.id])
})

it('npm run admin lists the firms', async () => {
  const { workspace } = await newFirm('Kanzlei in der Liste')

  const { out } = await admin('workspace', 'list', '--units-per-second', '100000')

  const { data } = JSON.parse(out)
  const { id, inbound_address } = workspace
  const created_at = expect.any(String)
  expect(data).toContainEqual({ id, name: 'Kanzlei in der Liste', inbound_address, created_at })
  expect(data.map((one: { created_at: string }) => one.created_at)).toEqual(
    data.map((one: { created_at: string }) => one.created_at).toSorted(),
  )
})

it('npm run admin replaces and removes nothing in the table in use, unless its name is confirmed', async () => {
  const { owner, workspace } = await newFirm()
  const { body: party } = await owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })
  const { table: restored } = await ownTable()
  const { TABLE_NAME: inUse = '' } = sharedService().environment
  const names = ['--from', restored, '--to', inUse, '--workspace', workspace.id, '--kinds', 'party']
  const copy = (...options: string[]) => admin('table', 'copy', ...names, ...options)
  const status = async () => (await owner('GET', `/api/v1/parties/${party.id}`)).status

  const refused = await copy()
  const stays = await status()
  const confirmed = await copy('--confirm', inUse)

  expect(refused).toEqual({ code: 1, out: '', err: expect.stringMatching(/^[^\n]*--only-missing[^\n]*\n$/) })
  expect([stays, confirmed.code, await status()]).toEqual([200, 0, 404])
})
