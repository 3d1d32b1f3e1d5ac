import { generateKeyPairSync } from 'node:crypto'
import { selfSignedCertificate } from '#sealing/self-signed-certificate.ts'
import type { Signer } from '#sealing/signer.ts'
import { keySigner } from './key-signer.ts'

export const sealedAt = new Date('2026-11-20T10:15:30Z')

/** A signer with a fresh key and a certificate of its own. */
export async function officeSigner(
  kind: 'rsa' | 'p256',
  { bits = 3_072, validTo = new Date('2036-11-20T00:00:00Z') } = {},
): Promise<Signer> {
  const { privateKey, publicKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: bits })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const certificate = await selfSignedCertificate({
    ...keySigner(pem, []),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    organization: 'Kanzlei Łukasz & Şahin',
    validFrom: new Date('2026-01-01T00:00:00Z'),
    validTo,
  })
  return keySigner(pem, [certificate])
}

export const note = { sealedAt, name: 'Kanzlei Łukasz & Şahin', reason: 'Abgeschlossener Signaturvorgang' }
