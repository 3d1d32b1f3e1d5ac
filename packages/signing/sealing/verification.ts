import type { EnvelopeStore, SigningWorkspaces } from '../ports.ts'
import type { Verification, VerifyInput } from './verify-schema.ts'

/**
 * Says whether the service has sealed a file with this digest, and for which office (S9). An office can choose any
 * name, so the answer also has the id of its workspace. Digests of originals are not known.
 */
export function verificationService(deps: {
  store: Pick<EnvelopeStore, 'findSealedFile'>
  workspaces: SigningWorkspaces
}) {
  const { store, workspaces } = deps
  return {
    async verify({ sha256 }: VerifyInput): Promise<Verification> {
      const sealed = await store.findSealedFile(sha256)
      const office = sealed && (await workspaces.find(sealed.workspace_id))
      if (sealed === undefined || office === undefined) return { known: false }
      return { ...sealed.answer, office: { workspace_id: sealed.workspace_id, name: office.name } }
    },
  }
}
