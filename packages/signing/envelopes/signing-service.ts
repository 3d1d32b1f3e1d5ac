import { changingEnvelopes } from './changing.ts'
import { creatingEnvelopes } from './creating.ts'
import type { SigningDeps } from './lookups.ts'
import { readingEnvelopes } from './reading.ts'
import { sendingEnvelopes } from './sending.ts'

export type SigningService = ReturnType<typeof signingService>

/** The use cases of the office's users (S1 to S4, S8, S10). */
export function signingService(deps: SigningDeps) {
  return {
    ...creatingEnvelopes(deps),
    ...readingEnvelopes(deps),
    ...changingEnvelopes(deps),
    ...sendingEnvelopes(deps),
  }
}
