import { createHash } from 'node:crypto'
import * as asn1js from 'asn1js'
import {
  AlgorithmIdentifier,
  ContentInfo,
  RSASSAPSSParams,
  SignedAndUnsignedAttributes,
  SignedData,
} from 'pkijs'
import { cmsAttribute, cmsOid, detachedCms, sha256Algorithm, signedBytesOf } from '#formats/detached-cms.ts'

const oid = {
  ...cmsOid,
  signingTime: '1.2.840.113549.1.9.5',
  mgf1: '1.2.840.113549.1.1.8',
  rsaPss: '1.2.840.113549.1.1.10',
} as const

type CmsSigner = {
  /** DER. */
  certificate: Uint8Array
  signedAt: Date
  /** RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes. */
  sign: (bytes: Uint8Array) => Uint8Array
}

/**
 * Creates a detached CMS signature with RSASSA-PSS, as login version 2 requires. It has one signer, named by issuer and
 * serial number, with its certificate. The signed attributes are content type, signing time and message digest.
 *
 * @returns DER
 */
export function signCms(
  content: Uint8Array,
  { certificate, signedAt, sign }: CmsSigner,
): Promise<Uint8Array> {
  return detachedCms({
    digest: createHash('sha256').update(content).digest(),
    certificates: [certificate],
    attributes: [cmsAttribute(oid.signingTime, new asn1js.UTCTime({ valueDate: signedAt }))],
    algorithm: new AlgorithmIdentifier({ algorithmId: oid.rsaPss, algorithmParams: pssParameters() }),
    sign,
  })
}

/** The content of a CMS signature, not verified yet. */
type ReadCms = {
  messageDigest: Buffer
  /** The signed attributes as they are signed. */
  signedBytes: Buffer
  signature: Buffer
}

/** Reads a CMS with one RSASSA-PSS signer and signed attributes. @returns undefined for everything else */
export function readCms(der: Uint8Array): ReadCms | undefined {
  try {
    const info = ContentInfo.fromBER(der)
    if (info.contentType !== oid.signedData) return undefined
    const [signer, ...others] = new SignedData({ schema: info.content }).signerInfos
    const isPss = signer?.signatureAlgorithm.algorithmId === oid.rsaPss
    if (!isPss || others.length > 0 || signer.digestAlgorithm.algorithmId !== oid.sha256) return undefined
    const signed = signer.signedAttrs ?? new SignedAndUnsignedAttributes()
    const digests: unknown[] = signed.attributes
      .filter(({ type }) => type === oid.messageDigest)
      .flatMap(({ values }) => values)
    const [digest] = digests
    if (!(digest instanceof asn1js.OctetString) || digests.length > 1) return undefined
    return {
      messageDigest: Buffer.from(digest.getValue()),
      signedBytes: Buffer.from(signedBytesOf(signed)),
      signature: Buffer.from(signer.signature.getValue()),
    }
  } catch {
    return undefined
  }
}

function pssParameters(): asn1js.Sequence {
  return new RSASSAPSSParams({
    hashAlgorithm: sha256Algorithm(),
    maskGenAlgorithm: new AlgorithmIdentifier({
      algorithmId: oid.mgf1,
      algorithmParams: sha256Algorithm().toSchema(),
    }),
    saltLength: 32,
  }).toSchema()
}
