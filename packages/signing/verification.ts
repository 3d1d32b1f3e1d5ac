import type { EnvelopeStore } from './ports.ts'
import type { Verification, VerifyInput } from './verify-schema.ts'

/** Says whether a file with this digest is one that the service has sealed (S9). Originals are not known. */
export function verificationService({ store }: { store: Pick<EnvelopeStore, 'findSealed'> }) {
  return {
    async verify({ sha256 }: VerifyInput): Promise<Verification> {
      return (await store.findSealed(sha256))?.answer ?? { known: false }
    },
  }
}
