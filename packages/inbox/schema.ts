import * as z from 'zod'
import { idFilter, idOf } from '#kernel/id.ts'
import { pageQuery } from '#kernel/page.ts'
import { NullableText, Text, Timestamp } from '#kernel/text.ts'
import { categories, Triage } from '#triage/schema.ts'

/** The kinds of records that arrive. */
export const inboxKinds = ['correspondence', 'document', 'bea'] as const

export type InboxKind = (typeof inboxKinds)[number]

const inboxStates = ['open', 'filed', 'dismissed'] as const

/**
 * Where a record stands in the inbox; null for what never arrives there. It is in the list while it is `open`, and, of a
 * document, while it is in no case and no folder.
 */
export type InboxState = {
  state: (typeof inboxStates)[number]
  /** When it came into the inbox: the list is sorted by it. */
  at: string
  category: Triage['category'] | null
  assigned_to: string | null
  /** Why it is in the inbox, in German, where it is not new: a mail of ours that came back. */
  notice: string | null
  /** A person filed, dismissed or reopened it: no later judgement of the triage changes that. */
  is_decided: boolean
  /** Nothing is missing any more that the triage would judge: until then the sweeper looks after it. */
  is_judged: boolean
}

/** What is in the inbox: a mail, or a document that came by an upload or the webhook (I6). */
export const InboxItem = z
  .object({
    id: Text.meta({ description: 'The id of the record itself.' }),
    kind: z.enum(inboxKinds),
    state: z.enum(inboxStates),
    subject: Text.meta({ description: 'Of a document its file name.' }),
    from: z
      .object({ name: NullableText, email: Text })
      .nullable()
      .meta({ description: 'Null for documents.' }),
    received_at: Timestamp,
    case_id: z.uuid().nullable(),
    party_id: NullableText,
    assigned_to: NullableText,
    notice: NullableText.meta({
      description: 'Why it is here, where it is not new: a mail of ours that could not be delivered.',
    }),
    triage: Triage.nullable().meta({ description: 'Null until it was judged.' }),
  })
  .meta({ id: 'InboxItem' })

export type InboxItem = z.infer<typeof InboxItem>

export const InboxQuery = z.object({
  ...pageQuery,
  kind: z.enum(inboxKinds).optional(),
  category: z.enum(categories).optional(),
  assigned_to: idFilter('user').optional(),
})

export type InboxQuery = z.infer<typeof InboxQuery>

/** Where something of the inbox is filed; only what is included changes, and `null` clears. */
export const FilingInput = z
  .object({
    case_id: idOf('case').nullish(),
    party_id: idOf('party').nullish(),
    assigned_to: idOf('user').nullish().meta({ description: 'Alone it leaves the item in the inbox.' }),
  })
  .refine(
    (input) => Object.values(input).some((value) => value !== undefined),
    'Name `case_id`, `party_id` or `assigned_to`.',
  )
  .meta({ id: 'FilingInput' })

export type FilingInput = z.infer<typeof FilingInput>

/** Mail and documents that have to do with a document, without itself; newest first, at most 20 of each (I7). */
export const Related = z
  .object({
    emails: z.array(
      z.object({
        id: Text,
        subject: Text,
        from: z.object({ name: NullableText, email: Text }),
        received_at: Timestamp,
      }),
    ),
    documents: z.array(z.object({ id: Text, filename: Text, case_id: z.uuid().nullable() })),
  })
  .meta({ id: 'RelatedItems' })

export type Related = z.infer<typeof Related>
