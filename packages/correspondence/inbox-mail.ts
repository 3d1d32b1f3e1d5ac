import { type ItemKind, requireInbox } from '#inbox/filing-schema.ts'
import { mailItem } from '#inbox/schema.ts'
import { dismissed, filed, reopened } from './filing.ts'
import type { CorrespondenceChange, CorrespondenceRecord, CorrespondenceStore, MailParties } from './ports.ts'

/** How the inbox files, dismisses and reopens mail (I6). */
export function inboxMail(deps: {
  store: Pick<CorrespondenceStore, 'find' | 'change'>
  parties: Pick<MailParties, 'names'>
}): ItemKind<CorrespondenceRecord, CorrespondenceChange> {
  const { store, parties } = deps
  return {
    store,
    notFoundCode: 'CORRESPONDENCE_NOT_FOUND',
    filed,
    dismissed,
    reopened,
    accessOf: async () => ({ view: (mail) => mailItem(mail, requireInbox(mail)) }),
    partyNames: parties.names,
  }
}
