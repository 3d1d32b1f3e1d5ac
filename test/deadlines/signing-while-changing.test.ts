import { expect, test } from 'vitest'
import { deadlineService } from '#deadlines/deadlines.ts'
import { firstStep, nextStep } from '#deadlines/history.ts'
import { untouched } from '#deadlines/history-schema.ts'
import type { DeadlineRecord, DeadlineStep, DeadlineStore } from '#deadlines/ports.ts'
import type { UnsignedRegister } from '#deadlines/register-schema.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { deadlineDeps } from '#test/support/deadline-deps.ts'

const actor = { workspace_id: 'ws', user_id: 'usr_1', user_name: 'Lindner', key_id: 'ak_1', scopes: [] }
const now = new Date('2026-03-16T17:00:00.000Z')
const entry = { at: now.toISOString(), actor, action: 'changed' as const, timeZone: 'Europe/Berlin' }
const entered = firstStep(
  {
    workspace_id: 'ws',
    id: 'evt_1',
    title: 'Berufung',
    case_id: 'c',
    frist_type: 'hauptfrist',
    due_at: '2026-03-13T22:59:59.000Z',
    category: 'rechtsmittel',
    basis: null,
    assigned_to: 'usr_1',
    chain_id: 'chain_1',
    follows_days: null,
    on_working_day: false,
    created_by: 'usr_1',
    created_at: '2026-03-02T08:00:00.000Z',
    due_set_by: 'usr_1',
    case_deleted_at: null,
    ...untouched,
  },
  { ...entry, at: '2026-03-02T08:00:00.000Z', action: 'created' },
)

/**
 * The use case over one deadline that is open from an earlier day.
 *
 * @param hooks `afterToday` runs after the list of today was read, `beforeVersion` before the newest version is followed
 * @param imported the entries of today
 */
function setUp(
  hooks: { afterToday?: (move: () => void) => void; beforeVersion?: (move: () => void) => void },
  imported: DeadlineStep[] = [],
) {
  let current: DeadlineRecord = entered.after
  const steps: DeadlineStep[] = [entered, ...imported]
  let daysRead = 0
  const signed: UnsignedRegister[][] = []
  /** Somebody moves the overdue deadline to today. */
  const move = () => {
    if (steps.length > 1) return
    const moved = nextStep(current, { due_at: '2026-03-16T22:59:59.000Z' }, entry)
    steps.push(moved)
    current = moved.after
  }
  const store: Partial<DeadlineStore> = {
    chains: async () => new Map(),
    complete: async (listed) => listed.map(({ has_basis: _, ...record }) => ({ ...record, basis: null })),
    withoutExitControl: async () => [],
    journal: async (_, from, until) => {
      if (from === '2026-03-15T23:00:00.000Z') daysRead += 1
      return steps
        .filter(({ entry }) => entry.at >= from && entry.at < until)
        .map(({ entry }) => ({ deadline_id: 'evt_1', entry }))
    },
    due: async (_, { from = '', until = '~' }) => {
      const isOfToday = from !== '' && from < now.toISOString()
      const { basis: __, changed_at: ___, ...record } = current
      const found = record.due_at >= from && record.due_at < until ? [{ ...record, has_basis: false }] : []
      if (isOfToday) hooks.afterToday?.(move)
      return found
    },
    signedRegisters: {
      last: async () => undefined,
      part: async () => undefined,
      sign: async (_, __, make) => {
        hooks.beforeVersion?.(move)
        const { parts, answer } = await make(undefined)
        signed.push(parts)
        return unchanged(answer)
      },
    },
  }
  const lists = store.due as DeadlineStore['due']
  store.due = async (workspaceId, query, request) => {
    // Open deadlines of earlier days are read last.
    if (query.from === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
    return lists(workspaceId, query, request)
  }
  const service = deadlineService({
    store: store as DeadlineStore,
    ...deadlineDeps,
    clock: { now: () => now },
  })
  return {
    sign: () => service.signRegister(actor, '2026-03-16', undefined),
    signed,
    daysRead: () => daysRead,
  }
}

test('a deadline that moves while the register is signed is in it', async () => {
  // Right after the list of today was read. The list of what is open from earlier days is read after that.
  const { sign, signed } = setUp({ afterToday: (move) => move() })

  await sign()

  const [[register] = []] = signed
  expect(register?.due.map(({ id }) => id)).toEqual(['evt_1'])
  expect(register?.entries.map(({ action }) => action)).toEqual(['changed'])
})

test('a deadline that moves before somebody else signs is also in the version that follows', async () => {
  const { sign, signed } = setUp({ beforeVersion: (move) => move() })

  await sign()

  const [[register] = []] = signed
  expect(register?.due.map(({ id }) => id)).toEqual(['evt_1'])
  expect(register?.entries.map(({ action }) => action)).toEqual(['changed'])
})

test('the day of an import is signed in many parts, for which its journal is read once', async () => {
  const at = '2026-03-16T09:00:00.000Z'
  const imported = Array.from({ length: 4_000 }, (_, index) => ({
    ...entered,
    entry: { ...entered.entry, at, seq: index + 1 },
  }))
  const { sign, signed, daysRead } = setUp({}, imported)

  await sign()

  const [parts = []] = signed
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.flatMap(({ entries }) => entries)).toHaveLength(4_000)
  expect(daysRead()).toBe(1)
})
