import * as z from 'zod'
import type { FailureCode } from './failure.ts'
import { isObject } from './is-object.ts'

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

/**
 * Options of a `refine` with its own error code. That code comes before `VALIDATION_ERROR`, even if the object has
 * other faults. If several such rules fail, the first one counts.
 */
export function refusedAs(code: FailureCode, field: string, message: string) {
  return { params: { code }, path: [field], error: message, when: isOfObject }
}

/** For `when`: the rule is checked for every object, even if other fields of it are refused. */
export const isOfObject = ({ value }: z.core.ParsePayload): boolean => isObject(value)
