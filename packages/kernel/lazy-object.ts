import * as z from 'zod'

/** The schema of an object with these fields, which is made at its first use. */
export function lazyObject<Fields extends z.ZodRawShape>(fields: () => Fields) {
  return z.lazy(() => z.object(fields()))
}

/** The same, with a name in the OpenAPI document. */
export function namedObject<Fields extends z.ZodRawShape>(id: string, fields: () => Fields) {
  return z.lazy(() => z.object(fields()).meta({ id }))
}
