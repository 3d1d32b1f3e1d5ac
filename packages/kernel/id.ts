import { randomBytes } from 'node:crypto'
import { once } from './once.ts'
import { refuse } from './refuse.ts'
import { Text } from './text.ts'

/** The prefix of every kind of identifier; a case id is a bare UUID (G5). */
export const idPrefixes = {
  case: '',
  workspace: 'ws_',
  user: 'usr_',
  apiKey: 'ak_',
  party: 'pty_',
  link: 'link_',
  document: 'doc_',
  folder: 'fld_',
  timelineEntry: 'tle_',
  job: 'job_',
  event: 'evt_',
  frist: 'frist_',
  chain: 'chain_',
  icalToken: 'ical_tok_',
  syncAccount: 'sync_',
} as const

export type IdKind = keyof typeof idPrefixes

/** Kinds that are views of one record and share its UUID: where one is asked for, the other is taken (K1). */
const sameRecord: Partial<Record<IdKind, IdKind>> = { event: 'frist', frist: 'event' }

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

let lastMilliseconds = 0
let sequence = 0

/**
 * A UUID version 7 (RFC 9562), lower case. Ids made by one process sort in the order they were made, also
 * within a millisecond: a 12-bit counter follows the time and borrows the next millisecond when it is full.
 */
export function uuidv7(now = Date.now()): string {
  if (now > lastMilliseconds) {
    lastMilliseconds = now
    sequence = randomBytes(1)[0] ?? 0
  } else {
    sequence += 1
    if (sequence > 0xfff) {
      lastMilliseconds += 1
      sequence = 0
    }
  }
  const time = lastMilliseconds.toString(16).padStart(12, '0')
  const random = randomBytes(8)
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80
  const tail = random.toString('hex')
  const counter = sequence.toString(16).padStart(3, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${tail.slice(0, 4)}-${tail.slice(4)}`
}

/** The smallest UUID version 7 of a moment, to compare others with. */
export function uuidv7At(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** A new id of its kind, later than every id this process made before. */
export function newId(kind: IdKind): string {
  return idPrefixes[kind] + uuidv7()
}

/** The canonical id (prefixed, lower case) that the text means, with or without its prefix; undefined if malformed. */
export function readId(kind: IdKind, text: string): string | undefined {
  const lower = text.trim().toLowerCase()
  const prefix = prefixesTaken(kind).find((taken) => lower.startsWith(taken)) ?? ''
  const uuid = lower.slice(prefix.length)
  return uuidPattern.test(uuid) ? idPrefixes[kind] + uuid : undefined
}

function prefixesTaken(kind: IdKind): string[] {
  const other = sameRecord[kind]
  return [idPrefixes[kind], ...(other === undefined ? [] : [idPrefixes[other]])]
}

/** The bare UUID of an id. */
export function bareUuid(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1)
}

/** When an id was made: the time that its UUID version 7 begins with. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(bareUuid(id).replaceAll('-', '').slice(0, 12), 16))
}

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Schema of an id in a path or of a reference in a body. A malformed one is simply unknown (G5): it reads as
 * the nil UUID, which nothing ever has, so that it meets the same 404 as an id nobody gave out.
 */
export const idOf = once((kind: IdKind) =>
  Text.transform((text) => readId(kind, text) ?? idPrefixes[kind] + nobody).meta({
    description: describe(kind),
  }),
)

/** Schema of an id in a list's filter, where a malformed one is 400 (G5). */
export const idFilter = once((kind: IdKind) =>
  Text.transform((text, context) => readId(kind, text) ?? refuse(context, 'This is not an id.')).meta({
    description: describe(kind),
  }),
)

function describe(kind: IdKind): string {
  const [prefix, other] = prefixesTaken(kind)
  if (prefix === '') return 'A UUID.'
  const or = other === undefined ? '' : ` or \`${other}\``
  return `\`${prefix}\`${or} and a UUID; taken with or without the prefix.`
}
