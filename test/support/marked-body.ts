import type * as z from 'zod'
import { shapeOf } from './shape-of.ts'

/**
 * A body with marked words in every text field that takes one: each text of the example, and each field of the schema that
 * the example leaves out. Each word is tried with the schema of its field: enums, ids, dates and patterns refuse it.
 *
 * @param wordFor a new word in small letters for a field, by its path
 * @param options.withAbsent false: only the texts of the example
 */
export function markedBody(
  schema: z.ZodType,
  example: Record<string, unknown>,
  wordFor: (path: string) => string,
  { withAbsent = true } = {},
): Record<string, unknown> {
  // An id that is none is read as one that nothing has.
  const accepts = (body: unknown, word: string) => {
    const { success, data } = schema.safeParse(body)
    return success && JSON.stringify(data).toLowerCase().includes(word)
  }
  let body = structuredClone(example)
  for (const path of textPaths(example)) {
    const word = wordFor(path.join('.'))
    const marked = withValue(body, path, word) as typeof body
    if (accepts(marked, word)) body = marked
  }
  if (!withAbsent) return body
  for (const name of Object.keys(shapeOf(schema) ?? {}).filter((field) => !(field in example))) {
    const word = wordFor(name)
    const taken = [word, [word], `${word}@example.de`, [`${word}@example.de`]]
      .map((value) => ({ ...body, [name]: value }))
      .find((one) => accepts(one, word))
    if (taken !== undefined) body = taken
  }
  return body
}

type Path = (string | number)[]

/** The paths of all texts in a value. */
function textPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path]
  if (Array.isArray(value)) return value.flatMap((one, at) => textPaths(one, [...path, at]))
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, one]) => textPaths(one, [...path, name]))
}

function withValue(target: unknown, [first, ...rest]: Path, value: unknown): unknown {
  if (first === undefined) return value
  if (Array.isArray(target))
    return target.map((one, at) => (at === first ? withValue(one, rest, value) : one))
  const members = target as Record<string, unknown>
  return { ...members, [first]: withValue(members[first as string], rest, value) }
}
