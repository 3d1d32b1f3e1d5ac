import { changingEnvelopes } from './envelopes/changing.ts'
import { creatingEnvelopes } from './envelopes/creating.ts'
import type { SigningDeps } from './envelopes/lookups.ts'
import { readingEnvelopes } from './envelopes/reading.ts'
import { sendingEnvelopes } from './envelopes/sending.ts'

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
