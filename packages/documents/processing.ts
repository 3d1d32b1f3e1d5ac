import { type Clock, timestamp } from '#kernel/clock.ts'
import { failureOf } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { bytesKey, textKey } from './keys.ts'
import { type DocumentRecord, type DocumentStore, type Files, type ReadText, StillReading } from './ports.ts'
import type { DocumentToRead, ExtractedText } from './schema.ts'

/** How often reading a document may end in the death of the worker before it is given up. */
const mostAttempts = 3

/** After so long an attempt whose message came again is taken for dead: a living one keeps its message away. */
const signOfLifeSeconds = 60

const givenUp = 'out_of_resources'

/** What lies in the place of a document is not what was accepted: it counts as an attempt, since it may yet arrive. */
class OtherBytes extends Error {}

export type DocumentProcessing = ReturnType<typeof documentProcessing>

/** What happens to a document after it was accepted: it is read, and its record tells the outcome. */
export function documentProcessing(world: {
  store: DocumentStore
  files: Files
  readText: ReadText
  clock: Clock
}) {
  const { store, files, readText, clock } = world

  const finish = (record: DocumentRecord, outcome: Partial<DocumentRecord>) =>
    store.change(record.workspace_id, record.id, (current) =>
      isUnsettled(current)
        ? {
            record: { ...current, ...outcome, updated_at: timestamp(clock), version: current.version + 1 },
            timelineEntries: [],
          }
        : undefined,
    )

  const fail = (record: DocumentRecord, reason: string) =>
    finish(record, { status: 'failed', status_reason: reason })

  const storeText = async (record: DocumentRecord, { text, page_count, word_count }: ExtractedText) => {
    const json = Buffer.from(JSON.stringify({ text, page_count, word_count }))
    await files.put(textKey(record), json, {
      mimeType: 'application/json',
      sha256: hexDigest(json),
    })
    await finish(record, {
      status: 'processed',
      status_reason: null,
      extracted_text_length: text.length,
      page_count,
    })
  }

  /**
   * Reads a document and records its text or why there is none. May be called again for the same document, at
   * the same time or later: what is settled stays. An attempt that neither ends nor fails, because the worker
   * was killed, counts; after three the document is given up with `out_of_resources`, unless one of them still ends
   * well, and with `bytes_damaged` where the third met other bytes than those that were accepted.
   *
   * @throws where trying again makes sense: a service was out of reach, the bytes are not yet those that were accepted,
   *   others may still be at work on the last attempt; and of damaged bytes, for the log.
   */
  const process = async (message: DocumentToRead, signal: AbortSignal): Promise<void> => {
    const found = await store.find(message.workspace_id, message.document_id)
    if (found === undefined || found.status !== 'pending' || found.upload_expires_at !== null) return
    if (found.attempts >= mostAttempts) {
      if (mayBeAtWork(found, clock)) throw new Error('The last attempt may still be going on.')
      await fail(found, givenUp)
      return
    }
    const record = await store.beginAttempt(found, timestamp(clock))
    if (record === undefined) return process(message, signal)
    try {
      const key = bytesKey(record)
      const bytes = await files.read(key)
      if (hexDigest(bytes) !== record.sha256)
        throw new OtherBytes(`The bytes of ${record.id} are not those that were accepted.`)
      const result = await readText(bytes, { ...record, key }, signal)
      if ('refused' in result) await fail(record, result.refused)
      else await storeText(record, result)
    } catch (error) {
      if (failureOf(error)?.code === 'DOCUMENT_NOT_FOUND') {
        // It was deleted meanwhile, and with it its bytes: the text must not outlive them.
        await files.remove([textKey(record)])
        return
      }
      if (error instanceof OtherBytes) {
        if (record.attempts >= mostAttempts) await fail(record, 'bytes_damaged')
        throw error
      }
      // Time that ran out counts like a death: the next attempt would take as long, unless others go on meanwhile.
      if (!signal.aborted || error instanceof StillReading) await store.cancelAttempt(record)
      throw error
    }
  }

  return { process }
}

/** A document that was given up too soon takes what its last attempt brings. */
function isUnsettled({ status, status_reason }: DocumentRecord): boolean {
  return status === 'pending' || (status === 'failed' && status_reason === givenUp)
}

function mayBeAtWork({ attempted_at }: DocumentRecord, clock: Clock): boolean {
  return attempted_at !== null && Date.parse(attempted_at) + signOfLifeSeconds * 1_000 > clock.now().getTime()
}
