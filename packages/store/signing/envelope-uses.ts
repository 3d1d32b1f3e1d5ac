import type { Clock } from '#kernel/clock.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import type { Db } from '../db.ts'
import type { Action } from '../transact.ts'
import { envelopeRecords } from './envelope-record.ts'

/**
 * Refuses the deletion of a document that one of these envelopes still needs (D10).
 *
 * @returns the conditions under which none needs it, for the transaction that deletes the document. If the time of an
 * envelope is over, but nobody has recorded it, the envelope could get more time meanwhile
 * @throws Failure DOCUMENT_IN_USE
 */
export type RequireUnused = (workspaceId: string, envelopeIds: string[]) => Promise<Action[]>

/** @param deps.needsDocuments whether an envelope needs its documents at this time (`envelope-states.ts`) */
export function envelopeUses(deps: {
  db: Db
  clock: Clock
  needsDocuments: (envelope: EnvelopeRecord, now: Date) => boolean
}): RequireUnused {
  const { db, clock, needsDocuments } = deps
  const envelopes = envelopeRecords(db)
  return async (workspaceId, envelopeIds) => {
    const records = await envelopes.findAll(workspaceId, envelopeIds)
    const now = clock.now()
    if (records.some((record) => needsDocuments(record, now))) throw inUse()
    return records.filter(({ status }) => running.has(status)).map(envelopes.unchanged)
  }
}

/** The recorded statuses in which an envelope can still be given more time. */
const running: ReadonlySet<string> = new Set(['sent', 'in_progress'])

function inUse(): Failure {
  return conflict(
    'DOCUMENT_IN_USE',
    'An envelope that was sent needs this document. Void the envelope first, or wait until it has ended.',
  )
}
