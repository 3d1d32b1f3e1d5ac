import { describe, expect, test } from 'vitest'
import { deadlineService } from '#deadlines/deadlines.ts'
import type { HistoryEntry } from '#deadlines/history-schema.ts'
import type { Chain, DeadlineChange, DeadlineStore } from '#deadlines/ports.ts'
import type { Answered } from '#kernel/idempotency.ts'
import { deadlineDeps } from '#test/support/deadline-deps.ts'

const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const chain: Chain = {
  id: 'chain_01993f62-3e5a-7f1b-8f60-7d3e1a9c5b42',
  case_id: caseId,
  vorfrist: null,
  hauptfrist: null,
  nachfrist: null,
}
const actor = { workspace_id: 'ws', user_id: 'usr_1', user_name: 'Lindner', key_id: 'ak_1', scopes: [] }

describe('a deadline that joins a chain', () => {
  test('is recorded with the time of the attempt that was written', async () => {
    const attempts: { entry: HistoryEntry; answer: unknown }[] = []
    let now = new Date('2026-03-16T08:35:00.000Z')
    const store: Partial<DeadlineStore> = {
      chains: async () => new Map([[chain.id, chain]]),
      // Somebody else changes the chain between the two attempts.
      join: async <Answer>(
        _workspaceId: string,
        _chainId: string,
        decide: (chain: Chain) => Promise<DeadlineChange<Answer>>,
      ) => {
        for (const at of ['2026-03-16T08:35:00.000Z', '2026-03-16T08:35:02.000Z']) {
          now = new Date(at)
          const { steps, answer } = await decide(chain)
          attempts.push({ entry: steps[0].entry, answer })
        }
        return (attempts.at(-1) as { answer: Answered<Answer> }).answer
      },
    }
    const service = deadlineService({
      store: store as DeadlineStore,
      ...deadlineDeps,
      clock: { now: () => now },
    })

    const created = await service.create(actor, {
      title: 'Berufung',
      case_id: caseId,
      due_at: { date: '2026-04-16' },
      frist_type: 'hauptfrist',
      create_vorfrist: false,
      vorfrist_days: 7,
      vorfrist_on_working_day: false,
      chain_id: chain.id,
    })

    expect(attempts.map(({ entry }) => entry.at)).toEqual([
      '2026-03-16T08:35:00.000Z',
      '2026-03-16T08:35:02.000Z',
    ])
    expect(created.created_at).toBe('2026-03-16T08:35:02.000Z')
  })
})
