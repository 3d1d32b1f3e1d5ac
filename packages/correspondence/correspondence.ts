import type { Actor } from '#kernel/actor.ts'
import type { Clock } from '#kernel/clock.ts'
import { notFound, required } from '#kernel/failure.ts'
import type { Page } from '#kernel/page.ts'
import { beginningOf } from '#kernel/text.ts'
import { type ShownChanges, shownChanges } from '#kernel/updated-since.ts'
import { messageKey } from './keys.ts'
import type { CorrespondenceRecord, CorrespondenceStore, MessageFiles } from './ports.ts'
import { readBody } from './read-body.ts'
import type { Correspondence, CorrespondenceQuery, CorrespondenceSummary } from './schema.ts'
import { shownStatus } from './send-state.ts'

export type CorrespondenceService = ReturnType<typeof correspondenceService>

/** The mail of a workspace, sent and received (M6). */
export function correspondenceService(deps: {
  store: Pick<CorrespondenceStore, 'find' | 'headerDate' | 'page' | 'changes'>
  files: MessageFiles
  /**
   * The message with asterisks in place of the tokens of magic links and shared documents. Its length does not change.
   */
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
     * A page of mails without their bodies, newest first. With `updated_since`: the changes, oldest first (G16).
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
     * The whole message as it arrived (I2), or as it was passed to the provider, but without the tokens of magic links
     * and of shared documents. A message with which the service itself sends a magic link is not available.
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
          return inChunks(range === undefined ? shown : shown.subarray(range.first, range.last + 1))
        },
      }
    },
  }
}

const chunkBytes = 256 * 1024

async function* inChunks(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

const maxFilenameLength = 100

/** A file name made from the subject. */
function filenameOf({ subject }: Pick<CorrespondenceRecord, 'subject'>): string {
  const name = subject.replace(/[\s\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, ' ').trim()
  return `${beginningOf(name, maxFilenameLength).trim() || 'E-Mail'}.eml`
}
