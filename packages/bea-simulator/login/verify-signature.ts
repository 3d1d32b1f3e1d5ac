import { constants, createHash, verify, type X509Certificate } from 'node:crypto'
import type { RSASSAPSSParams, SignedData } from 'pkijs'

/** 1: `bea_` functions with raw signatures. 2: `bex_` functions with CMS. */
export type LoginVersion = 1 | 2

const oid = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  rsassaPss: '1.2.840.113549.1.1.10',
  mgf1: '1.2.840.113549.1.1.8',
  sha256: '2.16.840.1.101.3.4.2.1',
}
const saltBytes = 32

/**
 * Checks the signature of a challenge.
 *
 * Version 1 is RSASSA-PKCS1-v1_5 with SHA-256 over the decoded challenge. Version 2 is CMS SignedData over the
 * challenge as text, exactly as in the vendor's sample. It is detached, and has signed attributes, only the signer's
 * certificate, and one signer, named by issuer and serial number. Its algorithm is RSASSA-PSS with SHA-256, MGF1 with
 * SHA-256 and 32 bytes of salt.
 *
 * @param signature base64
 * @returns the fault, undefined if there is none
 */
export async function faultOfSignature(
  version: LoginVersion,
  challenge: string,
  signature: string,
  certificate: X509Certificate,
): Promise<string | undefined> {
  const bytes = Buffer.from(signature, 'base64')
  if (version === 2) return faultOfCms(challenge, bytes, certificate)
  const signed = Buffer.from(challenge, 'base64')
  const isValid = verify('sha256', signed, certificate.publicKey, bytes)
  return isValid ? undefined : 'it does not match the challenge and the certificate'
}

async function faultOfCms(
  challenge: string,
  der: Buffer,
  certificate: X509Certificate,
): Promise<string | undefined> {
  const pkijs = await import('pkijs')
  let cms: SignedData
  try {
    const content = pkijs.ContentInfo.fromBER(der)
    if (content.contentType !== oid.signedData) return 'it is not SignedData'
    cms = new pkijs.SignedData({ schema: content.content })
  } catch {
    return 'it is not CMS in DER'
  }
  const { encapContentInfo: content, certificates = [], signerInfos } = cms
  const [signer] = signerInfos
  if (cms.version !== 1) return 'its version is not 1'
  if (content.eContentType !== oid.data || content.eContent !== undefined) return 'it is not detached'
  if (signerInfos.length !== 1 || signer === undefined) return 'it has not exactly one signer'
  const [embedded] = certificates
  if (certificates.length !== 1 || !(embedded instanceof pkijs.Certificate))
    return 'it has not exactly one certificate'
  if (!Buffer.from(embedded.toSchema().toBER()).equals(certificate.raw)) return 'it has another certificate'
  if (
    !(signer.sid instanceof pkijs.IssuerAndSerialNumber) ||
    !signer.sid.issuer.isEqual(embedded.issuer) ||
    !signer.sid.serialNumber.isEqual(embedded.serialNumber)
  )
    return 'it does not name its signer by issuer and serial number'
  if (signer.digestAlgorithm.algorithmId !== oid.sha256) return 'its digest is not SHA-256'
  if (signer.signatureAlgorithm.algorithmId !== oid.rsassaPss) return 'its algorithm is not RSASSA-PSS'
  const { algorithmParams } = signer.signatureAlgorithm
  if (!isUsualPss(new pkijs.RSASSAPSSParams({ schema: algorithmParams })))
    return 'its parameters of RSASSA-PSS are not SHA-256 and 32 bytes of salt'

  const attributes = signer.signedAttrs
  const attribute = (type: string) => attributes?.attributes.find((it) => it.type === type)?.values[0]
  if (attributes === undefined) return 'it has no signed attributes'
  if (attribute(oid.contentType)?.valueBlock.toString() !== oid.data) return 'its content type is not signed'
  if (attribute(oid.signingTime) === undefined) return 'its signing time is not signed'
  const digest = createHash('sha256').update(challenge).digest()
  if (!digest.equals(Buffer.from(attribute(oid.messageDigest)?.valueBlock.valueHexView ?? [])))
    return 'it signs something else'
  const isValid = verify(
    'sha256',
    Buffer.from(attributes.encodedValue),
    { key: certificate.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: saltBytes },
    Buffer.from(signer.signature.valueBlock.valueHexView),
  )
  return isValid ? undefined : 'it does not match the certificate'
}

function isUsualPss({ hashAlgorithm, maskGenAlgorithm, saltLength }: RSASSAPSSParams): boolean {
  const ofMask = maskGenAlgorithm.algorithmParams?.valueBlock?.value?.[0]?.valueBlock?.toString()
  return (
    hashAlgorithm.algorithmId === oid.sha256 &&
    maskGenAlgorithm.algorithmId === oid.mgf1 &&
    ofMask === oid.sha256 &&
    saltLength === saltBytes
  )
}
