import type * as z from 'zod'

/**
 * The places of a body that no schema reads (G8, G15), in their order: `name`, `parties[0].nmae`, `[0].x` where the
 * body is a list. A field below one that is not read is not listed by itself. Where a schema takes one of several
 * shapes, the first that fits the body counts, as in parsing.
 */
export function ignoredFields(schema: z.core.$ZodType | undefined, body: unknown): string[] {
  return schema === undefined ? [] : unread(schema, body, '')
}

const maxPaths = 50
const maxHeaderCharacters = 2_000
const maxNameCharacters = 100

/**
 * The value of `X-Ignored-Fields`: at most 50 paths and 2 000 characters, then `...` if there are more. Everything in
 * a name but letters of ASCII, digits, `_` and `-` is percent-encoded, so that no name can end the header.
 */
export function ignoredFieldsHeader(paths: readonly string[]): string {
  const shown: string[] = []
  let length = 0
  for (const path of paths.slice(0, maxPaths)) {
    length += path.length + 2
    if (length > maxHeaderCharacters) break
    shown.push(path)
  }
  return [...shown, ...(shown.length < paths.length ? ['...'] : [])].join(', ')
}

/** A field's name as it stands in a path. */
export function pathName(name: string): string {
  return encodeURIComponent(name.slice(0, maxNameCharacters).toWellFormed()).replace(
    /[!~*'().]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function unread(schema: z.core.$ZodType, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return Array.isArray(value) ? [] : unreadOfObject(def, value as Record<string, unknown>, path)
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((item, at) => unread(def.element, item, `${path}[${at}]`))
        : []
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return unread(def.innerType, value, path)
    case 'lazy':
      return unread((schema as z.core.$ZodLazy)._zod.innerType, value, path)
    case 'pipe':
      return unread(def.in, value, path)
    case 'union':
      return unreadOfUnion(def.options, value, path)
    default:
      return []
  }
}

function unreadOfObject(
  { shape, catchall }: z.core.$ZodObjectDef,
  value: Record<string, unknown>,
  path: string,
): string[] {
  return Object.keys(value).flatMap((name) => {
    const place = path === '' ? pathName(name) : `${path}.${pathName(name)}`
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (field !== undefined) return unread(field, value[name], place)
    return catchall === undefined ? [place] : []
  })
}

/** Where no shape fits, the request is refused, and it is unclear what would have been read. */
function unreadOfUnion(options: readonly z.core.$ZodType[], value: unknown, path: string): string[] {
  const fitting = options.find((option) => (option as z.ZodType).safeParse(value).success)
  return fitting === undefined ? [] : unread(fitting, value, path)
}
