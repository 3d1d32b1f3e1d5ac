import { randomBytes, timingSafeEqual } from 'node:crypto'
import { auditEvent } from '#audit/schema.ts'
import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { bareUuid, newId, readId } from '#kernel/id.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { feedItems } from './feed-items.ts'
import { icalendar } from './icalendar.ts'
import type {
  CalendarCases,
  CalendarItem,
  CalendarKeys,
  CalendarStore,
  CalendarUsers,
  CalendarWorkspaces,
  IcalTokenStore,
  Interval,
} from './ports.ts'
import type { IcalToken, ListedIcalToken } from './schema.ts'

export type FeedService = ReturnType<typeof feedService>

/** The user whose calendar a subscription token opens. */
type Subscriber = { workspace_id: string; user_id: string; user_name: string }

/** The range of a feed (K8). */
const daysBack = 90
const yearsAhead = 2

/** The limits of a feed. Lambda returns at most 6 MB, and the feed grows when it is escaped as a JSON string. */
const maxEntries = 5_000
const maxBytes = 4_500_000

/** The shortest time between two writes of `last_used_at`, as for API keys (G12). */
const touchMilliseconds = 60 * 60 * 1_000

/** Subscriptions to a user's calendar (K8, K10). */
export function feedService(deps: {
  store: Pick<CalendarStore, 'ofUser'>
  tokens: IcalTokenStore
  users: Pick<CalendarUsers, 'find'>
  keys: CalendarKeys
  workspaces: CalendarWorkspaces
  cases: CalendarCases
  clock: Clock
}) {
  const { store, tokens, users, keys, clock } = deps

  return {
    /**
     * Creates a token for the caller's calendar. Only this answer contains the subscription address, because the store
     * keeps only a hash of the secret.
     */
    async createToken(actor: Actor, baseUrl: string): Promise<Answered<IcalToken>> {
      const id = newId('icalToken')
      const secret = randomBytes(32).toString('base64url')
      const created_at = timestamp(clock)
      const url = `${baseUrl}/api/v1/calendar/feed.ics?token=${bareUuid(id)}.${secret}`
      const record = {
        id,
        workspace_id: actor.workspace_id,
        user_id: actor.user_id,
        // A fast hash is enough: nobody can guess a secret of 256 random bits.
        secret_hash: hexDigest(secret),
        created_at,
        last_used_at: null,
        revoked_at: null,
      }
      const audit = auditEvent(actor, 'token.created', 'ical_token', id)
      return tokens.add({ record, answer: { id, url, created_at }, audit })
    },

    /** The caller's tokens that are not revoked, newest first. */
    listTokens: ({ workspace_id, user_id }: Actor, request: PageRequest): Promise<Page<ListedIcalToken>> =>
      tokens.page(workspace_id, user_id, request),

    /**
     * Revokes a token immediately. If it was already revoked, nothing changes and the answer has the time of the first
     * revocation.
     *
     * @throws Failure ICAL_TOKEN_NOT_FOUND
     */
    revokeToken: (actor: Actor, id: string): Promise<Answered<{ id: string; revoked_at: string }>> =>
      tokens.revoke(actor.workspace_id, id, timestamp(clock), (revoked_at) => ({ id, revoked_at })),

    /**
     * Finds the user whose calendar a token opens. Records the use of the token, at most once an hour. A token opens
     * nothing if its user is deactivated or has no valid key with `calendar:read`.
     *
     * @throws Failure ICAL_TOKEN_INVALID for every kind of invalid token
     */
    async admitSubscriber(token: string | undefined): Promise<Subscriber> {
      const [text = '', secret = ''] = (token ?? '').split('.')
      const id = readId('icalToken', text)
      const record = id === undefined ? undefined : await tokens.findAnywhere(id)
      const genuine = timingSafeEqual(
        Buffer.from(hexDigest(secret)),
        Buffer.from(record?.secret_hash ?? hexDigest('')),
      )
      if (record === undefined || !genuine || record.revoked_at !== null) throw refused()
      const { workspace_id, user_id } = record
      const user = await users.find(workspace_id, user_id)
      const now = clock.now()
      if (
        user === undefined ||
        !(await keys.hasScope(workspace_id, user_id, 'calendar:read', now.toISOString()))
      )
        throw refused()
      const anHourAgo = new Date(now.getTime() - touchMilliseconds).toISOString()
      if (record.last_used_at === null || record.last_used_at < anHourAgo)
        await tokens.touch(record.id, now.toISOString(), anHourAgo)
      return { workspace_id, user_id, user_name: user.name }
    },

    /**
     * The calendar of a user, as RFC 5545 text. If it is too long, entries are left out: first past events, then future
     * events, then past deadlines.
     */
    async feed({ workspace_id, user_id, user_name }: Subscriber): Promise<string> {
      const { start, today, end } = windowAt(clock.now())
      const read = (range: Interval) => store.ofUser(workspace_id, user_id, range, maxEntries)
      const [coming, past] = await Promise.all([read({ start: today, end }), read({ start, end: today })])
      // An event that goes on today is in both.
      const known = new Set(coming.map(({ record }) => record.id))
      const all = [...coming, ...past.filter(({ record }) => !known.has(record.id))]
      const ofKind = (wanted: CalendarItem['kind']) => all.filter(({ kind }) => kind === wanted)
      const items = [...ofKind('deadline'), ...ofKind('event')].slice(0, maxEntries)
      const shown = await feedItems(deps, workspace_id, items)
      return icalendar(shown, { name: `Aktenlage: ${user_name}`, maxBytes })
    },
  }
}

/** The range of a feed, in whole UTC days, so that its text and ETag do not change with every request. */
function windowAt(now: Date): Interval & { today: string } {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return {
    start: new Date(Date.UTC(year, month, day - daysBack)).toISOString(),
    today: new Date(Date.UTC(year, month, day)).toISOString(),
    end: new Date(Date.UTC(year + yearsAhead, month, day + 1)).toISOString(),
  }
}

function refused(): Failure {
  return new Failure(
    'unauthenticated',
    'ICAL_TOKEN_INVALID',
    'This subscription address is invalid or no longer valid. Create a new one.',
  )
}
