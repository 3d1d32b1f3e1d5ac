import type { Clock } from '#kernel/clock.ts'
import type { LogOf } from '#kernel/log.ts'
import type { DraftFiles } from '../drafts/draft-files.ts'
import type { BeaDraftStore, BeaFiles } from '../drafts/draft-ports.ts'
import type { BeaOrder } from '../drafts/order-schema.ts'
import type { BeaAccountRecord, BeaAccountStore, BeaMessageStore, UseBeaSession } from '../ports.ts'

/** The dependencies of the worker that sends. */
export type SendingDeps = {
  drafts: BeaDraftStore
  accounts: Pick<BeaAccountStore, 'find'>
  messages: Pick<BeaMessageStore, 'known' | 'findAll'>
  useSession: UseBeaSession
  files: Pick<BeaFiles, 'read' | 'head'>
  objects: Pick<DraftFiles, 'readOrder'>
  importSent: ImportSent
  clock: Clock
  log: LogOf<'info' | 'warn' | 'error'>
}

/** The sent message, the time when its send began, and its case. */
export type SentOrder = { order: BeaOrder; since: Date; case_id: string | null }

/**
 * Imports a sent message with its proof and files it in a case, once.
 *
 * @returns the id of its record; undefined if `remoteId` belongs to another message, which is not filed
 */
export type ImportSent = (
  account: BeaAccountRecord,
  remoteId: string,
  sent: SentOrder,
  signal: AbortSignal,
) => Promise<string | undefined>
