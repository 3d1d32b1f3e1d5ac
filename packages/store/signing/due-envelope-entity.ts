import { dueAttributes, dueKeys } from '../due-entity.ts'
import { entity, number, optional, text } from '../entity.ts'

/** An envelope for which something is due. After a failure its place is `<next attempt>#<id>#again`, which no other change touches. */
export const dueEnvelope = entity('dueenvelope', dueKeys('envelopes#due'), {
  ...dueAttributes,
  id: text,
  /** How often what was due failed in a row; absent if it did not. */
  attempts: optional(number),
})
