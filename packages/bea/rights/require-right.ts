import type { Actor } from '#kernel/actor.ts'
import { Failure } from '#kernel/failure.ts'
import type { BeaAccess, BeaAccountRecord } from '../ports.ts'
import { type BeaOperation, mayDo, neededRights } from './rights.ts'

/**
 * Requires the rights that an operation needs at an account (B8).
 *
 * @throws Failure BEA_RIGHT_MISSING, which names the needed rights
 */
export async function requireRight(
  access: BeaAccess,
  actor: Actor,
  account: Pick<BeaAccountRecord, 'id' | 'user_id'>,
  operation: BeaOperation,
): Promise<void> {
  if (!mayDo(await access.rightsOf(actor, account), operation)) throw rightMissing(operation)
}

/** The refusal of an operation because a right is missing. */
export function rightMissing(operation: BeaOperation): Failure {
  const rights = neededRights[operation]
  const [named, them] =
    rights.length === 1 ? [`right ${rights}`, 'it'] : [`rights ${rights.join(', ')}`, 'them']
  return new Failure(
    'forbidden',
    'BEA_RIGHT_MISSING',
    `This needs the ${named} of the beA account. A user with the scope bea:admin can give ${them} to you.`,
  )
}
