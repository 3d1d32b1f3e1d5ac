import { dueAttributes, dueKeys } from '../due-entity.ts'
import { entity, nullable, text } from '../entity.ts'

/** The erasure of a party that has begun (R5). `id` is the id of the party. It goes with the record of the party. */
export const erasureOrder = entity('erasureorder', dueKeys('erasures#due'), {
  ...dueAttributes,
  id: text,
  user_id: text,
  key_id: text,
  step: nullable(text),
  after: nullable(text),
  claimed_until: nullable(text),
})
