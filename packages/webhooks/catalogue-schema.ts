import * as z from 'zod'
import { type IdKind, idPrefixes, shownId } from '#kernel/id.ts'
import { once } from '#kernel/once.ts'
import type { Scope } from '#kernel/scope.ts'
import { Timestamp } from '#kernel/text.ts'

/**
 * The catalogue of events (E1): every type, when it happens, what its data hold, and who may read it. The OpenAPI
 * document, the client, the page of the documentation and the table of the README come from it. A type is here if the
 * service produces it.
 */
export const eventTypes = {
  'case.created': 'A case was opened.',
  'case.updated':
    'A field, the parties, the staff or the links of a case were changed. A link changes both cases.',
  'case.deleted': 'A case was deleted.',
  'party.created': 'A party was added, by itself or with a case.',
  'party.updated': 'A field of a party was changed.',
  'party.deleted': 'A party was deleted.',
  'document.created':
    'A document was stored or announced, by a user, with a mail or beA message, or as a sealed copy.',
  'document.processed': 'The text of a document was extracted.',
  'document.failed':
    'A document could not be read. If that is known when it is stored, together with `document.created`.',
  'document.updated': 'A field of a document was changed, or it was put into a case or folder or taken out.',
  'document.deleted': 'A document was deleted, or its announced upload never came.',
  'deadline.created': 'A deadline was entered, by itself, with a Vorfrist or for a requested extension.',
  'deadline.updated':
    'A deadline was changed in another way than those below: its fields, its delegation, its extension, its exit control, or that its case was deleted.',
  'deadline.verified': 'A second person has verified a deadline.',
  'deadline.completed': 'A deadline was completed.',
  'deadline.reopened': 'The completion of a deadline was withdrawn.',
  'deadline.deleted': 'A deadline was struck.',
  'event.created': 'An event was added to the calendar.',
  'event.updated': 'A field of an event in the calendar was changed.',
  'event.deleted': 'An event was deleted from the calendar.',
  'mail.received': 'A mail has arrived.',
  'mail.judged': 'The triage of a mail that has arrived is final.',
  'mail.filed': 'A mail was put into a case, or taken out of one: `case_id` is the case in which it is now.',
  'mail.sent': 'The provider has taken a mail that was sent.',
  'mail.failed': 'A mail was not sent.',
  'mail.bounced': 'A mail was not delivered to one of its recipients.',
  'envelope.sent': 'An envelope was sent to its signers.',
  'envelope.opened': 'The first signer has opened an envelope.',
  'envelope.signed': 'A signer has signed, or an approver has agreed.',
  'envelope.declined': 'A signer has declined. The envelope has ended.',
  'envelope.completed': 'Everybody has signed, and the sealed copies are stored.',
  'envelope.expired': 'The time of an envelope is over before everybody has signed.',
  'envelope.voided': 'The office has withdrawn an envelope.',
  'time_entry.created': 'A time entry was added.',
  'time_entry.updated': 'A field of a time entry was changed, or an invoice took it or gave it back.',
  'time_entry.deleted': 'A time entry was deleted.',
  'invoice.issued':
    'An invoice got its number. An invoice that cancels another one is issued with its cancellation.',
  'invoice.paid': 'An issued invoice was recorded as paid.',
  'invoice.cancelled': 'An invoice was cancelled by another one.',
  'export_run.succeeded': 'A scheduled run of an export has ended with a file.',
  'export_run.failed': 'A scheduled run of an export has failed for good.',
} as const

export type EventType = keyof typeof eventTypes

/** What an event is about: the part of its type before the dot. */
export type EventSubject = EventType extends infer Type
  ? Type extends `${infer Subject}.${string}`
    ? Subject
    : never
  : never

/** The subjects whose records are created, updated and deleted. */
export type ChangedSubject = {
  [Subject in EventSubject]:
    | `${Subject}.created`
    | `${Subject}.updated`
    | `${Subject}.deleted` extends EventType
    ? Subject
    : never
}[EventSubject]

/** The ids of an event. Names and contents are never part of it: the reader fetches what it may read (§ 203 StGB). */
export type EventData = { id: string; case_id: string | null } & Partial<
  Record<FurtherId, string | undefined>
>

/** What else the data of some types hold. */
const furtherIds = { config_id: 'exportConfig' } as const satisfies Record<string, IdKind>
type FurtherId = keyof typeof furtherIds

/** An event that a change produces. Its id and its time come with the transaction. */
export type NewEvent = { type: EventType; data: EventData }

/** Events of these types about a record. */
export function eventsAbout(
  { id, case_id }: { id: string; case_id: string | null },
  ...types: EventType[]
): NewEvent[] {
  return types.map((type) => ({ type, data: { id, case_id } }))
}

/** An event in the log. */
export type StoredEvent = NewEvent & { id: string; occurred_at: string }

type About = {
  /** What `data.id` is the id of. */
  id: IdKind
  /** Whether it belongs to a case: `itself` if it is one. */
  inCase: 'itself' | 'never' | 'perhaps' | 'always'
  also?: readonly FurtherId[]
  /** A key with one of these scopes sees its events (E10). */
  readers: readonly Scope[]
}

const subjects: Record<EventSubject, About> = {
  case: { id: 'case', inCase: 'itself', readers: ['cases:read'] },
  party: { id: 'party', inCase: 'never', readers: ['contacts:read'] },
  document: { id: 'document', inCase: 'perhaps', readers: ['documents:read'] },
  deadline: { id: 'event', inCase: 'always', readers: ['deadlines:read', 'calendar:read'] },
  event: { id: 'event', inCase: 'perhaps', readers: ['calendar:read', 'deadlines:read'] },
  mail: { id: 'correspondence', inCase: 'perhaps', readers: ['inbox:read'] },
  envelope: { id: 'envelope', inCase: 'always', readers: ['documents:read'] },
  time_entry: { id: 'timeEntry', inCase: 'always', readers: ['billing:read'] },
  invoice: { id: 'invoice', inCase: 'always', readers: ['billing:read'] },
  export_run: { id: 'exportRun', inCase: 'never', also: ['config_id'], readers: ['reports:read'] },
}

/** Every type, in the order of the catalogue. */
export const allEventTypes = Object.keys(eventTypes) as EventType[]

export function subjectOf(type: EventType): EventSubject {
  return type.slice(0, type.indexOf('.')) as EventSubject
}

/** The scopes of which a key needs one to see events of this type. */
export function readersOf(type: EventType): readonly Scope[] {
  return subjects[subjectOf(type)].readers
}

/**
 * The types that a filter names: one type, or `case.*` for all of a subject.
 *
 * @returns undefined if there is no such type
 */
export function typesNamed(filter: string): EventType[] | undefined {
  const found = allEventTypes.filter((type) => type === filter || `${subjectOf(type)}.*` === filter)
  return found.length === 0 ? undefined : found
}

/** The description of a type for people and programs. */
export type Described = {
  type: EventType
  when: string
  readers: readonly Scope[]
  /** The body of a delivery (E4). */
  payload: z.ZodType
  example: { type: EventType; timestamp: string; data: EventData }
}

/** The catalogue with the schema and an example of each type, built at the first call. */
export const describedEvents = once((): Described[] =>
  allEventTypes.map((type) => ({
    type,
    when: eventTypes[type],
    readers: readersOf(type),
    payload: z.object({ type: z.literal(type), timestamp: Timestamp, data: dataOf(subjectOf(type)) }),
    example: { type, timestamp: '2026-03-16T08:31:00.000Z', data: exampleOf(subjectOf(type)) },
  })),
)

/** The schema of the data of a subject's events. */
const dataOf = once((subject: EventSubject) => {
  const { id, inCase, also = [] } = subjects[subject]
  const further = Object.fromEntries(also.map((name) => [name, shownId(furtherIds[name])]))
  const name = subject
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
  const case_id = {
    itself: shownId('case'),
    always: shownId('case'),
    perhaps: shownId('case').nullable(),
    never: z.null(),
  }[inCase]
  return z.object({ id: shownId(id), case_id, ...further }).meta({ id: `${name}EventData` })
})

const exampleUuids = {
  case: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  other: '01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52',
  further: '01993f5e-7a02-7d11-9c40-3e5b6f1a2d84',
}

function exampleOf(subject: EventSubject): EventData {
  const { id, inCase, also = [] } = subjects[subject]
  const own = inCase === 'itself' ? exampleUuids.case : exampleUuids.other
  const further = also.map((name) => [name, idPrefixes[furtherIds[name]] + exampleUuids.further])
  return {
    id: idPrefixes[id] + own,
    case_id: inCase === 'never' ? null : exampleUuids.case,
    ...Object.fromEntries(further),
  }
}
