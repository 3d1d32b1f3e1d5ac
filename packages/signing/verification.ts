import type { EnvelopeStore, SigningWorkspaces } from './ports.ts'
import type { Verification, VerifyInput } from './verify-schema.ts'

/**
 * Says whether a file with this digest is one that the service has sealed, and for which office: anybody may have a
 * workspace and call it as they like, so the name alone proves nothing (S9). Originals are not known.
 */
export function verificationService({
  store,
  workspaces,
}: {
  store: Pick<EnvelopeStore, 'findSealed'>
  workspaces: SigningWorkspaces
}) {
  return {
    async verify({ sha256 }: VerifyInput): Promise<Verification> {
      const sealed = await store.findSealed(sha256)
      const office = sealed && (await workspaces.find(sealed.workspace_id))
      if (sealed === undefined || office === undefined) return { known: false }
      return { ...sealed.answer, office: { workspace_id: sealed.workspace_id, name: office.name } }
    },
  }
}
