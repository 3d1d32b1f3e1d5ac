import { AsyncLocalStorage } from 'node:async_hooks'
import { Failure } from './failure.ts'

/** A request with an Idempotency-Key (G14): its workspace and user, and digests of its key and of its content. */
export type KeyedRequest = { workspace_id: string; user_id: string; key: string; content: string }

/** The answer that a repeated request gets again. `etag` is undefined if the answer has none. */
export type FirstAnswer = { status: number; body: string; etag: string | undefined }

/** A stored answer. The body of a large answer that changed nothing is not stored, because it can be made again. */
export type KeptAnswer = Omit<FirstAnswer, 'body'> & { body: string | undefined }

/** The stored record that gives a repeated request the same answer. */
export type Claim = KeyedRequest & { answer: FirstAnswer }

/** The refusal of a claim because the key has an answer already: nothing was changed. The caller gets that answer instead. */
export class KeyHasAnswer extends Failure {
  constructor() {
    super('conflict', 'REQUEST_IN_PROGRESS', 'Send this request again in a moment.', { retryAfterSeconds: 1 })
  }
}

declare const stored: unique symbol

/**
 * An answer that is stored with the change it belongs to, or that belongs to no change (`unchanged`). A POST that takes an
 * Idempotency-Key must answer one; only a transaction and `unchanged` give it.
 */
export type Answered<Answer> = [Answer] extends [object] ? Answer & { readonly [stored]: Answer } : Answer

/** The answer to a request that changes nothing. If the request has an Idempotency-Key, the answer is stored on its own. */
export function unchanged<Answer>(answer: Answer): Answered<Answer> {
  return answer as Answered<Answer>
}

type Claiming = {
  key: string
  claimOf: (result: unknown) => Claim
  /** The argument of `willAnswer` that no transaction has taken yet. */
  result: { value: unknown } | undefined
  isClaimed: boolean
}

const claiming = new AsyncLocalStorage<Claiming | undefined>()

/**
 * The handling of a request with an Idempotency-Key. The transaction that follows a call of `willAnswer` stores the claim.
 *
 * @param claimOf makes the claim from the argument of `willAnswer`
 */
export function idempotently({ key }: KeyedRequest, claimOf: (result: unknown) => Claim) {
  const current: Claiming = { key, claimOf, result: undefined, isClaimed: false }
  return {
    run: <Result>(work: () => Promise<Result>): Promise<Result> => claiming.run(current, work),
    /** Whether a transaction of the work has stored the claim. */
    isClaimed: (): boolean => current.isClaimed,
  }
}

/** The digest of the current request's Idempotency-Key, for a use case with its own guard; undefined without a key. */
export function idempotencyKey(): string | undefined {
  return claiming.getStore()?.key
}

/** Runs work whose transactions store no claim, because they do not make the change that the caller asked for. */
export function withoutClaim<Result>(work: () => Promise<Result>): Promise<Result> {
  return claiming.run(undefined, work)
}

/**
 * Declares the answer to the request once the next transaction is written. Every use case behind a POST calls it right
 * before it writes, with exactly the value that the handler of its endpoint returns. The last call counts. If a
 * transaction fails because a record has changed, the next attempt uses the declaration.
 *
 * @returns the result
 */
export function willAnswer<Result>(result: Result): Answered<Result> {
  const current = claiming.getStore()
  if (current !== undefined && !current.isClaimed) current.result = { value: result }
  return unchanged(result)
}

/**
 * The claim that a transaction has to store, and the functions to call when it is written or will be tried again;
 * undefined if there is none.
 *
 * @param answer of the transaction's change; undefined if the caller did not ask for the change
 */
export function takeClaim(
  answer: unknown,
): { claim: Claim; written: () => void; retried: () => void } | undefined {
  const current = claiming.getStore()
  if (current === undefined || current.isClaimed) return undefined
  const taken = answer === undefined ? current.result : { value: answer }
  if (taken === undefined) return undefined
  // If several transactions run at once, one takes it.
  current.result = undefined
  return {
    claim: current.claimOf(taken.value),
    written: () => {
      current.isClaimed = true
    },
    retried: () => {
      if (answer === undefined) current.result ??= taken
    },
  }
}
