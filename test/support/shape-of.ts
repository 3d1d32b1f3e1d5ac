import * as z from 'zod'

/** The fields of a schema by their names, also where it is built when it is first needed; undefined where it is no object. */
export function shapeOf(schema: z.ZodType | undefined): Record<string, unknown> | undefined {
  if (schema instanceof z.ZodLazy) return shapeOf(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodObject ? schema.shape : undefined
}
