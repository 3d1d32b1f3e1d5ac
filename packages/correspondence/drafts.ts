import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#kernel/actor.ts'
import { isUnwritten, requireVersion, retryChanged } from '#kernel/changed-meanwhile.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { conflict, notFound } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { anyState, type Precondition } from '#kernel/precondition.ts'
import { requireScope } from '#kernel/require-scope.ts'
import { attachmentGone, requireAttachments } from './attachments.ts'
import { eraseMailFiles } from './jobs.ts'
import { addDraft, attachmentsOf, type NewDraftDeps, unsent } from './new-drafts.ts'
import { newContent, requireRecipients } from './outgoing-mail.ts'
import type { DraftRecord, DraftStore } from './ports.ts'
import type { Draft, DraftInput, DraftSummary, SendResult } from './schema.ts'
import { shownStatus } from './send-state.ts'
import { type SendRequest, type sending, sendResultOf } from './sending.ts'

export type DraftDeps = NewDraftDeps & {
  drafts: Omit<DraftStore, 'pageDeleted' | 'changeDeleted'>
  send: ReturnType<typeof sending>['send']
}

export type DraftService = ReturnType<typeof draftService>

/**
 * Mails that are being written (M2). A draft belongs to the user who wrote it. For everybody else it does not exist.
 */
export function draftService(deps: DraftDeps) {
  const { drafts, bodies, files, documents, send, clock } = deps

  const requireOwn = async ({ workspace_id, user_id }: Actor, id: string): Promise<DraftRecord> => {
    const record = await drafts.find(workspace_id, id)
    if (record?.user_id !== user_id) throw notFound('DRAFT_NOT_FOUND')
    return record
  }

  const summaryOf = (record: DraftRecord): DraftSummary => ({
    ...record,
    status: shownStatus(record, clock.now()),
  })

  const viewOf = (record: DraftRecord, body_html: string): Draft => ({ ...summaryOf(record), body_html })

  /**
   * The drafts with the current names of their documents, with which they will be sent. A deleted document keeps its
   * name. So do the documents of a draft whose message was composed.
   */
  const withCurrentNames = async (workspaceId: string, records: DraftRecord[]): Promise<DraftRecord[]> => {
    const uncomposed = records.filter(({ correspondence_id }) => correspondence_id === null)
    const ids = new Set(
      uncomposed.flatMap(({ attachments }) => attachments.map(({ document_id }) => document_id)),
    )
    if (ids.size === 0) return records
    const found = await documents.findAll(workspaceId, [...ids])
    const names = new Map(found.map(({ id, filename }) => [id, filename]))
    const named = (one: DraftRecord['attachments'][number]) => ({
      ...one,
      filename: names.get(one.document_id) ?? one.filename,
    })
    return records.map((record) =>
      record.correspondence_id === null ? { ...record, attachments: record.attachments.map(named) } : record,
    )
  }

  /** A draft and the body of the same save. @throws Failure DRAFT_NOT_FOUND */
  const requireWhole = async (actor: Actor, id: string): Promise<{ record: DraftRecord; body: string }> => {
    for (;;) {
      const stored = await requireOwn(actor, id)
      const [record = stored] = await withCurrentNames(actor.workspace_id, [stored])
      try {
        return { record, body: await bodies.read(record) }
      } catch (error) {
        // A concurrent save has removed this body. Read the draft again.
        const { body_key } = await requireOwn(actor, id)
        if (body_key === record.body_key) throw error
      }
    }
  }

  /** Runs `change` with a draft and its body. Repeats it if somebody else changed the draft in between. */
  const withWhole = async <Result>(
    actor: Actor,
    id: string,
    change: (whole: { record: DraftRecord; body: string }) => Promise<Result>,
  ): Promise<Result> => retryChanged(async () => change(await requireWhole(actor, id)))

  /** The attachments after a change. @throws Failure as `requireAttachments` */
  const attachmentsAfter = async (
    actor: Actor,
    before: DraftRecord,
    { attachments, attachments_as }: DraftInput,
  ): Promise<Pick<DraftRecord, 'attachments' | 'attachments_as'>> => {
    const as = attachments_as === undefined ? before.attachments_as : (attachments_as ?? 'files')
    if (attachments === undefined && as === before.attachments_as)
      return { attachments: before.attachments, attachments_as: as }
    const ids = attachments ?? (attachments === null ? [] : before.attachments.map((one) => one.document_id))
    const missing = attachments === undefined ? attachmentGone : undefined
    const attached = await requireAttachments(documents, actor.workspace_id, ids, as, missing)
    return { attachments: attachmentsOf(attached), attachments_as: as }
  }

  return {
    /**
     * @throws Failure AUTH_INSUFFICIENT_SCOPE, CASE_NOT_FOUND, DOCUMENT_NOT_FOUND, UPLOAD_INCOMPLETE,
     * ATTACHMENT_TOO_LARGE, PAYLOAD_TOO_LARGE, VALIDATION_ERROR
     */
    async create(actor: Actor, input: DraftInput): Promise<Answered<Draft>> {
      requireReading(actor, input.attachments ?? [])
      return addDraft(deps, actor, newContent(input), viewOf)
    },

    /** The unsent drafts of the caller, newest first. */
    async list({ workspace_id, user_id }: Actor, request: PageRequest): Promise<Page<DraftSummary>> {
      const { data, pagination } = await drafts.page(workspace_id, user_id, request)
      return { data: (await withCurrentNames(workspace_id, data)).map(summaryOf), pagination }
    },

    /** @throws Failure DRAFT_NOT_FOUND */
    async get(actor: Actor, id: string): Promise<Draft> {
      const { record, body } = await requireWhole(actor, id)
      return viewOf(record, body)
    },

    /**
     * Changes the fields in the input. Null clears a field. If the send of the draft failed, its status becomes `draft`
     * again, and its next send is a new mail.
     *
     * @throws Failure as `create`, DRAFT_NOT_FOUND, DRAFT_ALREADY_SENT, ATTACHMENT_GONE, PRECONDITION_FAILED
     */
    async update(
      actor: Actor,
      id: string,
      input: DraftInput,
      precondition: Precondition<Draft>,
    ): Promise<Draft> {
      requireReading(actor, input.attachments ?? [])
      const written = input.body_html === undefined ? undefined : await bodies.clean(input.body_html ?? '')
      return withWhole(actor, id, async ({ record: before, body: bodyBefore }) => {
        const attached = await attachmentsAfter(actor, before, input)
        requireUnsent(before, clock)
        const body = written ?? bodyBefore
        const body_key =
          written === undefined ? before.body_key : await bodies.store(before, written, before.body_key)
        const isNewBody = body_key !== before.body_key
        const jobs =
          isNewBody && before.body_key !== null ? [eraseMailFiles.of({ keys: [before.body_key] })] : []
        const changed = drafts.change<Draft>(actor.workspace_id, id, (stored) => {
          requireVersion(stored, before)
          requireUnsent(stored, clock)
          const current = { ...stored, attachments: before.attachments }
          precondition(viewOf(current, bodyBefore))
          const content = { ...contentAfter(current, input), ...attached, body_key }
          requireRecipients(content, 'body.to')
          if (current.status === 'draft' && isSame(current, content)) return { answer: viewOf(current, body) }
          const record: DraftRecord = {
            ...current,
            ...content,
            warnings: isDeepStrictEqual(content.to, current.to) ? current.warnings : [],
            ...unsent,
            updated_at: timestamp(clock),
            version: current.version + 1,
          }
          return { record, jobs, answer: viewOf(record, body) }
        })
        return changed.catch(async (error: unknown) => {
          if (isNewBody && body_key !== null && isUnwritten(error))
            await files.remove([body_key]).catch(() => {})
          throw error
        })
      })
    },

    /** @throws Failure DRAFT_NOT_FOUND, DRAFT_ALREADY_SENT, PRECONDITION_FAILED */
    remove: (actor: Actor, id: string, precondition: Precondition<Draft>): Promise<void> =>
      withWhole(actor, id, ({ record: before, body }) =>
        drafts.remove(actor.workspace_id, id, (stored) => {
          requireVersion(stored, before)
          requireUnsent(stored, clock)
          precondition(viewOf({ ...stored, attachments: before.attachments }, body))
          const jobs = before.body_key === null ? [] : [eraseMailFiles.of({ keys: [before.body_key] })]
          return { deleted_at: timestamp(clock), jobs, answer: undefined }
        }),
      ),

    /**
     * Sends the draft as it is stored, once (M2, M5). The precondition is not checked for a draft that was sent, and
     * never for the status of a draft.
     *
     * @throws Failure DRAFT_NOT_FOUND, AUTH_INSUFFICIENT_SCOPE, ATTACHMENT_GONE, ATTACHMENT_TOO_LARGE,
     * PRECONDITION_FAILED, and what `sending` throws
     */
    async send(
      actor: Actor,
      id: string,
      { baseUrl, precondition = anyState }: { baseUrl: string; precondition?: Precondition<Draft> },
    ): Promise<SendResult> {
      const request = async (): Promise<SendRequest> => {
        const { record, body } = await requireWhole(actor, id)
        requireReading(actor, record.attachments)
        const missing = attachmentGone
        if (record.status !== 'sent') requireSeen(viewOf(record, body), precondition)
        if (record.correspondence_id !== null) return { names, missing, begunId: record.correspondence_id }
        const document_ids = record.attachments.map(({ document_id }) => document_id)
        const content = { ...record, body_html: body, document_ids }
        return { names, missing, content, claim: { by: 'draft', draft: record } }
      }
      return sendResultOf(await send(actor, request, { baseUrl }))
    },
  }
}

/**
 * Requires that the precondition is met, whatever the status of the draft. A send changes only the status, so a caller
 * who knows the draft with another status knows its content.
 *
 * @throws Failure PRECONDITION_FAILED
 */
function requireSeen(draft: Draft, precondition: Precondition<Draft>): void {
  let refusal: unknown
  for (const status of ['draft', 'sending', 'failed'] as const) {
    try {
      precondition({ ...draft, status })
      return
    } catch (error) {
      refusal = error
    }
  }
  throw refusal
}

/** The names of the fields for the refusal of a send. */
const names = { to: 'to', subject: 'subject' }

/** @throws Failure DRAFT_ALREADY_SENT */
function requireUnsent(draft: DraftRecord, clock: Clock): void {
  const status = shownStatus(draft, clock.now())
  if (status === 'draft' || status === 'failed') return
  throw conflict(
    'DRAFT_ALREADY_SENT',
    status === 'sent'
      ? 'This draft was sent and can no longer be changed or deleted.'
      : 'This draft is being sent and cannot be changed or deleted now.',
  )
}

type Content = Pick<
  DraftRecord,
  'to' | 'cc' | 'bcc' | 'subject' | 'case_id' | 'attachments' | 'attachments_as' | 'body_key'
>

/** The fields after a change. A missing field keeps its value. Null clears it (G8). */
function contentAfter(current: DraftRecord, input: DraftInput) {
  const after = <Value>(value: Value | null | undefined, cleared: Value, now: Value): Value =>
    value === undefined ? now : (value ?? cleared)
  return {
    to: after(input.to, [], current.to),
    cc: after(input.cc, [], current.cc),
    bcc: after(input.bcc, [], current.bcc),
    subject: after(input.subject, '', current.subject),
    case_id: after(input.case_id, null, current.case_id),
  }
}

/** Requires the right to read documents if any are sent. @throws Failure AUTH_INSUFFICIENT_SCOPE */
function requireReading(actor: Actor, documents: unknown[]): void {
  if (documents.length > 0) requireScope(actor, 'documents:read', 'Sending documents')
}

function isSame(current: DraftRecord, content: Content): boolean {
  const names = Object.keys(content) as (keyof Content)[]
  return names.every((name) => isDeepStrictEqual(current[name], content[name]))
}
