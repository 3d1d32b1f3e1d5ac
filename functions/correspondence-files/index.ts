import { correspondenceService } from '#correspondence/correspondence.ts'
import { sharedLinkService } from '#correspondence/shared-links.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { foundation } from '#foundation/foundation.ts'
import { streamed } from '#http/endpoint.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { sharedTokensIn, withoutLinkTokens } from '#mail/link-tokens.ts'
import * as endpoints from '../correspondence/endpoints.ts'

const base = foundation('correspondence-files')
const { store, files, documents } = correspondenceFoundation(base)

export const handler = serveStreamed(streamed(endpoints), {
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
