import { dayAfter } from '#german-time/time-range.ts'
import type { FeedItem } from './feed-items.ts'

/**
 * A calendar as RFC 5545 text: UTC times, all-day events as dates, lines folded at 75 octets. The same items always
 * give the same text, so the ETag changes only with the calendar. Therefore `DTSTAMP` is the time of an item's last
 * change, as RFC 5545, 3.8.7.2 defines it for an object without a METHOD.
 *
 * @param name of the calendar; undefined for a single object that is pushed to a server
 * @param maxBytes the largest size of the text: the item that would exceed it, and all later ones, are left out
 */
export function icalendar(
  items: readonly FeedItem[],
  { name, maxBytes = Number.POSITIVE_INFINITY }: { name: string | undefined; maxBytes?: number },
): string {
  const head = lines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Aktenlage//Kalender//DE',
    'CALSCALE:GREGORIAN',
    ...(name === undefined
      ? []
      : [
          `NAME:${escaped(name)}`,
          `X-WR-CALNAME:${escaped(name)}`,
          'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
          'X-PUBLISHED-TTL:PT1H',
        ]),
  ])
  if (items.length === 0) return `${head}${lines(placeholder)}${lines(['END:VCALENDAR'])}`
  const parts = [head]
  let octets = Buffer.byteLength(head)
  for (const item of items) {
    const text = lines(item.kind === 'event' ? eventLines(item.record) : deadlineLines(item))
    octets += Buffer.byteLength(text)
    if (octets > maxBytes) break
    parts.push(text)
  }
  return `${parts.join('')}${lines(['END:VCALENDAR'])}`
}

/** The UID of an event or deadline: the same in every feed and on every server that it is pushed to. */
function uidOf(id: string): string {
  return `${id}@aktenlage`
}

/** The content of an empty calendar: a calendar must have at least one component (RFC 5545, 3.6). */
const placeholder = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
]

const maxDescriptionLength = 2_000

type EventRecord = Extract<FeedItem, { kind: 'event' }>['record']
type FeedDeadline = Extract<FeedItem, { kind: 'deadline' }>

function eventLines(record: EventRecord): string[] {
  const { id, title, starts_at, ends_at, first_day, last_day, location, description } = record
  const times =
    first_day !== null && last_day !== null
      ? [
          `DTSTART;VALUE=DATE:${compactDate(first_day)}`,
          `DTEND;VALUE=DATE:${compactDate(dayAfter(last_day))}`,
          'TRANSP:TRANSPARENT',
        ]
      : [`DTSTART:${compact(starts_at)}`, `DTEND:${compact(ends_at)}`, 'TRANSP:OPAQUE']
  return [
    'BEGIN:VEVENT',
    `UID:${uidOf(id)}`,
    `DTSTAMP:${compact(record.updated_at)}`,
    `LAST-MODIFIED:${compact(record.updated_at)}`,
    `CREATED:${compact(record.created_at)}`,
    `SEQUENCE:${record.version - 1}`,
    ...times,
    `SUMMARY:${escaped(title)}`,
    ...(location ? [`LOCATION:${escaped(location)}`] : []),
    ...(description ? [`DESCRIPTION:${escaped(shortened(description))}`] : []),
    `CATEGORIES:${record.type === 'meeting' ? 'Besprechung' : 'Termin'}`,
    'CLASS:PRIVATE',
    'END:VEVENT',
  ]
}

/**
 * A deadline as an event, because calendar programs ignore tasks in a subscription. It is an all-day event if it is due
 * at the end of a day, otherwise an event without duration. An open deadline is tentative until a second person has
 * verified it. A completed one is confirmed.
 */
function deadlineLines({ record: deadline, case: ofCase, due_day }: FeedDeadline): string[] {
  const { verified_at, completed_at } = deadline
  const description = [
    ...(ofCase ? [`Akte: ${ofCase.file_number} ${ofCase.name}`] : []),
    `Vier-Augen-Prinzip: ${verified_at === null ? 'nicht geprüft' : 'geprüft'}`,
  ]
  return [
    'BEGIN:VEVENT',
    `UID:${uidOf(deadline.id)}`,
    `DTSTAMP:${compact(deadline.updated_at)}`,
    `LAST-MODIFIED:${compact(deadline.updated_at)}`,
    `CREATED:${compact(deadline.created_at)}`,
    `SEQUENCE:${deadline.version - 1}`,
    due_day === null ? `DTSTART:${compact(deadline.due_at)}` : `DTSTART;VALUE=DATE:${compactDate(due_day)}`,
    'TRANSP:TRANSPARENT',
    `SUMMARY:${escaped(`${completed_at === null ? kindOf(deadline) : 'Erledigte Frist'}: ${titleOf(deadline)}`)}`,
    ...(deadline.category === 'other' || completed_at !== null ? [] : ['PRIORITY:1']),
    'CATEGORIES:Frist',
    `DESCRIPTION:${escaped(description.join('\n'))}`,
    `STATUS:${verified_at === null && completed_at === null ? 'TENTATIVE' : 'CONFIRMED'}`,
    'CLASS:PRIVATE',
    'END:VEVENT',
  ]
}

/** The label of a deadline. It is in capitals if missing the deadline can end the case (BGH IX ZB 13/19). */
function kindOf({ category }: FeedDeadline['record']): string {
  return {
    rechtsmittel: 'RECHTSMITTELFRIST',
    begruendung: 'BEGRÜNDUNGSFRIST',
    notfrist: 'NOTFRIST',
    other: 'Frist',
  }[category]
}

/** The title. It begins with `Vorfrist` or `Nachfrist` for these, because the Hauptfrist may have the same title. */
function titleOf({ frist_type, title }: FeedDeadline['record']): string {
  if (frist_type === 'hauptfrist') return title
  const kind = frist_type === 'vorfrist' ? 'Vorfrist' : 'Nachfrist'
  return title.startsWith(kind) ? title : `${kind}: ${title}`
}

/** `2026-04-16T07:00:00.000Z` → `20260416T070000Z` */
function compact(instant: string): string {
  return instant.replaceAll(/[-:]|\.\d+/g, '')
}

function compactDate(date: string): string {
  return date.replaceAll('-', '')
}

function shortened(text: string): string {
  const characters = [...text]
  return characters.length > maxDescriptionLength
    ? `${characters.slice(0, maxDescriptionLength).join('')}…`
    : text
}

/** Text as a value (RFC 5545, 3.3.11). */
function escaped(text: string): string {
  if (!/[\\;,\r\n]/.test(text)) return text
  return text.replaceAll(/[\\;,]/g, (character) => `\\${character}`).replaceAll(/\r\n|\r|\n/g, '\\n')
}

function lines(contents: string[]): string {
  return contents.map((line) => `${folded(line)}\r\n`).join('')
}

const maxLineBytes = 75

/** Folds a line: no part has more than 75 octets, and no character is split (RFC 5545, 3.1). */
function folded(line: string): string {
  // Each UTF-16 unit has at most three octets, so that most lines need not be measured.
  if (line.length * 3 <= maxLineBytes || Buffer.byteLength(line) <= maxLineBytes) return line
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > maxLineBytes) {
      parts.push(part)
      // A continuation line begins with a space.
      part = ''
      octets = 1
    }
    part += character
    octets += size
  }
  return [...parts, part].join('\r\n ')
}
