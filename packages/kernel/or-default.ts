import type * as z from 'zod'

/** A field that takes null for "not set" and then is what it is without it (G8). */
export function orDefault<Schema extends z.ZodType, Value extends z.output<Schema>>(
  schema: Schema,
  value: Value,
) {
  return schema
    .nullish()
    .transform((given) => (given ?? value) as Exclude<z.output<Schema>, null | undefined>)
}
