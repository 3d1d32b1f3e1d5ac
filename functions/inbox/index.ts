import { messageDesk } from '#bea/message-desk.ts'
import { mailDesk } from '#correspondence/mail-desk.ts'
import { documentDesk } from '#documents/filing.ts'
import { beaFilingFoundation, beaMessageFoundation } from '#foundation/bea-messages.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { filingFoundation } from '#foundation/filing.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { inboxService } from '#inbox/service.ts'
import { messageIdDomain } from '#mail/message-id-domain.ts'
import { correspondenceStore } from '#store/correspondence/correspondence-store.ts'
import { inboxStore } from '#store/inbox/inbox-store.ts'
import { triages } from '#store/inbox/triages.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { userStore } from '#store/workspace/user-store.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('inbox')
const mails = correspondenceStore({ ...base, providerDomain: messageIdDomain() })
const documents = documentFoundation(base).store
const messages = beaMessageFoundation(base)
filingFoundation(base, { mails, documents })
beaFilingFoundation(base, { messages: messages.store, documents })
const deps = { parties: partyStore(base), users: userStore(base), clock: base.clock }
const judged = triages(base.db)

const inbox = inboxService({
  store: inboxStore(base),
  desks: {
    correspondence: mailDesk({ ...deps, store: mails }),
    document: documentDesk({ ...deps, store: documents, findTriage: judged.find }),
    bea: messageDesk({ ...deps, ...messages, findTriage: judged.find }),
  },
  seenBea: messages.sight.ofAll,
})

export const handler = serve(endpoints, { ...base, services: { inbox } })
