import { conflict, type Failure } from '#kernel/failure.ts'
import type { Chain, DeadlineRecord, DeadlineStep } from './ports.ts'
import { type FristType, fristTypes } from './type-schema.ts'

/** The chain of a deadline that was just created or whose chain is missing: it contains only this deadline. */
export function aloneInChain({ chain_id, case_id, frist_type, id }: DeadlineRecord): Chain {
  return { id: chain_id, case_id, vorfrist: null, hauptfrist: null, nachfrist: null, [frist_type]: id }
}

/**
 * The chain after these steps: new deadlines take their places, struck and moved ones leave theirs. If nothing changes,
 * it is the same object.
 */
export function chainAfter<Known extends Chain>(chain: Known, steps: readonly DeadlineStep[]): Known {
  const after = { ...chain }
  for (const { before, after: record } of steps) {
    const type = record.frist_type
    const belongs = record.chain_id === chain.id && record.struck_at === null
    // If another deadline has taken its place, a member gets the place back only when it is free again.
    const isNew = before?.chain_id !== chain.id
    if (belongs && (isNew || after[type] === null)) Object.assign(after, { [type]: record.id })
    else if (!belongs && after[type] === record.id) Object.assign(after, { [type]: null })
  }
  return fristTypes.some((type) => after[type] !== chain[type]) ? after : chain
}

/** The chain already has a deadline of this kind. */
export function chainOccupied(type: FristType): Failure {
  const noun = type.charAt(0).toUpperCase() + type.slice(1)
  return conflict('CHAIN_OCCUPIED', `This chain has a ${noun} already. Strike it first.`)
}
