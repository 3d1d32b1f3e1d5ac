import * as z from 'zod'

/** The possible faults of a call. */
export const faultKinds = {
  /** Waits, then answers as usual. */
  slow: 'Waits for `milliseconds` (40 000 by default), then does the work and answers.',
  timeout: 'Does nothing and never answers.',
  html: 'Does nothing; answers 200 with a page of HTML.',
  half_json: 'Does the work; answers with the first half of its JSON.',
  missing_members: 'Does nothing; answers `{}`.',
  error_string: 'Does nothing; answers `{"error": "…"}`.',
  error_object: 'Does nothing; answers `{"error": {"code", "message"}}`.',
  http_500: 'Does nothing; answers 500.',
  connection_cut: 'Does nothing; closes the connection.',
  answer_lost: 'Does the work; closes the connection instead of an answer.',
  other_user: 'Does the work; answers with the SAFE-ID and the ids of somebody else.',
  locked: 'Does nothing; answers that the identity is locked.',
  certificate_expired: 'Does nothing; answers that the certificate has expired.',
  session_ended: 'Ends all sessions first.',
} as const

export type FaultKind = keyof typeof faultKinds

/** A fault that applies to future calls. */
export const Fault = z.strictObject({
  /** `*` for all of them. */
  function: z.string(),
  fault: z.enum(Object.keys(faultKinds) as [FaultKind, ...FaultKind[]]),
  /** The number of calls that it affects. */
  times: z.int().min(1).max(1_000_000).default(1),
  milliseconds: z.int().min(0).max(600_000).default(40_000),
})

export type Fault = z.infer<typeof Fault>

/** The faults that wait, in the order in which they were injected. */
export type Faults = {
  inject: (fault: Fault) => void
  /** The fault of this call, if any. It uses up one of its `times`. */
  next: (functionName: string) => Fault | undefined
  clear: () => void
}

export function openFaults(): Faults {
  let waiting: Fault[] = []
  return {
    inject: (fault) => void waiting.push({ ...fault }),
    next: (functionName) => {
      const found = waiting.find((fault) => fault.function === '*' || fault.function === functionName)
      if (found === undefined) return undefined
      found.times -= 1
      waiting = waiting.filter(({ times }) => times > 0)
      return found
    },
    clear: () => {
      waiting = []
    },
  }
}

/** The SAFE-ID of an unknown identity. */
const strange = 'DE.BRAK.00000000-0000-4000-8000-00000000dead.dead'

/** The answer with the ids of another user. */
export function asAnotherUser(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(asAnotherUser)
  if (typeof answer !== 'object' || answer === null) return answer
  const changed = Object.entries(answer).map(([name, value]) => {
    if (name === 'safeId' || name === 'postboxSafeId') return [name, strange]
    if (name === 'messageId') return [name, '1']
    return [name, asAnotherUser(value)]
  })
  return Object.fromEntries(changed)
}
