import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { ReceptionDeps } from '#correspondence/reception.ts'
import type { MessageIdentity, ReceptionFiles, TakenToken } from '#correspondence/reception-ports.ts'
import { readHeader } from '#mail/read-header.ts'

export const now = new Date('2026-11-20T08:30:00.000Z')

/** A store and a bucket in memory; each of its parts may be made to fail. */
export function receptionInMemory(addresses: Record<string, string>) {
  const files = new Map<string, Uint8Array>()
  const records: CorrespondenceRecord[] = []
  const known = new Map<string, string>()
  const tokens = new Map<string, TakenToken>()
  const failures: { receive?: (record: CorrespondenceRecord) => Error | undefined } = {}
  const bytesOf = (key: string) => files.get(key) ?? Promise.reject(new Error(`There is no ${key}.`))

  const bucket: ReceptionFiles = {
    put: async (key, bytes) => void files.set(key, bytes),
    copy: async (from, to) => void files.set(to, await bytesOf(from)),
    read: async (key, range) => {
      const bytes = await bytesOf(key)
      return range === undefined ? bytes : bytes.subarray(range.first, range.last + 1)
    },
    stream: async (key) => {
      const bytes = await bytesOf(key)
      const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
        bytes.subarray(at * 7, at * 7 + 7),
      )
      return (async function* () {
        yield* pieces
      })()
    },
    remove: async (keys) => {
      for (const key of keys) files.delete(key)
    },
  }
  const deps: ReceptionDeps = {
    files: bucket,
    readHeader,
    clock: { now: () => now },
    store: {
      workspacesOf: async (mailboxes) =>
        mailboxes.flatMap((mailbox) => {
          const workspace_id = addresses[mailbox]
          return workspace_id === undefined ? [] : [{ mailbox, workspace_id }]
        }),
      findToken: async (token) => tokens.get(token),
      receive: async ({ record, identity, token }) => {
        const failure = failures.receive?.(record)
        if (failure !== undefined) throw failure
        const taken = tokens.get(token?.token_sha256 ?? '')
        if (taken !== undefined) return { taken }
        const key = `${record.workspace_id} ${JSON.stringify(keyOf(identity))}`
        const id = known.get(key) ?? record.id
        if (id === record.id) records.push(record)
        known.set(key, id)
        if (token !== null) tokens.set(token.token_sha256, { digest: token.digest, correspondence_id: id })
        return { id }
      },
    },
  }
  return { deps, files, records, tokens, failures }
}

function keyOf({ message_id, date, from, subject }: MessageIdentity) {
  return [message_id, date, from, subject]
}
