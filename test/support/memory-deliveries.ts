import { idPrefixes, uuidv7At } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { SentEvent, StoredEvent } from '#webhooks/catalogue-schema.ts'
import { delivering } from '#webhooks/deliveries/delivering.ts'
import { signingKey } from '#webhooks/deliveries/signature.ts'
import type {
  DeliveryRecord,
  DeliveryStore,
  Dispatch,
  DispatchStore,
  EndpointRecord,
  EndpointStore,
  FollowedLog,
  Replay,
  Waiting,
} from '#webhooks/endpoint-ports.ts'

/** The account of beA at which users have all rights: they have none at others. */
export const seenAccount = 'bac_1'

const begin = Date.parse('2027-01-04T07:00:00.000Z')
export const key = { workspace_id: 'ws_1', endpoint_id: 'whk_1' }

/** The worker of deliveries with one endpoint and everything in memory. The clock stands still until a test moves it. */
export function memoryDeliveries() {
  let now = begin
  const clock = { now: () => new Date(now) }
  const endpoint = {
    ...{
      id: key.endpoint_id,
      workspace_id: key.workspace_id,
      url: 'https://kanzlei.example/one',
      acts_for: null,
    },
    ...{ description: null, event_types: ['*'], status: 'active', disabled_reason: null, lost_since: null },
    ...{ created_at: '', updated_at: '', sealed_secret: 'first', sealed_old_secret: null },
    ...{ old_secret_until: null, version: 1 },
  } as EndpointRecord
  const dispatch: Dispatch & { claimed_by?: string | undefined } = {
    ...{ ...key, due_at: '', asked: 0, claimed_until: null, followed_to: uuidv7At(0), followed_at: '' },
    ...{
      failing_since: null,
      notices: 0,
      recover_since: null,
      is_replaying: false,
      is_paused: false,
      timeouts: null,
      quiet_until: null,
      reminded_at: null,
      recovered_to: null,
    },
  }
  const state = { endpoint: endpoint as EndpointRecord | undefined, dispatch, isOver: new AbortController() }
  const log: SentEvent[] = []
  const waiting = new Map<string, Waiting>()
  const records = new Map<string, DeliveryRecord>()
  const replays: Replay[] = []
  const lines: string[] = []
  const delays: number[] = []
  const pagesRead: number[] = []
  let onPage = async () => {}
  const sent: { id: string; url: string; secret: string }[] = []
  let onRequest = async (_: number): Promise<number> => 204

  const dispatches: DispatchStore = {
    claim: async (_, { by, now, until }) => {
      if (state.endpoint === undefined || (dispatch.claimed_until ?? '') > now) return undefined
      Object.assign(dispatch, { claimed_by: by, claimed_until: until, due_at: until })
      return { ...dispatch }
    },
    ask: async () => {
      dispatch.asked += 1
      return state.endpoint && { ...dispatch }
    },
    renew: async (_, { by, until }, progress) => {
      if (state.endpoint === undefined || dispatch.claimed_by !== by) return undefined
      Object.assign(dispatch, { ...progress, claimed_until: until, due_at: until })
      return { ...dispatch }
    },
    release: async (_, by, { is_replaying, is_paused, ...rest }, { seen, isDone }) => {
      if (dispatch.claimed_by !== by || seen !== dispatch.asked) return false
      Object.assign(dispatch, { ...rest, claimed_by: undefined, claimed_until: null })
      if (isDone) Object.assign(dispatch, { is_replaying, ...(!is_paused && { recover_since: null }) })
      return true
    },
    addReplay: () => Promise.reject(new Error('Add it to `replays`.')),
    beginTest: () => Promise.reject(new Error('not used')),
    endTest: () => Promise.reject(new Error('not used')),
    countReplays: () => Promise.reject(new Error('not used')),
    firstReplay: async () => (replays[0] === undefined ? undefined : { ...replays[0] }),
    moveReplay: async (_, { id }, after) => {
      const [first] = replays
      if (first?.id !== id) throw new Error('Another replay was moved.')
      if (after === undefined) replays.shift()
      else first.after = after
    },
  }

  const deliveries: DeliveryStore = {
    ofEvents: async (_, ids) =>
      new Map(ids.flatMap((id) => (records.has(id) ? [[id, records.get(id) as DeliveryRecord]] : []))),
    save: async (_, { deliveries: saved = [], waiting: entries = [], gone = [] }) => {
      for (const { place } of gone) waiting.delete(place)
      for (const entry of entries) waiting.set(entry.place, entry)
      for (const one of saved) records.set(one.event_id, one)
    },
    waiting: async (_, after = '', limit) => {
      const all = [...waiting.values()].toSorted((one, other) => (one.place < other.place ? -1 : 1))
      const left = all.filter(({ place }) => place > after)
      return { entries: left.slice(0, limit), ended: left.length <= limit }
    },
    failedSince: async function* (_, __, below = '~') {
      const older = [...records.values()].filter(({ id }) => id < below)
      const all = older.toSorted((one, other) => (one.id < other.id ? 1 : -1))
      for (let at = 0; at < all.length; at += 10) {
        const page = all.slice(at, at + 10)
        pagesRead.push(page.length)
        await onPage()
        yield {
          failed: page.filter(({ status }) => status === 'failed'),
          last: page.at(-1)?.id ?? '',
        }
      }
    },
    find: () => Promise.reject(new Error('not used')),
    page: () => Promise.reject(new Error('not used')),
    resend: () => Promise.reject(new Error('not used')),
  }

  const placeOf = ({ id }: StoredEvent) => id.slice(idPrefixes.webhookEvent.length)
  const events: FollowedLog = {
    read: async (_, { after, until = '~', types }, limit) => {
      const found = log
        .filter((event) => types.has(event.type) && placeOf(event) > after && placeOf(event) <= until)
        .map((event) => ({ event, place: placeOf(event) }))
      const upTo = found.at(limit - 1)?.place ?? found.at(-1)?.place ?? after
      return { found: found.slice(0, limit), upTo, ended: found.length <= limit, at: clock.now() }
    },
    mayHaveMore: async () => false,
    placeOf: () => Promise.reject(new Error('not used')),
    needsOf: async (_, ids) =>
      new Map(log.flatMap(({ id, needs }) => (needs && ids.includes(id) ? [[id, needs]] : []))),
  }

  const endpoints: Pick<EndpointStore, 'list' | 'find' | 'change'> = {
    list: async () => (state.endpoint === undefined ? [] : [state.endpoint]),
    find: async () => state.endpoint,
    change: async (_, __, decide) => {
      if (state.endpoint === undefined) throw new Error('It was deleted.')
      const { record, answer } = await decide(state.endpoint)
      if (record !== undefined) state.endpoint = record
      return unchanged(answer)
    },
  }

  const { run } = delivering({
    ...{ endpoints, dispatches, deliveries, events, clock },
    beaRightsOf: async () => (need) => need.account_id === seenAccount,
    signing: async ({ sealed_secret }) => [signingKey(`whsec_${sealed_secret}`)],
    posterTo: (url) => ({
      post: async (_, headers) => {
        const id = headers['webhook-id'] ?? ''
        sent.push({ id, url, secret: state.endpoint?.sealed_secret ?? '' })
        const status = await onRequest(sent.length)
        return status === 0 ? { error: 'timeout' } : { status, retryAfter: null }
      },
      close: () => {},
    }),
    notify: async () => {},
    send: async (_, { delaySeconds = 0 } = {}) => void delays.push(delaySeconds),
    log: { warn: (message) => void lines.push(message) },
  })

  return {
    ...{ state, log, waiting, records, replays, sent, lines },
    /** The seconds for which the messages are held back that the worker has sent. */
    delays,
    /** The pages of deliveries that were read to find what has failed, and what happens at each. */
    pagesRead,
    onPage: (work: () => void) => {
      onPage = async () => work()
    },
    /** Adds events to the log. */
    happen: (count: number): StoredEvent[] => {
      const added = Array.from({ length: count }, (_, at): StoredEvent => {
        const time = begin - 3_600_000 + log.length + at
        const id = idPrefixes.webhookEvent + uuidv7At(time)
        const data = { id: `pty_${at}`, case_id: null }
        return { id, type: 'party.created', occurred_at: new Date(time).toISOString(), data }
      })
      log.push(...added)
      return added
    },
    /** Called at each request with its number from 1. Returns the status; 0: the request times out. */
    onRequest: (work: (count: number) => number | Promise<number>) => {
      onRequest = async (count) => work(count)
    },
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    /** Runs the worker; `isOver` ends its time. */
    run: (order: { events?: StoredEvent[]; endpoint_id?: string } = { endpoint_id: key.endpoint_id }) => {
      state.isOver = new AbortController()
      return run({ workspace_id: key.workspace_id, ...order }, state.isOver.signal)
    },
  }
}
