import { Failure } from '#kernel/failure.ts'
import type { LogOf } from '#kernel/log.ts'
import { beginningOf } from '#kernel/text.ts'
import { applyRule, shortenedSubject } from '#timeline/schema.ts'
import { mailboxOf } from './address-schema.ts'
import type { MailEvent } from './event-schema.ts'
import { recipientsOf } from './outgoing-mail.ts'
import type { CorrespondenceChange, CorrespondenceRecord, CorrespondenceStore } from './ports.ts'
import type { Delivery } from './schema.ts'
import { entriesOf, reportsOf, sentChange } from './settle.ts'

/** Events that only come for a message that the provider took. */
const provesTaken = new Set(['Send', 'Delivery', 'Bounce', 'Complaint', 'DeliveryDelay', 'Reject'])

const maxReasonLength = 500

/**
 * Records the provider's events of a mail (M5, M6). An event may say that the provider took the mail, which settles a
 * send whose answer was lost, or report the delivery at a recipient. Events may come twice, late and in any order.
 * Events without our tags, and of mail that does not exist, change nothing.
 */
export function delivery(deps: { store: Pick<CorrespondenceStore, 'change'>; log: LogOf<'warn'> }) {
  const { store, log } = deps
  return {
    async record(event: MailEvent): Promise<void> {
      const [workspaceId] = event.mail.tags.workspace ?? []
      const [id] = event.mail.tags.correspondence ?? []
      if (workspaceId === undefined || id === undefined) {
        log.warn('mail event without our tags', { event: event.eventType })
        return
      }
      if (!provesTaken.has(event.eventType)) return
      try {
        await applyRule(store, workspaceId, id, (current) => afterEvent(current, event))
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'CORRESPONDENCE_NOT_FOUND') throw error
        log.warn('mail event of an unknown mail', { event: event.eventType, correspondence_id: id })
      }
    },
  }
}

/** The mail after an event; undefined if the event says nothing new. */
export function afterEvent(before: CorrespondenceRecord, event: MailEvent): CorrespondenceChange | undefined {
  const isUnsettled = before.status === 'sending' || before.status === 'failed'
  const sent_at = new Date(event.mail.timestamp).toISOString()
  const settled = isUnsettled
    ? sentChange(before, { message_id: event.mail.messageId, sent_at })
    : { record: before }
  const news = newsOf(event, before).filter((one) => isNews(before.delivery, one))
  if (!isUnsettled && news.length === 0) return undefined

  const mailboxes = new Set(news.map(({ email }) => mailboxOf(email)))
  const kept = before.delivery.filter(({ email }) => !mailboxes.has(mailboxOf(email)))
  const bounced = news.filter(({ status }) => status === 'bounced')
  const hasArrived = before.delivery.some(
    ({ email, status }) => status === 'bounced' && mailboxes.has(mailboxOf(email)),
  )
  const bounces = bounced.flatMap(({ email, at, reason }) =>
    entriesOf(before, {
      type: 'mail.bounced',
      occurred_at: at,
      actor: { type: 'external', id: null, name: email },
      summary: `E-Mail „${shortenedSubject(before.subject)}“ an ${email} wurde nicht zugestellt: ${reason ?? 'ohne Angabe von Gründen'}`,
    }),
  )
  const record = { ...settled.record, delivery: [...kept, ...news], version: before.version + 1 }
  return {
    record: bounced.length === 0 ? record : backInInbox(record, bounced),
    timeline: [...(settled.timeline ?? []), ...bounces],
    jobs: isUnsettled || bounced.length > 0 || hasArrived ? reportsOf(before) : [],
  }
}

/** A mail that came back is in the inbox until somebody has seen to it (M6); each further bounce brings it back there. */
function backInInbox(record: CorrespondenceRecord, news: Delivery[]): CorrespondenceRecord {
  const at = news.reduce((latest, one) => (one.at > latest ? one.at : latest), record.inbox?.at ?? '')
  const failed = record.delivery.filter(({ status }) => status === 'bounced')
  const notice = `Nicht zugestellt an ${failed.map(({ email, reason }) => `${email}: ${reason ?? 'ohne Angabe von Gründen'}`).join('; ')}`
  return {
    ...record,
    inbox: {
      state: 'open',
      at,
      category: null,
      assigned_to: record.assigned_to,
      notice: beginningOf(notice, maxNoticeLength),
      is_decided: false,
      is_judged: true,
    },
  }
}

const maxNoticeLength = 1_000

/** The news of an event about recipients of this mail, each once. */
function newsOf(event: MailEvent, record: CorrespondenceRecord): Delivery[] {
  const { delivery, bounce, complaint, deliveryDelay, reject, mail } = event
  const recipients = new Map(recipientsOf(record).map((email) => [mailboxOf(email), email]))
  const news = new Map<string, Delivery>()
  const add = (email: string, status: Delivery['status'], at: string, reason: string | null) => {
    const mailbox = mailboxOf(bare(email))
    const known = recipients.get(mailbox)
    if (known === undefined) return
    const time = new Date(at)
    news.set(mailbox, {
      email: known,
      status,
      at: (Number.isNaN(time.getTime()) ? new Date(mail.timestamp) : time).toISOString(),
      reason: reason && beginningOf(reason, maxReasonLength),
    })
  }
  if (event.eventType === 'Delivery' && delivery)
    for (const email of delivery.recipients) add(email, 'delivered', delivery.timestamp, null)
  if (event.eventType === 'Bounce' && bounce)
    for (const { emailAddress, diagnosticCode } of bounce.bouncedRecipients) {
      if (diagnosticCode === undefined && isAutoReply(bounce) && isDelivered(record, bare(emailAddress)))
        continue
      add(emailAddress, 'bounced', bounce.timestamp, diagnosticCode ?? kindOf(bounce))
    }
  if (event.eventType === 'Complaint' && complaint)
    for (const { emailAddress } of complaint.complainedRecipients)
      add(emailAddress, 'complained', complaint.timestamp, complaint.complaintFeedbackType ?? null)
  if (event.eventType === 'DeliveryDelay' && deliveryDelay)
    for (const { emailAddress, diagnosticCode } of deliveryDelay.delayedRecipients)
      add(emailAddress, 'delayed', deliveryDelay.timestamp, diagnosticCode ?? deliveryDelay.delayType)
  if (event.eventType === 'Reject')
    for (const email of recipients.values())
      add(
        email,
        'bounced',
        mail.timestamp,
        `Rejected by the mail provider: ${reject?.reason ?? 'no reason given'}`,
      )
  return [...news.values()]
}

/**
 * SES reports an automatic answer, such as an out-of-office notice, as a bounce of this kind. It has no report of a mail
 * server, and follows a delivery.
 */
function isAutoReply(bounce: Bounce): boolean {
  return kindOf(bounce) === autoReplyKind
}

type Bounce = NonNullable<MailEvent['bounce']>

const autoReplyKind = 'Transient, General'

function kindOf({ bounceType, bounceSubType }: Bounce): string {
  return [bounceType, bounceSubType].filter((part) => part !== '').join(', ')
}

function isDelivered({ delivery }: CorrespondenceRecord, email: string): boolean {
  return delivery.some((one) => one.status === 'delivered' && mailboxOf(one.email) === mailboxOf(email))
}

/** A later status has a higher rank. A bounce may follow a delivery, and a complaint may follow any status. A delay never replaces another status. */
const rank: Record<Delivery['status'], number> = { delayed: 0, delivered: 1, bounced: 2, complained: 3 }

function isNews(known: Delivery[], one: Delivery): boolean {
  const before = known.find(({ email }) => mailboxOf(email) === mailboxOf(one.email))
  if (before === undefined || rank[one.status] > rank[before.status]) return true
  // The automatic answer was reported before the delivery. After a bounce of another kind no delivery is reported.
  if (one.status === 'delivered' && before.status === 'bounced' && before.reason === autoReplyKind)
    return true
  return one.status === 'delayed' && before.status === 'delayed' && one.at > before.at
}

/** SES gives some recipients with their names. */
function bare(email: string): string {
  return /<([^<>]*)>\s*$/.exec(email)?.[1] ?? email.trim()
}
