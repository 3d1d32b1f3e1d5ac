import { confidentialAnswers, markingStore } from '#bea/eeb/confidential-answers.ts'
import { importing } from '#bea/messages/importing.ts'
import type { SendingDeps } from '#bea/sending/sending-ports.ts'
import { importingSent } from '#bea/sending/sent-import.ts'
import { beaMediaType } from '#documents/bea-media-type.ts'
import { beaNetwork } from './bea.ts'
import { beaFilingFoundation } from './bea-messages.ts'
import { beaSendFoundation } from './bea-sends.ts'
import { documentFoundation } from './documents.ts'
import type { Base } from './foundation.ts'

/** The sending of beA messages and answers, for the worker that may open the secrets of beA. */
export function beaSendingDeps(base: Base): SendingDeps {
  const network = beaNetwork(base)
  const sends = beaSendFoundation(base)
  const { messages, files, drafts } = sends
  const store = markingStore(messages, confidentialAnswers({ drafts, messages }))
  beaFilingFoundation(base, { messages, documents: documentFoundation(base).store })
  const importSent = importingSent({
    ...network,
    clock: base.clock,
    messages,
    useSession: network.useBeaSession,
    importing: importing({
      store,
      files,
      describe: beaMediaType,
      clock: base.clock,
    }),
  })
  return {
    ...base,
    ...sends,
    accounts: network.accounts,
    useSession: network.useBeaSession,
    importSent,
  }
}
