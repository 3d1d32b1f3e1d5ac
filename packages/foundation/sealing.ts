import type { Clock } from '#kernel/clock.ts'
import type { TimeStamper } from '#sealing/cms.ts'
import { kmsSigner } from '#sealing/kms-signer.ts'
import type { Seal } from '#sealing/seal-prepared.ts'
import { sealer } from '#sealing/sealer.ts'
import type { Sealer } from '#signing/ports.ts'
import type { Db } from '#store/db.ts'
import { signingCertificateStore } from '#store/sealing/signing-certificate-store.ts'

/**
 * Seals with the stage's key: `SIGNING_KEY_ID` names it in KMS, and its certificates are in the table. If
 * `SIGNING_TSA_URL` is set, each seal gets a time stamp from that authority.
 */
export function documentSealer({ db, clock }: { db: Db; clock: Clock }): Sealer {
  const certificates = signingCertificateStore(db)
  return sealer({
    findSigner: kmsSigner({ keyId: process.env.SIGNING_KEY_ID ?? '', certificates, clock }),
    timeStamper: process.env.SIGNING_TSA_URL ? lazyTimeStamper(process.env.SIGNING_TSA_URL) : undefined,
    clock,
  })
}

/** Seals documents that the service itself creates, with the stage's key. */
export function officeSeal({ db, clock }: { db: Db; clock: Clock }) {
  const certificates = signingCertificateStore(db)
  const findSigner = kmsSigner({ keyId: process.env.SIGNING_KEY_ID ?? '', certificates, clock })
  const url = process.env.SIGNING_TSA_URL
  return async (name: string, reason: string): Promise<Seal> => ({
    signer: await findSigner(),
    note: { sealedAt: clock.now(), name, reason },
    ...(url && { timeStamper: lazyTimeStamper(url) }),
  })
}

/** Loaded with the first seal, like all code that seals. */
function lazyTimeStamper(url: string): TimeStamper {
  return async (digest) => {
    const { httpTimeStamper } = await import('#sealing/time-stamper.ts')
    return httpTimeStamper(url)(digest)
  }
}
