import type { Clock } from '#kernel/clock.ts'
import { escapeHtml } from '#kernel/escape-html.ts'
import { everyItem } from '#kernel/every-item.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { uuidv7 } from '#kernel/id.ts'
import type { Page, PageRequest } from '#kernel/page.ts'
import { eraseFromIndex } from '#text-search/erase-schema.ts'
import { readMailAddress } from './address-schema.ts'
import { eraseMailFiles } from './jobs.ts'
import { bodyKey, draftBodyKey, factsKey, messageKey } from './keys.ts'
import { unsent } from './new-drafts.ts'
import { type IsNamedIn, isAddress, isMailOf, isTheirs, type MailParty } from './participants.ts'
import type {
  CorrespondenceRecord,
  CorrespondenceStore,
  DraftRecord,
  DraftStore,
  MailBody,
  MailFiles,
} from './ports.ts'
import { sendStateOf } from './send-state.ts'

type Forgotten = MailParty & { workspace_id: string }

/** A text without the data of a person. */
type Redact = (text: string) => string

/** The number of mails or drafts that are read at once. */
const readAtOnce = 50

/** Erases a person from the mail and the drafts of a firm (R5). */
export function mailForgetting(deps: {
  store: Pick<CorrespondenceStore, 'page' | 'find' | 'change' | 'pageLinks' | 'replaceLink'>
  drafts: Pick<DraftStore, 'page' | 'change' | 'find' | 'pageDeleted' | 'changeDeleted'>
  users: { page: (workspaceId: string, request: PageRequest) => Promise<Page<{ id: string }>> }
  files: Pick<MailFiles, 'put' | 'read' | 'remove'> & {
    head: (key: string) => Promise<object | undefined>
    /** Removes the earlier versions of all objects whose keys begin with `prefix`. */
    eraseOlder: (prefix: string) => Promise<unknown>
  }
  /** The visible text of HTML, with its entities decoded. */
  textOfHtml: (html: string) => Promise<string>
  /** Removes the message ids by which a second copy of a mail is recognised. */
  forgetIds: (mail: CorrespondenceRecord) => Promise<void>
  /** Removes the facts that a case has learnt from a mail. */
  forgetLessons: (mail: CorrespondenceRecord) => Promise<void>
  /** Redacts the name of a document that came with a mail and is in no case. */
  redactDocument: (workspaceId: string, id: string, redact: Redact) => Promise<void>
  /** Redacts the entries about a record in the timelines of cases that it is no longer in. */
  leaveTimelines: (workspaceId: string, id: string, redact: Redact) => Promise<void>
  clock: Clock
}) {
  const { store, drafts, users, files, textOfHtml, clock } = deps
  const { forgetIds, forgetLessons, redactDocument, leaveTimelines } = deps

  const readText = async (key: string): Promise<string | undefined> =>
    (await files.head(key)) === undefined ? undefined : new TextDecoder().decode(await files.read(key))

  const writeText = (key: string, text: string, mimeType: string): Promise<void> =>
    files.put(key, new TextEncoder().encode(text), { mimeType, sha256: hexDigest(text) })

  /** HTML that contains the name becomes plain text, because tags and entities may be inside the name. */
  const redactHtml = async (html: string, redact: Redact): Promise<string> => {
    const text = await textOfHtml(html)
    const redacted = redact(text)
    if (redacted === text && redact(html) === html) return html
    return redacted
      .split('\n')
      .map((line) => `<p>${escapeHtml(line)}</p>`)
      .join('\n')
  }

  const redactBody = async (mail: CorrespondenceRecord, redact: Redact): Promise<void> => {
    const written = await readText(bodyKey(mail))
    if (written === undefined) return
    const body: MailBody = JSON.parse(written)
    const body_html = await redactHtml(body.body_html, redact)
    // The pictures are no longer referenced. One of them may show a signature.
    const inline_images = body_html === body.body_html ? body.inline_images : []
    const redacted = JSON.stringify({ ...body, body_text: redact(body.body_text), body_html, inline_images })
    if (redacted !== written) await writeText(bodyKey(mail), redacted, 'application/json')
  }

  /** The links of a mail store the names that its documents had when it was sent. */
  const redactLinks = async ({ workspace_id, id }: CorrespondenceRecord, redact: Redact): Promise<void> => {
    for (let isStale = true; isStale; ) {
      isStale = false
      for await (const link of everyItem((request) => store.pageLinks(workspace_id, id, request))) {
        const documents = link.documents.map((one) => ({ ...one, filename: redact(one.filename) }))
        if (documents.every(({ filename }, at) => filename === link.documents[at]?.filename)) continue
        // Somebody else has changed the link. Read it again.
        if (!(await store.replaceLink(link, { ...link, documents }, []))) isStale = true
      }
    }
  }

  /**
   * Removes the message, because it cannot be changed. Changes the record last: a repeated run finds the mail by it.
   */
  const forgetMail = async (mail: CorrespondenceRecord, of: Forgotten, redact: Redact): Promise<void> => {
    const { workspace_id, id, draft_id, direction, attachments } = mail
    await redactBody(mail, redact)
    await files.remove([messageKey(mail), factsKey(mail)])
    await files.eraseOlder(`mails/${workspace_id}/${id}/`)
    await forgetIds(mail)
    await leaveTimelines(workspace_id, id, redact)
    await redactLinks(mail, redact)
    if (draft_id !== null) await forgetDraft(workspace_id, draft_id, of, redact)
    if (direction === 'inbound')
      for (const { document_id } of attachments) await redactDocument(workspace_id, document_id, redact)
    const changed = await store.change<CorrespondenceRecord | null>(workspace_id, id, (before) => {
      // An upgrade has added `known_as` after `forgetIds`. Start again.
      if (before.known_as !== mail.known_as) return { answer: before }
      return {
        record: { ...withoutPerson(before, of, redact), version: before.version + 1 },
        jobs: [eraseFromIndex.of({ workspace_id, ids: [id] })],
        answer: null,
      }
    })
    if (changed !== null) await forgetMail(changed, of, redact)
  }

  const forgetDraft = async (
    workspaceId: string,
    id: string,
    of: Forgotten,
    redact: Redact,
  ): Promise<void> => {
    const draft = await drafts.find(workspaceId, id)
    if (draft === undefined) return forgetDeletedDraft(workspaceId, id, of, redact)
    const { body_key } = draft
    const written = body_key === null ? undefined : await readText(body_key)
    const redacted = written && (await redactHtml(written, redact))
    const key = draftBodyKey(draft, { id: uuidv7(), sha256: hexDigest(redacted ?? '') })
    const isNew = redacted !== undefined && redacted !== written
    if (isNew) {
      await writeText(key, redacted, 'text/html; charset=utf-8')
      // The body is replaced first, together with the job that removes the previous one. When the other fields no
      // longer contain the person, a later run does not find the draft.
      let isReplaced = false
      await drafts.change(workspaceId, id, (before) => {
        isReplaced = before.body_key === body_key
        if (!isReplaced || body_key === null) return { answer: undefined }
        const jobs = [eraseMailFiles.of({ keys: [body_key] })]
        return { record: { ...before, body_key: key, version: before.version + 1 }, jobs, answer: undefined }
      })
      await files.remove([isReplaced && body_key !== null ? body_key : key])
      // Somebody else has saved another body. Start again.
      if (!isReplaced) return forgetDraft(workspaceId, id, of, redact)
    }
    await files.eraseOlder(`mails/${workspaceId}/${id}/`)
    await drafts.change(workspaceId, id, (before) => {
      const after = draftWithout(before, of, redact)
      if (JSON.stringify(after) === JSON.stringify(before)) return { answer: undefined }
      return { record: { ...after, version: before.version + 1 }, answer: undefined }
    })
  }

  /** The body was removed with the draft, but earlier versions of the object may still exist. */
  const forgetDeletedDraft = async (
    workspaceId: string,
    id: string,
    of: Forgotten,
    redact: Redact,
  ): Promise<void> => {
    await drafts.changeDeleted(workspaceId, id, (before) => {
      const after = draftWithout(before, of, redact)
      if (JSON.stringify(after) === JSON.stringify(before)) return undefined
      return { ...after, version: before.version + 1 }
    })
    await files.eraseOlder(`mails/${workspaceId}/${id}/`)
  }

  return {
    /**
     * Removes the person from mails that are in no case. Mails in a case belong to its file and stay. Reads all mails
     * of the firm, because no list finds a mail by its `Reply-To`, which web forms set. Yields the position after each
     * page.
     *
     * @param after the position at which to continue
     * @returns `later` if a mail of the person is being sent, or is not read yet
     */
    async *mails(
      of: Forgotten,
      redact: Redact,
      after: string | null,
    ): AsyncGenerator<string, 'later' | undefined> {
      let isWaiting = after?.startsWith('!') === true
      for (let cursor = after?.replace('!', ''); ; ) {
        const { data, pagination } = await store.page(of.workspace_id, { limit: readAtOnce, cursor })
        for (const mail of data) {
          if (isTaughtBy(mail, of)) await forgetLessons(mail)
          if (!isToForgetMail(mail, of, redact)) continue
          // Each mail takes seconds. Somebody may have filed this one after the page was read.
          const present = await store.find(of.workspace_id, mail.id)
          if (present === undefined || !isToForgetMail(present, of, redact)) continue
          if (isInProgress(present, clock.now())) isWaiting = true
          else await forgetMail(present, of, redact)
        }
        if (pagination.cursor === null) return isWaiting ? 'later' : undefined
        cursor = pagination.cursor
        // `!` is a mark for later runs: a mail before this position is in progress.
        yield `${isWaiting ? '!' : ''}${cursor}`
      }
    },

    /**
     * Removes the person from drafts that are addressed to the person or have a warning about the person, and from all
     * drafts in the person's cases. Drafts in cases that must be kept are not changed. Yields the position after each
     * user.
     */
    async *drafts(
      of: Forgotten,
      redact: Redact,
      after: string | null,
      judge: Judge,
    ): AsyncGenerator<string, undefined> {
      const { workspace_id } = of
      for (let at = after ?? undefined; ; ) {
        const { data, pagination } = await users.page(workspace_id, { limit: 1, cursor: at })
        for (const { id: userId } of data)
          for (let cursor: string | undefined; ; ) {
            const page = await drafts.page(workspace_id, userId, { limit: readAtOnce, cursor })
            for (const draft of page.data)
              if (await isToForget(draft, of, redact, judge))
                await forgetDraft(workspace_id, draft.id, of, redact)
            if (page.pagination.cursor === null) break
            cursor = page.pagination.cursor
          }
        if (pagination.cursor === null) return undefined
        at = pagination.cursor
        yield at
      }
    },

    /** Does the same for deleted drafts. Must run after `drafts`, during which a user may delete a draft. */
    async *deletedDrafts(
      of: Forgotten,
      redact: Redact,
      after: string | null,
      judge: Judge,
    ): AsyncGenerator<string, undefined> {
      const { workspace_id } = of
      for (let cursor = after ?? undefined; ; ) {
        const page = await drafts.pageDeleted(workspace_id, { limit: readAtOnce, cursor })
        for (const draft of page.data)
          if (await isToForget(draft, of, redact, judge))
            await forgetDeletedDraft(workspace_id, draft.id, of, redact)
        if (page.pagination.cursor === null) return undefined
        cursor = page.pagination.cursor
        yield cursor
      }
    },
  }
}

/** Tells whether a case must be kept, is one of the person's other cases (`around`), or neither. */
type Judge = (caseId: string) => Promise<'kept' | 'around' | 'other'>

/** A mail in a case belongs to its file. */
function isToForgetMail(mail: CorrespondenceRecord, of: Forgotten, redact: Redact): boolean {
  return mail.case_id === null && isMailOf(mail, of, naming(redact))
}

async function isToForget(draft: DraftRecord, of: Forgotten, redact: Redact, judge: Judge): Promise<boolean> {
  const place = draft.case_id === null ? 'other' : await judge(draft.case_id)
  return place === 'around' || (place === 'other' && isDraftForPerson(draft, of, redact))
}

function naming(redact: Redact): IsNamedIn {
  return (text) => redact(text) !== text
}

/** Whether a worker may be sending or reading the mail. It would write again what the erasure removes. */
function isInProgress(mail: CorrespondenceRecord, now: Date): boolean {
  return mail.direction === 'outbound' ? sendStateOf(mail, now) === 'sending' : mail.status === 'received'
}

/** Whether a case has learnt the person's address as a sender. The address of a shared mailbox is kept. */
function isTaughtBy({ teaches }: CorrespondenceRecord, { email, sharesMailbox }: Forgotten): boolean {
  return !sharesMailbox && email !== null && teaches.sender !== null && isAddress(teaches.sender, email)
}

/**
 * Whether a draft is addressed to the person, or has a warning that names the person: the sender of the original mail,
 * if the reply goes to another address.
 */
function isDraftForPerson({ to, cc, bcc, warnings }: DraftRecord, of: Forgotten, redact: Redact): boolean {
  return [...to, ...cc, ...bcc].some(isTheirs(of, naming(redact))) || warnings.some(naming(redact))
}

function withoutPerson(mail: CorrespondenceRecord, of: Forgotten, redact: Redact): CorrespondenceRecord {
  const { id } = of
  const isOwn = isTheirs(of, naming(redact))
  const others = (written: string[]) => written.filter((one) => !isOwn(one)).map(redact)
  const named = (one: { name: string | null; email: string }) => ({
    ...one,
    name: one.name && redact(one.name),
  })
  const { from, to, cc, bcc, subject, reply_to, delivery, party_id, direction, inbox, triage, attachments } =
    mail
  const { message_id, header_message_id, in_reply_to, references, refusal } = mail
  const isFromThem = isOwn(from) || (party_id === id && direction === 'inbound')
  return {
    ...mail,
    subject: redact(subject),
    message_id: message_id && redact(message_id),
    header_message_id: redact(header_message_id),
    known_as: undefined,
    in_reply_to: in_reply_to && redact(in_reply_to),
    references: references.map(redact),
    refusal: refusal && { ...refusal, message: redact(refusal.message) },
    from: isFromThem ? { name: null, email: '' } : named(from),
    to: others(to),
    cc: others(cc),
    bcc: others(bcc),
    reply_to: isFromThem ? [] : reply_to.filter((one) => !isOwn(one)).map(named),
    delivery: delivery
      .filter((one) => !isOwn(one.email))
      .map((one) => ({ ...one, reason: one.reason && redact(one.reason) })),
    attachments: attachments.map((one) => ({ ...one, filename: redact(one.filename) })),
    party_id: party_id === id ? null : party_id,
    // Without its message a mail cannot be judged. The sweeper must not send it to the triage again.
    inbox: inbox && { ...inbox, notice: inbox.notice && redact(inbox.notice), is_judged: true },
    // The evidence of the triage quotes the message.
    triage: triage && {
      ...triage,
      suggested_assignment: null,
      case_suggestions: [],
      confidence: 0,
      deadline_hints: [],
      final: true,
    },
    teaches: { references: [], sender: null },
  }
}

/**
 * The draft without the person. If its send was refused, its status becomes `draft`. Otherwise the next send would use
 * the stored message, which contains the person or was removed.
 */
function draftWithout(draft: DraftRecord, of: Forgotten, redact: Redact): DraftRecord {
  const isOwn = isTheirs(of, naming(redact))
  // The redaction of a case may have changed an address of the person. Then it is no longer a valid address.
  const others = (written: string[]) =>
    written
      .filter((one) => !isOwn(one))
      .map(redact)
      .filter((one) => readMailAddress(one) !== undefined)
  const { to, cc, bcc, subject, attachments, warnings, in_reply_to, references } = draft
  // A draft may be sent later, and a redacted message id is not valid in a header.
  const isClean = (messageId: string | null) => messageId === null || redact(messageId) === messageId
  return {
    ...draft,
    to: others(to),
    cc: others(cc),
    bcc: others(bcc),
    subject: redact(subject),
    attachments: attachments.map((one) => ({ ...one, filename: redact(one.filename) })),
    warnings: warnings.map(redact),
    in_reply_to: isClean(in_reply_to) ? in_reply_to : null,
    references: references.filter(isClean),
    ...(draft.status === 'failed' && unsent),
  }
}
