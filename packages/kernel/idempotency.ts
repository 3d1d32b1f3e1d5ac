import { AsyncLocalStorage } from 'node:async_hooks'
import { Failure } from './failure.ts'

/** A request with an Idempotency-Key (G14): whose it is, and digests of its key and of its content. */
export type KeyedRequest = { workspace_id: string; user_id: string; key: string; content: string }

/** The answer that a repeated request gets again. `etag` is undefined where the answer has none. */
export type FirstAnswer = { status: number; body: string; etag: string | undefined }

/** A stored answer. The body of a large one that changed nothing is not stored, since it can be made again. */
export type KeptAnswer = Omit<FirstAnswer, 'body'> & { body: string | undefined }

/** What is stored so that the request gets the same answer when it is repeated. */
export type Claim = KeyedRequest & { answer: FirstAnswer }

/** The refusal of a claim because the key has an answer already: nothing was changed. The caller gets that answer instead. */
export class KeyHasAnswer extends Failure {
  constructor() {
    super('conflict', 'REQUEST_IN_PROGRESS', 'Send this request again in a moment.', { retryAfterSeconds: 1 })
  }
}

type Claiming = {
  key: string
  claimOf: (result: unknown) => Claim
  /** What `willAnswer` was given and no transaction has taken. */
  result: { value: unknown } | undefined
  isClaimed: boolean
}

const claiming = new AsyncLocalStorage<Claiming | undefined>()

/**
 * The handling of a request with an Idempotency-Key. The transaction that follows a call of `willAnswer` stores the claim.
 *
 * @param claimOf makes the claim from what `willAnswer` was given
 */
export function idempotently({ key }: KeyedRequest, claimOf: (result: unknown) => Claim) {
  const current: Claiming = { key, claimOf, result: undefined, isClaimed: false }
  return {
    run: <Result>(work: () => Promise<Result>): Promise<Result> => claiming.run(current, work),
    /** Whether a transaction of the work has stored the claim. */
    isClaimed: (): boolean => current.isClaimed,
  }
}

/** The digest of the current request's Idempotency-Key, for a use case that has a guard of its own; undefined without one. */
export function idempotencyKey(): string | undefined {
  return claiming.getStore()?.key
}

/** Runs work whose transactions store no claim, since they do not make the change that the caller asked for. */
export function withoutClaim<Result>(work: () => Promise<Result>): Promise<Result> {
  return claiming.run(undefined, work)
}

/**
 * Says what the request will be answered with once the next transaction is written. Every use case behind a POST says
 * it right before it writes, with exactly what the handler of its endpoint returns. The last call counts. A transaction
 * that fails because a record has changed leaves it to the next attempt.
 *
 * @returns the result
 */
export function willAnswer<Result>(result: Result): Result {
  const current = claiming.getStore()
  if (current !== undefined && !current.isClaimed) current.result = { value: result }
  return result
}

/** The claim that a transaction has to store, and what to call when it is written, or will be tried again; undefined where there is none. */
export function takeClaim(): { claim: Claim; written: () => void; retried: () => void } | undefined {
  const current = claiming.getStore()
  const taken = current?.result
  if (current === undefined || taken === undefined) return undefined
  // Of several transactions at once, one takes it.
  current.result = undefined
  return {
    claim: current.claimOf(taken.value),
    written: () => {
      current.isClaimed = true
    },
    retried: () => {
      current.result ??= taken
    },
  }
}
