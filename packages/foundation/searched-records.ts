import { readContent } from '#bea/messages/message-content.ts'
import { contentKey as beaContentKey, textKey as beaTextKey } from '#bea/messages/message-keys.ts'
import { textFileOf } from '#bea/messages/message-schema.ts'
import type { BeaMessageRecord } from '#bea/ports.ts'
import { writeMailAddress } from '#correspondence/address-schema.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { readBody } from '#correspondence/read-body.ts'
import { textKey } from '#documents/keys.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { StoredText } from '#documents/schema.ts'
import { bucketFiles } from '#files/bucket.ts'
import { localDateOf } from '#german-time/local-time.ts'
import { attempted } from '#kernel/attempted.ts'
import { failureOf } from '#kernel/failure.ts'
import { idPrefixes } from '#kernel/id.ts'
import { seenFilter } from '#store/bea/bea-message-records.ts'
import { correspondenceRecords } from '#store/correspondence/correspondence-records.ts'
import { documentRecords } from '#store/documents/document-record.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import type { FoundRecord, SearchedRecords } from '#text-search/ports.ts'
import { beaMessageFoundation } from './bea-messages.ts'
import type { Base } from './foundation.ts'

type Read = Awaited<ReturnType<FoundRecord['read']>>

/** Names the readers of all documents, and of all mail. `beaAccess` names the readers of a beA message. */
export const documentAccess = 'documents'
export const mailAccess = 'mail'

/** Names the readers of beA messages: of an account, confidential or not. */
export const beaAccess = (message: { account_id: string; confidential: boolean }) =>
  `bea ${seenFilter(message)}`

/** Records of all kinds for the search, with their texts from the bucket. */
export function searchedRecords(base: Base): Pick<SearchedRecords, 'find'> {
  const files = bucketFiles()
  const documents = documentRecords(base)
  const mails = correspondenceRecords(base)
  const messages = beaMessageFoundation(base)
  const { timeZoneOf } = workspaceStore(base.db)

  /** @returns the bytes of an object; undefined if there is none */
  const object = async (key: string): Promise<Uint8Array | undefined> => {
    try {
      return await files.read(key)
    } catch (error) {
      if (failureOf(error) !== undefined || (await files.head(key)) !== undefined) throw error
      return undefined
    }
  }

  const readDocument = async (record: DocumentRecord): Promise<Read> => {
    const isPaged = pagedTypes.has(record.mime_type)
    if (record.status !== 'processed') return { pages: [], isPaged }
    const text = storedText(await object(textKey(record)))
    if (text === undefined) return { pages: [], isPaged, problem: 'text_missing' }
    if (!isPaged || text.page_count === 1) return { pages: [text.text], isPaged }
    if (text.page_starts === undefined)
      return { pages: [text.text], isPaged: false, problem: 'pages_missing' }
    return { pages: pagesOf(text.text, text.page_starts), isPaged }
  }

  const readMail = async (record: CorrespondenceRecord): Promise<Read> => {
    try {
      const { body_text } = await readBody(files, record)
      return { pages: [body_text ?? ''], isPaged: false }
    } catch (error) {
      if (failureOf(error) !== undefined) throw error
      return { pages: [], isPaged: false, problem: 'text_missing' }
    }
  }

  const readMessage = async (record: BeaMessageRecord): Promise<Read> => {
    const body = bodyOf(await object(beaContentKey(record)))
    if (body === undefined) return { pages: [], isPaged: false, problem: 'text_missing' }
    if (body.trim() !== '' || textFileOf(record) === undefined) return { pages: [body], isPaged: false }
    const text = await object(beaTextKey(record))
    return text === undefined
      ? { pages: [], isPaged: false, problem: 'text_pending' }
      : { pages: [new TextDecoder().decode(text)], isPaged: false }
  }

  return {
    find: async (workspaceId, ids) => {
      const of = (prefix: string) => ids.filter((id) => id.startsWith(prefix))
      const [timeZone, ofDocuments, ofMails, ofMessages] = await Promise.all([
        timeZoneOf(workspaceId),
        documents.findAll(workspaceId, of(idPrefixes.document)),
        mails.findAll(workspaceId, of(idPrefixes.correspondence)),
        messages.store.findAll(workspaceId, of(idPrefixes.beaMessage)),
      ])
      const dayOf = (at: string) => localDateOf(new Date(at), timeZone)
      const marked = await Promise.all(
        ofMessages
          .filter(({ is_missing }) => !is_missing)
          .map(async (record) => ({
            record: await messages.answers.marked(record),
            isUndecided: await messages.answers.isUndecided(record),
          })),
      )
      return [
        ...ofDocuments
          .filter(({ status }) => status !== 'pending')
          .map(
            (record): FoundRecord => ({
              id: record.id,
              kind: 'document',
              access: documentAccess,
              case_id: record.case_id,
              date: dayOf(record.created_at),
              title: record.filename,
              titles: [record.filename],
              isPaged: pagedTypes.has(record.mime_type),
              notedProblem: record.search_error ?? null,
              characters: record.extracted_text_length ?? 0,
              read: () => readDocument(record),
            }),
          ),
        ...ofMails.map((record): FoundRecord => {
          const { id, subject, from, to, cc, bcc, case_id } = record
          return {
            ...{ id, kind: 'mail', access: mailAccess, case_id, title: subject, isPaged: false },
            date: dayOf(record.received_at ?? record.sent_at ?? record.created_at),
            titles: [subject, writeMailAddress(from), ...to, ...cc, ...bcc],
            ...{ notedProblem: null, characters: usualCharacters },
            read: () => readMail(record),
          }
        }),
        ...marked.map(({ record, isUndecided }): FoundRecord => {
          const { id, subject, sender, recipients, case_id, reference_sender, reference_recipient } = record
          const names = [sender, ...recipients].map(({ name }) => name)
          return {
            ...{ id, kind: 'bea', access: beaAccess(record), case_id, title: subject, isPaged: false },
            date: dayOf(record.received_at ?? record.sent_at ?? record.imported_at),
            titles: [subject, reference_sender, reference_recipient, ...names].filter((text) => text != null),
            ...{ notedProblem: null, characters: usualCharacters },
            read: async () => {
              const read = await readMessage(record)
              return isUndecided ? { problem: 'readers_pending', ...read } : read
            },
          }
        }),
      ]
    },
  }
}

/** The assumed size of a mail's body before it is read. */
const usualCharacters = 100_000

/** The formats that have pages. */
const pagedTypes: ReadonlySet<string> = new Set(['application/pdf', 'image/tiff'])

function storedText(bytes: Uint8Array | undefined): StoredText | undefined {
  if (bytes === undefined) return undefined
  return attempted(() => StoredText.parse(JSON.parse(Buffer.from(bytes).toString())))
}

/** The body of a message; undefined if the object is missing or cannot be read. */
function bodyOf(content: Uint8Array | undefined): string | undefined {
  if (content === undefined) return undefined
  return attempted(() => readContent(content).body)
}

/** The pages of a text. A blank page begins where the next one begins. */
function pagesOf(text: string, starts: readonly number[]): string[] {
  return starts.map((start, at) => text.slice(start, starts[at + 1] ?? text.length).trimEnd())
}
