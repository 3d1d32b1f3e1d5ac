import type { Page, PageRequest } from './page.ts'

/** Items read at once. The pages are larger than in a request, because whole lists of a firm are read. */
const itemsAtOnce = 500

/** Every item of a list, page by page. */
export async function* everyItem<Item>(
  page: (request: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  for (let cursor: string | undefined; ; ) {
    const { data, pagination } = await page({ limit: itemsAtOnce, cursor })
    yield* data
    if (pagination.cursor === null) return
    cursor = pagination.cursor
  }
}
