import type {
  BeaConnection,
  RemoteEntry,
  RemoteFolder,
  RemoteMessage,
  RemoteSummary,
} from '#bea/network/gateway-ports.ts'
import type { UseBeaSession } from '#bea/ports.ts'
import { Failure } from '#kernel/failure.ts'

export const gatewayError = () => new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The gateway failed.')
export const sessionOver = () =>
  new Failure('unauthenticated', 'BEA_NOT_AUTHENTICATED', 'The session is over.')

const folder = (id: string, type: string, name: string | null = null): RemoteFolder => ({
  id,
  parent_id: null,
  name,
  type,
  unread: null,
})

/** A postbox of the network in memory, with a session that only one caller uses at a time. */
export function toyPostbox() {
  const folders: (RemoteFolder | null)[] = [
    folder('1', 'INBOX'),
    folder('2', 'SENT'),
    folder('3', 'DRAFT'),
    folder('4', 'OUTBOX'),
    folder('5', 'TRASH'),
    folder('6', 'CUSTOM', 'Mandate'),
  ]
  const messages = new Map<string, { folder: string; message: RemoteMessage; summary: RemoteSummary }>()
  /** Entries of the overviews that have no id. */
  const nameless: { folder: string; entry: RemoteEntry }[] = []
  /** The faults when a message is fetched, by its id. */
  const faults = new Map<string, () => Error>()
  /** The faults when a folder is read, by its id. */
  const folderFaults = new Map<string, () => Error>()
  const fetched: string[] = []
  /** After how many messages somebody waits for the session. */
  const wantedAfter = new Set<number>()
  let overviewMilliseconds = 0
  let turns = 0
  let isReachable = true
  let logins = 0
  let sessionEndsAfter = Number.POSITIVE_INFINITY
  let inUse = Promise.resolve()

  const connection = {
    check: async () => {
      if (!isReachable) throw gatewayError()
    },
    folders: async () => folders,
    overview: async (folderId: string) => {
      await new Promise((resolve) => setTimeout(resolve, overviewMilliseconds))
      const fault = folderFaults.get(folderId)?.()
      if (fault !== undefined) throw fault
      return [
        ...[...messages.values()].filter(({ folder: id }) => id === folderId).map(({ summary }) => summary),
        ...nameless.filter(({ folder: id }) => id === folderId).map(({ entry }) => entry),
      ]
    },
    message: async (_: string, id: string) => {
      if (!isReachable) throw gatewayError()
      if (sessionEndsAfter === 0) {
        sessionEndsAfter = Number.POSITIVE_INFINITY
        throw sessionOver()
      }
      sessionEndsAfter -= 1
      fetched.push(id)
      const fault = faults.get(id)?.()
      if (fault !== undefined) throw fault
      const found = messages.get(id)
      if (found === undefined) throw gatewayError()
      return found.message
    },
  } as unknown as BeaConnection

  const isWanted = async () => wantedAfter.has(fetched.length)

  /** Like the real one: an ended session is renewed once, and the use starts again. */
  const use: UseBeaSession = async (_, work) => {
    const before = inUse
    const { promise, resolve } = Promise.withResolvers<void>()
    inUse = promise
    await before
    turns += 1
    try {
      return await work(connection, isWanted).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.code !== 'BEA_NOT_AUTHENTICATED') throw error
        logins += 1
        return work(connection, isWanted)
      })
    } finally {
      resolve()
    }
  }

  return {
    use,
    faults,
    folderFaults,
    fetched,
    wantedAfter,
    /** Puts an entry without an id into a folder. */
    putNameless: (folderId: string, message: RemoteMessage) =>
      nameless.push({ folder: folderId, entry: { ...message, message_id: null } }),
    clearNameless: () => void nameless.splice(0),
    /** @param summary what its entry in the overview has otherwise */
    put: (folderId: string, message: RemoteMessage, summary: Partial<RemoteSummary> = {}) =>
      messages.set(message.message_id, { folder: folderId, message, summary: { ...message, ...summary } }),
    /** Puts an entry that cannot be read into the list of folders. */
    putOddFolder: () => folders.splice(1, 0, null),
    /** Sets how long each overview takes. */
    slowOverviews: (milliseconds: number) => {
      overviewMilliseconds = milliseconds
    },
    setReachable: (value: boolean) => {
      isReachable = value
    },
    endSessionAfter: (count: number) => {
      sessionEndsAfter = count
    },
    counts: () => ({ turns, logins }),
  }
}
