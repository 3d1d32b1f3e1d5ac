import type { DueErasures, ErasureOrder } from '#parties/erasure-ports.ts'
import { type Db, strongly } from '../db.ts'
import { dueRecord, timedIndex } from '../due-index.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { rewrite } from '../rewrite.ts'
import { isMade, transact } from '../transact.ts'
import { erasureOrder } from './erasure-order-entity.ts'

/** The erasures in the table that have begun and are not done. */
export function dueErasures(db: Db): DueErasures {
  const items = erasureOrder(db)

  /** Replaces an order on the condition that its claim is as it was read. */
  const replace = (before: ErasureOrder, after: ErasureOrder) =>
    isMade(
      transact(db, [
        rewrite(
          items,
          items
            .put(withoutNulls(after))
            .where(({ claimed_until, id }, { eq, exists, notExists }) =>
              [
                exists(id),
                before.claimed_until === null
                  ? notExists(claimed_until)
                  : eq(claimed_until, before.claimed_until),
              ].join(' AND '),
            ),
          {},
        ),
      ]),
    )

  return {
    ...timedIndex('erasures#due', items, dueRecord),

    claim: async ({ shard, place }, now, until) => {
      const { data } = await items.get({ shard, place }).go(strongly)
      if (data === null) return undefined
      const before: ErasureOrder = withNulls(data, erasureOrder.nullable)
      if (before.claimed_until !== null && before.claimed_until > now) return undefined
      const after = { ...before, claimed_until: until }
      return (await replace(before, after)) ? after : undefined
    },

    save: async (claimed, position) => {
      const after = { ...claimed, ...position }
      if (!(await replace(claimed, after))) throw new Error('Another worker has taken up this erasure.')
      return after
    },
  }
}
