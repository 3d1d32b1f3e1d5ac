import type { Clock } from '#kernel/clock.ts'
import type { DraftFiles } from './draft-files.ts'
import type { BeaDraftStore, BeaFiles } from './draft-ports.ts'
import type { BeaAccountStore, UseBeaSession } from './ports.ts'

/** What the worker that sends depends on. */
export type SendingDeps = {
  drafts: BeaDraftStore
  accounts: Pick<BeaAccountStore, 'find'>
  useSession: UseBeaSession
  files: Pick<BeaFiles, 'read'>
  objects: Pick<DraftFiles, 'readOrder'>
  importSent: ImportSent
  clock: Clock
  log: {
    info: (message: string, fields: Record<string, unknown>) => void
    warn: (message: string, fields: Record<string, unknown>) => void
    error: (message: string, fields: Record<string, unknown>) => void
  }
}

/**
 * Imports a sent message with its proof and files it in a case, once.
 *
 * @returns the id of its record
 */
export type ImportSent = (
  account: { workspace_id: string; id: string },
  remoteId: string,
  caseId: string | null,
  signal: AbortSignal,
) => Promise<string>
