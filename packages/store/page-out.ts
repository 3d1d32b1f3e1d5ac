import { createHash } from 'node:crypto'
import type { PageOut } from '#kernel/page.ts'
import type { Cursors } from './cursor.ts'

/**
 * Pages of a list that is in memory, such as the parties of a case. A cursor identifies the items that earlier pages
 * have shown. So every item is shown exactly once, even if the list is changed or reordered in between. An item that is
 * removed and added again may be shown twice.
 */
export function pageOut(cursors: Cursors): PageOut {
  return async (binding, items, { limit, cursor }, nameOf) => {
    const shown = cursor === undefined ? [] : marksOf(await cursors.open(binding, cursor))
    const isShown = new Set(shown)
    const left = items.map((item) => ({ item, mark: markOf(nameOf(item)) }))
    const unseen = left.filter(({ mark }) => !isShown.has(mark))
    const page = unseen.slice(0, limit)
    const isMet = new Set([...shown, ...page.map(({ mark }) => mark)])
    const marks = left.flatMap(({ mark }) => (isMet.has(mark) ? [mark] : []))
    const next = unseen.length > page.length ? await cursors.seal(binding, marks.join('')) : null
    return {
      data: page.map(({ item }) => item),
      pagination: { cursor: next, has_more: next !== null },
    }
  }
}

const markLength = 8

/** An item's mark: eight characters (48 bits). So a cursor has room for 700 of them. */
function markOf(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, markLength)
}

function marksOf(position: string): string[] {
  return position.match(new RegExp(`.{${markLength}}`, 'g')) ?? []
}
