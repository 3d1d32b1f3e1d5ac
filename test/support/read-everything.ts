import { createHash } from 'node:crypto'

/** The answer to a GET: its status and its body; a file is shown only by its digest. */
export type Answer = { status: number; body: unknown }

/** No list in the tests has more pages than this. */
const maxPages = 50

const readAtOnce = 8

/**
 * Reads everything that a key may read, over HTTP: each GET of the OpenAPI document, with every id that the list in
 * front of a path parameter shows.
 *
 * @returns the answers by path
 */
export async function readEverything(baseUrl: string, apiKey: string): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>()
  const get = async (path: string): Promise<Answer> => {
    const known = answers.get(path)
    if (known !== undefined) return known
    const response = await fetch(baseUrl + path, {
      headers: { Authorization: `Bearer ${apiKey}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const body = isJson ? JSON.parse(bytes.toString()) : createHash('sha256').update(bytes).digest('hex')
    const answer = { status: response.status, body }
    answers.set(path, answer)
    return answer
  }

  /** The ids of all records of a list. */
  const idsOf = async (list: string): Promise<string[]> => {
    const ids: string[] = []
    for (let path = list, page = 0; page < maxPages; page += 1) {
      const { status, body } = await get(path)
      const { data, pagination } = body as Listed
      if (status !== 200 || !Array.isArray(data)) return ids
      ids.push(...data.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])))
      if (!pagination?.cursor) return ids
      path = `${list}?cursor=${encodeURIComponent(pagination.cursor)}`
    }
    throw new Error(`${list} has more than ${maxPages} pages.`)
  }

  /** The paths of a template, with every id as the value of its parameters. */
  const pathsOf = async (template: string): Promise<string[]> => {
    const [, before, rest] = /^([^{]*)\/\{[^}]+\}(.*)$/.exec(template) ?? []
    if (before === undefined || rest === undefined) return [template]
    const ids = await idsOf(before)
    const paths = await Promise.all(ids.map((id) => pathsOf(`${before}/${id}${rest}`)))
    return paths.flat()
  }

  const { body } = await get('/api/v1/openapi.json')
  answers.clear()
  const { paths } = body as { paths: Record<string, { get?: unknown }> }
  for (const template of Object.keys(paths).filter((path) => paths[path]?.get !== undefined)) {
    if (!template.startsWith('/api/v1/') || isNoRecord.test(template)) continue
    const all = await pathsOf(template)
    for (let at = 0; at < all.length; at += readAtOnce)
      await Promise.all(all.slice(at, at + readAtOnce).map(get))
  }
  return answers
}

type Listed = { data?: { id?: unknown }[]; pagination?: { cursor: string | null } }

/**
 * Paths that read no records: the documentation, answers that depend on the time or another network, and calls that
 * leave a trace.
 */
const isNoRecord =
  /\/(openapi\.json|health|directory|administered|session|execute|retrieve)\b|\/bea\/accounts\/[^/]+\/(folders|permissions)$/
