import { expect, test } from 'vitest'
import { caseParties } from '#cases/case-parties.ts'
import type { CaseDeps } from '#cases/lookups.ts'
import type { CaseRecord, CaseStore } from '#cases/ports.ts'
import { newId } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { anyState } from '#kernel/precondition.ts'

const actor = { workspace_id: 'ws', user_id: 'usr_1', user_name: 'Lindner', key_id: 'ak_1', scopes: [] }
const clock = { now: () => new Date('2026-03-16T17:00:00.000Z') }

/** The functions of `caseParties` for one case. Of its dependencies, they can read only the names of its parties. */
function partiesOfCase(given: Partial<CaseRecord>, names: Map<string, string>, duringChange = () => {}) {
  let record = {
    workspace_id: 'ws',
    id: newId('case'),
    parties: [],
    staff: [],
    version: 1,
    ...given,
  } as never as CaseRecord
  const store: Partial<CaseStore> = {
    find: async () => record,
    change: async (_, __, decide) => {
      const change = await decide(record)
      duringChange()
      record = change.record ?? record
      return unchanged(change.answer)
    },
  }
  const service = caseParties({
    store,
    parties: {
      names: async () => new Map(names),
      find: async () => undefined,
      reserve: async () => async () => {},
    },
    clock,
  } as never as CaseDeps)
  return { ...service, id: record.id, current: () => record }
}

test('a case stores the new name of a party that is renamed while it is added', async () => {
  const party = newId('party')
  const names = new Map([[party, 'Alt GmbH']])
  // The job of the renaming does not find the party in any case yet.
  const renamed = () => names.set(party, 'Neu GmbH')
  const { addParties, id, current } = partiesOfCase({}, names, renamed)

  await addParties(actor, id, [{ id: party, role: 'Mandant', side: 'client' }])

  expect(current().parties.map(({ name }) => name)).toEqual(['Neu GmbH'])
})

test('parties are replaced without a read of the whole case, unless the request has a precondition', async () => {
  const closed = { status: 'closed', closed_at: '2026-01-31T12:00:00.000Z' } as const
  const { replaceParties, id } = partiesOfCase(closed, new Map())

  const replaced = await replaceParties(actor, id, [], anyState)

  expect(replaced).toMatchObject({ data: [] })
  // The view of a closed case needs the settings of the workspace.
  await expect(replaceParties(actor, id, [], () => {})).rejects.toThrow(TypeError)
})
