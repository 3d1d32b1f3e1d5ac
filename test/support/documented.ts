import * as z from 'zod'
import type { OpenApiDocument, Operation, Schema } from '#http/openapi/types.ts'

/** Checks requests and answers against the schemas of a document, like a client that knows only the document. */
export function documented(document: OpenApiDocument) {
  const $defs = atDefs(document.components.schemas)
  const operations = new Map(
    Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  )
  const compiled = new Map<Schema, z.ZodType>()

  const faultsOf = (schema: Schema | undefined, value: unknown): string[] => {
    if (schema === undefined) return ['The document has no schema for it.']
    const type = compiled.get(schema) ?? z.fromJSONSchema({ ...atDefs(schema), $defs } as never)
    compiled.set(schema, type)
    const { error } = type.safeParse(value)
    return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
  }
  const operationOf = (name: string): Operation => {
    const operation = operations.get(name)
    if (operation === undefined) throw new Error(`The document has no operation ${name}.`)
    return operation
  }

  return {
    /** The faults of a JSON answer with this status; none if the document has no JSON for it, or only bytes. */
    answerFaults: (name: string, status: number, body: unknown): string[] => {
      const answer = operationOf(name).responses[status]
      if (answer === undefined) return [`The document has no answer ${status}.`]
      const shared =
        '$ref' in answer ? document.components.responses[answer.$ref.split('/').at(-1) ?? ''] : answer
      const content = shared?.content
      if (content === undefined || !('application/json' in content)) return []
      const { schema } = content['application/json'] ?? {}
      return schema?.format === 'binary' ? [] : faultsOf(schema, body)
    },
    /** The faults of a JSON request body. */
    bodyFaults: (name: string, body: unknown): string[] =>
      faultsOf(operationOf(name).requestBody?.content['application/json']?.schema, body),
  }
}

function atDefs<Part>(part: Part): Part {
  return JSON.parse(JSON.stringify(part).replaceAll('#/components/schemas/', '#/$defs/')) as Part
}
