import type { LocalFunction } from './load-functions.ts'

/** A declared method and path with the function that serves it. */
export type Route = { method: string; path: string; function: LocalFunction }

/** The route of a request with the decoded values of its placeholders; `null` if it has none, as in the event. */
export type Match = { route: Route; pathParameters: Record<string, string> | null }

/** Finds the route of a method and a path as sent; undefined if API Gateway would have none. */
export type FindRoute = (method: string, path: string) => Match | undefined

/**
 * Routes like a REST API: fixed segments take precedence over placeholders. If a path does not have the method, the next
 * matching path is tried. One slash at the end is ignored. A placeholder does not match an empty segment.
 */
export function findRouteAmong(functions: readonly LocalFunction[]): FindRoute {
  const patterns = Map.groupBy(functions.flatMap(patternsOf), ({ route, segments }) =>
    kind(route.method, segments),
  )
  for (const alike of patterns.values()) alike.sort((one, other) => (one.rank < other.rank ? -1 : 1))

  return (method, path) => {
    const segments = segmentsOf(path)
    const found = patterns
      .get(kind(method, segments))
      ?.find((pattern) => pattern.segments.every((segment, at) => fits(segment, segments[at])))
    return found && { route: found.route, pathParameters: parametersOf(found, segments) }
  }
}

type Segment = { text: string; placeholder: string | undefined }

/** `rank` sorts patterns of the same length: segment by segment, fixed (0) before placeholder (1). */
type Pattern = { route: Route; segments: Segment[]; rank: string }

function patternsOf(fn: LocalFunction): Pattern[] {
  return fn.endpoints.map(({ method, path }) => {
    const segments = segmentsOf(path).map((text) => ({ text, placeholder: /^\{(.+)\}$/.exec(text)?.[1] }))
    const rank = segments.map(({ placeholder }) => (placeholder === undefined ? '0' : '1')).join('')
    return { route: { method, path, function: fn }, segments, rank }
  })
}

function segmentsOf(path: string): string[] {
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
}

function kind(method: string, segments: readonly unknown[]): string {
  return `${method} ${segments.length}`
}

function fits(segment: Segment, text: string | undefined): boolean {
  return segment.placeholder === undefined ? segment.text === text : text !== ''
}

function parametersOf({ segments }: Pattern, texts: string[]): Match['pathParameters'] {
  const entries = segments.flatMap(({ placeholder }, at) =>
    placeholder === undefined ? [] : [[placeholder, decode(texts[at] ?? '')]],
  )
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** Text with invalid percent-encoding stays as it was sent, and is then an unknown id. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
