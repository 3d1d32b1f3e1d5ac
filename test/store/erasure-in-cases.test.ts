import { expect, it } from 'vitest'
import type { CaseHold } from '#cases/retention-schema.ts'
import { idPrefixes, newId } from '#kernel/id.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import type { Db } from '#store/db.ts'
import { folderEntity } from '#store/folders/folder-entity.ts'
import { erasureInCases } from '#store/parties/erasure-in-cases.ts'
import { partyUse } from '#store/parties/party-entity.ts'
import { removedInCase } from '#store/retention/disposal-part-entity.ts'
import { type Action, transact } from '#store/transact.ts'
import { keyIn } from '#store/upgrades/upgrade.ts'
import { ownTable } from '#test/support/own-table.ts'

it('an erasure keeps a hold that is set on a deleted case while it changes the records of the case', async () => {
  const db = await ownTable()
  const [workspace_id, id, party_id] = [newId('workspace'), newId('case'), newId('party')]
  const at = '2019-03-01T09:00:00.000Z'
  const cases = caseEntity(db)
  const holdUntil = (until: string | null): CaseHold => ({
    ...{ id: newId('hold'), reason: 'Regress', until, created_at: at, created_by: newId('user') },
  })
  const [over, standing] = [holdUntil('2020-12-31'), holdUntil(null)]
  await cases
    .put({
      ...{ workspace_id, id, name: 'Meier ./. Schulze', file_number: '0001/19', status: 'closed', staff: [] },
      parties: [{ id: party_id, role: 'client', name: 'Anna Meier' }],
      ...{ closed_at: at, created_at: at, updated_at: at, changed_at: at, deleted_at: at, version: 1 },
      holds: [over],
    })
    .go()
  await partyUse(db).put({ workspace_id, party_id, named_by: id }).go()
  /** A kind of records whose list is read while the erasure is at work on the case. */
  const reading = {
    idPrefix: 'none_',
    listed: async () => {
      await cases
        .patch({ workspace_id, id })
        .set({ holds: [over, standing], version: 2 })
        .go()
      return []
    },
  }
  const step = erasureInCases({
    ...{ db, nouns: [reading], withoutParty: () => (text: string) => text.replaceAll('Meier', '…') },
  } as unknown as Parameters<typeof erasureInCases>[0])
  const party = { workspace_id, id: party_id, name: 'Anna Meier', email: null }

  const keptBy = ({ holds }: { holds: CaseHold[] | null }) =>
    holds?.some(({ until }) => until === null) ? ('LEGAL_HOLD' as const) : null
  for await (const _ of step(party as Parameters<typeof step>[0], null, keptBy));

  expect((await cases.get({ workspace_id, id }).go()).data).toMatchObject({
    name: 'Meier ./. Schulze',
    holds: [over, standing],
  })
})

type CaseKey = { workspace_id: string; id: string }

/** A past case with two folders that were deleted, each named after a party, and the step that takes the name out. */
async function twoFolders(afterChange: (db: Db, key: CaseKey) => Promise<unknown>) {
  const db = await ownTable()
  const [workspace_id, id, party_id] = [newId('workspace'), newId('case'), newId('party')]
  const at = '2019-03-01T09:00:00.000Z'
  await caseEntity(db)
    .put({
      ...{ workspace_id, id, name: 'Schulze', file_number: '0001/19', status: 'closed' },
      ...{ staff: [], parties: [], closed_at: at, created_at: at, updated_at: at, changed_at: at },
      ...{ deleted_at: at, version: 1 },
    })
    .go()
  await partyUse(db).put({ workspace_id, party_id, named_by: id }).go()
  const folders = [newId('folder'), newId('folder')]
  for (const folder of folders) {
    await folderEntity(db)
      .put({ workspace_id, id: folder, name: 'Meier', case_id: id, created_at: at, version: 1 })
      .go()
    await removedInCase(db).put({ workspace_id, id: folder, case_id: id }).go()
  }
  const texts = { fields: ['name'], instead: () => ({}), isEvidence: () => false, files: () => undefined }
  const noun = {
    ...{ kind: 'folder', idPrefix: idPrefixes.folder, listed: () => [] },
    keyOf: (_: string, folder: string) => keyIn(folderEntity(db).get({ workspace_id, id: folder })),
    caseOf: ({ case_id }: { case_id?: unknown }) => case_id,
    texts: { ...texts, follow: () => ({ actions: [] }), first: async () => {} },
  }
  const outbox = {
    commit: async (actions: Action[]) => {
      await transact(db, actions)
      await afterChange(db, { workspace_id, id })
    },
  }
  const step = erasureInCases({
    ...{ db, outbox, nouns: [noun], withoutParty: () => (text: string) => text.replaceAll('Meier', '…') },
  } as unknown as Parameters<typeof erasureInCases>[0])
  const party = { workspace_id, id: party_id, name: 'Anna Meier', email: null }
  const keptBy = ({ holds }: { holds: CaseHold[] | null }) => (holds?.length ? ('LEGAL_HOLD' as const) : null)
  return {
    run: (after: string | null) => step(party as Parameters<typeof step>[0], after, keptBy),
    names: async () => {
      const found = folders.map((folder) => folderEntity(db).get({ workspace_id, id: folder }).go())
      return (await Promise.all(found)).map(({ data }) => data?.name).toSorted()
    },
  }
}

it('an erasure changes no further record of a case after a hold was set on it', async () => {
  const hold = {
    ...{ id: newId('hold'), reason: 'Regress', until: null, created_by: newId('user') },
    created_at: '2019-03-01T09:00:00.000Z',
  }
  // The hold comes right after the first record was changed.
  const { run, names } = await twoFolders((db, key) =>
    caseEntity(db)
      .patch(key)
      .set({ holds: [hold], version: 2 })
      .go(),
  )

  for await (const _ of run(null));

  expect(await names()).toEqual(['Meier', '…'])
})

it('an erasure may stop in the middle of a case, and then continues there', async () => {
  const { run, names } = await twoFolders(async () => {})

  const { value: position } = await run(null).next()
  const atStop = await names()
  for await (const _ of run(String(position)));

  expect([atStop, await names()]).toEqual([
    ['Meier', '…'],
    ['…', '…'],
  ])
})
