import { type Db, strongly } from '../db.ts'
import { rewrite } from '../rewrite.ts'
import { put, retryStale, transact } from '../transact.ts'
import { signingCertificateEntity } from './signing-certificate-entity.ts'

/** The certificates of a signing key as they are stored. */
export type StoredCertificates = {
  /** SHA-256 of the public key (SubjectPublicKeyInfo in DER), hexadecimal. */
  public_key_sha256: string
  /** DER in base64: the key's own certificate first, then its chain to a root. */
  chain: string[]
  origin: 'self_signed' | 'imported'
  stored_at: string
}

/** The certificates of signing keys in the table. */
export function signingCertificateStore(db: Db) {
  const certificates = signingCertificateEntity(db)
  const find = async (public_key_sha256: string): Promise<StoredCertificates | undefined> => {
    const { data } = await certificates.get({ public_key_sha256 }).go(strongly)
    return data ?? undefined
  }
  return {
    find,
    /**
     * Stores the result of `make` if the key has no certificates. A later caller gets the certificates of the first.
     */
    findOrAdd: (
      publicKeySha256: string,
      make: () => Promise<StoredCertificates>,
    ): Promise<StoredCertificates> =>
      retryStale(async () => {
        const found = await find(publicKeySha256)
        if (found) return found
        const made = await make()
        await transact(db, [put(certificates.create(made))])
        return made
      }),
    /** Replaces the certificates of the key by these. */
    replace: (record: StoredCertificates): Promise<void> =>
      transact(db, [rewrite(certificates, certificates.put(record), {})]),
  }
}
