import { localDateOf } from '#german-time/local-time.ts'
import { isOver } from '#german-time/time-limit.ts'
import { dueInstant } from '#german-time/time-range.ts'
import type { Actor } from '#kernel/actor.ts'
import { timestamp } from '#kernel/clock.ts'
import { conflict } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Precondition } from '#kernel/precondition.ts'
import { sameSecond } from './basis.ts'
import { calculate } from './calculate.ts'
import { alreadyCompleted, dueSetBy } from './changing.ts'
import { dueWarnings } from './due-warnings.ts'
import { type EntryContext, nextStep } from './history.ts'
import { type DeadlineDeps, lookups, refused } from './lookups.ts'
import type { DeadlineRecord, DeadlineStep, DeadlineSteps, Provisional, WorkspaceSettings } from './ports.ts'
import { findPreset } from './presets.ts'
import { provisionalSteps, requireFinal, withdrawn } from './provisional.ts'
import {
  type Deadline,
  defaultVorfristDays,
  type EnteredDeadline,
  type Extension,
  type ExtensionGrant,
  type ExtensionRequest,
} from './schema.ts'
import { germanMoment, titled } from './summaries.ts'
import { viewAfter } from './views.ts'
import { vorfristDue, vorfristTitle } from './vorfrist.ts'

/**
 * Requesting an extension, and the answer of the court (F18). Until the answer the deadline keeps its due time, and
 * lists and register also show a provisional deadline with its own Vorfrist (BGH II ZB 19/09, VII ZB 44/09).
 */
export function extendingDeadlines(deps: DeadlineDeps) {
  const { clock } = deps
  const { changeIf, chainWarnings, pushWarnings, timelineOf, entryContext } = lookups(deps)

  return {
    /**
     * Records that an extension was requested. A second request replaces the first.
     *
     * @throws Failure DEADLINE_NOT_FOUND, DEADLINE_COMPLETED, DEADLINE_PROVISIONAL, PRECONDITION_FAILED;
     *   CASE_NOT_FOUND while its case is being removed
     * @throws Failure VALIDATION_ERROR if the new end is not later; also, with the provision, if the period cannot be
     *   extended, or not a second time
     */
    requestExtension: (
      actor: Actor,
      id: string,
      request: ExtensionRequest,
      precondition: Precondition<Deadline>,
    ): Promise<Answered<EnteredDeadline>> =>
      changeIf(actor, id, precondition, async (current, { context, chain, vorfrist, provisional }) => {
        requireFinal(current)
        if (current.completed_at !== null) throw alreadyCompleted()
        requireExtendable(current, 'body.requested_until')
        const { until, warnings: ofPeriod } = requestedUntil(request, current, context.settings)
        if (until <= current.due_at)
          throw refused('body.requested_until', 'The extension must end after the deadline.')
        const at = timestamp(clock)
        const vorfristTerms = {
          days: vorfrist?.follows_days ?? defaultVorfristDays,
          onWorkingDay: vorfrist?.on_working_day ?? false,
        }
        const before = vorfristDue(until, vorfristTerms, context)
        const moved = entryContext(actor, 'changed', context)
        const move = (record: DeadlineRecord, due_at: string) =>
          nextStep(record, { due_at, ...dueSetBy(record, actor) }, moved)
        const along = provisional && [
          move(provisional.deadline, until),
          ...(provisional.vorfrist ? [move(provisional.vorfrist, before)] : []),
        ]
        const added = along
          ? []
          : provisionalSteps(
              current,
              { until, before, ...vorfristTerms },
              entryContext(actor, 'created', context),
            )
        const extension: Extension = {
          requested_at: at,
          requested_by: actor.user_id,
          requested_until: until,
          note: request.note ?? null,
          state: 'requested',
          until: null,
          decided_at: null,
          decided_by: null,
          provisional_id: provisional?.deadline.id ?? (added[0] as DeadlineStep).after.id,
        }
        const requested = nextStep(
          current,
          { extension },
          entryContext(actor, 'extension_requested', context, request.note),
        )
        const steps: DeadlineSteps = [requested, ...(along ?? [])]
        const shown = [...(along ?? []), ...added].map(({ after }) => after)
        const warnings = [
          ...extensionWarnings(current, context),
          ...ofPeriod,
          ...dueWarnings(shown, context),
          ...(await pushWarnings(actor, steps)),
        ]
        const summary = `Verlängerung der ${titled(current)} bis ${germanMoment(until, context.timeZone)} beantragt; vorläufig eingetragen`
        return {
          steps,
          added,
          timeline: timelineOf(actor, current, 'deadline.extension_requested', summary),
          answer: { ...viewAfter(steps, chain, context), warnings },
        }
      }),

    /**
     * Records that the court has extended the period to `until`, by default to the requested end. The deadline moves, its
     * verification is cleared, its basis stays. The provisional deadline is struck. One Vorfrist of a Hauptfrist remains
     * and moves with it. A Nachfrist has none; if the provisional one is struck, a warning says so.
     *
     * @throws Failure DEADLINE_NOT_FOUND, EXTENSION_NOT_REQUESTED, PRECONDITION_FAILED; VALIDATION_ERROR for an end
     *   that is not later, and, with the provision, for a period that cannot be extended
     */
    grantExtension: (
      actor: Actor,
      id: string,
      grant: ExtensionGrant,
      precondition: Precondition<Deadline>,
    ): Promise<Answered<EnteredDeadline>> =>
      changeIf(actor, id, precondition, async (current, { context, chain, vorfrist, provisional }) => {
        const open = requireRequested(current)
        // The deadline may have become a Notfrist since the extension was requested.
        requireExtendable(current, 'body.until')
        const until = grant?.until ? dueInstant(grant.until, context.timeZone) : open.requested_until
        if (until <= current.due_at) throw refused('body.until', 'The extension must end after the deadline.')
        const entry = entryContext(actor, 'extension_granted', context)
        const decided: Extension = { ...open, ...decision(actor, 'granted'), until }
        const granted = nextStep(
          current,
          { ...dueSetBy(current, actor), due_at: until, extension: decided },
          entry,
        )
        const kept = remainingVorfrist(granted.after, vorfrist, provisional, { ...context, actor, entry })
        const struck = entryContext(actor, 'struck', context, 'Fristverlängerung gewährt')
        const gone = provisional ? withdrawn(provisional, actor, struck, kept?.after.id) : []
        const steps: DeadlineSteps = [granted, ...(kept ? [kept] : []), ...gone]
        const shown = [granted.after, ...(kept ? [kept.after] : [])]
        // Only a Hauptfrist keeps a Vorfrist: a chain has no place for the Vorfrist of a Nachfrist.
        const withoutVorfrist =
          provisional?.vorfrist && !kept
            ? ['Die vorläufige Vorfrist ist gestrichen: An das neue Ende erinnert keine Vorfrist.']
            : []
        const warnings = [
          ...dueWarnings(shown, context),
          ...withoutVorfrist,
          // Its Vorfrist moves along, or the provisional one takes its place.
          ...(await chainWarnings(actor, granted.after, { ...chain, vorfrist: null }, context)),
          ...(await pushWarnings(actor, steps)),
        ]
        const summary = `Verlängerung der ${titled(current)} gewährt: fällig ${germanMoment(current.due_at, context.timeZone)} → ${germanMoment(until, context.timeZone)}`
        return {
          steps,
          timeline: timelineOf(actor, current, 'deadline.extension_granted', summary),
          answer: { ...viewAfter(steps, chain, context), warnings },
        }
      }),

    /**
     * Records that the court has refused. The deadline stays as it is, and the provisional one is struck.
     *
     * @throws Failure DEADLINE_NOT_FOUND, EXTENSION_NOT_REQUESTED, PRECONDITION_FAILED
     */
    refuseExtension: (
      actor: Actor,
      id: string,
      precondition: Precondition<Deadline>,
    ): Promise<Answered<EnteredDeadline>> =>
      changeIf(actor, id, precondition, (current, { context, chain, provisional }) => {
        const extension: Extension = { ...requireRequested(current), ...decision(actor, 'refused') }
        const struck = entryContext(actor, 'struck', context, 'Fristverlängerung abgelehnt')
        const summary = `Verlängerung der ${titled(current)} abgelehnt: Es bleibt bei ${germanMoment(current.due_at, context.timeZone)}`
        const steps: DeadlineSteps = [
          nextStep(current, { extension }, entryContext(actor, 'extension_refused', context)),
          ...(provisional ? withdrawn(provisional, actor, struck) : []),
        ]
        return {
          steps,
          timeline: timelineOf(actor, current, 'deadline.extension_refused', summary),
          answer: {
            ...viewAfter(steps, chain, context),
            warnings: dueWarnings([steps[0].after], context),
          },
        }
      }),
  }

  function decision(actor: Actor, state: 'granted' | 'refused') {
    return { state, decided_at: timestamp(clock), decided_by: actor.user_id }
  }
}

/**
 * The requested end in UTC: a day or moment, or the end of a period. A period counts from the due day, which was already
 * moved from a day off (§ 190 BGB, § 224 Abs. 3 ZPO; BGH, VII ZB 87/08). `warnings` are German, for example that the end
 * was moved over a day that is a holiday in some regions only.
 */
function requestedUntil(
  { requested_until, period }: ExtensionRequest,
  { due_at, basis }: DeadlineRecord,
  { time_zone, holiday_region }: WorkspaceSettings,
): { until: string; warnings: string[] } {
  if (requested_until) return { until: dueInstant(requested_until, time_zone), warnings: [] }
  const preset = basis?.preset ? findPreset(basis.preset) : undefined
  const court = basis?.region_source === 'court' ? preset?.court : undefined
  const { due_at: end, warnings } = calculate({
    // Midnight is the end of the day before.
    event_date: localDateOf(new Date(Date.parse(due_at) - 1), time_zone),
    period: period as NonNullable<ExtensionRequest['period']>,
    region: basis?.region ?? holiday_region,
    mariae_himmelfahrt: court?.mariae_himmelfahrt,
    region_source: 'workspace',
    workspace_region: holiday_region,
    time_zone,
  })
  return { until: new Date(end).toISOString(), warnings }
}

/** German warnings: the request comes too late, and the rule for extending this period. */
function extensionWarnings(
  { due_at, basis }: DeadlineRecord,
  { now, timeZone }: { now: Date; timeZone: string },
): string[] {
  const rule = basis?.preset ? findPreset(basis.preset)?.extension : undefined
  return [
    ...(isOver(due_at, now)
      ? [
          `Die Frist ist am ${germanMoment(due_at, timeZone)} abgelaufen. Ein Antrag nach Ablauf der Frist kann sie nicht mehr verlängern (BGHZ 116, 377).`,
        ]
      : []),
    ...(rule ? [`Verlängerung: ${rule}`] : []),
  ]
}

/** @throws Failure VALIDATION_ERROR, with the provision, if a court cannot extend the period, or not a second time */
function requireExtendable({ frist_type, category, basis, extension }: DeadlineRecord, path: string): void {
  if (frist_type === 'vorfrist') throw refused(path, 'A court does not extend a Vorfrist.')
  const of = basis?.statute ? ` of ${basis.statute}` : ''
  if (basis?.notfrist || category === 'notfrist')
    throw refused(path, `The Notfrist${of} cannot be extended (§ 224 Abs. 1, 2 ZPO).`)
  const isFixed = basis?.extendable === false || (basis?.extendable !== true && category === 'rechtsmittel')
  if (isFixed) throw refused(path, `The statutory period${of} cannot be extended (§ 224 Abs. 2 ZPO).`)
  const preset = basis?.preset ? findPreset(basis.preset) : undefined
  if (preset?.once && extension?.state === 'granted')
    throw refused(path, `The period${of} was extended and cannot be extended again: ${preset.extension}`)
}

/** @throws Failure EXTENSION_NOT_REQUESTED */
function requireRequested({ extension }: DeadlineRecord): Extension {
  if (extension?.state === 'requested') return extension
  throw conflict(
    'EXTENSION_NOT_REQUESTED',
    'No extension of this deadline is waiting for an answer. Request one first.',
  )
}

/**
 * The only Vorfrist of the extended deadline. An open Vorfrist moves with the deadline, even one that was set by hand.
 * If there is none, or it was completed for the old end, the provisional Vorfrist takes its place.
 */
function remainingVorfrist(
  granted: DeadlineRecord,
  vorfrist: DeadlineRecord | undefined,
  provisional: Provisional | undefined,
  {
    actor,
    entry,
    ...place
  }: { timeZone: string; region: WorkspaceSettings['holiday_region']; actor: Actor; entry: EntryContext },
): DeadlineStep | undefined {
  if (granted.frist_type !== 'hauptfrist') return undefined
  const own = vorfrist?.completed_at === null ? vorfrist : undefined
  const kept = own ?? (provisional?.vorfrist?.completed_at === null ? provisional.vorfrist : undefined)
  if (kept === undefined) return undefined
  const days = kept.follows_days ?? defaultVorfristDays
  const due_at = vorfristDue(granted.due_at, { days, onWorkingDay: kept.on_working_day }, place)
  const taken =
    kept === own
      ? {}
      : { chain_id: granted.chain_id, title: vorfristTitle(granted.title), provisional_for: null }
  // A Vorfrist that was moved is not the result of its calculation.
  const basis = sameSecond(due_at, kept.due_at) ? kept.basis : null
  return nextStep(kept, { ...dueSetBy(kept, actor), ...taken, basis, due_at, follows_days: days }, entry)
}
