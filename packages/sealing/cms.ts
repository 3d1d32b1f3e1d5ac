import { createHash, verify, X509Certificate } from 'node:crypto'
import * as asn1js from 'asn1js'
import {
  AlgorithmIdentifier,
  Certificate,
  ContentInfo,
  IssuerAndSerialNumber,
  type SignedAndUnsignedAttributes,
  SignedData,
  type SignerInfo,
} from 'pkijs'
import { cmsAttribute, cmsOid, detachedCms, octets, signedBytesOf } from '#formats/detached-cms.ts'
import { SealFault, type Signer, sealingKey } from './signer.ts'

const oid = {
  ...cmsOid,
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  timeStampToken: '1.2.840.113549.1.9.16.2.14',
  rsa: '1.2.840.113549.1.1.1',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const

/** Returns the DER of an RFC 3161 time-stamp token over a SHA-256 digest. */
export type TimeStamper = (digest: Uint8Array) => Promise<Uint8Array>

/**
 * A detached CMS signature over content with this SHA-256 digest, as PAdES-B-B requires (EN 319 142-1, 6.3): the signed
 * attributes are content type, message digest and signing-certificate-v2, without signing time. With a time stamper it
 * has a time stamp over the signature (B-T).
 *
 * The signature is verified before it is returned.
 *
 * @returns DER
 * @throws SealFault; errors of `signer` and `timeStamper`
 */
export async function signDetached(
  digest: Uint8Array,
  signer: Signer,
  timeStamper?: TimeStamper,
): Promise<Uint8Array> {
  const { publicKey } = sealingKey(signer)
  const [own] = signer.certificates
  if (own === undefined) throw new SealFault('certificate', 'The signer has no certificate.')
  return detachedCms({
    digest,
    certificates: signer.certificates,
    attributes: [cmsAttribute(oid.signingCertificateV2, essCertificates(own))],
    algorithm:
      signer.algorithm === 'rsa_pkcs1_sha256'
        ? new AlgorithmIdentifier({ algorithmId: oid.rsa, algorithmParams: new asn1js.Null() })
        : new AlgorithmIdentifier({ algorithmId: oid.ecdsaWithSha256 }),
    sign: async (bytes) => {
      const signature = await signer.sign({ bytes, digest: sha256(bytes) })
      if (!verify('sha256', bytes, publicKey, signature))
        throw new SealFault('signature', 'The signature does not fit the certificate.')
      return signature
    },
    ...(timeStamper && {
      unsigned: async (signature) => {
        const token = await timeStamper(sha256(signature))
        return [cmsAttribute(oid.timeStampToken, asn1js.fromBER(token).result)]
      },
    }),
  })
}

/** The content of a valid CMS signature. */
type VerifiedCms = {
  signedData: SignedData
  signerInfo: SignerInfo
  /** The signer's certificate, from the signature. It is not checked whether it is trusted. */
  certificate: X509Certificate
}

/**
 * Checks the only signature of a CMS: the digest of the content, the signed attributes, and the certificate that they
 * name.
 *
 * @param content the signed bytes; if omitted, the content of the CMS itself
 * @throws Error with a readable message if a check fails
 */
export function verifyCms(der: Uint8Array, content?: Uint8Array): VerifiedCms {
  const info = ContentInfo.fromBER(der)
  if (info.contentType !== oid.signedData) throw new Error('It is not signed data.')
  const signedData = new SignedData({ schema: info.content })
  const [signerInfo, ...others] = signedData.signerInfos
  if (signerInfo === undefined || others.length > 0) throw new Error('It does not have exactly one signer.')
  const certificate = certificateOf(signedData, signerInfo)
  const hash = hashes[signerInfo.digestAlgorithm.algorithmId]
  if (hash === undefined) throw new Error('Its digest algorithm is unknown.')

  const signedAttributes = signerInfo.signedAttrs
  if (signedAttributes === undefined) throw new Error('It has no signed attributes.')
  const bytes = content ?? contentOf(signedData)
  const messageDigest = singleValue(signedAttributes, oid.messageDigest)
  const digest = createHash(hash).update(bytes).digest()
  if (!(messageDigest instanceof asn1js.OctetString) || !digest.equals(bytesOf(messageDigest))) {
    throw new Error('The digest does not match the content.')
  }
  const contentType = singleValue(signedAttributes, oid.contentType)
  if (contentType?.valueBlock.toString() !== signedData.encapContentInfo.eContentType) {
    throw new Error('The content type does not match.')
  }
  checkNamedCertificate(signedAttributes, certificate)
  const signed = signedBytesOf(signedAttributes)
  const { algorithmId } = signerInfo.signatureAlgorithm
  // The plain RSA identifier does not name a digest.
  const signedHash = algorithmId === oid.rsa ? hash : signatureHashes[algorithmId]
  if (signedHash === undefined) throw new Error('Its signature algorithm is unknown.')
  if (!verify(signedHash, signed, certificate.publicKey, bytesOf(signerInfo.signature))) {
    throw new Error('The signature does not fit the certificate.')
  }
  return { signedData, signerInfo, certificate }
}

const hashes: Record<string, string> = {
  [oid.sha256]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** RSASSA-PKCS1-v1_5 and ECDSA, each with the digest that is signed. */
const signatureHashes: Record<string, string> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  [oid.ecdsaWithSha256]: 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
}

function certificateOf({ certificates = [] }: SignedData, { sid }: SignerInfo): X509Certificate {
  if (!(sid instanceof IssuerAndSerialNumber))
    throw new Error('The signer is not identified by issuer and serial number.')
  const found = certificates.find(
    (one): one is Certificate =>
      one instanceof Certificate &&
      one.issuer.isEqual(sid.issuer) &&
      one.serialNumber.isEqual(sid.serialNumber),
  )
  if (found === undefined) throw new Error('The signer’s certificate is missing.')
  return new X509Certificate(new Uint8Array(found.toSchema(true).toBER()))
}

/** The content of a CMS that is not detached. */
export function contentOf({ encapContentInfo: { eContent } }: SignedData): Uint8Array {
  if (eContent === undefined) throw new Error('It has no content.')
  return new Uint8Array(eContent.getValue())
}

/**
 * A signed attribute must name the certificate by its digest. Otherwise the certificate could be replaced (RFC 5035).
 */
function checkNamedCertificate(attributes: SignedAndUnsignedAttributes, certificate: X509Certificate): void {
  const second = singleValue(attributes, oid.signingCertificateV2)
  const first = singleValue(attributes, oid.signingCertificate)
  const identifier = firstOf(firstOf(second ?? first))
  if (!(identifier instanceof asn1js.Sequence))
    throw new Error('The signed attributes do not name the certificate.')
  const parts = identifier.valueBlock.value
  const named = parts.find((part) => part instanceof asn1js.OctetString)
  const algorithm = parts[0] instanceof asn1js.Sequence && second ? firstOf(parts[0]) : undefined
  const hash = second === undefined ? 'sha1' : (hashes[algorithm?.valueBlock.toString() ?? oid.sha256] ?? '')
  const digest = createHash(hash).update(certificate.raw).digest()
  if (named === undefined || !digest.equals(bytesOf(named)))
    throw new Error('The signed attributes name another certificate.')
}

function firstOf(value: asn1js.BaseBlock | undefined): asn1js.BaseBlock | undefined {
  return value instanceof asn1js.Sequence ? value.valueBlock.value[0] : undefined
}

/** The single value of an attribute. @throws Error if there are several. */
function singleValue(
  { attributes }: SignedAndUnsignedAttributes,
  type: string,
): asn1js.BaseBlock | undefined {
  const found = attributes.filter((one) => one.type === type)
  const values: asn1js.BaseBlock[] = found.flatMap((one) => one.values)
  if (found.length > 1 || values.length > 1) throw new Error('An attribute occurs twice.')
  return values[0]
}

/** The ESSCertIDv2 of the certificate. SHA-256 is the default, which DER omits. */
function essCertificates(der: Uint8Array): asn1js.Sequence {
  const identifier = new asn1js.Sequence({ value: [octets(sha256(der))] })
  return new asn1js.Sequence({ value: [new asn1js.Sequence({ value: [identifier] })] })
}

export function bytesOf(value: asn1js.OctetString): Uint8Array {
  return new Uint8Array(value.getValue())
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
