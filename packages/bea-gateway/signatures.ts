import { constants, createHash, sign, verify, X509Certificate } from 'node:crypto'
import type { Certificate, KeyMaterial, RelayItem } from '#bea/network/gateway-ports.ts'
import { systemClock } from '#kernel/clock.ts'
import { base64Bytes } from './envelope.ts'
import { UnreadableAnswer } from './fields.ts'

/**
 * How a login is signed. 1: `bea_login_…`, raw RSASSA-PKCS1-v1_5 over the decoded challenge. 2: `bex_login_…`, CMS with
 * RSASSA-PSS over the challenge as text.
 */
export type LoginVersion = 1 | 2

/** Signs a challenge as the login version requires. @returns base64 */
export async function signChallenge(
  version: LoginVersion,
  { certificate, private_key_pem }: KeyMaterial,
  { data }: RelayItem,
): Promise<string> {
  if (version === 1) return sign('sha256', base64Bytes(data), private_key_pem).toString('base64')
  const { signCms } = await import('./cms.ts')
  const signature = await signCms(Buffer.from(data), {
    certificate: new X509Certificate(certificate.pem).raw,
    signedAt: systemClock.now(),
    sign: (bytes) => sign('sha256', bytes, { key: private_key_pem, ...pss }),
  })
  return Buffer.from(signature).toString('base64')
}

/** Whether a signature of a challenge is valid for the certificate; false for bytes that are not a signature. */
export async function signatureFits(
  version: LoginVersion,
  answer: { certificate: Certificate; challenge: RelayItem; signature: string },
): Promise<boolean> {
  const { certificate, challenge, signature } = answer
  const { publicKey } = new X509Certificate(certificate.pem)
  const bytes = bytesOf(signature)
  if (bytes === undefined) return false
  if (version === 1) return verify('sha256', base64Bytes(challenge.data), publicKey, bytes)
  const { readCms } = await import('./cms.ts')
  const cms = readCms(bytes)
  if (cms === undefined) return false
  const digest = createHash('sha256').update(challenge.data).digest()
  return (
    digest.equals(cms.messageDigest) &&
    verify('sha256', cms.signedBytes, { key: publicKey, ...pss }, cms.signature)
  )
}

/** RSASSA-PSS with SHA-256, MGF1 with SHA-256, and a salt of 32 bytes. */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }

function bytesOf(base64: string): Buffer | undefined {
  try {
    return base64Bytes(base64)
  } catch (error) {
    if (error instanceof UnreadableAnswer) return undefined
    throw error
  }
}
