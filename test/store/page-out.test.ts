import { expect, it } from 'vitest'
import { pageOnly } from '#kernel/page.ts'
import { tableCursors } from '#store/cursor.ts'
import { pageOut } from '#store/page-out.ts'
import { ownTable } from '#test/support/own-table.ts'

it('a list of 700 entries is read to its end with cursors that a request accepts', async () => {
  const page = pageOut(tableCursors(await ownTable()))
  const items = Array.from({ length: 700 }, (_, at) => `folder_${at}`)
  const seen: string[] = []
  let cursor: string | undefined

  do {
    const request = pageOnly.parse({ limit: '100', ...(cursor && { cursor }) })
    const { data, pagination } = await page(['ws_1', 'folders'], items, request, (item) => item)
    seen.push(...data)
    cursor = pagination.cursor ?? undefined
  } while (cursor !== undefined)

  expect(seen).toEqual(items)
})
