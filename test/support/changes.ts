import { expect } from 'vitest'
import type { Api } from './api.ts'

export type ChangedItem = { id: string; deleted_at?: string } & Record<string, unknown>

type ChangesPage = {
  data: ChangedItem[]
  pagination: { cursor: string | null; has_more: boolean }
  as_of: string
}

/** Reads all changes of a list, page by page. */
export async function walkChanges(
  api: Api,
  list: string,
  query: string,
): Promise<{ data: ChangedItem[]; pages: ChangesPage[]; as_of: string }> {
  const pages: ChangesPage[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await api('GET', `/api/v1/${list}?${query}${cursor && `&cursor=${cursor}`}`)
    expect(answer.status).toBe(200)
    const page: ChangesPage = answer.body
    pages.push(page)
    cursor = page.pagination.cursor
  }
  return { data: pages.flatMap(({ data }) => data), pages, as_of: pages[0]?.as_of ?? '' }
}
