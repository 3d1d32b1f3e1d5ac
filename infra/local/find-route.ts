import type { LocalFunction } from './load-functions.ts'

/** A declared method and path with the function that serves it. */
export type Route = { method: string; path: string; function: LocalFunction }

/** The route of a request and what its placeholders stand for, decoded; `null` where it has none, as in the event. */
export type Match = { route: Route; pathParameters: Record<string, string> | null }

/** Gives the route of a method and a path as sent, or undefined where API Gateway knows none. */
export type FindRoute = (method: string, path: string) => Match | undefined

/**
 * Routes as a REST API does: fixed segments go before placeholders, a path whose method is not declared falls
 * to the next that fits, one slash at the end makes no difference, and no placeholder stands for nothing.
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

/** `rank` orders patterns of one length: a fixed segment (0) before a placeholder (1), the first one decides. */
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

/** Text that is no percent-encoding stays as it was sent: it is then an unknown id. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
