import { randomInt } from 'node:crypto'
import { epochMilliseconds } from '#kernel/clock.ts'
import { notFound } from '#kernel/failure.ts'
import type {
  Dispatch,
  DispatchIndex,
  DispatchProgress,
  DispatchStore,
  EndpointKey,
} from '#webhooks/endpoint-ports.ts'
import { allPages, type Db, missingOrBelow, strongly, unlessRefused } from '../db.ts'
import { dueIndex, dueShard } from '../due-index.ts'
import { type WithoutNulls, withNulls, withoutNulls } from '../nulls.ts'
import { type Action, change, put, transact } from '../transact.ts'
import { webhookDispatch, webhookReplay } from './dispatch-entity.ts'
import { lapsesAfter } from './event-actions.ts'

/** The key of the state of sending to an endpoint. */
export function dispatchKey(endpoint_id: string) {
  return { shard: dueShard(endpoint_id), endpoint_id }
}

/** The states of sending to endpoints, in the table. */
export function dispatchStore(db: Db): DispatchStore & DispatchIndex {
  const items = webhookDispatch(db)
  const replays = webhookReplay(db)
  const stateOf = ({ endpoint_id }: EndpointKey) => items.patch(dispatchKey(endpoint_id))

  return {
    ...dueIndex(
      'webhook_dispatches',
      (shard) => items.query.all({ shard }),
      ({ workspace_id, endpoint_id, due_at, followed_at, is_paused, timeouts, quiet_until }) => ({
        workspace_id,
        endpoint_id,
        due_at,
        followed_at,
        is_paused,
        timeouts: timeouts ?? null,
        quiet_until: quiet_until ?? null,
      }),
    ),

    claim: (key, { by, now, until }) =>
      stateAfter(
        stateOf(key)
          .set({ claimed_by: by, claimed_until: until, due_at: until })
          // The client repeats a call whose answer was lost. A copy that comes late must not shorten the claim.
          .where(
            (held, is) =>
              `${missingOrBelow('claimed_until', now)(held, is)} OR (${is.eq(held.claimed_by, by)} AND ${is.eq(held.claimed_until, until)})`,
          ),
      ),

    beginTest: async (key, { now, until }) => {
      // Further digits of the second distinguish tests of the same millisecond.
      const own = until.replace('Z', `${randomInt(1e9)}Z`)
      const begun = stateOf(key)
        .set({ tested_until: own })
        .where(
          (held, is) =>
            `${missingOrBelow('tested_until', now)(held, is)} OR ${is.eq(held.tested_until, own)}`,
        )
      return (await stateAfter(begun)) !== undefined
    },

    endTest: async (key) => {
      await stateOf(key).remove(['tested_until']).go({ originalErr: true }).catch(unlessRefused)
    },

    ask: (key) => stateAfter(stateOf(key).add({ asked: 1 })),

    renew: (key, { by, until }, progress) => {
      const { set, removed } = setAndRemoved(progress)
      const renewed = stateOf(key).set({ ...set, claimed_until: until, due_at: until })
      const cleared = removed.length > 0 ? renewed.remove(removed) : renewed
      return stateAfter(cleared.where(({ claimed_by }, { eq }) => eq(claimed_by, by)))
    },

    release: async (key, by, { is_replaying, is_paused, due_at, ...progress }, { seen, isDone }) => {
      const isRecovered = isDone && !is_paused
      const { set, removed } = setAndRemoved(progress)
      const freed = await stateAfter(
        stateOf(key)
          .set({ ...set, due_at, ...(isDone && { is_replaying }) })
          .remove([
            'claimed_by',
            'claimed_until',
            ...removed,
            ...(isRecovered ? ['recover_since' as const] : []),
          ])
          .where(({ claimed_by, asked }, { eq }) => `${eq(claimed_by, by)} AND ${eq(asked, seen)}`),
      )
      return freed !== undefined
    },

    addReplay: ({ workspace_id, endpoint_id }, replay, answer) => {
      const ttl = lapsesAfter(epochMilliseconds())
      const actions = [
        put(replays.create({ workspace_id, endpoint_id, ...replay, ttl })),
        askedNow(db, { workspace_id, endpoint_id }, { is_replaying: true }),
      ]
      return transact(db, actions, answer)
    },

    countReplays: async ({ workspace_id, endpoint_id }) => {
      const { data } = await replays.query.oldest({ workspace_id, endpoint_id }).go(allPages)
      return data.length
    },

    firstReplay: async ({ workspace_id, endpoint_id }) => {
      const { data } = await replays.query.oldest({ workspace_id, endpoint_id }).go({ limit: 1, ...strongly })
      const [first] = data
      if (first === undefined) return undefined
      const { id, after, until, types } = first
      return { id, after, until, types }
    },

    moveReplay: async ({ workspace_id, endpoint_id }, { id }, after) => {
      const key = { workspace_id, endpoint_id, id }
      if (after === undefined) await replays.delete(key).go()
      else await replays.patch(key).set({ after }).go({ originalErr: true }).catch(unlessRefused)
    },
  }
}

/** Asks for an endpoint in a transaction: its worker looks again, or the sweep finds it. @throws Failure WEBHOOK_ENDPOINT_NOT_FOUND */
export function askedNow(db: Db, key: EndpointKey, more: { is_replaying?: true } = {}): Action {
  const due_at = new Date(epochMilliseconds()).toISOString()
  const asked = webhookDispatch(db)
    .patch(dispatchKey(key.endpoint_id))
    .set({ ...more, due_at })
    .add({ asked: 1 })
  return change(asked, () => notFound('WEBHOOK_ENDPOINT_NOT_FOUND'))
}

const nullableProgress = ['failing_since', 'timeouts', 'quiet_until', 'reminded_at', 'recovered_to'] as const

/** The attributes of the progress that an update sets, and those it removes: a missing attribute means null. */
function setAndRemoved(progress: DispatchProgress) {
  return { set: withoutNulls(progress), removed: nullableProgress.filter((name) => progress[name] === null) }
}

type DispatchItem = WithoutNulls<
  Dispatch & { shard: string; claimed_by: string | null; tested_until: string | null }
>

const returningAll = { response: 'all_new', originalErr: true } as const

/** The state after a change; undefined if the condition of the change was not met. */
async function stateAfter(change: {
  go: (options: typeof returningAll) => Promise<{ data: DispatchItem | Partial<DispatchItem> }>
}): Promise<Dispatch | undefined> {
  const answer = await change.go(returningAll).catch(unlessRefused)
  if (answer === undefined) return undefined
  const {
    shard: _,
    claimed_by: __,
    tested_until: ___,
    ...state
  } = withNulls(answer.data as DispatchItem, webhookDispatch.nullable)
  return state
}
