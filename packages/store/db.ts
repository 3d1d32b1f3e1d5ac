import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { CollectionWhereOperations } from 'electrodb'
import type { SentEvent } from '#webhooks/catalogue-schema.ts'

/**
 * The client and the name of the table. It is also the configuration of ElectroDB. `hints` receives the events of
 * changes; absent if this process announces no events.
 */
export type Db = { client: DynamoDBDocumentClient; table: string; hints?: EventHints }

/** Calls `make` once for each table, at the first request for it, and returns the same object from then on. */
export function oncePerTable<Made extends object>(make: (db: Db) => Made): (db: Db) => Made {
  const made = new WeakMap<Db, Made>()
  return (db) => {
    const shared = made.get(db) ?? make(db)
    made.set(db, shared)
    return shared
  }
}

/** The epoch seconds after which the table may remove an item that expires at this time. */
export function ttlOf({ expires_at }: { expires_at: string }): number {
  return Math.ceil(Date.parse(expires_at) / 1_000)
}

/** Sends new events to the worker, so that it need not look for them. It never throws. */
export type EventHints = {
  areWanted: (workspaceId: string) => Promise<boolean>
  send: (workspaceId: string, events: SentEvent[]) => Promise<void>
}

/**
 * The options of reads: strongly consistent, and errors of the client are thrown unchanged. Otherwise ElectroDB would
 * create an error object before every call.
 */
export const strongly = { consistent: true, originalErr: true } as const

/** The same for a Query that reads all its pages. */
export const allPages = { pages: 'all', ...strongly } as const

/** Like `strongly`, but with the keys of items and the attributes that their entity does not know (`rewrite.ts`). */
export const whole = { ...strongly, data: 'includeKeys' } as const

/** Whether DynamoDB has refused a single write because its condition is not met. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException'
}

/** For `catch`: undefined if the condition of a write is not met. @throws every other error */
export function unlessRefused(error: unknown): undefined {
  if (!isRefused(error)) throw error
}

/** For `where`: the condition that an attribute is missing, or below a value. */
export function missingOrBelow<const Name extends string>(name: Name, value: string | number) {
  return (
    attributes: { [One in Name]: unknown },
    { lt, notExists }: Pick<CollectionWhereOperations, 'lt' | 'notExists'>,
  ): string => {
    const attribute = attributes[name] as never
    return `${notExists(attribute)} OR ${lt(attribute, value)}`
  }
}
