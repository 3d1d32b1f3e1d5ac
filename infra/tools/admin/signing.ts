import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { certificateName } from '#formats/certificate-name.ts'
import { systemClock } from '#kernel/clock.ts'
import type { CertificateStore, SigningKey, StoredCertificates } from '#sealing/kms-signer.ts'
import { type Options, required } from './options.ts'
import { Misuse } from './target.ts'

/** The help text for the certificate of seals. */
export const signingUsage = `  npm run admin -- signing csr --common-name NAME --organization NAME [--country DE] --file FILE
  npm run admin -- signing certificate import --file FILE
  npm run admin -- signing certificate show`

type Work = (admin: { certificates: CertificateStore }) => Promise<unknown>

/**
 * `signing csr` writes a certificate request for the signing key, `import` stores the authority's
 * certificate.
 */
export const signingCommands = {
  'signing csr': (options: Options): Work => {
    const file = required(options, 'file', signingUsage)
    const subject = {
      commonName: required(options, 'common-name', signingUsage),
      organization: required(options, 'organization', signingUsage),
      country: options.country ?? 'DE',
    }
    if (!/^[A-Z]{2}$/.test(subject.country)) throw new Misuse('--country is two capital letters, such as DE.')
    return async () => {
      const [{ certificateRequest }, { publicKeySha256 }] = await Promise.all([
        import('#sealing/certificate-request.ts'),
        import('#sealing/kms-signer.ts'),
      ])
      const key = await signingKey()
      writeFileSync(file, await certificateRequest(key, subject))
      return { file, public_key_sha256: publicKeySha256(key) }
    }
  },

  'signing certificate import': (options: Options): Work => {
    const pem = read(required(options, 'file', signingUsage))
    return async ({ certificates }) => {
      const [{ readCertificateChain }, { publicKeySha256 }, { SealFault }] = await Promise.all([
        import('#sealing/certificate-chain.ts'),
        import('#sealing/kms-signer.ts'),
        import('#sealing/signer.ts'),
      ])
      const key = await signingKey()
      try {
        const now = systemClock.now()
        const chain = readCertificateChain(pem, { publicKey: key.publicKey, now })
        const record = {
          public_key_sha256: publicKeySha256(key),
          chain: chain.map(({ raw }) => raw.toString('base64')),
          origin: 'imported' as const,
          stored_at: now.toISOString(),
        }
        await certificates.replace(record)
        return shown(record)
      } catch (error) {
        throw error instanceof SealFault ? new Misuse(error.message, { cause: error }) : error
      }
    }
  },

  'signing certificate show':
    (): Work =>
    async ({ certificates }) => {
      const { publicKeySha256 } = await import('#sealing/kms-signer.ts')
      const stored = await certificates.find(publicKeySha256(await signingKey()))
      if (stored === undefined)
        throw new Misuse('The key has no certificate yet. It signs one for itself with the first document.')
      return shown(stored)
    },
}

async function signingKey(): Promise<SigningKey> {
  const { SIGNING_KEY_ID: keyId } = process.env
  if (!keyId) throw new Misuse('There is no signing key: deploy this version first.')
  const { kmsSigningKey } = await import('#sealing/kms-signer.ts')
  return kmsSigningKey(keyId)
}

function shown({ origin, stored_at, chain }: StoredCertificates) {
  return {
    origin,
    stored_at,
    certificates: chain.map((der) => {
      const { subject, issuer, validFromDate, validToDate, fingerprint256 } = new X509Certificate(
        Buffer.from(der, 'base64'),
      )
      return {
        subject: certificateName(subject),
        issuer: certificateName(issuer),
        valid_from: validFromDate.toISOString(),
        valid_to: validToDate.toISOString(),
        sha256: fingerprint256.replaceAll(':', '').toLowerCase(),
      }
    }),
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Misuse(`The file ${file} cannot be read.`, { cause: error })
  }
}
