import { expect, test } from 'vitest'
import { caseParties } from '#cases/case-parties.ts'
import type { CaseDeps } from '#cases/lookups.ts'
import type { CaseRecord, CaseStore } from '#cases/ports.ts'
import { newId } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'

const actor = { workspace_id: 'ws', user_id: 'usr_1', user_name: 'Lindner', key_id: 'ak_1', scopes: [] }
const clock = { now: () => new Date('2026-03-16T17:00:00.000Z') }

test('a party that is renamed while it is added to a case is stored with its new name', async () => {
  const party = newId('party')
  const names = new Map([[party, 'Alt GmbH']])
  let record = {
    workspace_id: 'ws',
    id: newId('case'),
    parties: [],
    staff: [],
    version: 1,
  } as never as CaseRecord
  const store: Partial<CaseStore> = {
    find: async () => record,
    change: async (_, __, decide) => {
      const change = await decide(record)
      // The job of this change finds the party in no case yet.
      names.set(party, 'Neu GmbH')
      record = change.record ?? record
      return unchanged(change.answer)
    },
  }
  const { addParties } = caseParties({
    store,
    parties: {
      names: async () => new Map(names),
      find: async () => undefined,
      reserve: async () => async () => {},
    },
    clock,
  } as never as CaseDeps)

  await addParties(actor, record.id, [{ id: party, role: 'Mandant', side: 'client' }])

  expect(record.parties.map(({ name }) => name)).toEqual(['Neu GmbH'])
})
