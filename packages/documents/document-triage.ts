import { localDateOf } from '#german-time/local-time.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { unlessGone } from '#kernel/failure.ts'
import type { Files } from '#kernel/files.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { DocumentRecord, DocumentStore, JudgeDocument } from './ports.ts'
import { readStoredText } from './stored-text.ts'

/** The triage of documents from an upload or the webhook (I5). It suggests a case and never files a document. */
export function documentTriage(deps: {
  store: Pick<DocumentStore, 'find' | 'change'>
  files: Pick<Files, 'read'>
  judge: JudgeDocument
  timeZoneOf: (workspaceId: string) => Promise<string>
  clock: Clock
}) {
  const { store, files, judge, timeZoneOf, clock } = deps

  const factsOf = async (record: DocumentRecord): Promise<MessageFacts> => {
    const { workspace_id, filename, mime_type } = record
    const text = record.status === 'processed' ? (await readStoredText(files, record)).text : null
    return {
      ...factsOfNoMail,
      received_on: localDateOf(new Date(record.created_at), await timeZoneOf(workspace_id)),
      subject: filename,
      attachments: [{ filename, mime_type, text }],
    }
  }

  return {
    /**
     * Judges a document by its text, or by its file name if it has none. A document that is not read yet or was already
     * judged does not change.
     *
     * @throws if another attempt can succeed
     */
    async judge(workspaceId: string, id: string): Promise<void> {
      const found = await store.find(workspaceId, id)
      if (found === undefined || found.inbox?.is_judged !== false || found.status === 'pending') return
      const { triage } = await judge(workspaceId, await factsOf(found))
      await store
        .change(workspaceId, id, (current) => {
          if (current.inbox?.is_judged !== false) return { answer: undefined }
          const inbox = { ...current.inbox, category: triage.category, is_judged: true }
          const record = { ...current, inbox, updated_at: timestamp(clock), version: current.version + 1 }
          return { record, triage: { ...triage, final: true }, answer: undefined }
        })
        .catch(unlessGone('DOCUMENT_NOT_FOUND'))
    },
  }
}

/** The facts of mails and beA messages, which a document does not have. */
const factsOfNoMail = {
  kind: 'document',
  from: null,
  text: '',
  in_reply_to: [],
  references: [],
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  xjustiz: [],
  verdict: 'unknown',
  protection: 'none',
} satisfies Partial<MessageFacts>
