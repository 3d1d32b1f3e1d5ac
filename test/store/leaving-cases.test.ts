import { expect, it } from 'vitest'
import type { CaseHold } from '#cases/retention-schema.ts'
import { newId } from '#kernel/id.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import { leavingCases } from '#store/parties/leaving-cases.ts'
import { partyUse } from '#store/parties/party-entity.ts'
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
  const step = leavingCases({
    ...{ db, nouns: [reading], withoutParty: () => (text: string) => text.replaceAll('Meier', '…') },
  } as unknown as Parameters<typeof leavingCases>[0])
  const party = { workspace_id, id: party_id, name: 'Anna Meier', email: null }

  const keptBy = ({ holds }: { holds: CaseHold[] | null }) =>
    holds?.some(({ until }) => until === null) ? ('LEGAL_HOLD' as const) : null
  for await (const _ of step(party as Parameters<typeof step>[0], null, keptBy));

  expect((await cases.get({ workspace_id, id }).go()).data).toMatchObject({
    name: 'Meier ./. Schulze',
    holds: [over, standing],
  })
})
