import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, Failure, failureOf, required } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { type Answered, unchanged } from '#kernel/idempotency.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import type { SecretBox, SecretContext } from '#kernel/secret-box.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { feedItems } from './feed-items.ts'
import { icalendar } from './icalendar.ts'
import type {
  CalendarCases,
  CalendarItem,
  CalendarStore,
  CalendarWorkspaces,
  PushOutcome,
  PushStore,
  RemoteCalendar,
  RemoteLogin,
  SyncAccountRecord,
  SyncAccountStore,
} from './ports.ts'
import type { PushedEvent, SyncAccount, SyncAccountInput, SyncStatus } from './sync-schema.ts'
import { withdrawEvent } from './withdrawal-schema.ts'

export type SyncService = ReturnType<typeof syncService>

/** The largest number of calendars that a user may connect. */
const maxAccounts = 20

/** How often one push sends an event that changes again and again. */
const maxAttempts = 5

/** External calendars that users have connected (K9). */
export function syncService(deps: {
  store: Pick<CalendarStore, 'find' | 'findDeadline'>
  accounts: SyncAccountStore
  pushes: Pick<PushStore, 'begin'>
  workspaces: CalendarWorkspaces
  cases: CalendarCases
  remote: RemoteCalendar
  secrets: SecretBox
  pageOut: PageOut
  clock: Clock
}) {
  const { store, accounts, pushes, remote, secrets, pageOut, clock } = deps

  const findItem = async (workspaceId: string, id: string): Promise<CalendarItem | undefined> => {
    const record = await store.find(workspaceId, id)
    if (record !== undefined) return { kind: 'event', record }
    const deadline = await store.findDeadline(workspaceId, id)
    return deadline && { kind: 'deadline', record: deadline }
  }

  return {
    /**
     * Connects a calendar of the caller if its server accepts the credentials. They are stored encrypted.
     *
     * @throws Failure VALIDATION_ERROR for a refused address or too many calendars; SYNC_CREDENTIALS_REFUSED;
     *   SYNC_FAILED
     */
    async connect(actor: Actor, input: SyncAccountInput): Promise<Answered<SyncAccount>> {
      const { workspace_id, user_id } = actor
      if ((await accounts.list(workspace_id, user_id)).length >= maxAccounts) throw tooMany()
      const login: RemoteLogin = { username: input.username, password: input.password }
      const { calendar_url } = await remote.connect(input.url, login)
      const account = {
        workspace_id,
        user_id,
        id: newId('syncAccount'),
        provider: input.provider,
        url: input.url,
        calendar_url,
        status: 'connected' as const,
        last_synced_at: null,
        last_error: null,
        created_at: timestamp(clock),
      }
      const sealed = await secrets.seal(JSON.stringify(login), syncSecretContext(account))
      return accounts.add({ record: { ...account, sealed_credentials: sealed }, answer: account })
    },

    /**
     * Disconnects a calendar of the caller, and deletes its credentials. Pushed events stay there.
     *
     * @throws Failure SYNC_ACCOUNT_NOT_FOUND
     */
    disconnect: (actor: Actor, id: string): Promise<void> =>
      accounts.remove(actor.workspace_id, actor.user_id, id),

    /** The caller's calendars, newest first (K11). */
    async list({ workspace_id, user_id }: Actor, request: PageRequest): Promise<Page<SyncAccount>> {
      const all = await accounts.list(workspace_id, user_id)
      return pageOut([workspace_id, 'sync_accounts', user_id], all, request, ({ id }) => id)
    },

    /** The caller's calendars, each with the outcome of the last push or removal. */
    async status(actor: Actor): Promise<SyncStatus> {
      return { accounts: await accounts.list(actor.workspace_id, actor.user_id) }
    },

    /**
     * Creates or replaces an event or deadline in the calendar that the caller connected last. The push is recorded
     * first. So if the event is deleted, it is also removed from that calendar, even if the server's answer was lost or
     * the event is deleted during the push (K11).
     *
     * @throws Failure EVENT_NOT_FOUND, SYNC_NOT_CONNECTED, SYNC_FAILED
     */
    async push(actor: Actor, id: string): Promise<Answered<PushedEvent>> {
      const item = required(await findItem(actor.workspace_id, id), 'EVENT_NOT_FOUND')
      const [account] = await accounts.list(actor.workspace_id, actor.user_id)
      if (account === undefined) throw notConnected()
      const login = JSON.parse(await secrets.open(account.sealed_credentials, syncSecretContext(account)))
      const { workspace_id, user_id } = actor
      const [event_id, account_id] = [item.record.id, account.id]
      const follow = await pushes.begin({ workspace_id, event_id, user_id, account_id }, [
        withdrawEvent.of({ workspace_id, event_id, pushed: { user_id, account_id } }),
      ])
      const outcome = await putCurrent(account, login, item)
      await follow()
      const pushed_at = timestamp(clock)
      if (outcome instanceof Failure) {
        const { last_synced_at } = account
        await note(account, { status: 'error', last_synced_at, last_error: outcome.message }, undefined)
        throw outcome
      }
      const pushed = { event_id: item.record.id, account_id: account.id, external_id: outcome, pushed_at }
      return note(account, { status: 'connected', last_synced_at: pushed_at, last_error: null }, pushed)
    },
  }

  /** Stores the outcome of a push. If the table is not available, the caller still gets the outcome. */
  async function note<Answer>(
    account: SyncAccountRecord,
    outcome: PushOutcome,
    answer: Answer,
  ): Promise<Answered<Answer>> {
    try {
      return await accounts.note(account, { outcome, answer })
    } catch (error) {
      if (failureOf(error)?.kind !== 'unavailable') throw error
      return unchanged(answer)
    }
  }

  /**
   * Sends the item, and sends it again if it has changed meanwhile. Of two pushes at once, the one that read the older
   * version may be the last to reach the server. Returns the same as `put`.
   *
   * @throws Failure SERVICE_UNAVAILABLE if it changes during every attempt
   */
  async function putCurrent(
    account: SyncAccountRecord,
    login: RemoteLogin,
    item: CalendarItem,
    attempt = 1,
  ): Promise<string | Failure> {
    const outcome = await put(account, login, item)
    if (outcome instanceof Failure) return outcome
    const current = await findItem(account.workspace_id, item.record.id).catch((error: unknown) => {
      if (failureOf(error)?.kind !== 'unavailable') throw error
      return undefined
    })
    if (current === undefined || current.record.version === item.record.version) return outcome
    if (attempt === maxAttempts) throw unavailable('The event changes again and again while it is pushed.')
    return putCurrent(account, login, current, attempt + 1)
  }

  /** Sends the item to the calendar server. Returns the address of the object, or why the server failed. */
  async function put(
    account: SyncAccountRecord,
    login: RemoteLogin,
    item: CalendarItem,
  ): Promise<string | Failure> {
    const text = icalendar(await feedItems(deps, account.workspace_id, [item]), { name: undefined })
    try {
      return await remote.put(account.calendar_url, login, objectNameOf(item.record.id), text)
    } catch (error) {
      const failure = failureOf(error)
      if (failure === undefined) throw error
      // The server accepted this login when the account was connected. So every failure now is an upstream failure.
      return new Failure('upstream', 'SYNC_FAILED', failure.message, { cause: error })
    }
  }
}

/** The name of an event or deadline on the calendar server. It never changes, so another push replaces the object. */
export function objectNameOf(id: string): string {
  return `${id}.ics`
}

/** Binds sealed credentials to their account: they cannot be opened for another one. */
export function syncSecretContext({
  workspace_id,
  id,
}: Pick<SyncAccountRecord, 'workspace_id' | 'id'>): SecretContext {
  return { purpose: 'calendar', workspace_id, account_id: id, kind: 'credentials' }
}

function notConnected(): Failure {
  return conflict(
    'SYNC_NOT_CONNECTED',
    'No external calendar is connected. Connect one under /api/v1/calendar/sync/accounts.',
  )
}

function tooMany(): Failure {
  return new Failure(
    'invalid',
    'VALIDATION_ERROR',
    `At most ${maxAccounts} calendars can be connected. Remove one first.`,
  )
}
