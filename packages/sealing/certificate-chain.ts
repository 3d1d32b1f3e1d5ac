import { createPublicKey, X509Certificate } from 'node:crypto'
import * as asn1js from 'asn1js'
import { Certificate } from 'pkijs'
import { certificateName } from '#formats/certificate-name.ts'
import { SealFault } from './signer.ts'

/**
 * Reads the certificates that an authority has issued for a key, from a PEM file with the certificates in any order.
 *
 * @returns the key's own certificate first, each followed by the certificate of its issuer. The root may be missing.
 * @throws SealFault `certificate` if a certificate is missing, has no part in the chain, is not valid now, or is not
 *   for signing
 */
export function readCertificateChain(
  pem: string,
  { publicKey, now }: { publicKey: Uint8Array; now: Date },
): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw fault('The file holds no certificate in PEM.')
  if (blocks.length > maxCertificates)
    throw fault(`The file holds more than ${maxCertificates} certificates.`)
  const certificates = blocks.map(parse)
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
  const own = certificates.find((certificate) => certificate.publicKey.equals(key))
  if (own === undefined) throw fault('No certificate of the file is for the signing key.')
  if (own.ca) throw fault('The certificate of the signing key belongs to an authority.')
  if (!maySign(own)) throw fault('The certificate of the signing key must not be used for signatures.')

  const chain = [own]
  for (;;) {
    const last = chain.at(-1) ?? own
    const issuer = certificates.find((candidate) => !chain.includes(candidate) && isIssuedBy(last, candidate))
    if (issuer === undefined) break
    chain.push(issuer)
  }
  const stranger = certificates.find((certificate) => !chain.includes(certificate))
  if (stranger) throw fault(`This certificate has no part in the chain: ${certificateName(stranger.subject)}`)
  const invalid = chain.find(({ validFromDate, validToDate }) => now < validFromDate || now > validToDate)
  if (invalid) throw fault(`This certificate is not valid now: ${certificateName(invalid.subject)}`)
  if (chain.length === 1 && !isIssuedBy(own, own)) {
    throw fault(`The certificate of the issuer is missing from the file: ${certificateName(own.issuer)}`)
  }
  return chain
}

const maxCertificates = 8

function parse(block: string): X509Certificate {
  try {
    return new X509Certificate(block)
  } catch (error) {
    throw fault('A certificate of the file is damaged.', error)
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** KeyUsage (RFC 5280, 4.2.1.3), if present, has digitalSignature or nonRepudiation, its first two bits. */
function maySign({ raw }: X509Certificate): boolean {
  const usage = Certificate.fromBER(raw).extensions?.find(({ extnID }) => extnID === '2.5.29.15')?.parsedValue
  if (usage === undefined) return true
  return usage instanceof asn1js.BitString && ((usage.valueBlock.valueHexView[0] ?? 0) & 0xc0) !== 0
}

function fault(message: string, cause?: unknown): SealFault {
  return new SealFault('certificate', message, { cause })
}
