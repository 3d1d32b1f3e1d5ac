import { endpointsOf } from '#http/endpoint.ts'
import { onePage } from '#kernel/page.ts'
import { SearchPage, SearchQuery } from '#text-search/schema.ts'
import type { SearchService } from '#text-search/searching.ts'

const endpoint = endpointsOf<{ search: SearchService }>()

export const searchTexts = endpoint({
  method: 'GET',
  path: '/api/v1/search',
  access: ['documents:read', 'inbox:read', 'bea:read'],
  summary: 'Find documents, mail and beA messages by their texts',
  description:
    'Best first. Every word must occur in a record: in its text, its file name, its subject or the names of a mail. It knows German word forms and compounds. `ä`, `ae` and `a` are the same, so are `ß` and `ss`, and different spellings of file numbers, sections and amounts. `"…"` is a phrase, `-word` excludes, `a OR b` means either, `kündig*` is a prefix; nothing else is an operator. The key finds what it may read: documents with `documents:read`, mail with `inbox:read`, beA messages with `bea:read` and the right of its user to read them.',
  query: SearchQuery,
  output: SearchPage,
  errors: {},
  example: {
    query: { q: 'Mietvertrag "fristlose Kündigung"', limit: '20' },
    answer: {
      data: [
        {
          kind: 'document',
          id: 'doc_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e11',
          case_id: null,
          title: 'Kuendigung.pdf',
          date: '2026-03-16',
          page: 2,
          score: 7.5,
          snippets: [
            {
              text: 'Hiermit erklären wir die fristlose Kündigung des Mietvertrags vom 1. April 2019.',
              page: 2,
              highlights: [
                [26, 45],
                [50, 62],
              ],
            },
          ],
        },
      ],
      pagination: onePage,
      total: 1,
      total_is_exact: true,
      index: { as_of: '2026-03-16T08:31:00.000Z', pending: 0, incomplete: false },
    },
  },
  handle: ({ search }, { actor, query }) => search.search(actor, query),
})
