import { mapSchemas } from './plain-schema.ts'
import type { Content, OpenApiDocument, Schema } from './types.ts'

/** The parts of a document that contain schemas. */
type Parts = Pick<OpenApiDocument, 'paths'> & { schemas: Record<string, Schema> }

/**
 * Gives a name to every object that occurs in several places of a document, so that a client has one type for it. A page
 * is named after its items (`CasePage`), any other object after its first place (`InboxItemFrom`).
 */
export function shareObjects({ paths, schemas }: Parts): Parts {
  const uses = new Map<string, number>()
  const count = (schema: Schema): Schema => {
    if (isObject(schema)) uses.set(textOf(schema), (uses.get(textOf(schema)) ?? 0) + 1)
    return mapSchemas(schema, count)
  }
  for (const schema of Object.values(schemas)) mapSchemas(schema, count)
  mapBodies(paths, count)

  const shared: Record<string, Schema> = {}
  const names = new Map<string, string>()
  const nameOf = (text: string, schema: Schema, place: string): string => {
    const wanted = pageName(schema) ?? place
    const name = wanted in schemas || wanted in shared ? `${wanted}Object` : wanted
    if (name in schemas || name in shared) throw new Error(`Give the object at ${place} an id of its own.`)
    names.set(text, name)
    return name
  }
  const share = (schema: Schema, place: string): Schema => {
    const inner = mapSchemas(schema, (below, step) => share(below, place + pascal(step)))
    const text = textOf(schema)
    if (!isObject(schema) || ((uses.get(text) ?? 0) < 2 && pageName(schema) === undefined)) return inner
    const { description, ...object } = inner
    const known = names.get(text)
    const name = known ?? nameOf(text, schema, place)
    if (known === undefined) shared[name] = object
    return { ...(description !== undefined && { description }), $ref: `#/components/schemas/${name}` }
  }

  const own = Object.entries(schemas).map(([name, schema]) => [
    name,
    mapSchemas(schema, (below, step) => share(below, name + pascal(step))),
  ])
  return {
    paths: mapBodies(paths, share),
    schemas: { ...Object.fromEntries(own), ...shared },
  }
}

/** Replaces the schemas of bodies and answers. `map` gets the name that generators of clients would give. */
export function mapBodies(
  paths: OpenApiDocument['paths'],
  map: (schema: Schema, place: string) => Schema,
): OpenApiDocument['paths'] {
  const mapContent = (content: Content, place: string): Content =>
    Object.fromEntries(
      Object.entries(content).map(([type, media]) => [type, { ...media, schema: map(media.schema, place) }]),
    )
  return mapValues(paths, (methods) =>
    mapValues(methods, (operation) => {
      const { requestBody, responses } = operation
      const name = pascal(operation.operationId)
      return {
        ...operation,
        ...(requestBody && {
          requestBody: { ...requestBody, content: mapContent(requestBody.content, `${name}Body`) },
        }),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, answer]) => [
            status,
            '$ref' in answer || answer.content === undefined
              ? answer
              : { ...answer, content: mapContent(answer.content, `${name}Answer`) },
          ]),
        ),
      }
    }),
  )
}

function mapValues<Value, Mapped>(
  record: Record<string, Value>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

function isObject({ properties, $ref }: Schema): boolean {
  return $ref === undefined && properties !== undefined && Object.keys(properties).length > 0
}

/** The name of a page whose items have a name; undefined for any other object. */
function pageName({ properties = {} }: Schema): string | undefined {
  const { data, pagination, ...rest } = properties
  const item = data?.items?.$ref?.split('/').at(-1)
  if (item === undefined || pagination === undefined || Object.keys(rest).length > 0) return undefined
  return `${item}Page`
}

/** The text by which objects are compared: everything except the description. */
function textOf({ description: _, ...schema }: Schema): string {
  return JSON.stringify(schema)
}

/** A name in CamelCase, as generators of clients write it: `DueAt` for `due_at`. */
export function pascal(name: string): string {
  return name.replace(/(?:^|(?<![^A-Za-z0-9])[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) =>
    letter.toUpperCase(),
  )
}
