import * as z from 'zod'
import { localDateOf } from '#german-time/local-time.ts'
import { conflict } from '#kernel/failure.ts'
import { shownId } from '#kernel/id.ts'
import { namedObject } from '#kernel/lazy-object.ts'
import { Text, Timestamp, visibleText } from '#kernel/text.ts'

/** The rule by which a law firm keeps the files of a case. */
export const retentionRule = '§ 50 Abs. 1 BRAO'

/** The number of calendar years for which a case is kept after the year of its closing (§ 50 Abs. 1 BRAO). */
export const retainedYears = 6

/** The maximum number of holds of a case that were not lifted, including holds whose last day is over. */
export const maxHolds = 50

/** A legal hold on a case (R2). */
export const CaseHold = namedObject('CaseHold', () => ({
  id: shownId('hold'),
  reason: Text,
  until: z.iso
    .date()
    .nullable()
    .meta({ description: 'The last day of the hold, in the firm’s time zone. Null: until it is lifted.' }),
  created_at: Timestamp,
  created_by: shownId('user'),
}))

export type CaseHold = z.infer<typeof CaseHold>

export const CaseHoldInput = namedObject('CaseHoldInput', () => ({
  reason: visibleText(1_000),
  until: z.iso.date().nullable().default(null).meta({
    description:
      'The last day of the hold; not in the past. Without it, the hold remains until it is lifted.',
  }),
}))

export type CaseHoldInput = z.infer<typeof CaseHoldInput>

export const HoldLifting = namedObject('HoldLifting', () => ({ reason: visibleText(1_000) }))

export type HoldLifting = z.infer<typeof HoldLifting>

/** For how long a closed case is kept (R1). */
export const CaseRetention = namedObject('CaseRetention', () => ({
  rule: Text.meta({ description: 'The legal rule for the period.' }),
  retain_until: z.iso.date().meta({
    description: 'The last day of the period: the end of the sixth calendar year after the closing.',
  }),
  holds: z.array(CaseHold).meta({ description: 'The holds that are in force today.' }),
}))

export type CaseRetention = z.infer<typeof CaseRetention>

/**
 * The last day, in the firm's time zone, on which a case that was closed at this moment must be kept (§ 50 Abs. 1
 * BRAO).
 */
export function retainUntil(closedAt: string, timeZone: string): string {
  const year = Number(localDateOf(new Date(closedAt), timeZone).slice(0, 4))
  return `${String(year + retainedYears).padStart(4, '0')}-12-31`
}

/** The holds that apply on a day. `until` is the last day of a hold. */
export function activeHolds(holds: readonly CaseHold[] | null, today: string): CaseHold[] {
  return (holds ?? []).filter(({ until }) => until === null || until >= today)
}

/** The fields of a case that determine its retention. */
type Retained = { status: string; closed_at: string | null; holds: readonly CaseHold[] | null }

/**
 * When a case was closed; null for an open case, and for a case that was archived without being closed. It ignores the
 * `closed_at` of an open case, which older releases did not clear.
 */
export function closedAtOf({ status, closed_at }: Pick<Retained, 'status' | 'closed_at'>): string | null {
  return status === 'active' ? null : closed_at
}

/**
 * The moment from whose year the retention period of a case is counted: its closing, or its deletion if it was never
 * closed. Null if it was neither closed nor deleted.
 */
export function endedAtOf(
  one: Pick<Retained, 'status' | 'closed_at'> & { deleted_at: string | null },
): string | null {
  return closedAtOf(one) ?? one.deleted_at
}

/** The retention of a case on the day of `now`; null if it was never closed, or is open again. */
export function retentionOf(record: Retained, timeZone: string, now: Date): CaseRetention | null {
  const closedAt = closedAtOf(record)
  if (closedAt === null) return null
  const holds = activeHolds(record.holds, localDateOf(now, timeZone))
  return { rule: retentionRule, retain_until: retainUntil(closedAt, timeZone), holds }
}

/** `closed_at` after a change of the status: closing sets it once, archiving keeps it, reopening clears it (R1). */
export function closedAtAfter(
  before: Pick<Retained, 'status' | 'closed_at'>,
  status: string,
  now: string,
): string | null {
  const closedAt = closedAtOf(before)
  if (status === 'active') return null
  return status === 'closed' ? (closedAt ?? now) : closedAt
}

/**
 * Refuses the deletion of a case, and the deletion or the move of a document in it, while the case has a hold (R2).
 *
 * @throws Failure LEGAL_HOLD
 */
export function refuseHeld(holds: readonly CaseHold[] | null, today: string): void {
  if (activeHolds(holds, today).length === 0) return
  throw conflict(
    'LEGAL_HOLD',
    'This case has a legal hold: neither it nor its documents can be deleted or moved out. Lift the hold first.',
  )
}
