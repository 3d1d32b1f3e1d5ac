import type { Actor } from '#kernel/actor.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { notFound, requireKnown } from '#kernel/failure.ts'
import type { Answered } from '#kernel/idempotency.ts'
import type { Page, PageOut, PageRequest } from '#kernel/page.ts'
import { answered, userActor } from '#timeline/schema.ts'
import type { BeaFiles } from '../drafts/draft-ports.ts'
import type { ConfidentialAnswers } from '../eeb/confidential-answers.ts'
import type { BeaMessageFiles, BeaMessageRecord, BeaMessageStore, BeaParties } from '../ports.ts'
import { rightMissing } from '../rights/require-right.ts'
import type { BeaRight } from '../rights/right-schema.ts'
import { type BeaOperation, mayDo } from '../rights/rights.ts'
import { type BeaVisibility, readingOf } from '../rights/visibility.ts'
import { assigned, assigningOf } from './filing.ts'
import { readContent } from './message-content.ts'
import { attachmentKey, contentKey, textKey } from './message-keys.ts'
import {
  type BeaAssignment,
  type BeaAttachment,
  type BeaMessage,
  type BeaMessageQuery,
  textFileOf,
} from './message-schema.ts'
import { maskedMessage, unseenMessage, wholeMessage } from './shown-message.ts'

export type BeaMessages = ReturnType<typeof beaMessages>

/** Imported messages, as each user may see them (B6, B8). */
export function beaMessages(deps: {
  store: Pick<BeaMessageStore, 'find' | 'page' | 'change'>
  files: Pick<BeaMessageFiles, 'read' | 'stream'> & Pick<BeaFiles, 'head'>
  parties: BeaParties
  visibility: BeaVisibility
  answers: Pick<ConfidentialAnswers, 'withMark' | 'asMarked'>
  pageOut: PageOut
  clock: Clock
}) {
  const { store, files, parties, visibility, answers, pageOut, clock } = deps

  /** @throws Failure BEA_MESSAGE_NOT_FOUND, BEA_RIGHT_MISSING */
  const found = async (
    actor: Actor,
    id: string,
    needed: (record: BeaMessageRecord) => BeaOperation,
    marked = answers.withMark,
  ): Promise<{ record: BeaMessageRecord; rights: ReadonlySet<BeaRight> }> => {
    const stored = await store.find(actor.workspace_id, id)
    if (stored === undefined || stored.is_missing) throw notFound('BEA_MESSAGE_NOT_FOUND')
    const record = await marked(stored)
    const rights = await visibility.rightsAt(actor, record)
    if (!mayDo(rights, needed(record))) throw rightMissing(needed(record))
    return { record, rights }
  }

  /**
   * Reads the content of a message from the bucket. The result shows any later version of the record with this content.
   * If the body is empty, the text from the network's PDF replaces it (`message-triage.ts`).
   */
  const whole = async (record: BeaMessageRecord): Promise<(record: BeaMessageRecord) => BeaMessage> => {
    const { body, recipients = record.recipients } = readContent(await files.read(contentKey(record)))
    const key = body.trim() === '' && textFileOf(record) !== undefined ? textKey(record) : undefined
    const text =
      key === undefined || (await files.head(key)) === undefined
        ? body
        : new TextDecoder().decode(await files.read(key))
    return (current) => wholeMessage({ ...current, recipients }, text)
  }

  return {
    /** A page of what the user sees, newest first. No search finds a message that the user may not read (B8). */
    async list(actor: Actor, { limit, cursor, ...filters }: BeaMessageQuery): Promise<Page<BeaMessage>> {
      const seen = (await visibility.ofAll(actor)).filter(
        (one) => (filters.account_id ?? one.account_id) === one.account_id,
      )
      const page = await store.page(actor.workspace_id, seen, filters, { limit, cursor })
      const mayRead = (record: BeaMessageRecord) =>
        seen.some(
          (one) =>
            one.mayRead && one.account_id === record.account_id && one.confidential === record.confidential,
        )
      const shown = await Promise.all(
        page.data.map(async (stored) => {
          const record = await answers.withMark(stored)
          if (mayRead(record)) return [wholeMessage(record, null)]
          // It has just become confidential. The search may have matched content that the user may not read.
          return record === stored ? [maskedMessage(record)] : []
        }),
      )
      return { ...page, data: shown.flat() }
    },

    /** @throws Failure BEA_MESSAGE_NOT_FOUND, BEA_RIGHT_MISSING */
    async get(actor: Actor, id: string): Promise<BeaMessage> {
      const { record } = await found(actor, id, readingOf)
      return (await whole(record))(record)
    },

    /** A page of its attachments, in their order. @throws Failure BEA_MESSAGE_NOT_FOUND, BEA_RIGHT_MISSING */
    async attachments(actor: Actor, id: string, request: PageRequest): Promise<Page<BeaAttachment>> {
      const { record } = await found(actor, id, readingOf)
      const binding = [actor.workspace_id, 'bea_attachments', id]
      return pageOut(binding, wholeMessage(record, null).attachments, request, (attachment) => attachment.id)
    },

    /**
     * The unchanged bytes of an attachment. The function that serves files may not write, so it stores no mark.
     *
     * @throws Failure BEA_MESSAGE_NOT_FOUND, ATTACHMENT_NOT_FOUND, BEA_RIGHT_MISSING
     */
    async download(actor: Actor, id: string, attachmentId: string) {
      const { record } = await found(actor, id, readingOf, answers.asMarked)
      const attachment = record.attachments.find((one) => one.id === attachmentId)
      if (attachment === undefined) throw notFound('ATTACHMENT_NOT_FOUND')
      const key = attachmentKey(record, attachment)
      return {
        filename: attachment.filename,
        mimeType: attachment.mime_type,
        sizeBytes: attachment.size_bytes,
        version: attachment.sha256,
        open: (range: { first: number; last: number } | undefined) => files.stream(key, range),
      }
    },

    /**
     * Files a message in a case, with a party, or both. Its attachments become documents of the case. If the message is
     * moved to another case, they follow. The answer shows only what the caller may see of the message.
     *
     * @throws Failure BEA_MESSAGE_NOT_FOUND, BEA_RIGHT_MISSING, CASE_NOT_FOUND, PARTY_NOT_FOUND
     */
    async assign(actor: Actor, id: string, input: BeaAssignment): Promise<Answered<BeaMessage>> {
      const { record: before, rights } = await found(actor, id, assigningOf)
      await requireParty(parties, actor, input.party_id)
      const by = { actor: userActor(actor), at: timestamp(clock) }
      const read = mayDo(rights, readingOf(before)) ? await whole(before) : undefined
      const view = (record: BeaMessageRecord): BeaMessage => {
        if (read !== undefined) return read(record)
        return mayDo(rights, 'see') ? maskedMessage(record) : unseenMessage(record)
      }
      return store.change(actor.workspace_id, id, (current) =>
        answered(current, assigned(current, input, by), view),
      )
    },
  }
}

/** @throws Failure PARTY_NOT_FOUND */
async function requireParty(
  parties: BeaParties,
  { workspace_id }: Actor,
  partyId: string | null | undefined,
): Promise<void> {
  if (partyId == null) return
  requireKnown([partyId], await parties.names(workspace_id, [partyId]), 'PARTY_NOT_FOUND', 'body.party_id')
}
