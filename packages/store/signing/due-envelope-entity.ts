import { dueAttributes, dueKeys } from '../due-entity.ts'
import { entity, number, optional, text } from '../entity.ts'

/**
 * An envelope with timed work. After a failure its place is `<next attempt>#<id>#again`, which changes of the envelope
 * do not touch.
 */
export const dueEnvelope = entity('dueenvelope', dueKeys('envelopes#due'), {
  ...dueAttributes,
  id: text,
  /** The number of failures in a row; absent if there is none. */
  attempts: optional(number),
})
