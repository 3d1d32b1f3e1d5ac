import { bookkeeping } from '#kernel/changes.ts'
import { machineMilliseconds } from '#kernel/clock.ts'
import { inTime } from '#kernel/in-time.ts'
import type { LogOf } from '#kernel/log.ts'
import type { SentEvent } from '#webhooks/catalogue-schema.ts'
import type { Db, EventHints } from '../db.ts'
import { webhookCount } from './endpoint-entity.ts'

/**
 * How long a process remembers whether a firm has endpoints. A firm without endpoints pays for its changes half a read
 * unit in this time, and nothing else. A new endpoint is followed for longer than that (`endpoints.ts`).
 */
const rememberedMilliseconds = { with: 60_000, without: 5_000 }
const maxRemembered = 10_000

/** A change waits no longer than this until its events are announced: the sweep finds them in the log. */
const maxWaitMilliseconds = 1_000

/** Announces events to the worker that delivers them, if their firm has endpoints. */
export function eventHints(
  db: Db,
  deps: {
    send: (order: { workspace_id: string; events: SentEvent[] }) => Promise<void>
    log: LogOf<'error'>
  },
): EventHints {
  const { send, log } = deps
  const counts = webhookCount(db)
  const known = new Map<string, { has: boolean; until: number }>()

  const look = async (workspace_id: string): Promise<boolean> => {
    const { data } = await counts.get({ workspace_id }).go({ originalErr: true })
    const has = (data?.endpoints ?? 0) > 0
    if (known.size >= maxRemembered) known.clear()
    const milliseconds = has ? rememberedMilliseconds.with : rememberedMilliseconds.without
    known.set(workspace_id, { has, until: machineMilliseconds() + milliseconds })
    return has
  }

  const tried = <Result>(work: Promise<Result>, otherwise: Result): Promise<Result> => {
    const safe = work.catch((error: unknown) => {
      log.error('events were not announced', { error: String(error) })
      return otherwise
    })
    return inTime(maxWaitMilliseconds, safe, () => otherwise)
  }

  return {
    areWanted: async (workspaceId) => {
      const remembered = known.get(workspaceId)
      if (remembered !== undefined && remembered.until > machineMilliseconds()) return remembered.has
      return tried(
        bookkeeping(() => look(workspaceId)),
        false,
      )
    },
    send: (workspaceId, events) => tried(send({ workspace_id: workspaceId, events }), undefined),
  }
}
