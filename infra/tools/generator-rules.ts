import { mapSchemas } from '#http/openapi/plain-schema.ts'
import { pascal } from '#http/openapi/shared-objects.ts'
import type { Content, OpenApiDocument, Schema } from '#http/openapi/types.ts'

/**
 * Parts of a document that generators of clients would lose or damage, one sentence each:
 *
 * - openapi-python-client names an object after its owner and its field. It drops every operation that uses one of two
 *   objects with the same name.
 * - A choice between a text and a constant fails when it is sent.
 * - A default of null makes a field required.
 * - An error that is not shared becomes a separate type for each operation.
 * - A time or an id without its format accepts any text.
 */
export function generatorFaults({ paths, components }: OpenApiDocument): string[] {
  const faults: string[] = []
  const named = new Set(Object.keys(components.schemas))
  const placesOf = new Map<string, string>()

  const check = (schema: Schema, place: string): Schema => {
    const { description: _, ...plain } = schema
    const isObject = schema.$ref === undefined && Object.keys(schema.properties ?? {}).length > 0
    if (isObject && named.has(place)) faults.push(`The object at ${place} is named like a component.`)
    const text = JSON.stringify(plain)
    const other = placesOf.get(text)
    if (isObject && other !== undefined) faults.push(`${other} and ${place} are one object without a name.`)
    if (isObject) placesOf.set(text, place)
    const alternatives = schema.anyOf ?? schema.oneOf ?? []
    if (alternatives.some((one) => 'const' in one || one.enum?.includes('')))
      faults.push(`${place} is a choice with a constant.`)
    if (schema.default === null) faults.push(`${place} has the default null.`)
    return mapSchemas(schema, (below, step) => checkPart(below, step, place))
  }
  const checkPart = (part: Schema, name: string, owner: string): Schema => {
    const place = owner + pascal(name)
    if (hasForm.test(name) && !ofOthers.test(place) && textsIn(part).some(isAnyText))
      faults.push(`${place} does not say its form.`)
    return check(part, place)
  }
  const checkContent = (content: Content | undefined, place: string, what: string): void => {
    for (const [type, { schema, example }] of Object.entries(content ?? {})) {
      check(schema, place)
      const isShown = schema.$ref !== undefined || schema.properties !== undefined
      if (type === 'application/json' && isShown && example === undefined)
        faults.push(`${what} has no example.`)
    }
  }

  for (const [name, schema] of Object.entries(components.schemas))
    mapSchemas(schema, (below, step) => checkPart(below, step, name))
  for (const { operationId, parameters = [], requestBody, responses } of Object.values(paths).flatMap(
    (methods) => Object.values(methods),
  )) {
    const name = pascal(operationId)
    for (const parameter of parameters) checkPart(parameter.schema, parameter.name, name)
    checkContent(requestBody?.content, `${name}Body`, `The body of ${operationId}`)
    for (const [status, answer] of Object.entries(responses)) {
      if ('$ref' in answer) continue
      if (Number(status) >= 400) faults.push(`${operationId} ${status} is not a shared answer.`)
      else checkContent(answer.content, `${name}Answer`, `The answer of ${operationId}`)
    }
  }
  return faults
}

/** Fields that hold a day, a time, or one of our ids. */
const hasForm = /^(date|until)$|^(date|.*_date)_(from|to)$|_(at|on|until|since|date|by|id)$/

/** Ids that another system or the caller assigns. */
const ofOthers = /(Request|Message|Bea|Safe|Vat|External|Content)Id$|^BeaFolderParentId$/

/** The text schemas among a schema and its alternatives. */
function textsIn(schema: Schema): Schema[] {
  const isText = [schema.type].flat().includes('string')
  return [...(isText ? [schema] : []), ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(textsIn)]
}

function isAnyText(schema: Schema): boolean {
  return ['format', 'pattern', 'enum', 'const'].every((keyword) => schema[keyword] === undefined)
}
