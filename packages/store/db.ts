import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { SentEvent } from '#webhooks/catalogue-schema.ts'

/**
 * The client and the table's name, which every store needs. It is also the configuration of ElectroDB. `hints` receives
 * the events of changes; absent if this process announces none.
 */
export type Db = { client: DynamoDBDocumentClient; table: string; hints?: EventHints }

/** Tells the worker of events that were just written, so that it need not look for them. None of it throws. */
export type EventHints = {
  areWanted: (workspaceId: string) => Promise<boolean>
  send: (workspaceId: string, events: SentEvent[]) => Promise<void>
}

/**
 * The options of reads: strongly consistent, and errors of the client are thrown unchanged. Otherwise ElectroDB would
 * create an error object of its own before every call.
 */
export const strongly = { consistent: true, originalErr: true } as const

/** The same for a Query that reads all its pages. */
export const allPages = { pages: 'all', ...strongly } as const

/** As `strongly`, with the attributes of items that their entity does not know (`rewrite.ts`), and with their keys. */
export const whole = { ...strongly, data: 'includeKeys' } as const

/** Whether DynamoDB has refused a write by itself since its condition does not hold. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalCheckFailedException'
}

/** For `catch`: undefined if the condition of a write does not hold. @throws every other error */
export function unlessRefused(error: unknown): undefined {
  if (!isRefused(error)) throw error
}
