import type { EnvelopeRecord } from '#signing/ports.ts'
import { type EnvelopeStatus, isRunning } from '#signing/status-schema.ts'
import type { Db } from '../db.ts'
import { type Entry, filedList, type NoData } from '../sorted-list.ts'
import type { Action } from '../transact.ts'

/** The filter of a list of envelopes: by case and by recorded status, if they are given. */
export type EnvelopeFilter = { case_id?: string | undefined; status?: EnvelopeStatus | undefined }

/** The lists of envelopes: all by case and status, newest first, and the expiring ones by the time of their expiry. */
export function envelopeLists(db: Db) {
  const newest = filedList(db, 'envelopes', 'descending', entriesOf)
  const expiring = filedList(db, 'envelopes_expiring', 'ascending', expiryOf)

  return {
    /** The actions that change the entries of an envelope. Without `after` they remove the entries. */
    changes: (before: EnvelopeRecord | undefined, after?: EnvelopeRecord): Action[] => [
      ...newest.changes(before, after),
      ...expiring.changes(before, after),
    ],

    /** Ids of a list, newest first. `after`: the last id of the previous page. */
    ids: (workspaceId: string, filter: EnvelopeFilter, after: string | undefined, limit: number) =>
      newest.places(workspaceId, termOf(filter), { after }, limit),

    /** Ids of envelopes that have expired by `now`, but whose expiry is not recorded yet, the oldest expiry first. */
    async overdue(workspaceId: string, now: Date, limit: number): Promise<string[]> {
      const until = new Date(now.getTime() + 1).toISOString()
      const places = await expiring.places(workspaceId, 'running', { until }, limit)
      return places.map((place) => place.slice(place.indexOf('#') + 1))
    },
  }
}

function termOf({ case_id, status }: EnvelopeFilter): string {
  const filters = [case_id && `case=${case_id}`, status && `status=${status}`]
  return filters.filter(Boolean).join(' ') || 'all'
}

function entriesOf({ id, case_id, status }: EnvelopeRecord): Entry<NoData>[] {
  return [{}, { case_id }, { status }, { case_id, status }].map((filter) => ({
    term: termOf(filter),
    place: id,
    data: {},
  }))
}

/** The entry by the time of the expiry. A draft, an ended envelope and one that is being sealed do not expire. */
function expiryOf({ id, status, expires_at, sealing_since }: EnvelopeRecord): Entry<NoData>[] {
  if (!isRunning(status) || sealing_since !== null || expires_at === null) return []
  return [{ term: 'running', place: `${new Date(expires_at).toISOString()}#${id}`, data: {} }]
}
