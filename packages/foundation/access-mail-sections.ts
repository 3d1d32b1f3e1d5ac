import { BeaMessage } from '#bea/messages/message-schema.ts'
import { beaMessages } from '#bea/messages/messages.ts'
import { correspondenceService } from '#correspondence/correspondence.ts'
import { isMailOf } from '#correspondence/participants.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { Correspondence, DraftSummary } from '#correspondence/schema.ts'
import { shownStatus } from '#correspondence/send-state.ts'
import { everyItem } from '#kernel/every-item.ts'
import { withoutLinkTokens } from '#mail/link-tokens.ts'
import type { AccessFile, AccessSection, AccessSubject } from '#parties/access-ports.ts'
import { correspondenceRecords } from '#store/correspondence/correspondence-records.ts'
import { type MailParticipants, mailParticipants } from '#store/correspondence/mail-participants.ts'
import { learntSenders } from '#store/inbox/learnt-senders.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import {
  concerns,
  extensionOf,
  isCompressed,
  isTheirAddress,
  storedFile,
  unlessMissing,
} from './access-parts.ts'
import { beaMessageFoundation } from './bea-messages.ts'
import { correspondenceFoundation } from './correspondence.ts'
import type { Base } from './foundation.ts'

/** The sections of a report on a party that show mail and beA messages (R6). */
export function accessMailSections(base: Base): AccessSection[] {
  const { store: mails, drafts, files } = correspondenceFoundation(base)
  const mail = correspondenceService({
    store: mails,
    files,
    withoutLinks: withoutLinkTokens,
    clock: base.clock,
  })
  const bea = beaMessages({ ...base, ...beaMessageFoundation(base), parties: partyStore(base) })
  const users = userStore(base)
  const learnt = learntSenders(base.db)
  const { findAll } = correspondenceRecords(base)
  const participants = mailParticipants(base.db)

  return [
    {
      heading: 'E-Mails mit ihrer Einordnung',
      async *records(subject) {
        for await (const record of mailsOf(subject)) {
          const { id, subject: title, received_at, sent_at, created_at } = record
          yield {
            path: `correspondence/${id}`,
            title,
            date: received_at ?? sent_at ?? created_at,
            read: async () => {
              const shown = await mail.get(subject.reader, id).catch(unlessMissing)
              return Correspondence.parse(shown ?? { ...record, ...withoutBody(record, base.clock.now()) })
            },
            files: [
              {
                path: 'raw.eml',
                sizeBytes: messageBytes(record),
                isCompressed: false,
                open: async () => (await mail.raw(subject.reader, id).catch(unlessMissing))?.open(undefined),
              },
            ],
          }
        }
      },
    },
    {
      heading: 'Entwürfe von E-Mails an sie',
      async *records(subject) {
        const { party, clientOf } = subject
        const { workspace_id } = party
        const isOwn = isTheirAddress(subject)
        for await (const { id: userId } of everyItem((request) => users.page(workspace_id, request)))
          for await (const draft of everyItem((request) => drafts.page(workspace_id, userId, request))) {
            const { id, to, cc, bcc, case_id, subject: title, updated_at, body_key } = draft
            const isToThem = [...to, ...cc, ...bcc].some(isOwn)
            if (!isToThem && (case_id === null || !clientOf.has(case_id))) continue
            const status = shownStatus(draft, base.clock.now())
            yield {
              path: `email/outbound/drafts/${id}`,
              title,
              date: updated_at,
              read: async () => DraftSummary.parse({ ...draft, status }),
              files:
                body_key === null
                  ? []
                  : [storedFile('body.html', { key: body_key, mimeType: 'text/html', sizeBytes: 0 })],
            }
          }
      },
    },
    {
      heading: 'Akten, in denen ihre E-Mails abgelegt wurden',
      async *records({ party: { workspace_id, id, email }, sharesMailbox }) {
        const cases = email === null || sharesMailbox ? [] : await learnt.of(workspace_id, email)
        if (cases.length === 0) return
        yield {
          path: `parties/${id}/learnt-cases`,
          title: 'Vorschläge für künftige E-Mails dieser Adresse',
          date: null,
          read: async () => cases,
        }
      },
    },
    {
      heading: 'beA-Nachrichten',
      async *records(subject) {
        const { reader } = subject
        for await (const message of everyItem((request) => bea.list(reader, request))) {
          if (!isMessageOf(subject, message)) continue
          const { id, case_id } = message
          const isFiled = case_id !== null && subject.clientOf.has(case_id) && !message.confidential
          yield {
            path: `bea/messages/${id}`,
            title: message.subject ?? 'beA-Nachricht',
            date: message.received_at ?? message.sent_at,
            read: async () => {
              // With only the right 01 the list shows a message that may not be read (B8).
              const shown = await bea.get(reader, id).catch(unlessMissing)
              return shown && BeaMessage.parse(shown)
            },
            // The attachments of a client's case are documents of the case.
            files: isFiled ? [] : attachmentsOf(subject, message),
          }
        }
      },
    },
  ]

  /** The mail of the party, newest first. No list finds mail by its `Reply-To`, so this looks at all mail of the firm. */
  async function* mailsOf(subject: AccessSubject): AsyncGenerator<CorrespondenceRecord> {
    const { workspace_id } = subject.party
    for await (const some of participants(workspace_id)) {
      const ids = some.filter((mail) => isTheirMail(subject, mail)).map(({ id }) => id)
      const found = new Map((await findAll(workspace_id, ids)).map((record) => [record.id, record]))
      yield* ids.flatMap((id) => found.get(id) ?? [])
    }
  }

  function attachmentsOf({ reader }: AccessSubject, { id, attachments }: BeaMessage): AccessFile[] {
    return attachments.map((one) => ({
      path: `attachments/${one.id}/download${extensionOf(one.filename)}`,
      sizeBytes: one.size_bytes,
      isCompressed: isCompressed(one.mime_type),
      open: async () => {
        const found = await bea.download(reader, id, one.id).catch(unlessMissing)
        return found?.open(undefined).catch(unlessMissing)
      },
    }))
  }
}

/** Whether the mail is in a case in which the party is a client, or belongs to the party elsewhere. */
function isTheirMail(
  { party: { id, email }, sharesMailbox, clientOf, isNamedIn }: AccessSubject,
  mail: MailParticipants,
): boolean {
  if (mail.case_id !== null && clientOf.has(mail.case_id)) return true
  return isMailOf(mail, { id, email, sharesMailbox }, (text) => isNamedIn([text]))
}

/**
 * Whether the message is filed with the party; or is in no case or a case of the party, and names it or belongs to a
 * client's case.
 */
function isMessageOf(
  subject: AccessSubject,
  { case_id, party_id, subject: title, sender, recipients }: BeaMessage,
): boolean {
  if (party_id === subject.party.id) return true
  if (case_id !== null && subject.cases.every(({ id }) => id !== case_id)) return false
  const names = [sender, ...recipients].map(({ name }) => name)
  return concerns(subject, case_id, [title, ...names])
}

/** The fields of a mail whose body is no longer stored. */
function withoutBody(record: CorrespondenceRecord, now: Date) {
  return { status: shownStatus(record, now), body_text: '', body_html: '', inline_images: [] }
}

/** The approximate size of the message: base64 makes attachments a third larger. */
function messageBytes({ attachments }: CorrespondenceRecord): number {
  return attachments.reduce((sum, { size_bytes }) => sum + size_bytes * 1.4, 0)
}
