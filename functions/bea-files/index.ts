import { beaMessages } from '#bea/messages/messages.ts'
import { beaMessageFoundation } from '#foundation/bea-messages.ts'
import { foundation } from '#foundation/foundation.ts'
import { streamed } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { partyStore } from '#store/parties/party-store.ts'
import * as endpoints from '../bea-messages/endpoints.ts'

const base = foundation('bea-files')
const messages = beaMessageFoundation(base)
const { syncBeaAccount: _, ...ofMessages } = endpoints

export const handler = serveStreamed(streamed(ofMessages), {
  ...base,
  services: { beaMessages: beaMessages({ ...base, ...messages, parties: partyStore(base) }) },
})
