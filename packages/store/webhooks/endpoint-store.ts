import { epochMilliseconds } from '#kernel/clock.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import { uuidv7At } from '#kernel/id.ts'
import { type EndpointRecord, type EndpointStore, neverDue } from '#webhooks/endpoint-ports.ts'
import { changesOf } from '../changes.ts'
import { allPages, type Db, missingOrBelow, strongly } from '../db.ts'
import type { Outbox } from '../outbox.ts'
import { asRead, records } from '../records.ts'
import { type Action, change, erase, put, retryStale, transact } from '../transact.ts'
import { webhookDispatch } from './dispatch-entity.ts'
import { dispatchKey } from './dispatch-store.ts'
import { webhookCount, webhookEndpoint } from './endpoint-entity.ts'

/** How many endpoints a firm may have (E3). */
const maxEndpoints = 20

/** Endpoints in the table. Each has an item with the state of sending to it (`dispatch-store.ts`). */
export function endpointStore(deps: { db: Db; outbox: Outbox }): EndpointStore {
  const { db } = deps
  const items = webhookEndpoint(db)
  const counts = webhookCount(db)
  const dispatches = webhookDispatch(db)
  const endpoints = records<EndpointRecord>(db, webhookEndpoint, { missing: 'WEBHOOK_ENDPOINT_NOT_FOUND' })

  /**
   * The writes that make the worker of a changed endpoint read it again. If it was enabled or disabled, they also give
   * it work. A recovery that was not finished when it was disabled begins again.
   */
  const dispatchChanges = async (before: EndpointRecord, after: EndpointRecord): Promise<Action[]> => {
    const now = new Date(epochMilliseconds()).toISOString()
    const changed = dispatches.patch(dispatchKey(after.id)).add({ asked: 1 })
    if (before.status === after.status) {
      // The failures of the old address say nothing about the new one.
      const moved = changed
        .set({ due_at: now, notices: 0 })
        .remove(['failing_since', 'timeouts', 'quiet_until'])
      return [change(before.url === after.url ? changed : moved)]
    }
    if (after.status === 'disabled') return [change(changed.set({ is_paused: true, due_at: now }))]
    const { data: dispatch } = await dispatches.get(dispatchKey(after.id)).go(strongly)
    const lostSince = before.lost_since ?? now
    const unfinished = dispatch?.recover_since ?? lostSince
    const recover_since = unfinished < lostSince ? unfinished : lostSince
    const woken = { is_paused: false, due_at: now, notices: 0, recover_since }
    return [change(changed.set(woken).remove(['failing_since', 'timeouts', 'quiet_until', 'recovered_to']))]
  }

  const changes = changesOf<EndpointRecord>(deps, endpoints, {
    events: 'none',
    follow: async (before, after) => ({
      actions: before === undefined || after === undefined ? [] : await dispatchChanges(before, after),
    }),
  })

  return {
    list: async (workspace_id) => {
      const { data } = await items.query.oldest({ workspace_id }).go(allPages)
      return data.map(endpoints.recordOf)
    },

    find: endpoints.find,

    add: (added) => {
      const { workspace_id, id } = added.record
      const now = epochMilliseconds()
      return changes.add(
        added,
        change(
          counts
            .upsert({ workspace_id })
            .add({ endpoints: 1 })
            .where(missingOrBelow('endpoints', maxEndpoints)),
          tooMany,
        ),
        put(
          dispatches.create({
            ...dispatchKey(id),
            workspace_id,
            due_at: neverDue,
            asked: 0,
            followed_to: uuidv7At(now),
            followed_at: new Date(now).toISOString(),
            notices: 0,
            is_replaying: false,
            is_paused: false,
          }),
        ),
      )
    },

    change: changes.change,

    remove: (workspace_id, id) =>
      retryStale(async () => {
        const before = await endpoints.found(workspace_id, id)
        await transact(db, [
          erase(items.remove({ workspace_id, id }).where(asRead(before))),
          change(counts.patch({ workspace_id }).subtract({ endpoints: 1 })),
          erase(dispatches.delete(dispatchKey(id))),
        ])
      }),
  }
}

function tooMany(): Failure {
  return conflict('WEBHOOK_ENDPOINT_LIMIT', `A firm has at most ${maxEndpoints} endpoints: delete one first.`)
}
