import { inboundProcessing } from '#correspondence/inbound-processing.ts'
import { factsKey, messageKey } from '#correspondence/keys.ts'
import { mailTriage } from '#correspondence/mail-triage.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { JudgeMessage, MailContent, ReadContent } from '#correspondence/reception-ports.ts'
import { notFound } from '#kernel/failure.ts'
import { openInbox, receivedMail } from '#test/support/received-mail.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Judgement } from '#triage/schema.ts'
import { mailInMemory, workspaceId } from './in-memory-mail.ts'

const facts: MailContent['facts'] = {
  kind: 'mail',
  from: { name: 'Max Müller', email: 'max@mueller.de' },
  subject: 'Kündigung',
  text: 'Guten Tag',
  in_reply_to: [],
  references: [],
  headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
  attachments: [],
  xjustiz: [],
  protection: 'none',
}

export const content: MailContent = {
  body: { body_text: 'Guten Tag', body_html: '<p>Guten Tag</p>', inline_images: [] },
  protection: 'none',
  files: [],
  facts,
}

export const judgement: Judgement = {
  triage: {
    category: 'client',
    priority: 'normal',
    suggested_assignment: null,
    case_suggestions: [],
    confidence: 0,
    deadline_hints: [],
  },
  auto_file: null,
  teaches: { references: [], sender: 'max@mueller.de' },
}

/** A judgement that files into this case. */
export function certainOf(caseId: string): Judgement {
  const evidence = [{ kind: 'thread' as const, text: 'Antwort auf „<a@kanzlei>“' }]
  const case_suggestions = [{ case_id: caseId, confidence: 0.99, evidence }]
  return {
    ...judgement,
    auto_file: caseId,
    triage: { ...judgement.triage, case_suggestions, confidence: 0.99 },
  }
}

/** A received mail with the worker's use cases on stores in memory. */
export function arrivalsInMemory(changes: Partial<CorrespondenceRecord> = {}) {
  const mail = mailInMemory()
  const record = receivedMail(workspaceId, { status: 'received', inbox: openInbox(), ...changes })
  mail.records.set(record.id, record)
  mail.files.set(messageKey(record), Buffer.from('Subject: Kündigung\r\n\r\nGuten Tag'))
  const added: string[] = []
  const errors: string[] = []
  const heard: MessageFacts[] = []
  const parties = new Map<string, string[]>()
  const given = {
    read: (async () => content) as ReadContent,
    judge: (async () => judgement) as JudgeMessage,
    texts: async (ids: string[]): Promise<{ texts: (string | null)[]; is_pending: boolean }> => ({
      texts: ids.map(() => null),
      is_pending: false,
    }),
  }
  const deps = {
    store: mail.store,
    files: mail.deps.files,
    clock: mail.deps.clock,
    timeZoneOf: async () => 'Europe/Berlin',
    log: { error: (message: string) => void errors.push(message) },
    parties: { withEmail: async (_: string, email: string) => parties.get(email) ?? [] },
    readContent: (raw: Uint8Array) => given.read(raw),
    attachments: {
      add: async (_: unknown, files: MailContent['files']) => {
        added.push(...files.map(({ filename }) => filename))
        const documents = files.map(({ filename, mime_type, bytes }, at) => ({
          document_id: `doc_${at}`,
          filename,
          mime_type,
          size_bytes: bytes.length,
        }))
        return { documents, jobs: [] }
      },
      texts: async (_: string, ids: string[]) => {
        const { texts, is_pending } = await given.texts(ids)
        return { is_pending, read: async () => texts }
      },
    },
  }
  const triage = mailTriage({
    ...deps,
    judge: async (id, facts) => {
      heard.push(facts)
      return given.judge(id, facts)
    },
  })
  const processing = inboundProcessing(deps)
  const signal = new AbortController().signal
  return {
    ...mail,
    id: record.id,
    added,
    errors,
    heard,
    parties,
    given,
    current: (): CorrespondenceRecord => mail.records.get(record.id) ?? record,
    change: (changed: Partial<CorrespondenceRecord>) => {
      const now = mail.records.get(record.id) ?? record
      mail.records.set(record.id, { ...now, ...changed, version: now.version + 1 })
    },
    /** The mail is read already. */
    read: (attachments: MessageFacts['attachments'] = []) => {
      const stored = { ...facts, attachments, received_on: '2026-11-20', verdict: 'unknown' }
      mail.files.set(factsKey(record), Buffer.from(JSON.stringify(stored)))
    },
    process: (by: AbortSignal = signal) => processing.process(workspaceId, record.id, by),
    judge: () => triage.judge(workspaceId, record.id),
    /** The next change finds that its case was deleted. */
    deleteCaseOnce: () => {
      const change = mail.store.change
      mail.store.change = async () => {
        mail.store.change = change
        throw notFound('CASE_NOT_FOUND')
      }
    },
  }
}
