import type { AttachableDocument, CorrespondenceRecord, CorrespondenceStore } from '#correspondence/ports.ts'
import { type SendingDeps, type SendRequest, sending } from '#correspondence/sending.ts'
import type { SendMail, SendOutcome } from '#correspondence/sending-ports.ts'
import type { EnqueueJobs, Job } from '#jobs/job.ts'
import type { Actor } from '#kernel/actor.ts'
import { notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { CaseTimelineEntry } from '#timeline/schema.ts'

export const workspaceId = 'ws_01993f5e-0000-7000-8000-000000000001'
const caseId = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

export const actor: Actor = {
  workspace_id: workspaceId,
  user_id: 'usr_01993f5e-0000-7000-8000-000000000002',
  user_name: 'Dr. Jana Vogt',
  key_id: 'ak_1',
  scopes: ['inbox:write', 'documents:read'],
}

/** The use case on stores in memory, with a clock and a mail provider that the test controls. */
export function mailInMemory() {
  const records = new Map<string, CorrespondenceRecord>()
  const sends = new Map<string, { digest: string; correspondence_id: string }>()
  const timeline: CaseTimelineEntry[] = []
  const jobs: Job[] = []
  const deletedCases = new Set<string>()
  const documents = new Map<string, AttachableDocument>()
  const files = new Map<string, Uint8Array>()
  const calls: Parameters<SendMail>[0][] = []
  const warnings: string[] = []
  let now = new Date('2026-11-20T14:03:00.000Z')
  let provider = async (): Promise<SendOutcome> => ({
    kind: 'accepted',
    provider_message_id: `ses-${calls.length}`,
  })
  let changeFails = false
  let beginFailure: Error | undefined

  const store: Pick<CorrespondenceStore, 'find' | 'findSend' | 'begin' | 'change'> = {
    find: async (_, id) => records.get(id),
    findSend: async (_, userId, key) => sends.get(`${userId} ${key}`),
    begin: async ({ record, claim, jobs: added }) => {
      if (beginFailure !== undefined) throw beginFailure
      if (claim.by === 'key') {
        const key = `${claim.user_id} ${claim.key}`
        if (sends.has(key)) return false
        if (deletedCases.has(record.case_id ?? '')) throw notFound('CASE_NOT_FOUND')
        sends.set(key, { digest: claim.digest, correspondence_id: record.id })
      }
      records.set(record.id, record)
      jobs.push(...added)
      return true
    },
    change: async (_, id, decide) => {
      if (changeFails) throw new Error('The table does not answer.')
      const before = records.get(id)
      if (before === undefined) throw notFound('CORRESPONDENCE_NOT_FOUND')
      const decided = decide(before)
      if (decided.record === undefined) return unchanged(decided.answer)
      records.set(id, decided.record)
      timeline.push(...(decided.timeline ?? []))
      jobs.push(...(decided.jobs ?? []))
      return unchanged(decided.answer)
    },
  }

  const deps: SendingDeps = {
    store,
    files: {
      put: async (key, bytes) => void files.set(key, bytes),
      read: async (key) => files.get(key) ?? Promise.reject(new Error(`There is no ${key}.`)),
      head: async (key) =>
        files.has(key) ? { sizeBytes: files.get(key)?.length ?? 0, etag: '"1"' } : undefined,
      stream: () => Promise.reject(new Error('Nothing is streamed here.')),
      remove: async (keys) => {
        for (const key of keys) files.delete(key)
      },
    },
    documents: { findAll: async (_, ids) => ids.flatMap((id) => documents.get(id) ?? []) },
    users: {
      find: async () => ({ name: actor.user_name, email: 'vogt@kanzlei.de', signature_html: null }),
      emails: async () => [],
    },
    workspaces: {
      find: async () => ({
        name: 'Kanzlei Vogt',
        inbound_address: 'vogt@mail.example.de',
        time_zone: 'Europe/Berlin',
      }),
    },
    parties: { withEmail: async () => [] },
    html: { clean: async (html) => html, textOf: async (html) => html, withoutTokens: (html) => html },
    compose: async (mail) =>
      Buffer.from(JSON.stringify({ ...mail, attachments: mail.attachments.map(({ filename }) => filename) })),
    sendMail: async (message) => {
      calls.push(message)
      return provider()
    },
    log: { warn: (message, fields) => void warnings.push(JSON.stringify({ message, ...fields })) },
    clock: { now: () => now },
  }
  const { send } = sending(deps)
  const enqueue: EnqueueJobs = async (added, { answer }) => {
    jobs.push(...added)
    return unchanged(answer)
  }
  const names = { to: 'body.to', subject: 'body.subject' }
  const content = {
    to: ['Anna Meier <anna@example.com>'],
    cc: [],
    bcc: ['akte@example.org'],
    subject: 'Klageentwurf',
    body_html: '<p>Guten Tag</p>',
    case_id: caseId,
    attachments_as: 'files' as 'files' | 'links',
    document_ids: [] as string[],
    in_reply_to: null,
    references: [] as string[],
  }

  return {
    records,
    timeline,
    jobs,
    files,
    calls,
    warnings,
    store,
    content,
    deps,
    enqueue,
    send,
    /** Sends the content, or a change of it, under a key. */
    sendWith: (key: string, changes: Partial<typeof content> = {}) =>
      send(
        actor,
        async (): Promise<SendRequest> => {
          const begun = sends.get(`${actor.user_id} ${key}`)?.correspondence_id
          if (begun !== undefined) return { names, begunId: begun }
          const claim = {
            by: 'key' as const,
            user_id: actor.user_id,
            key,
            digest: 'digest',
            expires_at: new Date(now.getTime() + 1).toISOString(),
          }
          return { names, content: { ...content, ...changes }, claim }
        },
        { baseUrl: 'https://akte.example.de' },
      ),
    /** Sets the provider's answer from now on. */
    answer: (next: () => Promise<SendOutcome>) => {
      provider = next
    },
    passMinutes: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000)
    },
    /** Stores a document that can be attached; of a large one, its bytes are not kept. */
    addDocument: (id: string, filename: string, size_bytes: number) => {
      const key = `files/${id}`
      files.set(key, Buffer.from(filename))
      documents.set(id, {
        id,
        filename,
        mime_type: 'application/pdf',
        size_bytes,
        is_complete: true,
        case_id: null,
        key,
      })
    },
    deleteDocument: (id: string) => void documents.delete(id),
    /** Deletes the case of the content. */
    deleteCase: () => void deletedCases.add(caseId),
    /** Recording an intent fails with this error from now on. */
    failBegin: (failure: Error | undefined) => {
      beginFailure = failure
    },
    /** Whether changes of records fail from now on. */
    failChanges: (fails: boolean) => {
      changeFails = fails
    },
    now: () => now,
  }
}
