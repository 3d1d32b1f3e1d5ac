import { expect, it } from 'vitest'
import { beaForgetting } from '#bea/messages/forgetting.ts'
import type { BeaMessageRecord } from '#bea/ports.ts'
import { unchanged } from '#kernel/idempotency.ts'

it('an erasure leaves a message as it is that somebody files in a case after it was listed', async () => {
  const listed = {
    ...{ workspace_id: 'ws_1', id: 'beamsg_1', case_id: null, party_id: 'pty_1', subject: 'Anna Meier' },
    ...{ attachments: [], recipients: [], sender: {}, postbox_safe_id: 'DE.1', inbox: null, version: 1 },
  } as unknown as BeaMessageRecord
  const filed = { ...listed, case_id: 'case_1', version: 2 }
  let stored = listed
  const written: string[] = []
  const forget = beaForgetting({
    accounts: { listEver: async () => [{ id: 'acc_1' }] as never },
    store: {
      page: async () => {
        stored = filed
        return { data: [listed], pagination: { cursor: null, has_more: false } }
      },
      find: async () => stored,
      change: async (_, __, decide) => {
        const { record, answer } = decide(stored)
        stored = record ?? stored
        return unchanged(answer)
      },
    },
    files: {
      head: async () => undefined,
      read: () => Promise.reject(new Error('There are no files.')),
      put: async () => {},
      eraseOlder: async (prefix) => void written.push(prefix),
    },
    redactDocument: async () => {},
    leaveTimelines: async () => {},
    redactDrafts: async () => {},
  })

  for await (const _ of forget({ workspace_id: 'ws_1', id: 'pty_1' }, () => '…', null));

  expect(stored).toEqual(filed)
  expect(written).toEqual([])
})
