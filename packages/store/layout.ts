import { machineMilliseconds } from '#kernel/clock.ts'
import type { LogOf } from '#kernel/log.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { WrongRelease } from '#kernel/wrong-release.ts'
import { layoutRefusedMessage, oldestLayout, stageName, tableLayout } from './table.ts'

/** The first layout that upgrades start from. Its tables have no layout item. */
const firstLayout = 9

/** Why this release must not work on the table. */
export class LayoutRefused extends WrongRelease {
  override name = 'LayoutRefused'
}

type Item = Record<string, unknown> | undefined

/**
 * The layout of a table, from its layout item.
 *
 * @throws LayoutRefused if the item is damaged, or was copied from the table of another stage
 */
export function layoutOf(item: Item, stage = stageName()): number {
  if (item === undefined) return firstLayout
  const { layout, stage: from } = item
  if (!Number.isSafeInteger(layout) || Number(layout) < firstLayout)
    throw new LayoutRefused(
      `The layout item of the table is damaged: its layout is ${JSON.stringify(layout)}.`,
    )
  if (from !== stage)
    throw new LayoutRefused(
      `The layout item of the table belongs to the stage ${from}; this stage is ${stage}.`,
    )
  return Number(layout)
}

/** @throws LayoutRefused if this release cannot read a table of this layout */
export function requireReadable(layout: number): void {
  if (layout > tableLayout)
    throw new LayoutRefused(
      `The table has layout ${layout}, of a newer release. This release reads up to layout ${tableLayout}.`,
    )
  if (layout < oldestLayout)
    throw new LayoutRefused(
      `The table has layout ${layout}. This release reads layouts ${oldestLayout} to ${tableLayout}: upgrade the table first.`,
    )
}

/**
 * Checks the layout of the table, once for each instance of a function (U3).
 *
 * @param readItem reads the layout item
 * @returns undefined once the layout was found readable
 * @throws Failure 503 SERVICE_UNAVAILABLE if the layout is not readable: a wrong answer would be worse than none. It is
 *   checked again some seconds later.
 */
export type LayoutCheck = (readItem: () => Promise<Item>) => Promise<void> | undefined

/** The time until the layout is checked again after a refusal. */
const lookAgainMilliseconds = 5_000

export function layoutCheck(log: LogOf<'error'>, lookAgainAfter = lookAgainMilliseconds): LayoutCheck {
  let isReadable = false
  let looking: Promise<void> | undefined
  let refusedUntil = Number.POSITIVE_INFINITY

  const look = async (readItem: () => Promise<Item>): Promise<void> => {
    try {
      requireReadable(layoutOf(await readItem()))
      isReadable = true
    } catch (error) {
      if (error instanceof LayoutRefused) {
        log.error(layoutRefusedMessage, { reason: error.message })
        refusedUntil = machineMilliseconds() + lookAgainAfter
        throw unavailable('The data is being upgraded.', { cause: error, retryAfterSeconds: 30 })
      }
      forget()
      throw error
    }
  }
  const forget = () => {
    looking = undefined
    refusedUntil = Number.POSITIVE_INFINITY
  }

  return (readItem) => {
    if (isReadable) return undefined
    if (machineMilliseconds() >= refusedUntil) forget()
    looking ??= look(readItem)
    return looking
  }
}
