import * as z from 'zod'

/**
 * Refuses in these words what a check or a transform of a schema was given, or one `field` of it.
 *
 * @returns what a transform that refuses gives
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
