import { everyItem } from '#kernel/every-item.ts'
import { mailboxOf, readMailAddress } from './address-schema.ts'
import type { CorrespondenceRecord, CorrespondenceStore } from './ports.ts'

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

/** The mails from or to a party: filed with it, or with its address. */
export async function* mailsOfParty(
  store: Pick<CorrespondenceStore, 'page'>,
  { workspace_id, id, email }: { workspace_id: string; id: string; email: string | null },
): AsyncGenerator<CorrespondenceRecord> {
  const done = new Set<string>()
  for await (const mail of everyItem((request) => store.page(workspace_id, { party_id: id, ...request }))) {
    done.add(mail.id)
    yield mail
  }
  if (email === null) return
  for await (const mail of everyItem((request) => store.page(workspace_id, { search: email, ...request })))
    if (!done.has(mail.id) && hasAddress(mail, email)) yield mail
}
