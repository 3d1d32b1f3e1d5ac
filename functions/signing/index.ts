import { bytesKey } from '#documents/keys.ts'
import { bucketFiles } from '#files/bucket.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { handOver } from '#foundation/hand-over.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { canMailLinks, signingFoundation } from '#foundation/signing.ts'
import { serve } from '#http/serve.ts'
import { signingService } from '#signing/envelopes/signing-service.ts'
import { sendEnvelopeMails } from '#signing/jobs.ts'
import { caseTitles } from '#store/cases/case-titles.ts'
import { existingDocuments } from '#store/documents/existing-documents.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('signing')
indexWakes(base)
const { store } = signingFoundation(base)
handOver(base, sendEnvelopeMails)

export const handler = serve(endpoints, {
  ...base,
  services: {
    signing: signingService({
      store,
      files: bucketFiles(),
      documents: existingDocuments({ ...base, bytesKey }),
      cases: caseTitles(base.db),
      canMail: canMailLinks,
      clock: base.clock,
    }),
  },
})
