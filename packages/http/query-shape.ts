import type * as z from 'zod'

/**
 * The parameters of a query's schema, even if the object has checks or a transform.
 *
 * @throws Error if the schema is not of an object.
 */
export function queryShape(query: z.core.$ZodType): Record<string, z.ZodType> {
  return objectOf(query).shape as Record<string, z.ZodType>
}

/** The names of the declared parameters, or of the fields of a form; undefined if the schema accepts any name. */
export function parameterNamesOf(query: z.core.$ZodType | undefined): string[] | undefined {
  if (query === undefined) return []
  const { shape, catchall } = objectOf(query)
  return catchall === undefined ? Object.keys(shape) : undefined
}

/** The names of the parameters that may be sent several times, because their schema is a list. */
export function repeatableOf(query: z.core.$ZodType): Set<string> {
  const repeatable = Object.entries(objectOf(query).shape).filter(([, schema]) => isList(schema))
  return new Set(repeatable.map(([name]) => name))
}

function isList(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional' || def.type === 'default') return isList(def.innerType)
  return def.type === 'array' || (def.type === 'pipe' && isList(def.in))
}

function objectOf(query: z.core.$ZodType): z.core.$ZodObjectDef {
  const { def } = (query as z.core.$ZodTypes)._zod
  if (def.type === 'object') return def
  if (def.type === 'pipe') return objectOf(def.in)
  if (def.type === 'lazy') return objectOf((query as z.core.$ZodLazy)._zod.innerType)
  throw new Error('A query is declared by a schema that is not of an object.')
}
