import { type MailAddress, mailboxIn, mailboxOf } from './address-schema.ts'
import type { CorrespondenceRecord } from './ports.ts'

/**
 * A party. `sharesMailbox`: another party has the same mailbox. Then the name next to an address distinguishes them.
 */
export type MailParty = { id: string; email: string | null; sharesMailbox: boolean }

/** Whether a text contains the name of the party. */
export type IsNamedIn = (text: string) => boolean

type Participants = Pick<CorrespondenceRecord, 'party_id' | 'from' | 'to' | 'cc' | 'bcc' | 'reply_to'>

/** Whether a written address, with or without a name, has the same mailbox as `email`. */
export function isAddress(written: string, email: string): boolean {
  return mailboxIn(written) === mailboxOf(email)
}

/** Whether an address belongs to the party. The address is a text, or a name and an e-mail address. */
export function isTheirs({ email, sharesMailbox }: Omit<MailParty, 'id'>, isNamedIn: IsNamedIn) {
  return (address: string | MailAddress): boolean => {
    const [mailbox, text] =
      typeof address === 'string' ? [address, address] : [address.email, address.name ?? '']
    return email !== null && isAddress(mailbox, email) && (!sharesMailbox || isNamedIn(text))
  }
}

/**
 * Whether a mail is filed with the party, is from or to the party, or has a `Reply-To` of the party. If the party
 * shares its mailbox, mail that is filed with another party belongs to that other party.
 */
export function isMailOf(
  { party_id, from, to, cc, bcc, reply_to }: Participants,
  party: MailParty,
  isNamedIn: IsNamedIn,
): boolean {
  if (party_id === party.id) return true
  if (party_id !== null && party.sharesMailbox) return false
  return [from, ...reply_to, ...to, ...cc, ...bcc].some(isTheirs(party, isNamedIn))
}
