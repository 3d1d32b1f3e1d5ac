/** Random numbers that are the same in every run with the same seed. */
export type Random = {
  /** An integer from 0 to `below` - 1. */
  below: (below: number) => number
  /** One of these values. */
  of: <Value>(values: readonly Value[]) => Value
}

/** A small generator of random numbers (mulberry32). */
export function random(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    of: (values) => values[below(values.length)] as (typeof values)[number],
  }
}
