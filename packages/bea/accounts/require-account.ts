import { required } from '#kernel/failure.ts'
import type { BeaAccountRecord, BeaAccountStore } from '../ports.ts'

/** The connected account of the workspace. @throws Failure BEA_ACCOUNT_NOT_FOUND */
export async function requireAccount(
  accounts: Pick<BeaAccountStore, 'find'>,
  { workspace_id }: { workspace_id: string },
  id: string,
): Promise<BeaAccountRecord> {
  return required(await accounts.find(workspace_id, id), 'BEA_ACCOUNT_NOT_FOUND')
}
