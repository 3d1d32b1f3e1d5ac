import { type MailAddress, mailboxOf, readMailAddress } from './address-schema.ts'
import type { CorrespondenceRecord } from './ports.ts'

/** A party. `sharesMailbox`: another party has the same mailbox. Then the name beside an address says whose it is. */
export type MailParty = { id: string; email: string | null; sharesMailbox: boolean }

/** Whether a text has the name of the party. */
export type IsNamedIn = (text: string) => boolean

type Participants = Pick<CorrespondenceRecord, 'party_id' | 'from' | 'to' | 'cc' | 'bcc' | 'reply_to'>

/** Whether a written address, with or without a name, is this one. */
export function isAddress(written: string, email: string): boolean {
  return mailboxOf(readMailAddress(written)?.email ?? written) === mailboxOf(email)
}

/** Whether an address, given as one text or as name and mailbox, belongs to the party. */
export function isTheirs({ email, sharesMailbox }: Omit<MailParty, 'id'>, isNamedIn: IsNamedIn) {
  return (address: string | MailAddress): boolean => {
    const [mailbox, text] =
      typeof address === 'string' ? [address, address] : [address.email, address.name ?? '']
    return email !== null && isAddress(mailbox, email) && (!sharesMailbox || isNamedIn(text))
  }
}

/**
 * Whether a mail is filed with the party, from or to the party, or its answers go to the party. If the party shares its
 * mailbox, mail that is filed with another party belongs to that one.
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
