import { newInboxState } from '#inbox/state-schema.ts'
import { Failure } from '#kernel/failure.ts'
import type { LogOf } from '#kernel/log.ts'
import { beginningOf } from '#kernel/text.ts'
import { applyRule, shortenedSubject } from '#timeline/schema.ts'
import { mailboxOf } from './address-schema.ts'
import type { MailEvent } from './event-schema.ts'
import { entriesOf, reportJobs, sentChange } from './outcome-changes.ts'
import { recipientsOf } from './outgoing-mail.ts'
import type { CorrespondenceChange, CorrespondenceRecord, CorrespondenceStore } from './ports.ts'
import type { Delivery } from './schema.ts'

/** The types of events that only occur for a message that the provider accepted. */
const provesAccepted = new Set(['Send', 'Delivery', 'Bounce', 'Complaint', 'DeliveryDelay', 'Reject'])

const maxReasonLength = 500

/**
 * Records the provider's events about a mail (M5, M6). An event can prove that the provider accepted the mail, if the
 * answer to the send was lost. Or it can report the delivery to a recipient. Events may come twice, late and in any
 * order. Events without our tags, and events about mail that does not exist, change nothing.
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
      if (!provesAccepted.has(event.eventType)) return
      try {
        await applyRule(store, workspaceId, id, (current) => afterEvent(current, event))
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'CORRESPONDENCE_NOT_FOUND') throw error
        log.warn('mail event of an unknown mail', { event: event.eventType, correspondence_id: id })
      }
    },
  }
}

/** The change that an event makes. Undefined if the event reports nothing new. */
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
  const wasBounced = before.delivery.some(
    ({ email, status }) => status === 'bounced' && mailboxes.has(mailboxOf(email)),
  )
  const hasArrived = wasBounced && event.eventType === 'Delivery'
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
    record: hasArrived || bounced.length > 0 ? { ...record, inbox: inboxOf(record, bounced) } : record,
    timeline: [...(settled.timeline ?? []), ...bounces],
    jobs: isUnsettled || bounced.length > 0 || wasBounced ? reportJobs(before) : [],
  }
}

/**
 * A bounced mail is in the inbox until somebody handles it (M6). Each further bounce moves it there again. It leaves the
 * inbox if every bounce was an automatic reply that came before the delivery.
 */
function inboxOf(
  { delivery, inbox, assigned_to }: CorrespondenceRecord,
  news: Delivery[],
): CorrespondenceRecord['inbox'] {
  const failed = delivery.filter(({ status }) => status === 'bounced')
  const reasons = failed.map(({ email, reason }) => `${email}: ${reason ?? 'ohne Angabe von Gründen'}`)
  const notice =
    failed.length === 0 ? null : beginningOf(`Nicht zugestellt an ${reasons.join('; ')}`, maxNoticeLength)
  if (news.length === 0) {
    const isSettled = notice === null && inbox?.state === 'open'
    return inbox && { ...inbox, state: isSettled ? 'dismissed' : inbox.state, notice }
  }
  const at = news.reduce((latest, one) => (one.at > latest ? one.at : latest), inbox?.at ?? '')
  return { ...newInboxState(at, notice), assigned_to }
}

const maxNoticeLength = 1_000

/** The deliveries that an event reports, one for each recipient of this mail. */
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
 * Whether a bounce is an automatic reply, such as an out-of-office notice. SES reports it as a bounce of this kind,
 * after a delivery and without the report of a mail server.
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

/**
 * A status replaces one of lower rank. A bounce may follow a delivery, and a complaint may follow any status. A delay
 * replaces no other status.
 */
const rank: Record<Delivery['status'], number> = { delayed: 0, delivered: 1, bounced: 2, complained: 3 }

function isNews(known: Delivery[], one: Delivery): boolean {
  const before = known.find(({ email }) => mailboxOf(email) === mailboxOf(one.email))
  if (before === undefined || rank[one.status] > rank[before.status]) return true
  // The automatic reply was reported before the delivery. After a bounce of another kind there is no delivery.
  if (one.status === 'delivered' && before.status === 'bounced' && before.reason === autoReplyKind)
    return true
  return one.status === 'delayed' && before.status === 'delayed' && one.at > before.at
}

/** The address without a name: SES reports some recipients with their names. */
function bare(email: string): string {
  return /<([^<>]*)>\s*$/.exec(email)?.[1] ?? email.trim()
}
