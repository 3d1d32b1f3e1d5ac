import { auditActor } from '#audit/schema.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { type SweepLog, sweeping } from '#jobs/sweeping.ts'
import type { Clock } from '#kernel/clock.ts'
import { required } from '#kernel/failure.ts'
import { keptReason } from './erasing.ts'
import type {
  CaseAround,
  DueErasure,
  DueErasures,
  ErasureOrder,
  ErasureStep,
  KeptBy,
  PartyErasureStore,
  StoredParty,
  WholeStep,
} from './erasure-ports.ts'

/**
 * How long a worker claims an erasure: longer than its function may run. If the worker dies, another one continues after
 * this time.
 */
const claimedMilliseconds = 16 * 60_000

type Deps = {
  due: DueErasures
  store: Pick<PartyErasureStore, 'find' | 'finish'>
  /** In the order in which they run. */
  steps: { name: string; run: ErasureStep | WholeStep }[]
  workspaces: { find: (id: string) => Promise<{ time_zone: string } | undefined> }
  clock: Clock
  log: SweepLog
}

/**
 * Runs the erasures that have begun (R5), step by step. It stores the first position of a step, and the position at which
 * the time is over or the step fails. The next run continues there. Each case is judged again before it is changed. The
 * record of the party is removed last, because the steps read the data of the party from it.
 *
 * @param milliseconds the time after which nothing more is begun
 */
export async function runErasures(
  { due, store, steps, workspaces, clock, log }: Deps,
  now: Date,
  { milliseconds }: { milliseconds: number },
): Promise<{ done: number; failed: number }> {
  const sweep = sweeping({ name: 'erasures', milliseconds, log })
  let done = 0

  /** @returns false if the rest is for another run. @throws what a step throws */
  const runSteps = async (begun: ErasureOrder, party: StoredParty, keptBy: KeptBy): Promise<boolean> => {
    let order = begun
    const first = Math.max(
      steps.findIndex(({ name }) => name === order.step),
      0,
    )
    try {
      for (const { name, run } of steps.slice(first)) {
        if (order.step !== name) order = await due.save(order, { ...order, step: name, after: null })
        const ran = run(party, order.after, keptBy)
        for (;;) {
          const next = 'next' in ran ? await ran.next() : { done: true, value: await ran }
          if (next.done && next.value === undefined) break
          const after = positionIn(next.value)
          if (next.done || sweep.isOver()) {
            await due.save(order, { step: name, after, claimed_until: null })
            return false
          }
          const isFirst = order.after === null
          order = { ...order, after }
          if (isFirst) await due.save(order, order)
        }
      }
      return true
    } catch (error) {
      // So the next run does not have to wait until the claim is over.
      await due.save(order, { ...order, claimed_until: null }).catch(() => undefined)
      throw error
    }
  }

  const work = async (item: DueErasure): Promise<void> => {
    const claimed = clock.now()
    const until = new Date(claimed.getTime() + claimedMilliseconds).toISOString()
    const order = await due.claim(item, claimed.toISOString(), until)
    if (order === undefined) return
    const { workspace_id, id, user_id, key_id } = order
    const { time_zone } = required(await workspaces.find(workspace_id), 'WORKSPACE_NOT_FOUND')
    const keptBy = (one: CaseAround) =>
      keptReason(one, time_zone, localDateOf(clock.now(), time_zone))?.code ?? null
    const party = await store.find(workspace_id, id)
    if (party !== undefined && !(await runSteps(order, party, keptBy))) return
    const actor = auditActor({ workspace_id, user_id, key_id, user_name: '', scopes: [] })
    const ref = { type: 'party' as const, id }
    await store.finish(order, { workspace_id, actor, action: 'party.erased', ref })
    done += 1
  }

  await sweep.eachDue(due, now, work, 2)
  return { done, failed: sweep.failed() }
}

/** The place at which the next run continues, from the last result of a step; null: the beginning of the step. */
function positionIn(left: string | { laterFrom: string } | undefined): string | null {
  if (typeof left === 'object') return left.laterFrom
  return left === undefined || left === 'later' ? null : left
}
