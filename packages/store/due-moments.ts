import {
  resendMilliseconds as resendDocumentMilliseconds,
  unrecordedMilliseconds,
  uploadMilliseconds,
} from '#documents/schema.ts'
import { endOf } from '#german-time/time-limit.ts'
import { resendMilliseconds as resendArrivalMilliseconds } from '#inbox/arrival-schema.ts'
import { timeOf } from '#kernel/id.ts'

/** A stored item of an index, with its sort key. */
export type StoredDue = { sk: string } & Record<string, unknown>

/** When an item becomes due; undefined if never by time alone. */
type MomentOf = (item: StoredDue) => number | undefined

/** The sort key of an item of a sorted index begins with the time. */
const timeIn = ({ sk }: StoredDue) => sk.slice(0, '2027-01-04T07:00:00.000Z'.length)

const atPlace: MomentOf = (item) => Date.parse(timeIn(item))

const never: MomentOf = () => undefined

const later = (milliseconds: number, timed: (item: StoredDue) => unknown): MomentOf => {
  return (item) => Date.parse(String(timed(item))) + milliseconds
}

const createdAt = ({ id }: StoredDue) => timeOf(String(id)).toISOString()

/**
 * The partitions of the indexes of due items, without their shards, and when their items become due. The sweeps decide
 * by the records; the local clock uses this table to find the times at which a sweep finds work (E9). `isSorted`: the
 * items are sorted by that time. `mayWaitMilliseconds`: the clock may run this work later by this time, because it only
 * looks for news.
 */
export const dueMoments = {
  outbox: { momentOf: atPlace, isSorted: true },
  'deadlines#due': { momentOf: (item) => endOf(timeIn(item)).getTime(), isSorted: true },
  'envelopes#due': { momentOf: atPlace, isSorted: true },
  'disposals#due': { momentOf: atPlace, isSorted: true },
  'erasures#due': { momentOf: atPlace, isSorted: true },
  'exports#due': { momentOf: atPlace, isSorted: true },
  'exports#unended': { momentOf: never, isSorted: false },
  'access_reports#unended': { momentOf: later(0, ({ due_at }) => due_at), isSorted: false },
  'bea_sends#due': { momentOf: atPlace, isSorted: true },
  'withdrawals#due': { momentOf: atPlace, isSorted: true },
  bea_syncs: {
    momentOf: later(0, ({ due_at }) => due_at),
    isSorted: false,
    mayWaitMilliseconds: 23.5 * 3_600_000,
  },
  webhook_dispatches: { momentOf: later(0, ({ due_at }) => due_at), isSorted: false },
  arrivals: { momentOf: later(resendArrivalMilliseconds, ({ sent_at }) => sent_at), isSorted: false },
  'documents#reading': {
    momentOf: later(resendDocumentMilliseconds, ({ sent_at, sent_again_at = sent_at }) => sent_again_at),
    isSorted: false,
  },
  'documents#bytes': { momentOf: later(uploadMilliseconds, createdAt), isSorted: false },
  'search#due': { momentOf: atPlace, isSorted: true },
  'documents#record': { momentOf: later(unrecordedMilliseconds, createdAt), isSorted: false },
} as const satisfies Record<string, { momentOf: MomentOf; isSorted: boolean; mayWaitMilliseconds?: number }>

/** The last hexadecimal digit of an id spreads the items of an index over 16 partitions. */
export const shards = [...'0123456789abcdef']

/** The last two digits spread the jobs over 256 partitions. */
export const jobShards = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))

/** The name of an index: the beginning of its partition keys. */
export type DuePartition = keyof typeof dueMoments
