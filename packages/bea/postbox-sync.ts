import { isDeepStrictEqual } from 'node:util'
import { Failure, failureOf } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import { workBeside } from '#kernel/work-beside.ts'
import {
  type BeaConnection,
  MessageTooLarge,
  type RemoteEntry,
  type RemoteFolder,
  type RemoteMessage,
} from './gateway-ports.ts'
import {
  attachedBytes,
  folderName,
  type ImportingAccount,
  type ImportMessage,
  largeBytes,
  receiptOf,
} from './importing.ts'
import type { MissingNotices, Seen } from './missing-messages.ts'
import type { BeaAccountRecord, BeaMessageStore, KnownMessage, UseBeaSession } from './ports.ts'

/** How a postbox was synchronised. `isWhole`: nothing was left for lack of time. */
export type SyncResult = { isWhole: boolean; new_messages: number; error: string | null }

export type PostboxSync = (
  account: BeaAccountRecord,
  signal: AbortSignal,
  counted: { new_messages: number },
) => Promise<SyncResult>

/** What is not read: drafts, and what is on its way. The trash is read, since it is emptied for good. */
const unreadFolders = new Set(['DRAFT', 'OUTBOX'])

/** A turn with the session ends after so long, and sooner for whoever waits for the session: they come in between. */
const turnMilliseconds = 1_000

/** So many messages are stored at once, while the next one is fetched. */
const maxStoredAtOnce = 8

/** After so many faults in a row the gateway is asked whether it is there at all. */
const faultsInARow = 3

/**
 * An error that nobody expected, such as of a reader of files or of a record that is too large, is the fault of its message.
 * More of them in one synchronisation that imports nothing are a fault of ours, which ends it.
 */
const maxUnexpected = 20

type Candidate = Seen

/**
 * Brings our store in line with a postbox: imports what is new, the oldest first, since that vanishes first (B5), and
 * takes over what changed of the rest: the folder, and the acknowledgement of what was sent.
 *
 * There is no cursor and no push: the folders are compared by the ids of their messages. One message is fetched at a
 * time, since a session bears one call, while up to eight others are stored. A large one is stored before the next one is
 * fetched, so that two of them are never in memory. A message that fails keeps no other out; the next synchronisation tries it again.
 *
 * @param deps.maxMilliseconds after so long no message is begun
 */
export function postboxSync(deps: {
  store: Pick<BeaMessageStore, 'known' | 'change'>
  use: UseBeaSession
  importMessage: ImportMessage
  missing: MissingNotices
  log: Log
  maxMilliseconds: number
}): PostboxSync {
  const { store, use, importMessage, missing, log, maxMilliseconds } = deps

  const inTurn = <Result>(
    account: BeaAccountRecord,
    signal: AbortSignal,
    work: (connection: BeaConnection, isWanted: () => Promise<boolean>) => Promise<Result>,
  ) => use(account, work, signal, { mayLogIn: true, yields: true })

  /** All messages of the folders that are read, each once, and the entries that have no id. */
  const overviews = async (
    account: BeaAccountRecord,
    postbox: string,
    signal: AbortSignal,
  ): Promise<{
    found: Map<string, Candidate>
    unreadable: { folder: RemoteFolder; entries: RemoteEntry[] }[]
  }> => {
    const folders = await inTurn(account, signal, (connection) => connection.folders(postbox, signal))
    const found = new Map<string, Candidate>()
    const unreadable: { folder: RemoteFolder; entries: RemoteEntry[] }[] = []
    for (const folder of folders) {
      if (unreadFolders.has(folder.type)) continue
      const entries = await inTurn(account, signal, (connection) => connection.overview(folder.id, signal))
      for (const entry of entries) {
        if (isOfAnother(postbox, entry)) throw anotherPostbox()
        const { message_id } = entry
        if (message_id !== null) found.set(message_id, { folder, summary: { ...entry, message_id } })
      }
      unreadable.push({ folder, entries: entries.filter(({ message_id }) => message_id === null) })
    }
    return { found, unreadable }
  }

  /** Takes over what the network shows otherwise than before. */
  const refresh = async (account: BeaAccountRecord, known: KnownMessage, candidate: Candidate) => {
    const folder = folderName(candidate.folder)
    const isMoved = known.folder !== folder || known.account_id !== account.id
    const receipt = receiptOf(known.direction, candidate.summary)
    const isAcknowledged = receipt !== null && !isDeepStrictEqual(receipt, known.receipt)
    if (!isMoved && !isAcknowledged) return
    await store.change(account.workspace_id, known.id, (current) => {
      const after = { ...current, folder, account_id: account.id, receipt: receipt ?? current.receipt }
      if (isDeepStrictEqual(after, current)) return undefined
      return { record: { ...after, version: current.version + 1 }, timelineEntries: [] }
    })
  }

  return async (account, signal, counted) => {
    const { postbox_safe_id: postbox } = account
    if (postbox === null) return { isWhole: true, new_messages: 0, error: null }
    const importing: ImportingAccount = { ...account, postbox_safe_id: postbox }
    const until = performance.now() + maxMilliseconds
    const { found, unreadable } = await overviews(account, postbox, signal)
    await missing.unreadable(importing, unreadable)
    const nameless = unreadable.flatMap(({ entries }) => entries)
    const unimported = await missing.of(importing)
    const rests = ({ summary }: Candidate) => missing.rests(unimported.get(summary.message_id))
    const hasFailed = ({ summary }: Candidate) => unimported.has(summary.message_id)
    const known = await store.known(account.workspace_id, postbox, [...found.keys()])
    for (const [id, candidate] of found) {
      const record = known.get(id)
      if (record !== undefined) await refresh(account, record, candidate)
    }
    const fresh = [...found.values()]
      .filter((candidate) => !known.has(candidate.summary.message_id) && !rests(candidate))
      .toSorted((one, other) => (dayOf(one) < dayOf(other) ? -1 : 1))
      // What has failed before keeps nothing else waiting.
      .toSorted((one, other) => Number(hasFailed(one)) - Number(hasFailed(other)))

    const failed: Candidate[] = []
    const imported = new Set(known.keys())
    const storing = workBeside({ maxAtOnce: maxStoredAtOnce, maxWeight: largeBytes })
    let next = 0
    let inARow = 0
    const unexpected: unknown[] = []

    const failedBy = async (candidate: Candidate, error: unknown) => {
      const code = failureOf(error)?.code
      if (code === undefined) unexpected.push(error)
      const isItsOwn = code === undefined || code === 'BEA_GATEWAY_ERROR'
      if (signal.aborted || !isItsOwn) throw error
      failed.push({ ...candidate, isTooLarge: error instanceof MessageTooLarge })
      log[code === undefined ? 'error' : 'warn']('a beA message was not imported', {
        account_id: account.id,
        message_id: candidate.summary.message_id,
        // The message of an error may quote what was read.
        error: code ?? (error instanceof Error ? error.name : 'unknown'),
      })
    }
    const storeMessage = async (candidate: Candidate, remote: RemoteMessage) => {
      try {
        // What either says is confidential is confidential (B10).
        const is_confidential = remote.is_confidential || candidate.summary.is_confidential
        await importMessage.add(importing, candidate.folder, { ...remote, is_confidential }, signal)
        counted.new_messages += 1
        imported.add(candidate.summary.message_id)
      } catch (error) {
        await failedBy(candidate, error)
      }
    }
    /** Fetches messages until the turn is over. What it has done is not done again when the use begins anew. */
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
      while (next < fresh.length && performance.now() < until) {
        await storing.room()
        await inTurn(account, signal, turn)
      }
    } finally {
      await storing.end()
    }
    await missing.settle(
      importing,
      [...unimported.keys()].filter((id) => imported.has(id)),
    )
    const large = [...found.values()].filter(
      (candidate) => rests(candidate) && !known.has(candidate.summary.message_id),
    )
    await missing.notice(importing, [...failed, ...large], unimported)
    if (unexpected.length > maxUnexpected && counted.new_messages === 0) throw unexpected[0]
    const isWhole = next >= fresh.length
    const keptOut = failed.length + large.length + nameless.length
    return {
      isWhole,
      new_messages: counted.new_messages,
      error:
        keptOut === 0
          ? null
          : `${keptOut} of ${fresh.length + large.length + nameless.length} new messages could not be fetched. They are tried again, and stand in the inbox meanwhile.`,
    }
  }
}

/** The day of a message, as far as the overview shows one; those without come first. */
function dayOf({ summary }: Candidate): string {
  return summary.received_at ?? summary.sent_at ?? ''
}

/** Whether sender and recipients are all known, and none of them is the postbox. */
function isOfAnother(postbox: string, { sender, recipients }: RemoteEntry): boolean {
  const involved = [...(sender === null ? [] : [sender]), ...recipients].map(({ safe_id }) => safe_id)
  if (recipients.length === 0 || involved.includes(null)) return false
  return involved.every((safeId) => safeId?.toLowerCase() !== postbox.toLowerCase())
}

function anotherPostbox(): Failure {
  return new Failure(
    'upstream',
    'BEA_GATEWAY_ERROR',
    'The beA gateway showed messages of another postbox. Nothing was imported.',
  )
}
