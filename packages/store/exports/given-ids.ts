import { bareUuid } from '#kernel/id.ts'

/** A UUID is four words. */
const words = 4

const firstCapacity = 1_024

/**
 * An exact set of ids in 32 to 64 bytes each: a table of UUIDs with open addressing, at most half full. A `Set` of their
 * texts takes three times as much.
 */
export function givenIds() {
  let table = new Uint32Array(firstCapacity * words)
  let count = 0

  /** Where a UUID is in a table, or where it belongs: the first free place from the one that its random part names. */
  const placeIn = (slots: Uint32Array, uuid: readonly number[]): number => {
    const capacity = slots.length / words
    const isFree = (at: number) =>
      slots[at] === 0 && slots[at + 1] === 0 && slots[at + 2] === 0 && slots[at + 3] === 0
    const isThis = (at: number) => uuid.every((word, index) => slots[at + index] === word)
    for (let slot = (uuid[3] ?? 0) & (capacity - 1); ; slot = (slot + 1) & (capacity - 1)) {
      const at = slot * words
      if (isFree(at) || isThis(at)) return at
    }
  }

  const grow = () => {
    const larger = new Uint32Array(table.length * 2)
    for (let at = 0; at < table.length; at += words) {
      const uuid = [...table.subarray(at, at + words)]
      if (uuid.some((word) => word !== 0)) larger.set(uuid, placeIn(larger, uuid))
    }
    table = larger
  }

  return {
    /** Adds an id. @returns false where it was added before */
    add(id: string): boolean {
      const hex = bareUuid(id).replaceAll('-', '')
      const uuid = [0, 8, 16, 24].map((start) => Number.parseInt(hex.slice(start, start + 8), 16))
      const at = placeIn(table, uuid)
      if (uuid.every((word, index) => table[at + index] === word)) return false
      table.set(uuid, at)
      count += 1
      if (count * 2 * words > table.length) grow()
      return true
    },
  }
}

export type GivenIds = ReturnType<typeof givenIds>
