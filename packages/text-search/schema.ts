import * as z from 'zod'
import { idFilter } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { Pagination } from '#kernel/page.ts'
import { Text, Timestamp } from '#kernel/text.ts'

/** The kinds of records whose texts are searched. */
export const searchKinds = ['document', 'mail', 'bea'] as const

export type SearchKind = (typeof searchKinds)[number]

/** The longest query in characters (T2). */
export const maxQueryLength = 500

/** Up to this number of records the total is exact (T1). */
export const maxExactTotal = 1_000

const kinds = z.lazy(() =>
  z.union([z.enum(searchKinds).transform((kind) => [kind]), z.array(z.enum(searchKinds)).min(1).max(10)]),
)

export const SearchQuery = lazyObject(() => ({
  q: z
    .string()
    .refine((text) => text.trim() !== '', 'Enter a search term.')
    .refine((text) => [...text].length <= maxQueryLength, `At most ${maxQueryLength} characters.`)
    .meta({
      minLength: 1,
      maxLength: maxQueryLength,
      description:
        'Every word must occur. `"…"` is a phrase, `-word` excludes, `a OR b` matches either, `kündig*` every word with this prefix. At most 64 different words, and four prefixes of one or two letters.',
    }),
  kind: kinds.optional().meta({ description: 'Only records of these kinds; may be repeated.' }),
  case_id: idFilter('case').optional().meta({ description: 'Only records of this case.' }),
  from: z.iso.date().optional().meta({ description: 'The first day.' }),
  to: z.iso.date().optional().meta({ description: 'The last day.' }),
  limit: z
    .string()
    .regex(/^\d{1,2}$/, 'A whole number from 1 to 50.')
    .transform(Number)
    .pipe(z.int().gte(1).lte(50))
    .default(20)
    .meta({ description: 'The maximum number of hits on a page, 1 to 50.' }),
  cursor: z.string().min(1).max(6000).optional().meta({ description: 'The `cursor` of the previous page.' }),
}))

export type SearchQuery = z.infer<typeof SearchQuery>

export const SearchSnippet = namedObject('SearchSnippet', () => ({
  text: Text.meta({ description: 'Plain text, at most 240 characters.' }),
  page: z.int().nullable().meta({
    description:
      'The number of the page, from 1. Null for a text without pages, and for a file name or subject.',
  }),
  highlights: z.array(z.array(z.int()).length(2)).meta({
    description: 'Start and end of each matching word, in UTF-16 units of `text`.',
  }),
}))

export type SearchSnippet = z.infer<typeof SearchSnippet>

export const SearchHit = namedObject('SearchHit', () => ({
  kind: z.enum(searchKinds),
  id: Text.meta({ description: 'The id of the document, mail or beA message.' }),
  case_id: z.uuid().nullable(),
  title: Text.meta({ description: 'The file name or the subject.' }),
  date: z.iso.date().meta({
    description: 'The day on which the document was stored, or the mail or message was received or sent.',
  }),
  page: z.int().nullable().meta({ description: 'The page of the best match; null without pages.' }),
  score: z.number().meta({ description: 'Comparable only within one answer.' }),
  snippets: z.array(SearchSnippet),
}))

export type SearchHit = z.infer<typeof SearchHit>

export const SearchPage = namedObject('SearchPage', () => ({
  data: z.array(SearchHit),
  pagination: Pagination,
  total: z.int().meta({ description: 'How many records match; 1000 if there are more.' }),
  total_is_exact: z.boolean(),
  index: z.object({
    as_of: Timestamp.meta({
      description: 'Everything accepted up to this time is found, if nothing is pending.',
    }),
    pending: z.int().meta({ description: 'How many records are not indexed yet; 1000 if there are more.' }),
    incomplete: z.boolean().meta({
      description: 'A part of the index was lost and is being rebuilt; its records are not found until then.',
    }),
  }),
}))

export type SearchPage = z.infer<typeof SearchPage>
