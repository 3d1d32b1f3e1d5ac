import type { Page, PageRequest } from './page.ts'

/** Every item of a list, page by page. */
export async function* everyItem<Item>(
  page: (request: PageRequest) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  for (let cursor: string | undefined; ; ) {
    const { data, pagination } = await page({ limit: 100, cursor })
    yield* data
    if (pagination.cursor === null) return
    cursor = pagination.cursor
  }
}
