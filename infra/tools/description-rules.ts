import { mapSchemas } from '#http/openapi/plain-schema.ts'
import type { OpenApiDocument, Schema } from '#http/openapi/types.ts'

/**
 * Faults of a document that affect its readers, one sentence each: fields without a description, and numbers of rules,
 * such as (F16), which mean nothing to readers of the API.
 */
export function descriptionFaults(document: OpenApiDocument): string[] {
  const faults: string[] = []
  const check = (schema: Schema, place: string): Schema =>
    mapSchemas(schema, (below, step) => {
      const isField = schema.properties?.[step] === below
      const at = isField ? `${place}.${step}` : place
      if (isField && !below.description)
        faults.push(
          `${at} has no description: add .meta({ description }) to its schema, or describe the name in functions/docs/vocabulary.ts if it means the same everywhere.`,
        )
      return check(below, at)
    })
  const { paths, components } = document
  for (const [name, schema] of Object.entries(components.schemas)) check(schema, name)
  for (const { operationId, requestBody, responses } of Object.values(paths).flatMap((methods) =>
    Object.values(methods),
  ))
    for (const content of [requestBody?.content, ...Object.values(responses).map(contentOf)])
      for (const { schema } of Object.values(content ?? {})) check(schema, operationId)
  for (const [number] of JSON.stringify(document).matchAll(/\((?:[A-Z]\d{1,2}[a-z]?(?:, )?)+\)/g))
    faults.push(`The document cites the rule ${number}.`)
  return faults
}

function contentOf(answer: OpenApiDocument['components']['responses'][string] | { $ref: string }) {
  return 'content' in answer ? answer.content : undefined
}
