import * as z from 'zod'
import type { FailureCode } from '#kernel/failure.ts'
import { plainSchema } from './plain-schema.ts'
import { pascal } from './shared-objects.ts'
import type { Answer, Reference, Schema } from './types.ts'

export type Direction = 'input' | 'output'

export type Components = ReturnType<typeof collectComponents>

/** Collects the parts of the document that operations refer to by name. */
export function collectComponents() {
  const schemas: Record<string, Schema> = {}
  const responses: Record<string, Answer> = {}
  const firstPlaces = new Map<string, string>()

  const add = (name: string, schema: Schema, place: string): void => {
    const known = schemas[name]
    if (known === undefined) {
      schemas[name] = schema
      firstPlaces.set(name, place)
      return
    }
    if (JSON.stringify(known) === JSON.stringify(schema)) return
    throw new Error(
      `The schema ${name} has one shape in ${firstPlaces.get(name)} and another in ${place}: give one of them its own id.`,
    )
  }

  /** The schema of a request (`input`) or an answer (`output`). Parts with an id become references. */
  const schemaOf = (type: z.ZodType, direction: Direction, place: string): Schema => {
    const { $schema, $defs, ...root } = jsonSchemaOf(type, direction, place)
    for (const [name, definition] of Object.entries($defs ?? {}))
      add(name, plainSchema(refer(definition, place)), place)
    return plainSchema(refer(root, place))
  }

  /**
   * The schema of a path or query parameter. If the text is parsed as a number or a boolean, the schema has this type: in
   * a query string they look the same.
   */
  const parameterSchemaOf = (type: z.ZodType, place: string): Schema => {
    const read = z.toJSONSchema(type, { io: 'output', unrepresentable: 'any' }).type
    const isPlain = read === 'integer' || read === 'number' || read === 'boolean'
    return schemaOf(type, isPlain ? 'output' : 'input', place)
  }

  /** A reference to an error answer. The name has its codes, and a number if several answers have these codes. */
  const shareAnswer = (codes: readonly FailureCode[], answer: Answer): Reference => {
    const base = codes.map((code) => pascal(code.toLowerCase())).join('Or')
    const text = JSON.stringify(answer)
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base}${number}`
      responses[name] ??= answer
      if (JSON.stringify(responses[name]) === text) return { $ref: `#/components/responses/${name}` }
    }
  }

  return { schemas, responses, schemaOf, parameterSchemaOf, shareAnswer }
}

function jsonSchemaOf(
  type: z.ZodType,
  direction: Direction,
  place: string,
): Schema & { $defs?: Record<string, Schema> } {
  try {
    return z.toJSONSchema(type, { io: direction, override: tidy }) as Schema & {
      $defs?: Record<string, Schema>
    }
  } catch (error) {
    throw new Error(`JSON Schema cannot express ${place}.`, { cause: error })
  }
}

/**
 * Removes details that zod adds and readers do not need: the pattern of a named format and the bounds of JavaScript
 * integers. It also removes `additionalProperties: false`, because an answer may get more fields in a later version.
 */
function tidy(described: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { zodSchema, jsonSchema } = described
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (zodSchema._zod.def.type === 'object' && zodSchema._zod.def.catchall === undefined)
    delete jsonSchema.additionalProperties
}

/** The schema with its references changed to point to the components. */
function refer(schema: Schema, place: string): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key !== '$ref' || typeof value !== 'string') return value
    const name = /^#\/\$defs\/(?!__)(.+)$/.exec(value)?.[1]
    if (name === undefined) throw new Error(`A schema in ${place} refers to itself: give it an id.`)
    return `#/components/schemas/${name}`
  }) as Schema
}
