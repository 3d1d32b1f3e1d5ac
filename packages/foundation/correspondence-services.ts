import { correspondenceService } from '#correspondence/correspondence.ts'
import { sharedLinkService } from '#correspondence/shared-links.ts'
import { sharedTokensIn, withoutLinkTokens } from '#mail/link-tokens.ts'
import { correspondenceFoundation } from './correspondence.ts'
import type { Base } from './foundation.ts'

/** The services of correspondence, for its endpoints and for those of them that stream their answers. */
export function correspondenceServices(base: Base) {
  const { clock } = base
  const { store, files, documents } = correspondenceFoundation(base)
  return {
    correspondence: correspondenceService({ store, files, withoutLinks: withoutLinkTokens, clock }),
    links: sharedLinkService({ store, files, documents, tokensIn: sharedTokensIn, clock }),
  }
}
