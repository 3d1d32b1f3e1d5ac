import { createHash } from 'node:crypto'
import * as asn1js from 'asn1js'
import {
  AlgorithmIdentifier,
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  RSASSAPSSParams,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from 'pkijs'

const oid = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  mgf1: '1.2.840.113549.1.1.8',
  rsaPss: '1.2.840.113549.1.1.10',
}

export type CmsSigner = {
  /** DER. */
  certificate: Uint8Array
  signedAt: Date
  /** RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes. */
  sign: (bytes: Uint8Array) => Uint8Array
}

/**
 * A detached CMS signature with RSASSA-PSS, as the second version of the login wants it (facts, section 2): one signer, named
 * by issuer and serial number, with its certificate; the signed attributes are content type, signing time and message digest.
 *
 * @returns DER
 */
export async function signCms(
  content: Uint8Array,
  { certificate, signedAt, sign }: CmsSigner,
): Promise<Uint8Array> {
  const own = Certificate.fromBER(certificate)
  const digest = createHash('sha256').update(content).digest()
  const attributes = [
    attribute(oid.contentType, new asn1js.ObjectIdentifier({ value: oid.data })),
    attribute(oid.signingTime, new asn1js.UTCTime({ valueDate: signedAt })),
    attribute(oid.messageDigest, new asn1js.OctetString({ valueHex: digest })),
  ]
  const inDerOrder = attributes
    .map((one) => ({ one, der: Buffer.from(one.toSchema().toBER()) }))
    .toSorted((a, b) => Buffer.compare(a.der, b.der))
  // Signed with the tag SET; the signature holds them with another tag (RFC 5652, 5.4).
  const toSign = new asn1js.Set({ value: inDerOrder.map(({ one }) => one.toSchema()) }).toBER()
  const signerInfo = new SignerInfo({
    version: 1,
    sid: new IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
    digestAlgorithm: sha256(),
    signedAttrs: new SignedAndUnsignedAttributes({ type: 0, attributes: inDerOrder.map(({ one }) => one) }),
    signatureAlgorithm: new AlgorithmIdentifier({
      algorithmId: oid.rsaPss,
      algorithmParams: pssParameters(),
    }),
    signature: new asn1js.OctetString({ valueHex: sign(new Uint8Array(toSign)) }),
  })
  const signedData = new SignedData({
    version: 1,
    digestAlgorithms: [sha256()],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: oid.data }),
    certificates: [own],
    signerInfos: [signerInfo],
  })
  const info = new ContentInfo({ contentType: oid.signedData, content: signedData.toSchema(true) })
  return new Uint8Array(info.toSchema().toBER())
}

/** What a CMS signature says. Nothing is verified yet. */
export type ReadCms = {
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
    const { attributes, encodedValue } = signer.signedAttrs ?? {
      attributes: [],
      encodedValue: new ArrayBuffer(),
    }
    const digests: unknown[] = attributes
      .filter(({ type }) => type === oid.messageDigest)
      .flatMap(({ values }) => values)
    const [digest] = digests
    if (!(digest instanceof asn1js.OctetString) || digests.length > 1) return undefined
    const signedBytes = Buffer.from(encodedValue.slice(0))
    signedBytes[0] = 0x31
    return {
      messageDigest: Buffer.from(digest.getValue()),
      signedBytes,
      signature: Buffer.from(signer.signature.getValue()),
    }
  } catch {
    return undefined
  }
}

function attribute(type: string, value: asn1js.BaseBlock): Attribute {
  return new Attribute({ type, values: [value] })
}

function sha256(): AlgorithmIdentifier {
  return new AlgorithmIdentifier({ algorithmId: oid.sha256 })
}

function pssParameters(): asn1js.Sequence {
  return new RSASSAPSSParams({
    hashAlgorithm: sha256(),
    maskGenAlgorithm: new AlgorithmIdentifier({
      algorithmId: oid.mgf1,
      algorithmParams: sha256().toSchema(),
    }),
    saltLength: 32,
  }).toSchema()
}
