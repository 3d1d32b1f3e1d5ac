import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { notFound, required } from '#kernel/failure.ts'
import type { Page } from '#kernel/page.ts'
import { beginningOf } from '#kernel/text.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import { readBody } from './bodies.ts'
import { messageKey } from './keys.ts'
import type { CorrespondenceRecord, CorrespondenceStore, MessageFiles } from './ports.ts'
import type { Correspondence, CorrespondenceQuery, CorrespondenceSummary } from './schema.ts'
import { shownStatus } from './send-state.ts'

export type CorrespondenceService = ReturnType<typeof correspondenceService>

/** The mail of a workspace, sent and received (M6). */
export function correspondenceService(deps: {
  store: Pick<CorrespondenceStore, 'find' | 'headerDate' | 'page' | 'changes'>
  files: MessageFiles
  /** The message, as long as before, without the tokens of addresses that open something for everybody who has them. */
  withoutLinks: (message: Uint8Array) => Uint8Array
  clock: Clock
}) {
  const { store, files, withoutLinks, clock } = deps
  const requireMail = async (actor: Actor, id: string): Promise<CorrespondenceRecord> => {
    return required(await store.find(actor.workspace_id, id), 'CORRESPONDENCE_NOT_FOUND')
  }

  const summaryOf = (record: CorrespondenceRecord): CorrespondenceSummary => ({
    ...record,
    status: shownStatus(record, clock.now()),
  })

  return {
    /**
     * A page of mails, newest first, without their bodies; with `updated_since` what has changed, oldest change first (G16).
     */
    async list(
      actor: Actor,
      query: CorrespondenceQuery,
    ): Promise<Page<CorrespondenceSummary> | ShownChanges<CorrespondenceSummary>> {
      const { updated_since: since } = query
      if (since !== undefined)
        return shownChanges(await store.changes(actor.workspace_id, query, since), (records) =>
          records.map(summaryOf),
        )
      const { data, pagination } = await store.page(actor.workspace_id, query)
      return { data: data.map(summaryOf), pagination }
    },

    /** @throws Failure CORRESPONDENCE_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Correspondence> {
      const record = await requireMail(actor, id)
      const [body, dated_at] = await Promise.all([readBody(files, record), store.headerDate(record)])
      return { ...summaryOf(record), ...body, dated_at }
    },

    /**
     * The whole message as it arrived, or as it was given to the provider (I2), then without the tokens of magic links
     * and of shared documents. The message with which the service itself sends a magic link is shown to nobody.
     *
     * @throws Failure CORRESPONDENCE_NOT_FOUND
     */
    async raw(actor: Actor, id: string) {
      const record = await requireMail(actor, id)
      const key = messageKey(record)
      const head = record.about?.link_sha256 == null ? await files.head(key) : undefined
      if (head === undefined) throw notFound('CORRESPONDENCE_NOT_FOUND')
      return {
        filename: filenameOf(record),
        mimeType: 'message/rfc822',
        sizeBytes: head.sizeBytes,
        version: head.etag.replaceAll('"', ''),
        open: async (range: { first: number; last: number } | undefined) => {
          if (record.direction === 'inbound') return files.stream(key, range)
          const shown = withoutLinks(await files.read(key))
          return inPieces(range === undefined ? shown : shown.subarray(range.first, range.last + 1))
        },
      }
    },
  }
}

const pieceBytes = 256 * 1024

async function* inPieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

const maxFilenameLength = 100

/** The subject as the name of a file. */
function filenameOf({ subject }: Pick<CorrespondenceRecord, 'subject'>): string {
  const name = subject.replace(/[\s\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, ' ').trim()
  return `${beginningOf(name, maxFilenameLength).trim() || 'E-Mail'}.eml`
}
