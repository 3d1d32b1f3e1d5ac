import { setTimeout as sleep } from 'node:timers/promises'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { timeLeft } from '#kernel/time-limit.ts'
import { unavailable } from '#kernel/unavailable.ts'
import type { Db } from './db.ts'

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** An ElectroDB operation whose parameters are taken instead of running it. */
type Operation = { params: () => unknown }

/** One write of a transaction, and what it means that its condition does not hold. */
export type Action = { item: TransactItem; otherwise: () => Error }

/** Thrown where a record changed since it was read; `retryStale` reads it again. */
export class Stale extends Error {
  constructor() {
    super('A record changed since it was read.')
    this.name = 'Stale'
  }
}

const stale = () => new Stale()

/** Writes a new item (`Entity.create`, or `put` where it may be there already). */
export function put(operation: Operation, otherwise: () => Error = stale): Action {
  return { item: { Put: parameters(operation) }, otherwise }
}

/** Changes an item that is there (`Entity.patch`), or one that may not be (`upsert`). */
export function change(operation: Operation, otherwise: () => Error = stale): Action {
  return { item: { Update: parameters(operation) }, otherwise }
}

/** Removes an item (`Entity.delete`, or `remove` where it must be there). */
export function erase(operation: Operation, otherwise: () => Error = stale): Action {
  return { item: { Delete: parameters(operation) }, otherwise }
}

/** Only demands something of an item: the condition of an `Entity.remove(…)`, which is not carried out. */
export function demand(operation: Operation, otherwise: () => Error = stale): Action {
  return { item: { ConditionCheck: parameters(operation) }, otherwise }
}

function parameters<Parameters>(operation: Operation): Parameters {
  return operation.params() as Parameters
}

/** DynamoDB's limit (facts A5). */
const maxActions = 100

/**
 * Carries out all actions or none. A collision with another transaction is tried again with jitter while there
 * is time; lost answers are repeated by the client under one token, so that nothing happens twice.
 *
 * @throws what `otherwise` of the first action gives whose condition does not hold; Failure 503 when time is up.
 */
export async function transact(db: Db, actions: Action[]): Promise<void> {
  if (actions.length === 0) return
  if (actions.length > maxActions)
    throw new Error(`A transaction of ${actions.length} actions is over DynamoDB's ${maxActions}.`)
  const command = { TransactItems: actions.map((action) => action.item) }
  for (let attempt = 0; ; attempt += 1) {
    try {
      await db.client.send(new TransactWriteCommand(command))
      return
    } catch (error) {
      const reasons = cancellationReasons(error)
      if (reasons === undefined) throw error
      const failed = reasons.indexOf('ConditionalCheckFailed')
      const action = actions[failed]
      if (action !== undefined) throw action.otherwise()
      if (!reasons.some((reason) => passing.has(reason))) throw error
      await pause(attempt)
    }
  }
}

const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

function cancellationReasons(error: unknown): string[] | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'TransactionConflictException') return ['TransactionConflict']
  if (error.name !== 'TransactionCanceledException' || !('CancellationReasons' in error)) return undefined
  return (error.CancellationReasons as { Code?: string }[]).map((reason) => reason.Code ?? 'None')
}

/**
 * Repeats work that begins with reading, as long as what it read was changed by another before it wrote.
 *
 * @throws Failure 503 when time is up.
 */
export async function retryStale<Result>(work: () => Promise<Result>): Promise<Result> {
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
 * Waits a random time that grows with the attempts, at most half a second.
 *
 * @throws Failure 503 SERVICE_UNAVAILABLE where the request's time would be over.
 */
export async function pause(attempt: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(500, 10 * 2 ** attempt)
  if (timeLeft() < milliseconds + 50) throw unavailable('Too many changes at once.', { retryAfterSeconds: 1 })
  await sleep(milliseconds)
}
