import { mapSchemas } from './plain-schema.ts'
import { mapBodies } from './shared-objects.ts'
import type { OpenApiDocument, Schema, Vocabulary } from './types.ts'

type Parts = Pick<OpenApiDocument, 'paths'> & { schemas: Record<string, Schema> }

/**
 * Adds descriptions to fields without one. First it looks for a description in the field's schema (`CaseInput`, or
 * `ReceiveMailBody` for an anonymous body). Then it looks in the schema of the noun (`Case`), and last among the names
 * that mean the same in all schemas.
 */
export function describeFields({ paths, schemas }: Parts, { everywhere, inSchema }: Vocabulary): Parts {
  const descriptionOf = (owner: string, name: string): string | undefined =>
    inSchema[owner]?.[name] ?? inSchema[nounOf(owner)]?.[name] ?? everywhere[name]

  const describe = (schema: Schema, owner: string): Schema =>
    mapSchemas(schema, (below, step) => {
      if (schema.properties?.[step] !== below) return describe(below, owner)
      const description = below.description ?? descriptionOf(owner, step) ?? innerDescription(below)
      return { ...describe(below, `${owner}.${step}`), ...(description !== undefined && { description }) }
    })

  return {
    paths: mapBodies(paths, describe),
    schemas: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, describe(schema, name)]),
    ),
  }
}

/** The description of an alternative, which describes the field if it is not null. */
function innerDescription({ anyOf = [] }: Schema): string | undefined {
  return anyOf.find((one) => one.description !== undefined)?.description
}

/** The noun of a schema: `Case` for `CaseInput`, `Deadline` for `RegisterDeadline`. */
function nounOf(owner: string): string {
  return owner
    .replace(/^(Entered|Register|Created)(?=[A-Z])/, '')
    .replace(/^(\w+?)(Input|Changes|Summary|Snapshot|Answer|Body)(?=\.|$)/, '$1')
}
