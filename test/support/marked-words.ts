import * as z from 'zod'
import type { Endpoint } from '#http/endpoint.ts'

type Body = Record<string, unknown>
type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  $ref?: string
  $defs?: Record<string, Schema>
}

/** A body in which each text that the caller may choose holds a word of its own. */
export type Marked = { body: Body; words: string[] }

/** How a word may stand in a field: as it is, or in an e-mail address. */
const forms = [(word: string) => word, (word: string) => `${word}@${word}.example`]

/**
 * Marks every text field of the body of an endpoint. The declared schema gives the fields, so that none is forgotten, also
 * optional ones that the example does not have. A field whose values are prescribed, or refer to something,
 * does not take a word and stays as it is.
 *
 * @param example a body that the endpoint accepts
 * @param wordOf makes the word of a field from its path: `buyer.name`
 */
export function markedBody(
  { body: schema }: Endpoint<never>,
  example: Body,
  wordOf: (path: string) => string,
): Marked {
  if (schema === undefined) return { body: example, words: [] }
  const declared = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' }) as Schema
  let body = example
  const words: string[] = []
  for (const path of textPaths(declared, declared, [])) {
    const word = wordOf(path.join('.'))
    const marked = forms
      .map((form) => withValue(body, path, form(word)))
      .find((one) => takes(schema as z.ZodType, one, word))
    if (marked === undefined) continue
    body = marked
    words.push(word)
  }
  return { body, words }
}

/** Whether the schema accepts a body, and keeps the word in it. */
function takes(schema: z.ZodType, body: Body, word: string): boolean {
  const read = schema.safeParse(body)
  return read.success && JSON.stringify(read.data).includes(word)
}

/** The paths of all texts in a schema. Of an array, the first item. */
function textPaths(schema: Schema, root: Schema, path: string[]): string[][] {
  if (path.length > 6) return []
  const { $ref, anyOf, properties, items, type } = schema
  if ($ref !== undefined) {
    const target = root.$defs?.[$ref.split('/').at(-1) ?? '']
    return target === undefined ? [] : textPaths(target, root, path)
  }
  const found = [
    ...(anyOf ?? []).flatMap((one) => textPaths(one, root, path)),
    ...Object.entries(properties ?? {}).flatMap(([name, one]) => textPaths(one, root, [...path, name])),
    ...(items === undefined ? [] : textPaths(items, root, [...path, '0'])),
    ...([type].flat().includes('string') ? [path] : []),
  ]
  return [...new Map(found.map((one) => [one.join('.'), one])).values()]
}

function withValue(body: unknown, [name, ...rest]: string[], value: string): Body {
  if (name === undefined) return value as unknown as Body
  if (Array.isArray(body))
    return body.map((item, at) => (String(at) === name ? withValue(item, rest, value) : item)) as never
  const members = (body ?? {}) as Body
  return { ...members, [name]: withValue(members[name], rest, value) }
}
