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

/** Mails that are read at once. */
const readAtOnce = 50

/** Takes an erased person out of the mail of a firm (R5). */
export function mailForgetting(deps: {
  store: Pick<CorrespondenceStore, 'page' | 'find' | 'change' | 'pageLinks' | 'replaceLink'>
  drafts: Pick<DraftStore, 'page' | 'change' | 'find' | 'pageDeleted' | 'changeDeleted'>
  users: { page: (workspaceId: string, request: PageRequest) => Promise<Page<{ id: string }>> }
  files: Pick<MailFiles, 'put' | 'read' | 'remove'> & {
    head: (key: string) => Promise<object | undefined>
    /** Removes the earlier versions of the objects whose keys begin so. */
    eraseOlder: (prefix: string) => Promise<unknown>
  }
  /** The visible text of HTML, with its entities decoded. */
  textOfHtml: (html: string) => Promise<string>
  /** Forgets by which message ids a mail is known again. */
  forgetIds: (mail: CorrespondenceRecord) => Promise<void>
  /** Forgets what a case has learnt of a mail. */
  forgetLessons: (mail: CorrespondenceRecord) => Promise<void>
  /** Takes data out of the name of a document that came with a mail and is in no case. */
  redactDocument: (workspaceId: string, id: string, redact: Redact) => Promise<void>
  /** Takes data out of what the timelines of the cases that a record has left say of it. */
  leaveTimelines: (workspaceId: string, id: string, redact: Redact) => Promise<void>
  clock: Clock
}) {
  const { store, drafts, users, files, textOfHtml, clock } = deps
  const { forgetIds, forgetLessons, redactDocument, leaveTimelines } = deps

  const readText = async (key: string): Promise<string | undefined> =>
    (await files.head(key)) === undefined ? undefined : new TextDecoder().decode(await files.read(key))

  const writeText = (key: string, text: string, mimeType: string): Promise<void> =>
    files.put(key, new TextEncoder().encode(text), { mimeType, sha256: hexDigest(text) })

  /** HTML that names the person becomes plain text: tags and entities may stand inside of the name. */
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
    // Pictures that nothing names any more go too: a signature may be one.
    const inline_images = body_html === body.body_html ? body.inline_images : []
    const redacted = JSON.stringify({ ...body, body_text: redact(body.body_text), body_html, inline_images })
    if (redacted !== written) await writeText(bodyKey(mail), redacted, 'application/json')
  }

  /** The links to its documents show the names that these had when it was sent. */
  const redactLinks = async ({ workspace_id, id }: CorrespondenceRecord, redact: Redact): Promise<void> => {
    for (let isStale = true; isStale; ) {
      isStale = false
      for await (const link of everyItem((request) => store.pageLinks(workspace_id, id, request))) {
        const documents = link.documents.map((one) => ({ ...one, filename: redact(one.filename) }))
        if (documents.every(({ filename }, at) => filename === link.documents[at]?.filename)) continue
        // Somebody has changed the link: it is read again.
        if (!(await store.replaceLink(link, { ...link, documents }, []))) isStale = true
      }
    }
  }

  /** Removes the message, since it cannot be changed. The record is changed last: the next run finds the mail by it. */
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
      // An upgrade has added it since the ids were forgotten.
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
      // The body goes first, with the job that removes the former one: once the record has lost the person, no later run
      // finds the draft.
      let isReplaced = false
      await drafts.change(workspaceId, id, (before) => {
        isReplaced = before.body_key === body_key
        if (!isReplaced || body_key === null) return { answer: undefined }
        const jobs = [eraseMailFiles.of({ keys: [body_key] })]
        return { record: { ...before, body_key: key, version: before.version + 1 }, jobs, answer: undefined }
      })
      await files.remove([isReplaced && body_key !== null ? body_key : key])
      // Somebody has saved another body meanwhile.
      if (!isReplaced) return forgetDraft(workspaceId, id, of, redact)
    }
    await files.eraseOlder(`mails/${workspaceId}/${id}/`)
    await drafts.change(workspaceId, id, (before) => {
      const after = draftWithout(before, of, redact)
      if (JSON.stringify(after) === JSON.stringify(before)) return { answer: undefined }
      return { record: { ...after, version: before.version + 1 }, answer: undefined }
    })
  }

  /** The body was removed with the draft, but earlier versions of it may be there. */
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
     * Removes the person from mails that are in no case. Mails in a case belong to its file and stay. It looks at all
     * mails of the firm, since no list finds a mail by its `Reply-To`, which web forms set. Yields the position
     * up to which it is done.
     *
     * @param after the position where it continues
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
          // The mails before it in the page take seconds each: somebody may have filed it meanwhile.
          const present = await store.find(of.workspace_id, mail.id)
          if (present === undefined || !isToForgetMail(present, of, redact)) continue
          if (isInProgress(present, clock.now())) isWaiting = true
          else await forgetMail(present, of, redact)
        }
        if (pagination.cursor === null) return isWaiting ? 'later' : undefined
        cursor = pagination.cursor
        // So that no later run forgets that a mail before this position is in progress.
        yield `${isWaiting ? '!' : ''}${cursor}`
      }
    },

    /**
     * Removes the person from drafts to its address or with a warning about it, and from all drafts in the cases around
     * it. Drafts in cases that must be kept stay as they are. Yields the position up to which it is done.
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

    /** The same for deleted drafts. Comes after `drafts`: a user may delete a draft meanwhile. */
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

/** Says how the retention of a case affects the drafts in it. */
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

/** Whether a worker may be sending or reading the mail: it would write again what the erasure removes. */
function isInProgress(mail: CorrespondenceRecord, now: Date): boolean {
  return mail.direction === 'outbound' ? sendStateOf(mail, now) === 'sending' : mail.status === 'received'
}

/** Whether a case has learnt this person as a sender. Lessons about a shared mailbox stay. */
function isTaughtBy({ teaches }: CorrespondenceRecord, { email, sharesMailbox }: Forgotten): boolean {
  return !sharesMailbox && email !== null && teaches.sender !== null && isAddress(teaches.sender, email)
}

/** A warning names the sender of the mail that a draft answers, although the answer goes to another address. */
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
    // It cannot be judged without its message, so the sweeper must not wait for that.
    inbox: inbox && { ...inbox, notice: inbox.notice && redact(inbox.notice), is_judged: true },
    // Its evidence quotes the message.
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
 * The draft without the person. If its send was refused, it is a draft again. Otherwise the next send would repeat the
 * stored message, which names the person and goes to it, or is gone.
 */
function draftWithout(draft: DraftRecord, of: Forgotten, redact: Redact): DraftRecord {
  const isOwn = isTheirs(of, naming(redact))
  // The redaction of the case may have changed the address of the person: it is no valid address then.
  const others = (written: string[]) =>
    written
      .filter((one) => !isOwn(one))
      .map(redact)
      .filter((one) => readMailAddress(one) !== undefined)
  const { to, cc, bcc, subject, attachments, warnings, in_reply_to, references } = draft
  // A draft may still be sent: a redacted message id is not valid in its header.
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
