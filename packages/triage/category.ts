import { sideOf } from '#parties/side-schema.ts'
import { isMailbox } from './certain.ts'
import type { ContentRuleName } from './content-rules.ts'
import type { LetterheadKind } from './letterhead.ts'
import { capitalWords, mentionOf } from './mentioned-names.ts'
import type { Found, FoundParty, Signals, TriageSettings } from './ports.ts'
import type { Category, DeadlineHint, Priority } from './schema.ts'
import { domainOf, isSafeIdOfLawyer, senderKindOf } from './sender-domains.ts'

/**
 * The category of a message. The first of these that applies decides:
 *
 * 1. It is a mailing: `invoice` if it has the words of one, otherwise `newsletter`. A mailing answers none of our mail, and
 *    has the headers of a mailing, or the words of a newsletter and a sender who is no party.
 * 2. It has an XJustiz record of a court: `court`. In a beA message of a lawyer such a record does not count.
 * 3. It has no sender, or comes from a mailbox of the office: `other`.
 * 4. The sender is a court, an authority or an insurer by address, SAFE-ID or name (`senderKindOf`).
 * 5. The sender is a party: its side decides, or else its role. The case that is suggested first counts, or else all
 *    cases of the party.
 * 6. The sender is a lawyer who is no party, and not of our own domain. Such a lawyer counts as the opponent's lawyer. So
 *    does somebody who reminds a client of the office of a debt.
 * 7. It has the words of an invoice, and its first letter is not of a court or an authority. The sender must not write as
 *    the person who received the invoice. Otherwise it is `other`.
 *
 * For a document, which has no sender, the head of its letter decides after step 2.
 */
export function categoryOf(
  signals: Signals,
  found: Found,
  settings: TriageSettings,
  caseId: string | null,
): Category {
  const { sender, reading } = signals
  const has = (rule: ContentRuleName) => reading.content.includes(rule)
  const isOfClient = has('reminder_named') && has('debt_of_client')
  const isInvoice =
    !isOfficial(reading.letterhead.kind) &&
    !isOfClient &&
    !has('bill_received') &&
    ((has('invoice_named') && (has('invoice_written') || has('invoice_asked'))) || has('invoice_attached'))
  const isParty = found.parties.some(({ email }) => sender !== null && isMailbox(email, sender))
  if (found.threads.length === 0 && (reading.is_bulk || (has('newsletter') && !isParty)))
    return isInvoice ? 'invoice' : 'newsletter'
  if (reading.xjustiz_sender === 'court') return 'court'
  if (reading.kind === 'document') return categoryOfDocument(signals, found, settings, { caseId, isInvoice })
  if (sender === null || settings.own_mailboxes.includes(sender)) return 'other'
  const kind = senderKindOf(sender, reading.sender?.name ?? null)
  if (kind !== null) return kind
  const byRole = categoryByRole(sender, found, caseId)
  if (byRole !== undefined) return byRole
  if (isParty) return isInvoice ? 'invoice' : 'other'
  const isOwnDomain = settings.own_mailboxes.some((mailbox) => domainOf(mailbox) === domainOf(sender))
  if (!isOwnDomain && (isOfClient || has('counsel') || isLawyer(sender, reading.sender?.name ?? '')))
    return 'opponent'
  return isInvoice ? 'invoice' : 'other'
}

/** A judgment about an invoice has all its words. */
function isOfficial(kind: Category | LetterheadKind | null): boolean {
  return kind === 'court' || kind === 'authority'
}

/** The category by the role, for parties on neither side. */
const roleWords: [RegExp, Category][] = [
  [/insur|versicher/i, 'insurance'],
  [/court|gericht/i, 'court'],
  [/authority|behörde|amt$/i, 'authority'],
  // Counsel of the opponent has the side `other`.
  [/gegner|gegenseite|gegenpartei|opponent|opposing/i, 'opponent'],
]

/** Undefined if the sender is no party, has neither a side nor a role of `roleWords`, or stands on several sides. */
function categoryByRole(sender: string, { parties }: Found, caseId: string | null): Category | undefined {
  return roleCategory(
    parties.filter(({ email }) => isMailbox(email, sender)),
    caseId,
  )
}

function roleCategory(parties: FoundParty[], caseId: string | null): Category | undefined {
  const roles = parties.flatMap(({ cases }) => cases)
  const inCase = roles.filter(({ case_id }) => case_id === caseId)
  const categories = new Set(
    (inCase.length > 0 ? inCase : roles).map((party): Category | undefined => {
      const side = sideOf(party)
      if (side === 'client' || side === 'opponent') return side
      return roleWords.find(([words]) => words.test(party.role))?.[1]
    }),
  )
  const [category] = categories
  return categories.size === 1 ? category : undefined
}

/** The category of a document, by the head of its letter in place of the sender. */
function categoryOfDocument(
  { reading }: Signals,
  { parties }: Found,
  { own_mailboxes }: TriageSettings,
  { caseId, isInvoice }: { caseId: string | null; isInvoice: boolean },
): Category {
  const { kind, head } = reading.letterhead
  if (kind === 'court' || kind === 'authority' || kind === 'insurance') return kind
  const words = capitalWords(head)
  const writers = parties.filter(({ name }) => mentionOf(name, words)?.how === 'full')
  const byRole = roleCategory(writers, caseId)
  if (byRole !== undefined) return byRole
  const isOurs = own_mailboxes.some((mailbox) => head.toLowerCase().includes(domainOf(mailbox)))
  if (kind === 'lawyer' && !isOurs && reading.content.includes('counsel')) return 'opponent'
  return isInvoice ? 'invoice' : 'other'
}

function isLawyer(sender: string, name: string): boolean {
  return (
    isSafeIdOfLawyer(sender) ||
    /(?<!\p{L})(?:rechtsanw(?:alt|ält)\p{L}*|anwaltskanzlei|kanzlei|rae?)(?!\p{L})/iu.test(name) ||
    /(^|[.-])(ra|rae|kanzlei|anwalt|anwaelte|rechtsanwalt|rechtsanwaelte)(-|\.)|kanzlei|rechtsanw/.test(
      domainOf(sender),
    )
  )
}

/**
 * High: what is served formally, and urgent words. From a court or an authority, also if only its letter is attached: any
 * time limit, a decision, or a hearing. A judgment in Anwaltsprozess names no time limit of its own (§ 232 Satz 2 ZPO).
 * From the opponent, who attaches decisions as exhibits: a time limit in which somebody must act. From others: a time
 * limit with a confidence of 0.9. Words that report what was received count from everybody but opponents and insurers.
 *
 * Low, even if urgent: newsletters, and automatic messages that are not of a court or an authority. A report that a mail of
 * ours did not arrive is normal. Spam calls itself urgent, too: it is normal, unless a court or an authority sent it.
 */
export function priorityOf({ reading }: Signals, category: Category, hints: DeadlineHint[]): Priority {
  const has = (rule: ContentRuleName) => reading.content.includes(rule)
  if (reading.is_served) return 'high'
  if (category === 'newsletter') return 'low'
  const isReport = category !== 'opponent' && category !== 'insurance' && has('reported')
  const isUrgent = has('urgent') || isReport
  const hasOfficialLetter = isOfficial(reading.letterhead.kind) && category !== 'opponent' && !reading.is_spam
  if (isOfficial(category) || hasOfficialLetter)
    return hints.length > 0 || isUrgent || has('decision') || has('hearing') ? 'high' : 'normal'
  if (reading.is_automatic) return reading.is_delivery_report ? 'normal' : 'low'
  if (reading.is_spam) return 'normal'
  const surest = category === 'opponent' ? 0.7 : 0.9
  return isUrgent || hints.some(({ confidence }) => confidence >= surest) ? 'high' : 'normal'
}
