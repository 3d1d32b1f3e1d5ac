import * as z from 'zod'

/** A field of a body that no schema reads, and the fields that the schema reads at this place. */
export type IgnoredField = { path: string; name: string; known: readonly string[] }

const maxPaths = 50
const maxHeaderCharacters = 2_000
const maxNameCharacters = 100

/** The schema for an endpoint without a body. */
const nothing = z.object({})

/**
 * The fields of a body that no schema reads (G8, G15), in their order. Paths are written as in the details of a refusal:
 * `name`, `parties.0.nmae`, `0.x` if the body is a list. The members of a listed field are not listed again. If a schema
 * accepts one of several shapes, the first shape that matches the body counts, as in parsing. The search stops after 51
 * fields, so that a large body costs little.
 *
 * @param schema absent if the endpoint takes no body; then no field is read
 */
export function ignoredFields(schema: z.core.$ZodType | undefined, body: unknown): IgnoredField[] {
  const found: IgnoredField[] = []
  findUnread(schema ?? nothing, body, '', found)
  return found
}

/**
 * The value of `X-Ignored-Fields`: at most 50 paths and 2 000 characters, then `...` if there are more. In names, all
 * characters except ASCII letters, digits, `_` and `-` are percent-encoded, so that no name can end the header.
 */
export function ignoredFieldsHeader(fields: readonly Pick<IgnoredField, 'path'>[]): string {
  const shown: string[] = []
  let length = 0
  for (const { path } of fields.slice(0, maxPaths)) {
    length += path.length + 2
    if (length > maxHeaderCharacters) break
    shown.push(path)
  }
  return [...shown, ...(shown.length < fields.length ? ['...'] : [])].join(', ')
}

function placeIn(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** The name of a field, in the form that paths have. */
export function pathName(name: string): string {
  return encodeURIComponent(name.slice(0, maxNameCharacters).toWellFormed()).replace(
    /[!~*'().]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function findUnread(schema: z.core.$ZodType, value: unknown, path: string, found: IgnoredField[]): void {
  if (typeof value !== 'object' || value === null) return
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      if (!Array.isArray(value)) findUnreadOfObject(def, value as Record<string, unknown>, path, found)
      return
    case 'array':
      if (!Array.isArray(value)) return
      for (let at = 0; at < value.length && found.length <= maxPaths; at += 1)
        findUnread(def.element, value[at], placeIn(path, String(at)), found)
      return
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      findUnread(def.innerType, value, path, found)
      return
    case 'lazy':
      findUnread((schema as z.core.$ZodLazy)._zod.innerType, value, path, found)
      return
    case 'pipe':
      findUnread(def.in, value, path, found)
      return
    case 'union':
      findUnreadOfUnion(def.options, value, path, found)
      return
  }
}

function findUnreadOfObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: Record<string, unknown>,
  path: string,
  found: IgnoredField[],
): void {
  for (const name in value) {
    if (found.length > maxPaths) return
    if (!Object.hasOwn(value, name)) continue
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (field === undefined && catchall !== undefined) continue
    const place = placeIn(path, pathName(name))
    if (field === undefined) found.push({ path: place, name, known: Object.keys(shape) })
    else findUnread(field, value[name], place, found)
  }
}

/** If no shape fits, the request is refused, and it is unclear which fields would have been read. */
function findUnreadOfUnion(
  options: readonly z.core.$ZodType[],
  value: unknown,
  path: string,
  found: IgnoredField[],
): void {
  const fitting = options.find((option) => (option as z.ZodType).safeParse(value).success)
  if (fitting !== undefined) findUnread(fitting, value, path, found)
}
