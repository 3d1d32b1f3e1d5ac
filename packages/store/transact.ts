import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { AuditEvent } from '#audit/schema.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { type Answered, KeyHasAnswer, takeClaim, unchanged } from '#kernel/idempotency.ts'
import { oneAfterAnother } from '#kernel/one-after-another.ts'
import { timeLeft } from '#kernel/time-limit.ts'
import { unavailable } from '#kernel/unavailable.ts'
import type { SentEvent } from '#webhooks/catalogue-schema.ts'
import { AuditMoved, auditChain, type NextEntry } from './audit/audit-chain.ts'
import { claimPuts } from './claim-item.ts'
import type { Db } from './db.ts'

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** An ElectroDB operation. It is not run; only its parameters are used. */
export type Operation = { params: () => unknown }

/** An item in the form of the database: attributes with their types. */
export type OldItem = Record<string, { S?: string; N?: string } | undefined>

/**
 * A write of a transaction. `otherwise`: returns the error that `transact` throws if the condition of the write is not
 * met; a change passes it the current item. `notAfter`: epoch milliseconds after which no attempt of the transaction
 * begins. `event`: the event that the write sends to other systems.
 */
export type Action = {
  item: TransactItem
  otherwise: (old?: OldItem) => Error
  notAfter?: number
  event?: { workspace_id: string; stored: SentEvent }
}

/** The answer of a change, and its entry in the audit of the firm, in the same transaction (R7). */
export type Answering<Answer> = { answer: Answer; audit?: AuditEvent | undefined }

/** A record has changed since it was read. `retryStale` reads it again. */
export class Stale extends Error {
  constructor() {
    super('A record changed since it was read.')
    this.name = 'Stale'
  }
}

const stale = () => new Stale()

/** Whether the change was made: false if it fails with Stale. @throws other errors */
export async function isMade(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (error instanceof Stale) return false
    throw error
  }
}

/**
 * Writes a new item: `Entity.create`, or `Entity.put` if an existing item is no longer needed. To change an item, use
 * `rewrite` or `change`.
 */
export function put(operation: Operation, otherwise: () => Error = stale): Action {
  return { item: { Put: parameters(operation) }, otherwise }
}

/** Changes an item: `Entity.patch`, or `Entity.upsert` if the item may not exist. */
export function change(operation: Operation, otherwise: Action['otherwise'] = stale): Action {
  const update = parameters<TransactItem['Update'] & object>(operation)
  if (otherwise.length > 0) update.ReturnValuesOnConditionCheckFailure = 'ALL_OLD'
  return { item: { Update: update }, otherwise }
}

/** Removes an item: `Entity.delete`, or `Entity.remove` if the item must exist. */
export function erase(operation: Operation, otherwise: () => Error = stale): Action {
  return { item: { Delete: parameters(operation) }, otherwise }
}

/** Checks the condition of an `Entity.remove(…)` without removing the item. */
export function demand(operation: Operation, otherwise: () => Error = stale): Action {
  return { item: { ConditionCheck: parameters(operation) }, otherwise }
}

function parameters<Parameters>(operation: Operation): Parameters {
  return operation.params() as Parameters
}

/** DynamoDB's limit for one transaction, in items. */
const maxItems = 100

/** The most actions of a transaction: one item is reserved for the claim of its request (G14). */
export const maxActions = maxItems - 1

/**
 * Runs all actions or none. After a conflict with another transaction it tries again with jitter until the time limit.
 * All attempts have the same token. So if the answer to one is lost, the next does not take effect a second time, and
 * does not fail on conditions that the first has changed.
 *
 * The transaction also stores the answer of its change if the request has an Idempotency-Key.
 *
 * @param change undefined if the request did not ask for this change: a preparation, or work that follows
 * @returns the answer of the change
 * @throws the error of `otherwise` of the first action whose condition is not met; KeyHasAnswer if the request was
 *   already answered; Failure 503 at the time limit
 */
export async function transact<Answer = undefined>(
  db: Db,
  actions: Action[],
  change?: Answering<Answer>,
): Promise<Answered<Answer>> {
  const answer = unchanged(change?.answer as Answer)
  if (actions.length === 0) return answer
  const count = actions.length + (change?.audit === undefined ? 0 : 1)
  if (count > maxActions)
    throw new Error(`A transaction of ${count} actions exceeds the limit of ${maxActions}.`)
  const pending = takeClaim(answer)
  const claim = pending === undefined ? [] : claimPuts(db, pending.claim, { changesNothing: false })
  const stored = claim.map((Put) => ({ item: { Put }, otherwise: () => new KeyHasAnswer() }))
  // The claim comes first, so that its refusal takes precedence: the first request may be the reason why another action
  // is refused.
  const announce = announcementOf(db, actions)
  const all = [...stored, ...actions]
  await (change?.audit === undefined ? run(db, all) : runAudited(db, all, change.audit))
  pending?.written()
  await announce()
  return answer
}

function runAudited(db: Db, actions: Action[], audit: AuditEvent): Promise<void> {
  return withNextEntry(db, audit, ({ put: Put }) =>
    run(db, [...actions, { item: { Put }, otherwise: () => new AuditMoved() }]),
  )
}

/**
 * Calls `write` with the next entry of the audit of a firm, and repeats it if another entry was faster. A process adds
 * the entries of a firm one after the other, so that they do not conflict.
 */
export function withNextEntry(
  db: Db,
  event: AuditEvent,
  write: (next: NextEntry) => Promise<void>,
): Promise<void> {
  const chain = auditChain(db)
  return inAuditLine(event.workspace_id, async () => {
    for (let attempt = 0; ; attempt += 1) {
      requireTime(0)
      const next = await chain.next(event)
      try {
        return await write(next)
      } catch (error) {
        if (!(error instanceof AuditMoved)) throw error
        await pause(attempt)
      }
    }
  })
}

const inAuditLine = oneAfterAnother()

/** Announces the events of a transaction once it is written (`event-hints.ts`). All of them belong to one firm. */
function announcementOf({ hints }: Db, actions: readonly Action[]): () => Promise<void> {
  const events = actions.flatMap(({ event }) => event ?? [])
  const [first] = events
  if (hints === undefined || first === undefined) return async () => {}
  const { workspace_id } = first
  const isWanted = hints.areWanted(workspace_id)
  return async () => {
    const stored = events.map((event) => event.stored)
    if (await isWanted) await hints.send(workspace_id, stored)
  }
}

async function run(db: Db, actions: Action[]): Promise<void> {
  const command = { TransactItems: actions.map((action) => action.item), ClientRequestToken: randomUUID() }
  const notAfter = Math.min(...actions.map((action) => action.notAfter ?? Number.POSITIVE_INFINITY))
  for (let attempt = 0; ; attempt += 1) {
    if (epochMilliseconds() > notAfter)
      throw unavailable('Too many changes at once.', { retryAfterSeconds: 1 })
    try {
      await db.client.send(new TransactWriteCommand(command))
      return
    } catch (error) {
      const reasons = cancellationReasons(error)
      if (reasons === undefined) throw error
      const failed = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')
      const action = actions[failed]
      if (action !== undefined) throw action.otherwise(reasons[failed]?.Item)
      if (!reasons.some(({ Code = 'None' }) => passing.has(Code))) throw error
      await pause(attempt)
    }
  }
}

const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

type Reason = { Code?: string; Item?: OldItem }

function cancellationReasons(error: unknown): Reason[] | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'TransactionConflictException') return [{ Code: 'TransactionConflict' }]
  if (error.name !== 'TransactionCanceledException' || !('CancellationReasons' in error)) return undefined
  return error.CancellationReasons as Reason[]
}

/**
 * Repeats work that reads and then writes while it fails with Stale because of a concurrent change.
 *
 * @param key identifies the changed record. Work that has failed once then waits for other failed work on this record
 *   in the process. Otherwise only one of many concurrent attempts would succeed each time.
 * @throws Failure 503 at the time limit
 */
export async function retryStale<Result>(work: () => Promise<Result>, key?: string): Promise<Result> {
  if (key === undefined) return untilFresh(work)
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Stale)) throw error
  }
  return inLine(key, () => {
    requireTime(0)
    return untilFresh(work)
  })
}

const inLine = oneAfterAnother()

async function untilFresh<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      await pause(attempt)
    }
  }
}

/**
 * Waits a random time, which grows with the number of attempts up to half a second.
 *
 * @throws Failure 503 SERVICE_UNAVAILABLE if the request would exceed its time limit
 */
export async function pause(attempt: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(500, 10 * 2 ** attempt)
  requireTime(milliseconds)
  await sleep(milliseconds)
}

function requireTime(milliseconds: number): void {
  if (timeLeft() < milliseconds + 50) throw unavailable('Too many changes at once.', { retryAfterSeconds: 1 })
}
