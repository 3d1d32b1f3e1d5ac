import { bytesKey } from '#documents/keys.ts'
import { sealedDocument } from '#documents/sealed-document.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { consumer } from '#foundation/consumer.ts'
import { documentFoundation } from '#foundation/documents.ts'
import { handOver } from '#foundation/hand-over.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { documentSealer } from '#foundation/sealing.ts'
import { signingFoundation } from '#foundation/signing.ts'
import { dueAt } from '#signing/envelopes/envelope-states.ts'
import { sendEnvelopeMails } from '#signing/jobs.ts'
import { sealQueue } from '#signing/queues.ts'
import { completion } from '#signing/sealing/completion.ts'
import { sealedCopyStore } from '#store/signing/sealed-copy-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'

const base = announcingFoundation('seal')
indexWakes(base)
const { files } = documentFoundation(base)
const { store } = signingFoundation(base)
handOver(base, sendEnvelopeMails)
const { clock } = base
const copies = sealedCopyStore({
  ...base,
  dueAt,
  documentOf: (workspaceId, copy) => sealedDocument(clock, workspaceId, copy),
})

const { complete } = completion({
  ...base,
  store: { ...store, ...copies },
  files,
  workspaces: workspaceStore(base.db),
  sealer: documentSealer(base),
  keyOf: bytesKey,
})

/** Completes the envelopes that everybody has signed: seals their documents and files them. */
export const handler = consumer(base, sealQueue, complete)
