import { entity, recordKey, text } from './entity.ts'

/** A secret of the deployment: one that the service created for itself, or one of a service that calls it. */
export const secretEntity = entity('secret', recordKey('secret#${name}'), {
  value: text,
})
