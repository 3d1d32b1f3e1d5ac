import { correspondenceService } from '#correspondence/correspondence.ts'
import { sharedLinkService } from '#correspondence/shared-links.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { buffered } from '#http/endpoint.ts'
import { serve } from '#http/serve.ts'
import { sharedTokensIn, withoutLinkTokens } from '#mail/link-tokens.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('correspondence')
const { store, files, documents } = correspondenceFoundation(base)

export const handler = serve(buffered(endpoints), {
  ...base,
  services: {
    correspondence: correspondenceService({
      store,
      files,
      withoutLinks: withoutLinkTokens,
      clock: base.clock,
    }),
    links: sharedLinkService({ store, files, documents, tokensIn: sharedTokensIn, clock: base.clock }),
  },
})
