import { required, unknownAt } from '#kernel/failure.ts'
import type { BeaAccountRecord, BeaAccountStore } from '../ports.ts'

/**
 * The connected account of the workspace.
 *
 * @param place where the body names it (G1): `body.account_id`
 * @throws Failure BEA_ACCOUNT_NOT_FOUND
 */
export async function requireAccount(
  accounts: Pick<BeaAccountStore, 'find'>,
  { workspace_id }: { workspace_id: string },
  id: string,
  place?: string,
): Promise<BeaAccountRecord> {
  const account = await accounts.find(workspace_id, id)
  return required(account, 'BEA_ACCOUNT_NOT_FOUND', place === undefined ? undefined : unknownAt(place, id))
}
