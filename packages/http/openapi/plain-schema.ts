import type { Schema } from './types.ts'

/** A simpler schema of the same requests and answers, which generators of clients read correctly. */
export function plainSchema(schema: Schema): Schema {
  const plain = mapSchemas(schema, plainSchema)
  // With it, generators would require a field that may be missing.
  if (plain.default === null) delete plain.default
  const { anyOf, type } = plain
  if (anyOf === undefined) return plain
  if (type === 'string') return withoutEmptyText(plain, anyOf)
  return { ...plain, anyOf: anyOf.map(withoutConstant) }
}

/** Replaces each schema directly below a schema. */
export function mapSchemas(schema: Schema, map: (below: Schema, step: string) => Schema): Schema {
  const mapped = { ...schema }
  if (schema.properties)
    mapped.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, map(property, name)]),
    )
  if (schema.items) mapped.items = map(schema.items, 'item')
  if (schema.prefixItems) mapped.prefixItems = schema.prefixItems.map((item, at) => map(item, `item${at}`))
  if (typeof schema.additionalProperties === 'object')
    mapped.additionalProperties = map(schema.additionalProperties, 'value')
  for (const choice of ['anyOf', 'oneOf', 'allOf'] as const) {
    const alternatives = schema[choice]
    if (alternatives === undefined) continue
    const isPlainlyNullable = alternatives.filter(({ type }) => type !== 'null').length === 1
    mapped[choice] = alternatives.map((one, at) => map(one, isPlainlyNullable ? '' : `type${at}`))
  }
  return mapped
}

/** A text that may also be empty (an id in a form field), instead of a choice between a text and an empty constant. */
function withoutEmptyText({ anyOf: _, ...schema }: Schema, alternatives: Schema[]): Schema {
  const { pattern, ...written } = alternatives.find((one) => one.const !== '') ?? {}
  const description = [schema.description ?? written.description, 'Empty means none.']
    .filter(Boolean)
    .join(' ')
  return { ...written, ...(pattern !== undefined && { pattern: `${pattern}|^$` }), ...schema, description }
}

/** An enum of one value instead of a constant. */
function withoutConstant({ const: value, ...schema }: Schema): Schema {
  return value === undefined ? schema : { ...schema, enum: [value] }
}
