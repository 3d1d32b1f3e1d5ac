import { AsyncLocalStorage } from 'node:async_hooks'
import { Failure } from './failure.ts'

/** A request with an Idempotency-Key (G14): its workspace and user, and digests of its key and of its content. */
export type KeyedRequest = { workspace_id: string; user_id: string; key: string; content: string }

/** The answer that a repeated request gets again. `etag` is undefined if the answer has none. */
export type FirstAnswer = { status: number; body: string; etag: string | undefined }

/**
 * A stored answer. The body of a large answer that changed nothing, or of an endpoint that stores nothing, is not stored,
 * because it can be made again.
 */
export type KeptAnswer = Omit<FirstAnswer, 'body'> & { body: string | undefined }

/** The stored record that gives a repeated request the same answer. */
export type Claim = KeyedRequest & { answer: FirstAnswer }

/** The claim was refused because its key already has an answer. Nothing was changed; the caller gets that answer. */
export class KeyHasAnswer extends Failure {
  constructor() {
    super('conflict', 'REQUEST_IN_PROGRESS', 'Send this request again in a moment.', { retryAfterSeconds: 1 })
  }
}

declare const stored: unique symbol

/**
 * An answer that is stored with the change it belongs to, or that belongs to no change (`unchanged`). A POST that takes an
 * Idempotency-Key must return one; only a transaction and `unchanged` make it.
 */
export type Answered<Answer> = [Answer] extends [object] ? Answer & { readonly [stored]: Answer } : Answer

/** The answer to a request that changes nothing. If the request has an Idempotency-Key, the answer is stored on its own. */
export function unchanged<Answer>(answer: Answer): Answered<Answer> {
  return answer as Answered<Answer>
}

type Claiming = { key: string; claimOf: (answer: unknown) => Claim; isClaimed: boolean }

const claiming = new AsyncLocalStorage<Claiming | undefined>()

/**
 * The handling of a request with an Idempotency-Key. The first transaction whose change has an answer stores the claim.
 *
 * @param claimOf makes the claim from the answer
 */
export function idempotently({ key }: KeyedRequest, claimOf: (answer: unknown) => Claim) {
  const current: Claiming = { key, claimOf, isClaimed: false }
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
 * The claim that a transaction must store, and a function to call after it was written; undefined if there is none.
 *
 * @param answer of the transaction's change; undefined if the caller did not ask for the change
 */
export function takeClaim(answer: unknown): { claim: Claim; written: () => void } | undefined {
  const current = claiming.getStore()
  if (current === undefined || current.isClaimed || answer === undefined) return undefined
  return {
    claim: current.claimOf(answer),
    written: () => {
      current.isClaimed = true
    },
  }
}
