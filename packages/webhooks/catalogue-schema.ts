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
    'A field, the parties, the staff, the links or the holds of a case were changed. A link changes both cases.',
  'case.deleted': 'A case was deleted or disposed of.',
  'party.created': 'A party was added, by itself or with a case.',
  'party.updated': 'A field of a party was changed.',
  'party.deleted': 'A party was deleted.',
  'document.created':
    'A document was stored or announced by a user or another system, with a mail or beA message, or as a sealed copy.',
  'document.processed':
    'The text of a document was extracted. If a new reading failed, it has its earlier text again, and `status_reason` says why.',
  'document.failed':
    'A document could not be read. If this is known when the document is stored, the event comes together with `document.created`.',
  'document.updated': 'A field of a document was changed, or it was put into a case or folder or taken out.',
  'document.deleted': 'A document was deleted, or its announced upload never came.',
  'deadline.created': 'A deadline was entered, by itself, with a Vorfrist or for a requested extension.',
  'deadline.updated':
    'A deadline was changed and no type below fits: its fields, its delegation, its extension or its exit control were changed, or its case was deleted.',
  'deadline.verified': 'A second person has verified a deadline.',
  'deadline.completed': 'A deadline was completed.',
  'deadline.reopened': 'The completion of a deadline was withdrawn.',
  'deadline.overdue':
    'The time of a deadline has passed, and nobody has completed or struck it: once for each of its due times, within two minutes.',
  'deadline.deleted': 'A deadline was struck.',
  'event.created': 'An event was added to the calendar.',
  'event.updated': 'A field of an event in the calendar was changed.',
  'event.deleted': 'An event was deleted from the calendar.',
  'mail.received': 'A mail has arrived.',
  'mail.judged': 'The triage of a mail that has arrived is final.',
  'mail.filed': 'A mail was put into a case, or taken out of one: `case_id` is the case in which it is now.',
  'mail.sent': 'The provider has taken a mail that was sent.',
  'mail.failed':
    'A mail was not sent, or nobody knows ten minutes later whether it was: `mail.sent` may still follow.',
  'mail.bounced': 'A mail was not delivered to one of its recipients.',
  'bea_message.received':
    'A beA message was imported from the inbox of a postbox, or from another folder with received messages.',
  'bea_message.filed':
    'A beA message was put into a case, or taken out of one: `case_id` is the case in which it is now.',
  'bea_message.sent':
    'A message that was sent here is in the network, and is imported: `id` is the message, `draft_id` its draft.',
  'bea_message.failed': 'A message was not sent: `id` is its draft.',
  'eeb.requested': 'A beA message has arrived whose sender asks for an electronic receipt (eEB).',
  'eeb.answered': 'The answer to such a request is in the network: `status` is `confirmed` or `rejected`.',
  'envelope.sent': 'An envelope was sent to its signers.',
  'envelope.opened': 'An envelope was opened for the first time, by any of its signers.',
  'envelope.signed': 'A signer has signed, or an approver has agreed.',
  'envelope.declined': 'A signer has declined. The envelope has ended.',
  'envelope.completed': 'Everybody has signed, and the sealed copies are stored.',
  'envelope.expired': 'An envelope expired before everybody had signed.',
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
  'webhook.test': 'Somebody tests an endpoint. It is sent to this endpoint alone, and is not in the log.',
  'webhook.disabled':
    'An endpoint was disabled because it has answered 410 or nothing has succeeded for five days.',
} as const

export type EventType = keyof typeof eventTypes

/** The subject of an event: the part of its type before the dot. */
type EventSubject = EventType extends infer Type
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

/**
 * The ids of an event, and a status. Names and contents are never part of it: the reader fetches what it may read
 * (§ 203 StGB).
 */
export type EventData = { id: string; case_id: string | null } & Partial<Record<Further, string | undefined>>

/** Further fields in the data of some types: the id of a record of this kind, or one of these values. */
const further = {
  config_id: 'exportConfig',
  draft_id: 'beaDraft',
  status: ['confirmed', 'rejected'],
} as const satisfies Record<string, IdKind | readonly string[]>
type Further = keyof typeof further

/**
 * An event that a change produces. Its id and its time come with the transaction. `needs` decides who sees it, and is
 * never shown.
 */
export type NewEvent = { type: EventType; data: EventData; needs?: BeaNeed | undefined }

/** The right at an account of beA that the reader of an event needs besides its scope (B8). */
export type BeaNeed = { account_id: string; operation: 'read' | 'read_confidential' | 'draft' }

/** Events of these types about a record. */
export function eventsAbout(
  { id, case_id }: { id: string; case_id: string | null },
  ...types: EventType[]
): NewEvent[] {
  return types.map((type) => ({ type, data: { id, case_id } }))
}

/** The right that reading a message needs, for the events about it. */
export function toRead({ account_id, confidential }: { account_id: string; confidential: boolean }): BeaNeed {
  return { account_id, operation: confidential ? 'read_confidential' : 'read' }
}

export type StoredEvent = Pick<NewEvent, 'type' | 'data'> & { id: string; occurred_at: string }

/** An event as the delivery worker gets it. `needs` decides which endpoints may get it. */
export type SentEvent = StoredEvent & Pick<NewEvent, 'needs'>

type About = {
  /** The kind of record that `data.id` names. */
  id: IdKind
  /** Whether this record belongs to a case: `itself` if it is a case. */
  inCase: 'itself' | 'never' | 'perhaps' | 'always'
  also?: readonly Further[]
  /** A key with one of these scopes sees its events (E10). */
  readers: readonly Scope[]
  /** Its events are seen only with a right at their account of beA. */
  needsBeaRight?: true
}

const subjects: Record<EventSubject, About> = {
  case: { id: 'case', inCase: 'itself', readers: ['cases:read'] },
  party: { id: 'party', inCase: 'never', readers: ['contacts:read'] },
  document: { id: 'document', inCase: 'perhaps', readers: ['documents:read'] },
  deadline: { id: 'event', inCase: 'always', readers: ['deadlines:read', 'calendar:read'] },
  event: { id: 'event', inCase: 'perhaps', readers: ['calendar:read', 'deadlines:read'] },
  mail: { id: 'correspondence', inCase: 'perhaps', readers: ['inbox:read'] },
  bea_message: { id: 'beaMessage', inCase: 'perhaps', readers: ['bea:read'], needsBeaRight: true },
  eeb: { id: 'beaMessage', inCase: 'perhaps', readers: ['bea:read'], needsBeaRight: true },
  envelope: { id: 'envelope', inCase: 'always', readers: ['documents:read'] },
  time_entry: { id: 'timeEntry', inCase: 'always', readers: ['billing:read'] },
  invoice: { id: 'invoice', inCase: 'always', readers: ['billing:read'] },
  export_run: { id: 'exportRun', inCase: 'never', also: ['config_id'], readers: ['reports:read'] },
  webhook: { id: 'webhookEndpoint', inCase: 'never', readers: ['workspace:admin'] },
}

/** Types whose data differ from the data of their subject. */
const exceptions: Partial<Record<EventType, Partial<About>>> = {
  'bea_message.sent': { also: ['draft_id'] },
  'bea_message.failed': { id: 'beaDraft' },
  'eeb.answered': { also: ['status'] },
}

function aboutOf(type: EventType): About {
  return { ...subjects[subjectOf(type)], ...exceptions[type] }
}

/** Every type, in the order of the catalogue. */
export const allEventTypes = Object.keys(eventTypes) as EventType[]

export function subjectOf(type: EventType): EventSubject {
  return type.slice(0, type.indexOf('.')) as EventSubject
}

/** A key needs one of these scopes to see events of this type. */
export function readersOf(type: EventType): readonly Scope[] {
  return aboutOf(type).readers
}

/** Whether events of this type are seen only with a right at their account of beA (B8). */
export function needsBeaRight(type: EventType): boolean {
  return aboutOf(type).needsBeaRight === true
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
    payload: z.object({ type: z.literal(type), timestamp: Timestamp, data: dataOf(dataNameOf(type)) }),
    example: { type, timestamp: '2026-03-16T08:31:00.000Z', data: exampleOf(type) },
  })),
)

/** The name for the schema of a type's data: its subject, or the type itself if it is an exception. */
function dataNameOf(type: EventType): EventSubject | EventType {
  return type in exceptions ? type : subjectOf(type)
}

/** The schema of the data of a subject's events, or of a type that is an exception. */
const dataOf = once((named: EventSubject | EventType) => {
  const type = allEventTypes.find((one) => one === named || subjectOf(one) === named)
  const { id, inCase, also = [] } = aboutOf(type as EventType)
  const name = named
    .split(/[_.]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
  const case_id = {
    itself: shownId('case'),
    always: shownId('case'),
    perhaps: shownId('case').nullable(),
    never: z.null(),
  }[inCase]
  const more = Object.fromEntries(also.map((field) => [field, schemaOf(field)]))
  return z.object({ id: shownId(id), case_id, ...more }).meta({ id: `${name}EventData` })
})

/** The schema of a further member. */
export function schemaOf(field: Further) {
  const kind = further[field]
  return typeof kind === 'string' ? shownId(kind) : z.enum(kind)
}

const exampleUuids = {
  case: '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10',
  other: '01993f5e-8a11-7c3d-8e21-0d6b7a3f4c52',
  further: '01993f5e-7a02-7d11-9c40-3e5b6f1a2d84',
}

function exampleOf(type: EventType): EventData {
  const { id, inCase, also = [] } = aboutOf(type)
  const own = inCase === 'itself' ? exampleUuids.case : exampleUuids.other
  const more = also.map((field) => {
    const kind = further[field]
    return [field, typeof kind === 'string' ? idPrefixes[kind] + exampleUuids.further : kind[0]]
  })
  return {
    id: idPrefixes[id] + own,
    case_id: inCase === 'never' ? null : exampleUuids.case,
    ...Object.fromEntries(more),
  }
}
