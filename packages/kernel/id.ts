import { hash, randomBytes } from 'node:crypto'
import { epochMilliseconds } from './clock.ts'
import { nilUuid } from './nil-uuid.ts'
import { once } from './once.ts'
import { refuse } from './refuse.ts'
import { Text } from './text.ts'

/** The prefix of every kind of identifier; a case id is a bare UUID (G5). */
export const idPrefixes = {
  case: '',
  workspace: 'ws_',
  hold: 'hld_',
  disposal: 'dsp_',
  auditEntry: 'aud_',
  user: 'usr_',
  apiKey: 'ak_',
  party: 'pty_',
  accessReport: 'arp_',
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
  draft: 'draft_',
  correspondence: 'corr_',
  sharedLink: 'shared_',
  envelope: 'env_',
  envelopeDocument: 'sigdoc_',
  signer: 'signer_',
  timeEntry: 'time_',
  invoice: 'inv_',
  exportConfig: 'exp_',
  exportToken: 'exptok_',
  exportRun: 'run_',
  beaAccount: 'bea_acc_',
  beaLogin: 'bea_login_',
  beaMessage: 'bea_msg_',
  beaAttachment: 'bea_att_',
  beaDraft: 'bea_draft_',
  webhookEvent: 'wev_',
  webhookEndpoint: 'whk_',
  webhookDelivery: 'whd_',
} as const

export type IdKind = keyof typeof idPrefixes

/** Kinds that are views of one record and share its UUID: an input accepts either (K1). */
const sameRecord: Partial<Record<IdKind, IdKind>> = { event: 'frist', frist: 'event' }

const uuidForm = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const uuidPattern = new RegExp(`^${uuidForm}$`)

let lastMilliseconds = 0
let sequence = 0

/**
 * A UUID version 7 (RFC 9562), lower case. Ids of one process sort in the order of their creation, also within a
 * millisecond. A 12-bit counter follows the time; when it is full, it moves on to the next millisecond.
 */
export function uuidv7(now = epochMilliseconds()): string {
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

/** The smallest UUID version 7 of a millisecond, for comparisons. */
export function uuidv7At(milliseconds: number): string {
  const time = milliseconds.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** A new id of this kind. It sorts after every id that this process has created before. */
export function newId(kind: IdKind): string {
  return idPrefixes[kind] + uuidv7()
}

/**
 * The id of the record with this number that is derived from another record; the same inputs give the same id. It is a
 * UUID version 7 with the time of `id`; the rest is a digest.
 */
export function derivedId(kind: IdKind, id: string, number: number): string {
  return digestId(kind, bareUuid(id), `${kind} ${number} ${id}`)
}

/** The id of an event about a record at a moment, with this time; the same inputs give the same id. */
export function derivedIdAt(kind: IdKind, id: string, at: Date): string {
  return digestId(kind, uuidv7At(at.getTime()), `${kind} ${at.toISOString()} ${id}`)
}

/** A UUID version 7 with the time of another one and, instead of random bits, the digest of a text. */
function digestId(kind: IdKind, timed: string, text: string): string {
  const digest = hash('sha256', text, 'buffer')
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x70
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  const time = timed.slice(0, '00000000-0000'.length)
  return `${idPrefixes[kind]}${time}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** The canonical id (prefixed, lower case) for a text with or without the prefix; undefined if it is malformed. */
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

/** The ids of these, in their order. */
export function idsOf(all: readonly { id: string }[]): string[] {
  return all.map(({ id }) => id)
}

/** The bare UUID of an id. */
export function bareUuid(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1)
}

/** The time of an id's creation: a UUID version 7 begins with it. */
export function timeOf(id: string): Date {
  return new Date(Number.parseInt(bareUuid(id).replaceAll('-', '').slice(0, 12), 16))
}

/**
 * The schema of an id in a path or of a reference in a body. A malformed id is simply unknown (G5). It is parsed as
 * the nil UUID, which no resource has. So the answer is the same 404 as for an id that does not exist.
 */
export const idOf = once((kind: IdKind) =>
  Text.transform((text) => readId(kind, text) ?? idPrefixes[kind] + nilUuid).meta(aboutTaken(kind)),
)

/** The schema of an id in the filter of a list. There a malformed id gets 400 (G5). */
export const idFilter = once((kind: IdKind) =>
  Text.transform((text, context) => readId(kind, text) ?? refuse(context, 'This is not an id.')).meta(
    aboutTaken(kind),
  ),
)

/** The schema of an id that `readId` reads later. */
export const idText = once((kind: IdKind) => Text.meta(aboutTaken(kind)))

/** The schema of an id in an answer. */
export const shownId = once((kind: IdKind) =>
  Text.meta(idPrefixes[kind] === '' ? uuid : { pattern: `^${idPrefixes[kind]}${uuidForm}$` }),
)

const uuid = { format: 'uuid' }

/** The description of an id in a request: the form that it has in answers, or without the prefix. */
function aboutTaken(kind: IdKind) {
  const prefixes = prefixesTaken(kind)
  const [prefix, other] = prefixes
  if (prefix === '') return { ...uuid, description: 'A UUID.' }
  const or = other === undefined ? '' : ` or \`${other}\``
  return {
    pattern: `^(${prefixes.join('|')})?${uuidForm}$`,
    description: `\`${prefix}\`${or} and a UUID; the prefix may be omitted.`,
  }
}
