import { withOffset } from '#german-time/local-time.ts'
import { isOver } from '#german-time/time-limit.ts'
import { bareUuid, idPrefixes } from '#kernel/id.ts'
import { chainAfter } from './chain-schema.ts'
import type { Chain, DeadlineRecord, DeadlineSteps, ListedDeadline } from './ports.ts'
import type { Deadline, DeadlineChain, Frist } from './schema.ts'
import { fristTypes } from './type-schema.ts'

/** The inputs of a view in addition to the record: the time zone of the workspace, and the current time. */
export type ViewContext = { timeZone: string; now: Date }

/** The record as the deadlines interface shows it. */
export function deadlineView(record: DeadlineRecord, chain: Chain, { timeZone, now }: ViewContext): Deadline {
  const { vorfrist, hauptfrist, nachfrist } = chain
  return {
    id: record.id,
    type: 'frist',
    title: record.title,
    case_id: record.case_id,
    case_deleted_at: record.case_deleted_at,
    frist_type: record.frist_type,
    due_at: withOffset(new Date(record.due_at), timeZone),
    status: statusOf(record, now),
    overdue: isOverdue(record, now),
    category: record.category,
    basis: record.basis,
    assigned_to: record.assigned_to,
    ...verificationOf(record),
    evidence: record.evidence,
    exit_control: record.exit_control,
    extension: extensionView(record, timeZone),
    provisional_for: record.provisional_for,
    chain_id: record.chain_id,
    chain: { vorfrist, hauptfrist, nachfrist },
    created_by: record.created_by,
    created_at: record.created_at,
  }
}

/** The first deadline of these steps as it is after them. */
export function viewAfter(steps: DeadlineSteps, chain: Chain, context: ViewContext): Deadline {
  return deadlineView(steps[0].after, chainAfter(chain, steps), context)
}

/** The same record as the Fristen view shows it (K1). */
export function fristView(record: ListedDeadline | DeadlineRecord, { timeZone, now }: ViewContext): Frist {
  const status = statusOf(record, now)
  return {
    id: idPrefixes.frist + bareUuid(record.id),
    title: record.title,
    deadline: withOffset(new Date(record.due_at), timeZone),
    case_id: record.case_id,
    case_deleted_at: record.case_deleted_at,
    frist_type: record.frist_type,
    status: status === 'pending' ? 'open' : status === 'completed' ? 'verified' : status,
    verified: record.verified_by !== null,
    overdue: isOverdue(record, now),
    category: record.category,
    provisional_for: record.provisional_for,
    chain_id: record.chain_id,
    assigned_to: record.assigned_to,
    ...verificationOf(record),
  }
}

/** The requested extension, with times in the same form as the deadline's. */
export function extensionView(
  { extension }: Pick<DeadlineRecord, 'extension'>,
  timeZone: string,
): Deadline['extension'] {
  if (extension === null) return null
  const local = (at: string) => withOffset(new Date(at), timeZone)
  const { requested_until, until } = extension
  return {
    ...extension,
    requested_until: local(requested_until),
    until: until === null ? null : local(until),
  }
}

/** A chain with its members as the deadlines interface shows it. */
export function chainView(members: readonly DeadlineRecord[], { timeZone }: ViewContext): DeadlineChain {
  const [vorfrist = null, hauptfrist = null, nachfrist = null] = fristTypes.map((type) => {
    const member = members.find(({ frist_type }) => frist_type === type)
    if (member === undefined) return null
    return { id: member.id, due_at: withOffset(new Date(member.due_at), timeZone), title: member.title }
  })
  return { vorfrist, hauptfrist, nachfrist }
}

/** The status at a moment (F4). Expired: the due time is past, and the deadline is neither verified nor completed. */
export function statusOf(
  record: Pick<DeadlineRecord, 'due_at' | 'completed_at' | 'verified_by'>,
  at: Date,
): Deadline['status'] {
  if (record.completed_at !== null) return 'completed'
  if (record.verified_by !== null) return 'verified'
  return isOver(record.due_at, at) ? 'expired' : 'pending'
}

/** Whether the act was due by that moment and was not done, verified or not; false for a struck deadline. */
export function isOverdue(
  record: Pick<DeadlineRecord, 'completed_at' | 'struck_at'> & { due_at: string },
  at: Date,
): boolean {
  return record.completed_at === null && record.struck_at === null && isOver(record.due_at, at)
}

function verificationOf(record: Omit<DeadlineRecord, 'basis'>) {
  const { verified_by, verified_at, delegation, completed_at, completed_by } = record
  return { verified_by, verified_at, delegation, completed_at, completed_by }
}
