import { withOffset } from '#german-time/local-time.ts'
import type { Actor } from '#kernel/actor.ts'
import { hashOf } from '#kernel/hash-chain.ts'
import { DeadlineSnapshot, type HistoryEntry } from './history-schema.ts'
import type { DeadlineRecord, DeadlineStep } from './ports.ts'
import { extensionView } from './views.ts'

/** The actor, action and time of an entry, and the time zone in which it writes times. */
export type EntryContext = {
  at: string
  actor: Actor
  action: HistoryEntry['action']
  /** The reason or note of the entry, if it has one. */
  reason?: string | null | undefined
  timeZone: string
}

/** A deadline without the fields that its history sets. */
type NewDeadline = Omit<DeadlineRecord, 'updated_at' | 'history_seq' | 'history_hash' | 'version'>

const unwritten = { updated_at: '', history_seq: 0, history_hash: '', version: 0 }

export function firstStep(deadline: NewDeadline, entry: EntryContext): DeadlineStep {
  return stepTo(undefined, { ...deadline, ...unwritten }, entry)
}

/** The step that makes these changes, with the next entry of the history (F11). */
export function nextStep(
  before: DeadlineRecord,
  changes: Partial<NewDeadline>,
  entry: EntryContext,
): DeadlineStep {
  return stepTo(before, { ...before, ...changes }, entry)
}

function stepTo(
  before: DeadlineRecord | undefined,
  after: DeadlineRecord,
  { at, actor, action, reason = null, timeZone }: EntryContext,
): DeadlineStep {
  const bare = {
    seq: after.history_seq + 1,
    at,
    actor: { type: 'user' as const, id: actor.user_id, name: actor.user_name, key_id: actor.key_id },
    action,
    before: before === undefined ? null : snapshotOf(before, timeZone),
    after: snapshotOf(after, timeZone),
    reason,
    previous_hash: before === undefined ? null : before.history_hash,
  }
  const entry = { ...bare, hash: hashOf(bare) }
  return {
    before,
    after: {
      ...after,
      updated_at: at,
      history_seq: entry.seq,
      history_hash: entry.hash,
      version: after.version + 1,
    },
    entry,
  }
}

/**
 * A deadline as its history shows it: the fields that people decide, without the storage fields. Fields that newer code
 * has stored are neither shown nor hashed.
 */
export function snapshotOf(record: DeadlineRecord, timeZone: string): DeadlineSnapshot {
  const snapshot = {
    id: record.id,
    title: record.title,
    case_id: record.case_id,
    frist_type: record.frist_type,
    due_at: withOffset(new Date(record.due_at), timeZone),
    category: record.category,
    basis: record.basis,
    assigned_to: record.assigned_to,
    chain_id: record.chain_id,
    created_by: record.created_by,
    created_at: record.created_at,
    verified_by: record.verified_by,
    verified_at: record.verified_at,
    delegation: record.delegation,
    completed_at: record.completed_at,
    completed_by: record.completed_by,
    evidence: record.evidence,
    exit_control: record.exit_control,
    struck_at: record.struck_at,
    struck_by: record.struck_by,
    struck_reason: record.struck_reason,
    extension: extensionView(record, timeZone),
    provisional_for: record.provisional_for,
  }
  const known = DeadlineSnapshot.safeParse(snapshot)
  return known.success ? known.data : snapshot
}
