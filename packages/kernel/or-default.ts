import * as z from 'zod/mini'

/** A field that takes null for "not set" and then is what it is without it (G8). */
export function orDefault<Schema extends z.ZodMiniType, Value extends z.output<Schema>>(
  schema: Schema,
  value: Value,
) {
  return z.pipe(
    z.nullish(schema),
    z.transform((given) => (given ?? value) as Exclude<z.output<Schema>, null | undefined>),
  )
}
