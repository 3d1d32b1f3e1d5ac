import { isDeepStrictEqual } from 'node:util'
import { backgroundWork } from '#kernel/background-work.ts'
import type { Clock } from '#kernel/clock.ts'
import { Failure, failureOf, unlessGone } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import { beginningOf } from '#kernel/text.ts'
import { applyRule } from '#timeline/schema.ts'
import {
  attachedBytes,
  folderName,
  type ImportingAccount,
  type ImportMessage,
  isStandardFolder,
  largeBytes,
  receiptOf,
} from '../messages/importing.ts'
import {
  type BeaConnection,
  isOfAnother,
  MessageTooLarge,
  type RemoteEntry,
  type RemoteFolder,
  type RemoteMessage,
  type RemoteSummary,
} from '../network/gateway-ports.ts'
import type { BeaAccountRecord, BeaMessageStore, KnownMessage, UseBeaSession } from '../ports.ts'
import type { MissingNotices, Seen, UnreadableOf } from './missing-messages.ts'
import type { DoneFolders } from './sync-queue.ts'
import { inboxOfSent, isUnacknowledged } from './unacknowledged.ts'

/** The numbers of messages that a synchronisation has imported, and could not import, so far. */
export type SyncCounts = { new_messages: number; kept_out: number }

/**
 * The result of a synchronisation. `isWhole`: there was enough time for all messages of the folders that were read.
 * `done`: the finished folders, if there was not enough time for the others; otherwise null.
 */
export type SyncResult = SyncCounts & {
  isWhole: boolean
  done: DoneFolders | null
  areAllFoldersRead: boolean
  error: string | null
}

/**
 * @param counted is updated during the work
 * @param done the folders that earlier workers finished
 */
export type PostboxSync = (
  account: BeaAccountRecord,
  signal: AbortSignal,
  counted: SyncCounts,
  done?: DoneFolders,
) => Promise<SyncResult>

/** The folders that are not read: drafts, and messages that are being sent. The trash is read, since the network empties it. */
const skippedFolders = new Set(['DRAFT', 'OUTBOX'])

/** A turn with the session ends after this time, or sooner if somebody else waits for the session. */
const turnMilliseconds = 1_000

/** The maximum number of messages stored concurrently, while the next one is fetched. */
const maxStoredAtOnce = 8

/** After this number of failures in a row, a call checks whether the gateway and the session still work. */
const faultsInARow = 3

/**
 * An unexpected error, for instance of a file reader, counts as a failure of its message. If a synchronisation imports
 * nothing and has more such errors than this, the service is probably defective, and the synchronisation fails.
 */
const maxUnexpected = 20

/**
 * Synchronises our store with a postbox (B5). It imports new messages, the oldest first, since the network deletes these
 * first. For known messages it stores changes: the folder, and the acknowledgement of sent messages. A message to a court
 * that was sent some time ago and has no acknowledgement gets a notice in the inbox.
 *
 * The network has neither a cursor nor a push. So all folders are read, and their messages are compared with ours by id.
 * One message is fetched at a time, since a session makes one call at a time. Meanwhile up to eight others are stored. A
 * large message is stored before the next one is fetched, so that two of them are never in memory. A message or a folder
 * that fails does not block the others; the next synchronisation tries it again.
 *
 * @param deps.maxMilliseconds after this time no further message is fetched
 */
export function postboxSync(deps: {
  store: Pick<BeaMessageStore, 'known' | 'change'>
  use: UseBeaSession
  importMessage: ImportMessage
  missing: MissingNotices
  clock: Clock
  log: Log
  maxMilliseconds: number
}): PostboxSync {
  const { store, use, importMessage, missing, clock, log, maxMilliseconds } = deps

  const inTurn = <Result>(
    account: BeaAccountRecord,
    signal: AbortSignal,
    work: (connection: BeaConnection, isWanted: () => Promise<boolean>) => Promise<Result>,
  ) => use(account, work, signal, { mayLogIn: true, yields: true })

  /**
   * Reads the folders from index `from` on. Returns all their messages, each once, and the unreadable entries of each
   * folder. At least one folder is read. After half of the time the remaining folders are left; `next` is the index of
   * the first of these.
   */
  const overviews = async (
    account: BeaAccountRecord,
    postbox: string,
    signal: AbortSignal,
    from: number,
  ): Promise<{
    found: Map<string, Seen>
    unreadable: UnreadableOf[]
    unreadableFolders: number
    next: number | null
  }> => {
    const until = performance.now() + maxMilliseconds / 2
    const listed = await inTurn(account, signal, (connection) => connection.folders(postbox, signal))
    const folders = listed.filter((folder) => folder !== null)
    const unreadableFolders = listed.length - folders.length
    const found = new Map<string, Seen>()
    const unreadable: UnreadableOf[] = []
    const faults: unknown[] = []
    let inARow = 0
    let next: number | null = null
    for (const [at, folder] of folders.entries()) {
      if (at < from || skippedFolders.has(folder.type)) continue
      if (unreadable.length > 0 && performance.now() > until) {
        next = at
        break
      }
      const entries: RemoteEntry[] | null = await inTurn(account, signal, (connection) =>
        connection.overview(folder.id, signal),
      ).catch((error: unknown) => {
        if (signal.aborted || !isOfItsOwn(error)) throw error
        logFault('a beA folder was not read', { account_id: account.id, folder_id: folder.id }, error)
        faults.push(error)
        return null
      })
      inARow = entries === null ? inARow + 1 : 0
      if (inARow >= faultsInARow) await inTurn(account, signal, (connection) => connection.check(signal))
      const isUnreadable = (entry: RemoteEntry) => entry.message_id === null || isOfAnother(postbox, entry)
      unreadable.push({ folder, entries: entries?.filter(isUnreadable) ?? null })
      for (const entry of entries ?? []) {
        const { message_id } = entry
        if (message_id !== null && !isOfAnother(postbox, entry))
          found.set(message_id, { folder, summary: { ...entry, message_id } })
      }
    }
    const areAll = from === 0 && next === null
    if (areAll && unreadable.length > 0 && faults.length === unreadable.length) throw faults[0]
    const entries = unreadable.flatMap((one) => one.entries ?? [])
    if (found.size === 0 && entries.some((entry) => isOfAnother(postbox, entry))) throw anotherPostbox()
    return { found, unreadable, unreadableFolders, next }
  }

  /** Logs the failure of one folder or message, without the message of the error, which may quote content. */
  const logFault = (what: string, about: Record<string, unknown>, error: unknown) => {
    const code = failureOf(error)?.code
    log[code === undefined ? 'error' : 'warn'](what, {
      ...about,
      error: code ?? (error instanceof Error ? error.name : 'unknown'),
    })
  }

  /** Stores what has changed in the network since the import. */
  const refresh = async (account: BeaAccountRecord, known: KnownMessage, candidate: Seen) => {
    const folder = folderName(candidate.folder)
    const isMoved = known.folder !== folder || known.account_id !== account.id
    const receipt = receiptOf(known.direction, {
      // A deadline may be completed with the acknowledgement (F16). It stays if another folder does not show it.
      delivered_at: candidate.summary.delivered_at ?? known.receipt?.delivered_at ?? null,
      delivery_status: candidate.summary.delivery_status ?? known.receipt?.status ?? null,
    })
    const isAcknowledged = receipt !== null && !isDeepStrictEqual(receipt, known.receipt)
    const now = clock.now()
    const isOverdue = isUnacknowledged({ ...known, receipt }, candidate.summary, now)
    if (!isMoved && !isAcknowledged && !isOverdue) return
    await applyRule(store, account.workspace_id, known.id, (current) => {
      const seen = { ...current, folder, account_id: account.id, receipt: receipt ?? current.receipt }
      const after = { ...seen, inbox: inboxOfSent(seen, isOverdue, now) }
      if (isDeepStrictEqual(after, current)) return undefined
      return { record: { ...after, version: current.version + 1 } }
    })
      // A disposal removes a message with its case, but it stays known, so that it is not imported again (R3).
      .catch(unlessGone('BEA_MESSAGE_NOT_FOUND'))
  }

  return async (account, signal, counted, done = nothingDone) => {
    const { postbox_safe_id: postbox } = account
    if (postbox === null)
      return { ...counted, isWhole: true, done: null, areAllFoldersRead: true, error: null }
    const importing: ImportingAccount = { ...account, postbox_safe_id: postbox }
    const until = performance.now() + maxMilliseconds
    const {
      found,
      unreadable,
      unreadableFolders,
      next: nextFolder,
    } = await overviews(account, postbox, signal, done.folders)
    await missing.unreadable(importing, unreadable)
    const unreadableEntries = unreadable.flatMap(({ entries }) => entries ?? [])
    const unimported = await missing.of(importing)
    const wasTriedRecently = ({ summary }: Seen) =>
      missing.wasTriedRecently(unimported.get(summary.message_id))
    const hasFailed = ({ summary }: Seen) => unimported.has(summary.message_id)
    const known = await store.known(account.workspace_id, postbox, [...found.keys()])
    for (const [id, candidate] of found) {
      const record = known.get(id)
      if (record !== undefined) await refresh(account, record, candidate)
    }
    const fresh = [...found.values()]
      .filter((candidate) => !known.has(candidate.summary.message_id) && !wasTriedRecently(candidate))
      .toSorted((one, other) => (dayOf(one) < dayOf(other) ? -1 : 1))
      // Messages that failed before do not delay the others.
      .toSorted((one, other) => Number(hasFailed(one)) - Number(hasFailed(other)))

    const large = [...found.values()].filter(
      (candidate) => wasTriedRecently(candidate) && !known.has(candidate.summary.message_id),
    )
    counted.kept_out = done.kept_out + unreadableEntries.length + large.length

    const failed: Seen[] = []
    const imported = new Set(known.keys())
    const storing = backgroundWork({ maxAtOnce: maxStoredAtOnce, maxWeight: largeBytes })
    let next = 0
    let inARow = 0
    const unexpected: unknown[] = []

    const failedBy = async (candidate: Seen, error: unknown) => {
      if (failureOf(error) === undefined) unexpected.push(error)
      if (signal.aborted || !isOfItsOwn(error)) throw error
      failed.push({ ...candidate, isTooLarge: error instanceof MessageTooLarge })
      counted.kept_out += 1
      const about = { account_id: account.id, message_id: candidate.summary.message_id }
      logFault('a beA message was not imported', about, error)
    }
    const storeMessage = async (candidate: Seen, remote: RemoteMessage) => {
      try {
        const message = withSummary(remote, candidate.summary)
        await importMessage.add(importing, candidate.folder, message, signal)
        counted.new_messages += 1
        imported.add(candidate.summary.message_id)
      } catch (error) {
        await failedBy(candidate, error)
      }
    }
    /** Fetches messages for one turn with the session. If the use runs again, finished work is not repeated. */
    const turn = async (connection: BeaConnection, isWanted: () => Promise<boolean>) => {
      const end = performance.now() + turnMilliseconds
      for (let candidate = fresh[next]; candidate !== undefined; candidate = fresh[next]) {
        signal.throwIfAborted()
        await storing.room()
        const wanted = isWanted()
        try {
          const remote = await connection.message(postbox, candidate.summary.message_id, signal)
          next += 1
          inARow = 0
          storing.begin(() => storeMessage(candidate, remote), attachedBytes(remote))
        } catch (error) {
          await failedBy(candidate, error)
          next += 1
          inARow += 1
          if (inARow >= faultsInARow) await connection.check(signal)
        }
        if (performance.now() > end || (await wanted)) return
      }
    }
    try {
      // At least one turn, even if the overviews took all the time, so that there is progress.
      for (let isFirst = true; next < fresh.length; isFirst = false) {
        if (!isFirst && performance.now() >= until) break
        await storing.room()
        await inTurn(account, signal, turn)
      }
    } finally {
      await storing.end()
      if (!signal.aborted) await missing.notice(importing, [...failed, ...large], unimported)
    }
    await missing.settle(
      importing,
      [...unimported.keys()].filter((id) => imported.has(id)),
    )
    if (unexpected.length > maxUnexpected && counted.new_messages === 0) throw unexpected[0]
    const unread = unreadable.filter(({ entries }) => entries === null).map(({ folder }) => folder)
    const seen = fresh.length + large.length + unreadableEntries.length
    const errors = [
      ...(counted.kept_out === 0
        ? []
        : [
            `${counted.kept_out} of ${seen} new messages could not be fetched. They will be retried, and stand in the inbox meanwhile.`,
          ]),
      ...(next < fresh.length ? [`${fresh.length - next} new messages are left for the next time.`] : []),
      ...(unread.length === 0 ? [] : [`Not read, will be retried: ${namesOf(unread)}.`]),
      ...(unreadableFolders === 0
        ? []
        : [`${unreadableFolders} entries of the list of folders cannot be read.`]),
      ...(done.hasUnread ? ['Folders before these were not read and will be retried.'] : []),
    ]
    const isWhole = next >= fresh.length
    const hasUnread = done.hasUnread || unread.length + unreadableFolders > 0 || !isWhole
    return {
      ...counted,
      isWhole,
      done: nextFolder === null ? null : { folders: nextFolder, kept_out: counted.kept_out, hasUnread },
      areAllFoldersRead: !hasUnread,
      error: errors.length === 0 ? null : errors.join(' '),
    }
  }
}

const nothingDone: DoneFolders = { folders: 0, kept_out: 0, hasUnread: false }

/** The maximum number of folders that an error names. */
const maxNamed = 20

/** The names of folders for an error. Every user sees it, so a custom folder has its id: its name may be a client's name. */
function namesOf(folders: RemoteFolder[]): string {
  const names = folders
    .slice(0, maxNamed)
    .map((folder) =>
      isStandardFolder(folder) ? folder.type : `custom folder ${beginningOf(folder.id, 100)}`,
    )
  const more = folders.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Whether an error concerns one message or folder only. */
function isOfItsOwn(error: unknown): boolean {
  const code = failureOf(error)?.code
  return code === undefined || code === 'BEA_GATEWAY_ERROR'
}

/**
 * The message, completed with the fields that only its entry in the overview has: the time of sending, the status of the
 * delivery, and often the subject. It is confidential if the message or the entry is marked so (B10).
 */
function withSummary(remote: RemoteMessage, summary: RemoteSummary): RemoteMessage {
  return {
    ...remote,
    subject: summary.subject ?? remote.subject,
    sent_at: summary.sent_at ?? remote.sent_at,
    received_at: remote.received_at ?? summary.received_at,
    delivered_at: remote.delivered_at ?? summary.delivered_at,
    delivery_status: remote.delivery_status ?? summary.delivery_status,
    is_confidential: remote.is_confidential || summary.is_confidential,
  }
}

/** The time of a message in the overview, to sort by. Messages without a time come first. */
function dayOf({ summary }: Seen): string {
  return summary.received_at ?? summary.sent_at ?? ''
}

function anotherPostbox(): Failure {
  return new Failure(
    'upstream',
    'BEA_GATEWAY_ERROR',
    'The beA gateway showed messages of another postbox. Nothing was imported.',
  )
}
