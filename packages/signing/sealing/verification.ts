import type { EnvelopeStore, SigningWorkspaces } from '../ports.ts'
import type { Verification, VerifyInput } from './verify-schema.ts'

/**
 * Says whether the service has sealed a file with this digest, and for which office. Anybody may have a workspace and
 * give it any name, so the name alone proves nothing (S9). Digests of originals are unknown.
 */
export function verificationService(deps: {
  store: Pick<EnvelopeStore, 'findSealed'>
  workspaces: SigningWorkspaces
}) {
  const { store, workspaces } = deps
  return {
    async verify({ sha256 }: VerifyInput): Promise<Verification> {
      const sealed = await store.findSealed(sha256)
      const office = sealed && (await workspaces.find(sealed.workspace_id))
      if (sealed === undefined || office === undefined) return { known: false }
      return { ...sealed.answer, office: { workspace_id: sealed.workspace_id, name: office.name } }
    },
  }
}
