import { dueAt } from '#signing/envelopes/envelope-states.ts'
import type { DueEnvelopes, EnvelopeRecord } from '#signing/ports.ts'

/** The index of due envelopes, with only this envelope in its present state. Nothing may fail. */
export function dueInMemory(current: () => EnvelopeRecord): DueEnvelopes {
  const mustNotFail = () => Promise.reject(new Error('What was due failed.'))
  return {
    shards: ['0'],
    due: async function* (shard, at) {
      const { workspace_id, id } = current()
      const place = dueAt(current())
      if (place !== null && Date.parse(place) <= at.getTime())
        yield { workspace_id, id, shard, place, attempts: 0 }
    },
    postpone: mustNotFail,
    settle: mustNotFail,
  }
}
