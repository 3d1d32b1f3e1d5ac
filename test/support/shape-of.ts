import * as z from 'zod'

/** The fields of a schema by name, also of a lazy schema; undefined if the schema is not an object. */
export function shapeOf(schema: z.ZodType | undefined): Record<string, unknown> | undefined {
  if (schema instanceof z.ZodLazy) return shapeOf(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodObject ? schema.shape : undefined
}
