import { entity, recordKey, text } from './entity.ts'

/** A secret of the deployment, created by the service or belonging to a service that calls it. */
export const secretEntity = entity('secret', recordKey('secret#${name}'), { value: text })
