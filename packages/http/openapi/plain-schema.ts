import type { Schema } from './types.ts'

/**
 * The schema as generators of clients read it without loss. It means the same requests and answers:
 *
 * - `default: null` is left out. Otherwise a field that may be missing would become one that must be sent.
 * - A text that may also be empty (an id in a form field) is a text, not a choice between a text and a constant.
 * - A constant among alternatives is an enum of one value.
 */
export function plainSchema(schema: Schema): Schema {
  const plain = mapSchemas(schema, plainSchema)
  if (plain.default === null) delete plain.default
  const { anyOf, type } = plain
  if (anyOf === undefined) return plain
  if (type === 'string') return withoutEmptyText(plain, anyOf)
  return { ...plain, anyOf: anyOf.map(withoutConstant) }
}

/** The schema with each schema directly below it replaced. */
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

function withoutEmptyText({ anyOf: _, ...schema }: Schema, alternatives: Schema[]): Schema {
  const { pattern, ...written } = alternatives.find((one) => one.const !== '') ?? {}
  const description = [schema.description ?? written.description, 'Empty means none.']
    .filter(Boolean)
    .join(' ')
  return { ...written, ...(pattern !== undefined && { pattern: `${pattern}|^$` }), ...schema, description }
}

function withoutConstant({ const: value, ...schema }: Schema): Schema {
  return value === undefined ? schema : { ...schema, enum: [value] }
}
