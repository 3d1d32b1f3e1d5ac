import { failureOf } from '#kernel/failure.ts'
import { idsOf } from '#kernel/id.ts'
import type { BeaDraftStore } from '../drafts/draft-ports.ts'
import type { BeaSimilarMessage } from '../drafts/draft-schema.ts'
import type { BeaOrder } from '../drafts/order-schema.ts'
import { folderName } from '../messages/importing.ts'
import type { BeaConnection, RemoteEntry, RemoteFolder, RemoteSummary } from '../network/gateway-ports.ts'
import type { BeaAccountRecord, BeaMessageStore, UseBeaSession } from '../ports.ts'
import {
  differencesOf,
  digestsOf,
  hasOtherFiles,
  isAnotherByOverview,
  overviewDifferences,
  wasImportedBefore,
} from './sent-match.ts'

/**
 * The result of a search for a sent message. `absent`: all folders that could contain it were read, and every message
 * in them is certainly another one. `unclear`: the sent message may be among messages that cannot be told apart or read.
 * `similar` lists the messages that may be the sent one, the most similar first.
 */
export type SearchResult =
  | { kind: 'found'; remote_id: string }
  | { kind: 'absent' }
  | { kind: 'unclear'; similar: BeaSimilarMessage[] }

/** If the key of the account is stored, a search logs in itself. */
const mayLogIn = { mayLogIn: true }

/** The maximum number of messages whose content is compared, the most similar first. Each of the others may be the sent one. */
const maxCompared = 20

/** The maximum number of similar messages that are shown. */
const maxShown = 10

type Candidate = RemoteSummary & { folder: RemoteFolder; known_id: string | null }

/**
 * Searches for a message in the folders of the network (B7).
 *
 * The message is `found` only in SENT, and only if nothing differs (`differencesOf`) and no other draft has it.
 *
 * It is `absent` only if every message is certainly another one: imported before the send began, linked to another
 * draft, received, far older, or with other files. A different subject, recipient or time proves nothing. An entry
 * without an id may be any message.
 *
 * Messages move from OUTBOX to SENT, and users may move them on to the trash or a custom folder. So the folders are read
 * in this order. Each step is a separate use of the session, so that others can use it in between.
 *
 * @throws Failure if the network cannot be read; then the outcome stays unknown
 */
export async function searchForSent(
  deps: {
    useSession: UseBeaSession
    drafts: Pick<BeaDraftStore, 'draftOf'>
    messages: Pick<BeaMessageStore, 'known' | 'findAll'>
  },
  account: Pick<BeaAccountRecord, 'workspace_id' | 'id'>,
  order: BeaOrder,
  since: Date,
  signal: AbortSignal,
): Promise<SearchResult> {
  const { useSession, drafts, messages } = deps
  const { postbox_safe_id: postbox } = order
  const ask = <Result>(use: (connection: BeaConnection) => Promise<Result>): Promise<Result> =>
    useSession(account, use, signal, mayLogIn)
  const listed = await ask((connection) => connection.folders(postbox, signal))
  const folders = listed.filter((folder) => folder !== null)
  // Without the folder SENT, the postbox proves nothing about sent messages.
  if (!folders.some(({ type }) => type === 'SENT')) return { kind: 'unclear', similar: [] }

  /** Our ids of the network's messages, and whether each was imported before the send began. */
  const importedOf = async (summaries: RemoteSummary[]) => {
    const ids = summaries.map(({ message_id }) => message_id)
    const known = await messages.known(account.workspace_id, postbox, ids)
    const records = await messages.findAll(account.workspace_id, idsOf([...known.values()]))
    const earlier = new Set(records.filter((one) => wasImportedBefore(one, since)).map(({ id }) => id))
    return (remoteId: string) => {
      const id = known.get(remoteId)?.id ?? null
      return { known_id: id, isEarlier: id !== null && earlier.has(id) }
    }
  }

  // The message may be in a folder that cannot be read.
  let hasUnreadable = folders.length < listed.length
  const hasId = (entry: RemoteEntry): entry is RemoteSummary => entry.message_id !== null
  const candidatesIn = async (folder: RemoteFolder): Promise<Candidate[]> => {
    const entries = await ask((connection) => connection.overview(folder.id, signal))
    hasUnreadable ||= !entries.every(hasId)
    const possible = entries.filter(hasId).filter((entry) => !isAnotherByOverview(entry, order, since))
    const importOf = await importedOf(possible)
    const candidates: Candidate[] = []
    for (const summary of possible) {
      const { known_id, isEarlier } = importOf(summary.message_id)
      if (isEarlier) continue
      if ((await drafts.draftOf(account.workspace_id, account.id, summary.message_id)) !== undefined) continue
      candidates.push({ ...summary, folder, known_id })
    }
    return candidates
  }

  let left = maxCompared
  /** Compares the content of a message. @returns undefined if it is certainly another message */
  const compared = async (candidate: Candidate): Promise<BeaSimilarMessage | undefined> => {
    const { message_id, folder, sent_at, known_id } = candidate
    const similar = { message_id: known_id, folder: folderName(folder), sent_at }
    const unread = {
      ...similar,
      is_compared: false,
      differences: overviewDifferences(candidate, order, since),
    }
    if (left <= 0) return unread
    left -= 1
    try {
      return await ask(async (connection) => {
        const message = await connection.message(postbox, message_id, signal)
        const digests = await digestsOf(message)
        if (hasOtherFiles(digests, order)) return undefined
        const differences = differencesOf(message, candidate, digests, order, since)
        return { ...similar, is_compared: true, differences }
      })
    } catch (error) {
      // A message that cannot be read may be the sent one. The next ones would probably fail too, after the same time.
      if (signal.aborted || failureOf(error)?.code !== 'BEA_GATEWAY_ERROR') throw error
      left = 0
      return unread
    }
  }

  const similar: BeaSimilarMessage[] = []
  /** @returns the gateway's id of the message, if it is among them */
  const compareAll = async (candidates: Candidate[]): Promise<string | undefined> => {
    const ranked = candidates.toSorted(
      (one, other) =>
        overviewDifferences(one, order, since).length - overviewDifferences(other, order, since).length,
    )
    for (const candidate of ranked) {
      const one = await compared(candidate)
      if (one === undefined) continue
      if (one.is_compared && one.differences.length === 0 && candidate.folder.type === 'SENT')
        return candidate.message_id
      similar.push(one)
    }
    return undefined
  }

  const ofSending = ['OUTBOX', 'SENT'].flatMap((type) => folders.filter((one) => one.type === type))
  const others = folders.filter((one) => !ofSending.includes(one) && !neverSent.has(one.type))
  for (const group of [ofSending, others]) {
    const candidates: Candidate[] = []
    for (const folder of group) candidates.push(...(await candidatesIn(folder)))
    const remote_id = await compareAll(candidates)
    if (remote_id !== undefined) return { kind: 'found', remote_id }
    if (similar.length > 0) break
  }
  if (similar.length === 0 && !hasUnreadable) return { kind: 'absent' }
  const mostAlike = similar.toSorted((one, other) => one.differences.length - other.differences.length)
  return { kind: 'unclear', similar: mostAlike.slice(0, maxShown) }
}

/** The folders that contain no sent messages. */
const neverSent: ReadonlySet<string> = new Set(['INBOX', 'DRAFT'])

/** The gateway works on a call for at most 400 seconds, so after ten minutes the last call has ended. */
const certainMilliseconds = 10 * 60_000

/**
 * Whether an unknown send has certainly failed: two searches in a row found only other messages, and the later one was
 * at least ten minutes after the last call. Otherwise it stays `unknown` until a person decides. After a wrong `failed`,
 * a lawyer would send the same pleading twice.
 */
export function isCertainlyAbsent(
  { absences, confirming_at }: { absences: number; confirming_at: string | null },
  now: Date,
): boolean {
  if (confirming_at === null) return false
  return absences >= 2 && now.getTime() - Date.parse(confirming_at) >= certainMilliseconds
}
