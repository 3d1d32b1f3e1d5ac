import type { Actor } from '#kernel/actor.ts'
import { conflict } from '#kernel/failure.ts'
import { beginningOf } from '#kernel/text.ts'
import { type EntryContext, nextStep } from './history.ts'
import type { DeadlineRecord, DeadlineStep, Provisional } from './ports.ts'
import { vorfristTitle } from './vorfrist.ts'

/** The title of the provisional deadline of a requested extension, no longer than a title may be. */
export function provisionalTitle(title: string): string {
  return beginningOf(`Verlängerung beantragt (vorläufig): ${title}`, 500)
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
 * Refuses a provisional deadline: it changes only with the extension request that it stands for (F18).
 *
 * @throws Failure DEADLINE_PROVISIONAL
 */
export function requireFinal({ provisional_for }: DeadlineRecord): void {
  if (provisional_for === null) return
  throw conflict(
    'DEADLINE_PROVISIONAL',
    `This deadline stands for an extension that was requested. Grant, refuse or repeat the request of ${provisional_for}.`,
  )
}

/** The steps that strike a provisional deadline and its Vorfrist, except for one that is kept. */
export function withdrawn(
  { deadline, vorfrist }: Provisional,
  actor: Actor,
  occasion: EntryContext,
  keptId?: string,
): DeadlineStep[] {
  const fields = {
    struck_at: occasion.at,
    struck_by: actor.user_id,
    struck_reason: occasion.reason ?? null,
  }
  return [deadline, ...(vorfrist ? [vorfrist] : [])]
    .filter(({ id }) => id !== keptId)
    .map((record) => nextStep(record, fields, occasion))
}
