import {
  resendMilliseconds as resendDocumentMilliseconds,
  unrecordedMilliseconds,
  uploadMilliseconds,
} from '#documents/schema.ts'
import { resendMilliseconds as resendArrivalMilliseconds } from '#inbox/arrival-schema.ts'
import { timeOf } from '#kernel/id.ts'

/** An item of an index as it is stored, with its sort key. */
export type StoredDue = { sk: string } & Record<string, unknown>

/** When something becomes due for an item; undefined if never by itself. */
type MomentOf = (item: StoredDue) => number | undefined

/** The sort key begins with the time. */
const atPlace: MomentOf = ({ sk }) => Date.parse(sk.slice(0, '2027-01-04T07:00:00.000Z'.length))

const never: MomentOf = () => undefined

const later = (milliseconds: number, timed: (item: StoredDue) => unknown): MomentOf => {
  return (item) => Date.parse(String(timed(item))) + milliseconds
}

const createdAt = ({ id }: StoredDue) => timeOf(String(id)).toISOString()

/**
 * The partitions of the indexes of due items without their shards, and when their items become due. The sweeps decide on records;
 * with this table the local clock finds the moments between now and later at which they find something (E9).
 * `isSorted`: the items are sorted by that moment. `mayWaitMilliseconds`: a walk of the clock may pass the moment by
 * this time, since the work only looks for news.
 */
export const dueMoments = {
  outbox: { momentOf: atPlace, isSorted: true },
  'deadlines#due': { momentOf: atPlace, isSorted: true },
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

/** The last two spread the jobs over 256. */
export const jobShards = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'))

/** The name of an index: the beginning of its partition keys. */
export type DuePartition = keyof typeof dueMoments
