import { bucketFiles } from '#files/bucket.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { handOver } from '#foundation/hand-over.ts'
import { signingFoundation } from '#foundation/signing.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { sealEnvelope, sendEnvelopeMails } from '#signing/jobs.ts'
import { verificationService } from '#signing/sealing/verification.ts'
import { accessAttempts } from '#signing/signer/access-attempts.ts'
import { signerActions } from '#signing/signer/signer-actions.ts'
import { signerViews } from '#signing/signer/signer-views.ts'
import { signingLinks } from '#signing/signer/signing-links.ts'
import { officeFacts } from '#store/workspace/office-facts.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('sign')
const { store } = signingFoundation(base)
handOver(base, sendEnvelopeMails)
handOver(base, sealEnvelope)
const deps = { store, files: bucketFiles(), workspaces: officeFacts(base.db), clock: base.clock }

export const handler = serveStreamed(endpoints, {
  ...base,
  services: {
    links: signingLinks(deps),
    attempts: accessAttempts(deps),
    signer: signerActions({
      ...deps,
      // Needed only if a signature is drawn.
      checkSignature: async (png) => (await import('#sealing/png.ts')).checkSignature(png),
    }),
    views: signerViews(deps),
    verification: verificationService(deps),
  },
})
