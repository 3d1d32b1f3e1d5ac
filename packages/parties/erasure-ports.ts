import type { AuditEvent } from '#audit/schema.ts'
import type { CaseHold } from '#cases/retention-schema.ts'
import type { DueIndex } from '#jobs/sweeping.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { PartyErasure } from './erasure-schema.ts'
import type { PartyRecord } from './ports.ts'
import type { PartyData } from './redaction.ts'

/** A party whose record is there, also a deleted one. */
export type StoredParty = PartyRecord & { deleted_at: string | null }

/**
 * A case around a party: it names the party or once did. Or it holds documents or invoices that did, mail or beA messages
 * filed with the party, or an envelope that goes to the party's address. It may be deleted, but its record is there.
 */
export type CaseAround = {
  id: string
  file_number: string
  status: 'active' | 'closed' | 'archived'
  closed_at: string | null
  deleted_at: string | null
  holds: CaseHold[] | null
}

/** The records that name a party. */
export type Namings = { cases: CaseAround[]; documents: number; invoices: number }

/** The key of an erasure in the index of due erasures. */
export type DueErasure = { workspace_id: string; id: string; shard: string; place: string }

/** An erasure that has begun. `id` is the id of the party. */
export type ErasureOrder = DueErasure & {
  /** The user and key of the request, for the audit. */
  user_id: string
  key_id: string
  /** The current step, and the position in it; null: at the beginning. */
  step: string | null
  after: string | null
  /** Until when a worker has claimed it; null if none has. */
  claimed_until: string | null
}

export type DueErasures = DueIndex<DueErasure> & {
  /** Claims an erasure for a worker. @returns undefined if another worker has claimed it, or it is done */
  claim: (due: DueErasure, now: string, until: string) => Promise<ErasureOrder | undefined>
  /** Stores how far a claimed erasure is. @throws if another worker has claimed it since */
  save: (
    claimed: ErasureOrder,
    position: Pick<ErasureOrder, 'step' | 'after' | 'claimed_until'>,
  ) => Promise<ErasureOrder>
}

export type PartyErasureStore = {
  /** The party, also a deleted one; undefined once it is erased. */
  find: (workspaceId: string, id: string) => Promise<StoredParty | undefined>
  /**
   * Deletes the party, unless it is deleted already, and begins its erasure as `decide` says. Reads and decides again if
   * the party or one of the cases around it was changed meanwhile.
   *
   * @throws Failure PARTY_NOT_FOUND if its erasure has begun, and what `decide` throws
   */
  begin: (
    workspaceId: string,
    id: string,
    decide: (
      party: StoredParty,
      namings: Namings,
    ) => { deleted_at: string; user_id: string; key_id: string; answer: PartyErasure },
  ) => Promise<Answered<PartyErasure>>
  /** Removes the record of the party and its `ErasureOrder`, and records that in the audit. Does nothing if they are gone. */
  finish: (order: ErasureOrder, audit: AuditEvent) => Promise<void>
}

/**
 * A step of an erasure: it removes the party from one kind of records. It often yields the position that it has reached. A
 * worker can stop at each position, and the step can be run again from there. If something cannot be changed yet, the step
 * returns `later`, and the next run begins it again; with `laterFrom`, the next run continues at that position.
 */
export type ErasureStep = (
  party: StoredParty,
  after: string | null,
  keptBy: KeptBy,
) => AsyncGenerator<string, 'later' | { laterFrom: string } | undefined>

/** A step without positions. */
export type WholeStep = (party: StoredParty) => Promise<'later' | undefined>

/** Why a case must be kept: then no record of it is changed. Null if it need not be. */
export type KeptBy = (one: CaseAround) => 'LEGAL_HOLD' | 'RETENTION_APPLIES' | null

/** Removes the name and data of a party from a text. */
export type Redact = (text: string) => string

/** @param options.familyName whether the family name alone is removed too, as in the name of a case */
export type Redacting = (party: PartyData, options?: { familyName?: boolean }) => Redact
