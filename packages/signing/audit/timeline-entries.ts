import { newId } from '#kernel/id.ts'
import type { CaseTimelineEntry, TimelineEntry } from '#timeline/schema.ts'
import { maxCodeAttempts } from '../limits.ts'
import type { EnvelopeRecord } from '../ports.ts'
import type { AuditEntry } from '../schema.ts'
import type { AuditEvent } from './audit.ts'

/**
 * The timeline entries of the case for these events (S7, C6). New links, reminders and openings get none: only the
 * audit trail records them.
 *
 * @param after the envelope after the events
 */
export function timelineEntriesOf(after: EnvelopeRecord, events: readonly AuditEvent[]): CaseTimelineEntry[] {
  return events.flatMap((event) => {
    const summary = summaries[event.action]?.(after, event)
    if (summary === undefined) return []
    const entry = {
      id: newId('timelineEntry'),
      type: `envelope.${event.action}`,
      occurred_at: event.at,
      actor: timelineActor(event.actor),
      summary,
      ref: { type: 'envelope', id: after.id },
    }
    return [{ case_id: after.case_id, entry }]
  })
}

type Summary = (after: EnvelopeRecord, event: AuditEvent) => string

const summaries: Partial<Record<AuditEntry['action'], Summary>> = {
  created: ({ title }) => `Signaturvorgang „${title}“ angelegt`,
  changed: ({ title }) => `Signaturvorgang „${title}“ geändert`,
  sent: ({ title, sends_emails }) =>
    `Signaturvorgang „${title}“ ${sends_emails ? 'zur Unterschrift versandt' : 'zur Unterschrift freigegeben, ohne E-Mails'}`,
  code_refused: ({ title }, { actor, details }) =>
    `Falscher Zugangscode am Link von ${actor.name} zu „${title}“${details.locked ? ': Link gesperrt' : ` (${details.attempts}. von ${maxCodeAttempts} Versuchen)`}`,
  signed: (after, { actor }) =>
    signerOf(after, actor)?.role === 'approver'
      ? `${actor.name} hat „${after.title}“ zugestimmt`
      : `${actor.name} hat „${after.title}“ unterschrieben`,
  declined: (after, { actor }) =>
    `${actor.name} hat die Unterschrift von „${after.title}“ abgelehnt${because(signerOf(after, actor)?.decline_reason)}`,
  voided: ({ title, void_reason }) => `Signaturvorgang „${title}“ zurückgezogen${because(void_reason)}`,
  expired: ({ title }) => `Signaturvorgang „${title}“ abgelaufen`,
  completed: ({ title }) => `Signaturvorgang „${title}“ abgeschlossen, gesiegelte Dokumente abgelegt`,
}

function signerOf({ signers }: EnvelopeRecord, actor: AuditEntry['actor']) {
  return signers.find(({ id }) => id === actor.id)
}

function because(reason: string | null | undefined): string {
  return reason ? `: ${reason}` : ''
}

/** The actor of an audit entry as the timeline shows them: a signer is `external`. */
export function timelineActor({ type, id, name }: AuditEntry['actor']): TimelineEntry['actor'] {
  return { type: type === 'signer' ? 'external' : type, id, name }
}
