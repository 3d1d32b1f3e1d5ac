import { buildSegment } from './build-segment.ts'
import { hasDeleted, mergeable, mergeSegments, planMerge } from './merge-segments.ts'
import { openSegment } from './open-segment.ts'
import { exceededLimit, parseQuery } from './parse-query.ts'
import { searchSegments } from './search-segments.ts'
import { format } from './segment-file.ts'
import { snippets } from './snippets.ts'
import type { Segment } from './types.ts'

/** The parts of the engine that the search service uses. */
export const searchEngine = {
  format,
  build: buildSegment,
  open: openSegment,
  close: (segment: Segment): void => segment.close(),
  mergeable,
  hasDeleted,
  planMerge,
  merge: mergeSegments,
  parse: parseQuery,
  exceededLimit,
  search: searchSegments,
  snippets,
}
