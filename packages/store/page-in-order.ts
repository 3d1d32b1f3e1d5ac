import type { Page, PageRequest } from '#kernel/page.ts'
import { type Cursors, pageByCursor } from './cursor.ts'

/** Pages of a list of any length that is completely in memory and never changes (G7). */
export function pageInOrder(cursors: Cursors) {
  return <Item>(
    binding: readonly unknown[],
    items: readonly Item[],
    request: PageRequest,
  ): Promise<Page<Item>> =>
    pageByCursor(cursors, binding, request, async (position, limit) => {
      const start = Number(position ?? 0)
      const end = start + limit
      return { items: items.slice(start, end), next: end < items.length ? String(end) : undefined }
    })
}
