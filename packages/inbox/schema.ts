import * as z from 'zod'
import { idFilter, idOf, readId, shownId } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageQuery } from '#kernel/page.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'
import { categories, Triage } from '#triage/schema.ts'
import { type InboxState, inboxStates } from './state-schema.ts'

/** The kinds of records that arrive. */
const inboxKinds = ['correspondence', 'document', 'bea'] as const

export type InboxKind = (typeof inboxKinds)[number]

const idKinds = { correspondence: 'correspondence', document: 'document', bea: 'beaMessage' } as const

/** An item of the inbox: a mail, a document from an upload or from the ingestion webhook, or a beA message (I6). */
export const InboxItem = namedObject('InboxItem', () => ({
  id: Text.meta({ description: 'The id of the record itself.' }),
  kind: z.enum(inboxKinds),
  state: z.enum(inboxStates),
  subject: NullableText.meta({
    description: 'For a document: its file name. Null for a beA message that the user may not read.',
  }),
  from: z.object({ name: NullableText, email: NullableText }).nullable().meta({
    description:
      'The sender; null for documents, and for a beA message whose sender has no name. A beA message has no e-mail address here; the SAFE-ID is in `bea`.',
  }),
  bea: z
    .object({
      account_id: shownId('beaAccount'),
      name: NullableText,
      bea_id: NullableText,
      confidential: z.boolean(),
    })
    .nullable()
    .meta({
      description: 'For a beA message: its account, and the name and SAFE-ID (`bea_id`) of its sender.',
    }),
  received_at: Timestamp.meta({
    description:
      'When it was received. For a beA message: when the network received it, or when it was sent or imported if that is not known. For mail of ours that bounced: the time of the bounce.',
  }),
  case_id: z.uuid().nullable(),
  party_id: shownId('party').nullable(),
  assigned_to: shownId('user').nullable(),
  notice: NullableText.meta({
    description:
      'What went wrong: mail of ours was not delivered, a mail or a beA folder could not be read, a beA message could not be imported, or a court has not acknowledged a beA message of ours.',
  }),
  triage: Triage.nullable().meta({
    description: 'Null if it has not been judged, or if the user may not read it.',
  }),
}))

export type InboxItem = z.infer<typeof InboxItem>

/** A mail as an item of the inbox. `received_at` of mail that bounced is the time of the bounce. */
export function mailItem(
  mail: Pick<InboxItem, 'id' | 'subject' | 'from' | 'case_id' | 'party_id' | 'triage'>,
  { state, at, assigned_to, notice }: InboxState,
): InboxItem {
  const { id, subject, from, case_id, party_id, triage } = mail
  return {
    id,
    kind: 'correspondence',
    state,
    subject,
    from,
    bea: null,
    received_at: at,
    case_id,
    party_id,
    assigned_to,
    notice,
    triage,
  }
}

/** A document as an item of the inbox. In a case or folder, its state is `filed`. */
export function documentItem(
  document: {
    id: string
    filename: string
    case_id: string | null
    folder_id: string | null
    parties: { id: string; is_primary: boolean }[]
  },
  { state, at, assigned_to, notice }: InboxState,
  triage: Triage | null,
): InboxItem {
  const { id, filename, case_id, folder_id, parties } = document
  const isPlaced = case_id !== null || folder_id !== null
  return {
    id,
    kind: 'document',
    state: isPlaced ? 'filed' : state,
    subject: filename,
    from: null,
    bea: null,
    received_at: at,
    case_id,
    party_id: parties.find(({ is_primary }) => is_primary)?.id ?? null,
    assigned_to,
    notice,
    triage,
  }
}

/**
 * A beA message as an item of the inbox. `received_at` is the time of reception, otherwise the time of sending,
 * otherwise the time of the import or of the notice. A user who may not read the message does not see its subject,
 * case, party, notice or triage (B8).
 */
export function beaItem(
  message: Pick<InboxItem, 'id' | 'subject' | 'case_id' | 'party_id'> & {
    account_id: string
    sender: { name: string | null; bea_id: string | null }
    received_at: string | null
    sent_at: string | null
    confidential: boolean
  },
  { state, at, assigned_to, notice }: InboxState,
  { mayRead, triage }: { mayRead: boolean; triage: Triage | null },
): InboxItem {
  const { id, subject, case_id, party_id, account_id, sender, confidential } = message
  return {
    id,
    kind: 'bea',
    state,
    subject: mayRead ? subject : null,
    from: sender.name === null ? null : { name: sender.name, email: null },
    bea: { account_id, name: sender.name, bea_id: sender.bea_id, confidential },
    received_at: message.received_at ?? message.sent_at ?? at,
    case_id: mayRead ? case_id : null,
    party_id: mayRead ? party_id : null,
    assigned_to,
    notice: mayRead ? notice : null,
    triage: mayRead ? triage : null,
  }
}

/**
 * Parses the id of an inbox item into the ids that it can mean, with their kinds (I6). A text with a prefix is one id.
 * A text without a prefix is an id of each kind. A malformed text is no id.
 */
export const PossibleInboxIds = Text.transform((text) =>
  inboxKinds.flatMap((kind) => {
    const id = readId(idKinds[kind], text)
    return id === undefined ? [] : [{ kind, id }]
  }),
).meta({ description: 'The id of the record; the prefix may be omitted.' })

export type PossibleInboxIds = z.output<typeof PossibleInboxIds>

/** Where an item is filed. */
export type FilingPlace = { case_id: string | null; folder_id?: string | null; party_id: string | null }

/**
 * The inbox state of an item after it was filed with `input` (I6). A case or a party takes the item out of the inbox.
 * The item comes back if it leaves its case, or if it was filed only with a party and loses it. `assigned_to` alone
 * does not change the state. If a person sets or clears the case or the party, the triage no longer files the item
 * (`is_decided`).
 */
export function inboxAfter(
  inbox: InboxState,
  filing: { before: FilingPlace; after: FilingPlace; input: FilingInput; isByPerson: boolean },
): InboxState {
  const { before, after, input, isByPerson } = filing
  const isFiled = typeof input.case_id === 'string' || typeof input.party_id === 'string'
  const isNowhere = after.case_id === null && (after.folder_id ?? null) === null
  const isCleared =
    isNowhere && (before.case_id !== null || (before.party_id !== null && after.party_id === null))
  const isDecision = isByPerson && (input.case_id !== undefined || input.party_id !== undefined)
  return {
    ...inbox,
    state: isFiled ? 'filed' : isCleared && inbox.state === 'filed' ? 'open' : inbox.state,
    assigned_to: input.assigned_to === undefined ? inbox.assigned_to : input.assigned_to,
    is_decided: inbox.is_decided || isDecision,
  }
}

export const InboxQuery = lazyObject(() => ({
  ...pageQuery,
  kind: z.enum(inboxKinds).optional(),
  category: z.enum(categories).optional(),
  assigned_to: idFilter('user').optional(),
}))

export type InboxQuery = z.infer<typeof InboxQuery>

/** Where to file an item of the inbox. A missing field keeps its value; `null` clears it. */
export const FilingInput = z.lazy(() =>
  z
    .object({
      case_id: idOf('case').nullish(),
      party_id: idOf('party').nullish(),
      assigned_to: idOf('user')
        .nullish()
        .meta({ description: 'If it is the only field, the item stays in the inbox.' }),
    })
    .refine(
      (input) => Object.values(input).some((value) => value !== undefined),
      'At least one of `case_id`, `party_id` and `assigned_to` is required.',
    )
    .meta({ id: 'FilingInput', minProperties: 1 }),
)

export type FilingInput = z.infer<typeof FilingInput>

/** Mail and documents that are related to a document, without that document; newest first, at most 20 of each (I7). */
export const Related = namedObject('RelatedItems', () => ({
  emails: z.array(
    z.object({
      id: shownId('correspondence'),
      subject: Text,
      from: z.object({ name: NullableText, email: Text }),
      received_at: Timestamp,
    }),
  ),
  documents: z.array(z.object({ id: shownId('document'), filename: Text, case_id: z.uuid().nullable() })),
}))

export type Related = z.infer<typeof Related>
