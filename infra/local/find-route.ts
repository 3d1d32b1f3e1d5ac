import { percentDecoded } from '#kernel/percent-decoded.ts'
import type { LocalFunction } from './load-functions.ts'

/** A declared path with the function that serves it. */
type Route = { path: string; function: LocalFunction }

/** The route of a request with the decoded values of its placeholders; `null` if it has none, as in the event. */
export type Match = { route: Route; pathParameters: Record<string, string> | null }

/** Finds the route of a path as sent; undefined if there is none. */
export type FindRoute = (path: string) => Match | undefined

/**
 * Routes like the deployed REST API, whose paths take any method: fixed segments take precedence over placeholders. One
 * slash at the end is ignored. A placeholder does not match an empty segment. API Gateway itself refuses methods beyond
 * the seven of `ANY`; here the function refuses them like every method that the path does not have.
 */
export function findRouteAmong(functions: readonly LocalFunction[]): FindRoute {
  const patterns = Map.groupBy(functions.flatMap(patternsOf), ({ segments }) => segments.length)
  for (const alike of patterns.values()) alike.sort((one, other) => (one.rank < other.rank ? -1 : 1))

  return (path) => {
    const segments = segmentsOf(path)
    const found = patterns
      .get(segments.length)
      ?.find((pattern) => pattern.segments.every((segment, at) => fits(segment, segments[at])))
    return found && { route: found.route, pathParameters: parametersOf(found, segments) }
  }
}

type Segment = { text: string; placeholder: string | undefined }

/** `rank` sorts patterns of the same length: segment by segment, fixed (0) before placeholder (1). */
type Pattern = { route: Route; segments: Segment[]; rank: string }

function patternsOf(fn: LocalFunction): Pattern[] {
  return fn.paths.map((path) => {
    const segments = segmentsOf(path).map((text) => ({ text, placeholder: /^\{(.+)\}$/.exec(text)?.[1] }))
    const rank = segments.map(({ placeholder }) => (placeholder === undefined ? '0' : '1')).join('')
    return { route: { path, function: fn }, segments, rank }
  })
}

function segmentsOf(path: string): string[] {
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
}

function fits(segment: Segment, text: string | undefined): boolean {
  return segment.placeholder === undefined ? segment.text === text : text !== ''
}

function parametersOf({ segments }: Pattern, texts: string[]): Match['pathParameters'] {
  const entries = segments.flatMap(({ placeholder }, at) =>
    placeholder === undefined ? [] : [[placeholder, percentDecoded(texts[at] ?? '')]],
  )
  return entries.length === 0 ? null : Object.fromEntries(entries)
}
