import type * as z from 'zod'

/** Treats null like a missing field and applies the default (G8). */
export function orDefault<Schema extends z.ZodType, Value extends z.output<Schema>>(
  schema: Schema,
  value: Value,
) {
  return schema
    .nullish()
    .transform((given) => (given ?? value) as Exclude<z.output<Schema>, null | undefined>)
    .meta({ default: value })
}

/** A field of a PATCH body. Null sets the default `value` (G8). A missing field changes nothing. */
export function orCleared<Schema extends z.ZodType, Value extends z.output<Schema>>(
  schema: Schema,
  value: Value,
) {
  return schema
    .nullable()
    .transform((given) => (given ?? value) as Exclude<z.output<Schema>, null>)
    .optional()
}
