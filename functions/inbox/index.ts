import { inboxMessages } from '#bea/messages/inbox-messages.ts'
import { inboxMail } from '#correspondence/inbox-mail.ts'
import { inboxDocuments } from '#documents/inbox-documents.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaFilingFoundation, beaMessageFoundation } from '#foundation/bea-messages.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { filingFoundation } from '#foundation/filing.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { serve } from '#http/serve.ts'
import { inboxService } from '#inbox/inbox.ts'
import { itemActions } from '#inbox/item-actions.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import { correspondenceStore } from '#store/correspondence/correspondence-store.ts'
import { inboxStore } from '#store/inbox/inbox-store.ts'
import { triages } from '#store/inbox/triages.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('inbox')
indexWakes(base)
const mails = correspondenceStore({ ...base, providerDomain: messageIdDomain() })
const documents = documentFoundation(base).store
const messages = beaMessageFoundation(base)
filingFoundation(base, { mails, documents })
beaFilingFoundation(base, { messages: messages.store, documents })
const filers = { users: userStore(base), clock: base.clock }
const parties = partyStore(base)
const { find: findTriage } = triages(base.db)

const inbox = inboxService({
  store: inboxStore(base),
  actions: {
    correspondence: itemActions(inboxMail({ store: mails, parties }), filers),
    document: itemActions(inboxDocuments({ store: documents, parties, findTriage }), filers),
    bea: itemActions(inboxMessages({ ...messages, parties, findTriage }), filers),
  },
  visibleBeaMessages: messages.visibility.ofAll,
})

export const handler = serve(endpoints, { ...base, services: { inbox } })
