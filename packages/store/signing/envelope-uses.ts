import type { Clock } from '#kernel/clock.ts'
import { conflict, type Failure } from '#kernel/failure.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { isRunning } from '#signing/status-schema.ts'
import type { Db } from '../db.ts'
import type { Action } from '../transact.ts'
import { envelopeRecords } from './envelope-record.ts'

/**
 * Refuses the deletion of a document that one of these envelopes still needs (D10).
 *
 * @returns conditions for the transaction that deletes the document. An envelope that has expired, but whose expiry is
 * not recorded yet, must not change in the meantime, because its expiry could be set to a later time
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
    return records.filter(({ status }) => isRunning(status)).map(envelopes.unchanged)
  }
}

function inUse(): Failure {
  return conflict(
    'DOCUMENT_IN_USE',
    'An envelope that was sent needs this document. Void the envelope first, or wait until it has ended.',
  )
}
