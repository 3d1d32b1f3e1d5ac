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
