import type { Actor } from '#kernel/actor.ts'
import { conflict } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { beginningOf } from '#kernel/text.ts'
import { type EntryContext, firstStep, nextStep } from './history.ts'
import type { DeadlineRecord, DeadlineStep, Provisional } from './ports.ts'
import { vorfristTitle } from './vorfrist.ts'

/** The title of the provisional deadline of a requested extension, no longer than a title may be. */
function provisionalTitle(title: string): string {
  return beginningOf(`Verlängerung beantragt (vorläufig): ${title}`, 500)
}

/** The provisional deadline with its Vorfrist, in a chain of their own. */
export function provisionalSteps(
  current: DeadlineRecord,
  wanted: { until: string; before: string; days: number; onWorkingDay: boolean },
  created: EntryContext,
): [DeadlineStep, DeadlineStep] {
  const { until, before, days, onWorkingDay } = wanted
  const { updated_at: _, history_seq: __, history_hash: ___, version: ____, ...fields } = current
  const title = provisionalTitle(current.title)
  const provisional = {
    ...fields,
    id: newId('event'),
    title,
    frist_type: 'hauptfrist' as const,
    due_at: until,
    basis: null,
    chain_id: newId('chain'),
    created_by: created.actor.user_id,
    created_at: created.at,
    due_set_by: created.actor.user_id,
    verified_by: null,
    verified_at: null,
    delegation: null,
    extension: null,
    provisional_for: current.id,
  }
  const vorfrist = {
    ...provisional,
    id: newId('event'),
    title: vorfristTitle(title),
    frist_type: 'vorfrist' as const,
    due_at: before,
    follows_days: days,
    on_working_day: onWorkingDay,
  }
  return [firstStep(provisional, created), firstStep(vorfrist, created)]
}

/**
 * A provisional deadline and its Vorfrist, each with the function that makes its title from the title of the deadline.
 */
export function provisionalMembers({
  deadline,
  vorfrist,
}: Provisional): { record: DeadlineRecord; titleFor: (title: string) => string }[] {
  return [
    { record: deadline, titleFor: provisionalTitle },
    ...(vorfrist
      ? [{ record: vorfrist, titleFor: (title: string) => vorfristTitle(provisionalTitle(title)) }]
      : []),
  ]
}

/**
 * Refuses a provisional deadline: it changes only with its extension request (F18).
 *
 * @throws Failure DEADLINE_PROVISIONAL
 */
export function requireFinal({ provisional_for }: DeadlineRecord): void {
  if (provisional_for === null) return
  throw conflict(
    'DEADLINE_PROVISIONAL',
    `This deadline is provisional: it belongs to the extension request of ${provisional_for}. Grant, refuse or repeat that request.`,
  )
}

/** The steps that strike a provisional deadline and its Vorfrist, except for one that is kept. */
export function withdrawn(
  { deadline, vorfrist }: Provisional,
  actor: Actor,
  entry: EntryContext,
  keptId?: string,
): DeadlineStep[] {
  const fields = {
    struck_at: entry.at,
    struck_by: actor.user_id,
    struck_reason: entry.reason ?? null,
  }
  return [deadline, ...(vorfrist ? [vorfrist] : [])]
    .filter(({ id }) => id !== keptId)
    .map((record) => nextStep(record, fields, entry))
}
