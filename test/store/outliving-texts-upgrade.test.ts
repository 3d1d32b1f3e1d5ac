import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import { waitingAnswersOf } from '#store/bea/bea-draft-store.ts'
import { beaImportEntity, beaMessageEntity } from '#store/bea/bea-message-entity.ts'
import { remoteKey } from '#store/bea/bea-message-records.ts'
import { sharedLink } from '#store/correspondence/shared-link-entity.ts'
import { itemsOf } from '#store/pages-of.ts'
import { layoutKey } from '#store/table.ts'
import { outlivingTexts } from '#store/upgrades/20-outliving-texts.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { itemIn } from '#store/upgrades/upgrade.ts'
import { ownTable } from '#test/support/own-table.ts'

it('links expire, and notices of imported messages quote nothing, however often the upgrade runs', async () => {
  // Prepare
  const [db, workspace_id] = [await ownTable(), newId('workspace')]
  const [links, messages, imports] = [sharedLink(db), beaMessageEntity(db), beaImportEntity(db)]
  const [token_sha256, expires_at] = ['ab'.repeat(32), '2026-12-27T09:00:00.000Z']
  const link = { token_sha256, workspace_id, correspondence_id: newId('correspondence'), documents: [] }
  const ofAccount = { workspace_id, account_id: newId('beaAccount'), postbox_safe_id: 'DE.Justiz.1' }
  const message = (remote_id: string) => ({
    ...{ ...ofAccount, id: newId('beaMessage'), remote_id, is_missing: true, folder: 'INBOX' },
    ...{ direction: 'inbound' as const, subject: 'Meier ./. Schulze', recipients: [], attachments: [] },
    ...{ sender: { name: 'Anna Meier', bea_id: 'DE.1' }, reference_sender: '3 O 45/26', confidential: false },
    ...{ eeb_requested: false, size_bytes: 0, imported_at: expires_at, attachment_parts: 0, version: 2 },
    teaches: { references: [], sender: null },
  })
  const imported = message('missing\n501')
  const others = [message('not yet\n502'), message('entries\n501'), message('501')]
  const layout = { params: () => ({ Item: { ...layoutKey, layout: 19, stage: 'local' } }) }
  const put = (Item: object) => ({ params: () => ({ Item }) })
  await writeAll(db, [
    layout,
    put(itemIn(links.put({ ...link, expires_at }))),
    ...[imported, ...others].map((one) => put(itemIn(messages.put(one)))),
    put(
      itemIn(
        imports.put({
          ...{ ...ofAccount, remote_key: remoteKey('501'), remote_id: '501', id: newId('beaMessage') },
          ...{ folder: 'INBOX', direction: 'inbound' },
        }),
      ),
    ),
  ])
  const upgrades = tableUpgrades(db, { stage: 'local', upgrades: [outlivingTexts] })
  const read = async () => ({
    link: (await links.get({ token_sha256 }).go()).data,
    notice: (await messages.get({ workspace_id, id: imported.id }).go()).data,
    others: await Promise.all(
      others.map(async ({ id }) => (await messages.get({ workspace_id, id }).go()).data),
    ),
  })
  await upgrades.run({ dryRun: true })
  const before = await read()

  // Act
  const { layout: after } = await upgrades.run()
  await writeAll(db, [layout])
  await upgrades.run()

  // Assess
  const { reference_sender: _, ...withoutReference } = imported
  expect(before).toEqual({ link: { ...link, expires_at }, notice: imported, others })
  expect([after, await read()]).toEqual([
    20,
    {
      link: { ...link, expires_at, ttl: Date.parse(expires_at) / 1_000 },
      notice: { ...withoutReference, subject: '', sender: { name: null, bea_id: null }, version: 3 },
      others,
    },
  ])
})

it('struck deadlines are noted, or removed if their case is gone, and waiting answers are listed, however often it runs', async () => {
  // Prepare
  const db = await ownTable()
  const [workspace_id, case_id, account_id] = [newId('workspace'), newId('case'), newId('beaAccount')]
  const [struck_at, due_at] = ['2026-03-01T09:00:00.000Z', '2026-04-01T22:00:00.000Z']
  const record = (kind: string, name: string, id: string, fields: object) => ({
    ...{ pk: `${workspace_id}#${name}#${id}`, sk: `$${kind}_1`, __edb_e__: kind, __edb_v__: '1' },
    ...{ workspace_id, id, version: 1, ...fields },
  })
  const deadline = (id: string, fields: object = {}) =>
    record('deadline', 'deadline', id, {
      case_id,
      chain_id: `chain_${id}`,
      due_at,
      title: 'Berufung',
      ...fields,
    })
  const layout = { ...layoutKey, layout: 19, stage: 'local' }
  const goneCase = newId('case')
  const gone = deadline('evt_gone', { struck_at, case_id: goneCase })
  const items = [
    ...[layout, gone, record('case', 'case', case_id, {})],
    ...[deadline('evt_struck', { struck_at }), deadline('evt_open')],
    record('beadraft', 'bea_draft', 'bdr_waiting', {
      account_id,
      state: 'queued',
      eeb: { message_id: 'bea_1' },
    }),
    record('beadraft', 'bea_draft', 'bdr_sent', { account_id, state: 'sent', eeb: { message_id: 'bea_2' } }),
    record('beadraft', 'bea_draft', 'bdr_other', { account_id, state: 'queued' }),
  ]
  await writeAll(
    db,
    items.map((Item) => ({ params: () => ({ Item }) })),
  )
  const upgrades = tableUpgrades(db, { stage: 'local', upgrades: [outlivingTexts] })

  // Act
  const first = await upgrades.run()
  await writeAll(db, [{ params: () => ({ Item: layout }) }])
  await upgrades.run()

  // Assess
  const namesIn = async (partition: string, name: 'id' | 'sk') => {
    const names: string[] = []
    for await (const page of itemsOf(db, `${workspace_id}#${partition}`, ['id']))
      names.push(...page.map((one) => String(one[name])))
    return names
  }
  expect(first.layout).toBe(20)
  expect(await namesIn(`removed_in_case#${case_id}`, 'id')).toEqual(['evt_struck'])
  expect(await namesIn(`removed_in_case#${goneCase}`, 'id')).toEqual([])
  expect(await namesIn('deadline#evt_gone', 'sk')).toEqual([])
  expect(await namesIn('deadline#evt_struck', 'sk')).toEqual(['$deadline_1'])
  expect(await namesIn(`bea_drafts#${waitingAnswersOf(account_id)}`, 'sk')).toEqual(['bdr_waiting'])
})
