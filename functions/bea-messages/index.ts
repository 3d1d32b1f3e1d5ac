import { beaMessages } from '#bea/messages/messages.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaFilingFoundation, beaMessageFoundation, beaSyncFoundation } from '#foundation/bea-messages.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { buffered } from '#http/endpoint.ts'
import { serve } from '#http/serve.ts'
import { partyStore } from '#store/parties/party-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('bea-messages')
indexWakes(base)
const messages = beaMessageFoundation(base)
beaFilingFoundation(base, { messages: messages.store, documents: documentFoundation(base).store })

export const handler = serve(buffered(endpoints), {
  ...base,
  services: {
    beaMessages: beaMessages({ ...base, ...messages, parties: partyStore(base) }),
    beaSyncs: beaSyncFoundation(base),
  },
})
