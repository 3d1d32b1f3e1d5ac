import * as z from 'zod'

/**
 * Reports a fault in the value of a check or a transform of a schema, or in one `field` of it.
 *
 * @returns the value that a transform returns when it refuses
 */
export function refuse<Value>(
  { value, issues }: z.core.ParsePayload<Value>,
  message: string,
  field?: keyof Value & string,
): typeof z.NEVER {
  const place = field === undefined ? { input: value } : { input: value[field], path: [field] }
  issues.push({ code: 'custom', message, ...place })
  return z.NEVER
}
