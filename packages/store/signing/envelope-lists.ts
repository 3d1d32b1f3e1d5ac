import type { EnvelopeRecord } from '#signing/ports.ts'
import type { EnvelopeStatus } from '#signing/status-schema.ts'
import type { Db } from '../db.ts'
import { type Entry, filedList, type NoData } from '../sorted-list.ts'
import type { Action } from '../transact.ts'

/** The filter of a list of envelopes: by case and by recorded status, if they are given. */
export type EnvelopeFilter = { case_id?: string | undefined; status?: EnvelopeStatus | undefined }

/** The lists of envelopes: newest first, by case and status; and waiting envelopes by the time at which they expire. */
export function envelopeLists(db: Db) {
  const newest = filedList(db, 'envelopes', 'descending', entriesOf)
  const expiring = filedList(db, 'envelopes_expiring', 'ascending', expiryOf)

  return {
    /** The actions, for the transaction of the envelope, that change its entries; that remove them if `after` is missing. */
    changes: (before: EnvelopeRecord | undefined, after?: EnvelopeRecord): Action[] => [
      ...newest.changes(before, after),
      ...expiring.changes(before, after),
    ],

    /** Ids of a list after the last one of the page before, newest first. */
    ids: (workspaceId: string, filter: EnvelopeFilter, after: string | undefined, limit: number) =>
      newest.places(workspaceId, termOf(filter), { after }, limit),

    /** Ids of envelopes whose time is over at `now`, the longest first. */
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

/**
 * Its entry by the time at which it expires. An envelope that is a draft, has ended or is being sealed does not expire.
 */
function expiryOf({ id, status, expires_at, sealing_since }: EnvelopeRecord): Entry<NoData>[] {
  const isRunning = (status === 'sent' || status === 'in_progress') && sealing_since === null
  if (!isRunning || expires_at === null) return []
  return [{ term: 'running', place: `${new Date(expires_at).toISOString()}#${id}`, data: {} }]
}
