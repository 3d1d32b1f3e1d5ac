import type { Deleted, Segment } from './types.ts'

type Visible = {
  segment: Segment
  /** By row: 1 if the record may be read, is not deleted, and is the latest entry of its id in all segments. */
  visible: Uint8Array
  /** Whether a value of `access` may be read, by its position in `accessNames`. */
  isReadable: boolean[]
}

/** The records of each segment that a caller may find. */
export function visibleRecords(
  segments: Segment[],
  deleted: Deleted,
  mayRead: (access: string) => boolean,
): Visible[] {
  const names = new Set(segments.flatMap(({ columns }) => columns.accessNames))
  const decisions = new Map([...names].map((name) => [name, mayRead(name)]))
  return segments.map((segment) => {
    const { accesses, kinds, accessNames } = segment.columns
    const isReadable = accessNames.map((name) => decisions.get(name) === true)
    const visible = new Uint8Array(kinds.length)
    for (let row = 1; row < visible.length; row += 1)
      if (kinds[row] !== 0 && isReadable[accesses[row] ?? 0] === true) visible[row] = 1
    for (const row of deletedRows(segment, deleted)) visible[row] = 0
    for (const other of segments)
      if (other !== segment) for (const row of supersededRows(segment, other)) visible[row] = 0
    return { segment, visible, isReadable }
  })
}

/** By record id: the entry in a segment; undefined if the segment has none. */
type Entries = Map<string, { row: number; sequence: number } | undefined>

const entriesBySegment = new WeakMap<Segment, Entries>()

/** With more entries than this, the cache of a segment is cleared. A manifest has far fewer deletions. */
const maxEntries = 50_000

/** The rows of deleted records. Each record is looked up once per segment. */
export function deletedRows(segment: Segment, deleted: Deleted): number[] {
  const known = entriesBySegment.get(segment) ?? new Map()
  if (known.size > maxEntries) known.clear()
  entriesBySegment.set(segment, known)
  const find = segment.db.prepare('SELECT row, sequence FROM records WHERE id = ?')
  const rows: number[] = []
  for (const [id, sequence] of deleted) {
    if (!known.has(id)) {
      const found = find.get(id)
      known.set(id, found && { row: Number(found.row), sequence: Number(found.sequence) })
    }
    const entry = known.get(id)
    if (entry !== undefined && entry.sequence <= sequence) rows.push(entry.row)
  }
  return rows
}

const supersededByPair = new WeakMap<Segment, WeakMap<Segment, number[]>>()

/** The rows of a segment whose record has a later entry in another segment. Of two equal sequences, one entry stays. */
function supersededRows(segment: Segment, other: Segment): number[] {
  const present = supersededByPair.get(segment)?.get(other)
  if (present !== undefined) return present
  const [small, large] = segment.facts.records <= other.facts.records ? [segment, other] : [other, segment]
  const find = large.db.prepare('SELECT row, sequence FROM records WHERE id = ?')
  const ofSmall: number[] = []
  const ofLarge: number[] = []
  for (const entry of small.db.prepare('SELECT row, id, sequence FROM records').iterate()) {
    const match = find.get(entry.id ?? null)
    if (match === undefined) continue
    if (Number(match.sequence) >= Number(entry.sequence)) ofSmall.push(Number(entry.row))
    else ofLarge.push(Number(match.row))
  }
  const remember = (one: Segment, later: Segment, rows: number[]) =>
    supersededByPair.set(one, (supersededByPair.get(one) ?? new WeakMap()).set(later, rows))
  remember(small, large, ofSmall)
  remember(large, small, ofLarge)
  return segment === small ? ofSmall : ofLarge
}
