import type { Chain, DeadlineRecord, DeadlineStep } from './ports.ts'
import { fristTypes } from './type-schema.ts'

/** A chain with only this deadline in its place: of a deadline that was just created, or whose chain is missing. */
export function aloneInChain({ chain_id, case_id, frist_type, id }: DeadlineRecord): Chain {
  return { id: chain_id, case_id, vorfrist: null, hauptfrist: null, nachfrist: null, [frist_type]: id }
}

/**
 * The chain after these steps: new deadlines take their places, struck and moved ones leave theirs. The same chain if
 * nothing changes.
 */
export function chainAfter<Known extends Chain>(chain: Known, steps: readonly DeadlineStep[]): Known {
  const after = { ...chain }
  for (const { after: record } of steps) {
    const type = record.frist_type
    const belongs = record.chain_id === chain.id && record.struck_at === null
    if (belongs) Object.assign(after, { [type]: record.id })
    else if (after[type] === record.id) Object.assign(after, { [type]: null })
  }
  return fristTypes.some((type) => after[type] !== chain[type]) ? after : chain
}
