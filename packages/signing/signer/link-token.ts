import { randomBytes } from 'node:crypto'
import { hexDigest } from '#kernel/hex-digest.ts'

/** A new token of a magic link: 256 random bits in base64url, with the digest that is stored instead of it (S5). */
export function newLinkToken(): { token: string; sha256: string } {
  const token = randomBytes(32).toString('base64url')
  return { token, sha256: hexDigest(token) }
}

/** The address of a signer's page. */
export function linkAddress(baseUrl: string, token: string): string {
  return `${baseUrl}/sign/${token}`
}
