import { mailboxOf, readMailAddress } from './address-schema.ts'
import type { CorrespondenceRecord } from './ports.ts'

type Participants = Pick<CorrespondenceRecord, 'from' | 'to' | 'cc' | 'bcc' | 'reply_to'>

/** Whether a written address, with or without a name, is this one. */
export function isAddress(written: string, email: string): boolean {
  return mailboxOf(readMailAddress(written)?.email ?? written) === mailboxOf(email)
}

/** Whether a mail is from or to this address, or its answers go there. */
export function hasAddress({ from, to, cc, bcc, reply_to }: Participants, email: string): boolean {
  return [from.email, ...reply_to.map((one) => one.email), ...to, ...cc, ...bcc].some((one) =>
    isAddress(one, email),
  )
}
