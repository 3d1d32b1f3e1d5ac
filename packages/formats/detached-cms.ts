import * as asn1js from 'asn1js'
import {
  AlgorithmIdentifier,
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
} from 'pkijs'

/** The object identifiers that every CMS signature with signed attributes has (RFC 5652). */
export const cmsOid = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const

type CmsSigning = {
  /** SHA-256 of the content. */
  digest: Uint8Array
  /** DER. The signature contains all of them; the first belongs to the signer. */
  certificates: readonly Uint8Array[]
  /** The signed attributes in addition to content type and message digest. */
  attributes: Attribute[]
  algorithm: AlgorithmIdentifier
  /** Signs these bytes with the key of the first certificate. */
  sign: (bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array
  /** The unsigned attributes of a signature, such as its time stamp. */
  unsigned?: (signature: Uint8Array) => Promise<Attribute[]>
}

/**
 * A detached CMS signature with SHA-256 (RFC 5652): one signer, named by issuer and serial number.
 *
 * @returns DER
 * @throws TypeError without a certificate; whatever `sign` or `unsigned` throws
 */
export async function detachedCms(signing: CmsSigning): Promise<Uint8Array> {
  const { digest, algorithm, sign, unsigned } = signing
  const certificates = signing.certificates.map((der) => Certificate.fromBER(der))
  const [own] = certificates
  if (own === undefined) throw new TypeError('A signer has a certificate.')
  const attributes = inDerOrder([
    cmsAttribute(cmsOid.contentType, new asn1js.ObjectIdentifier({ value: cmsOid.data })),
    cmsAttribute(cmsOid.messageDigest, octets(digest)),
    ...signing.attributes,
  ])
  const signedAttrs = new SignedAndUnsignedAttributes({ type: 0, attributes })
  const signature = await sign(signedBytesOf(signedAttrs))
  const unsignedAttributes = await unsigned?.(signature)
  const signerInfo = new SignerInfo({
    version: 1,
    sid: new IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
    digestAlgorithm: sha256Algorithm(),
    signedAttrs,
    signatureAlgorithm: algorithm,
    signature: octets(signature),
    ...(unsignedAttributes && {
      unsignedAttrs: new SignedAndUnsignedAttributes({ type: 1, attributes: unsignedAttributes }),
    }),
  })
  const signedData = new SignedData({
    version: 1,
    digestAlgorithms: [sha256Algorithm()],
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: cmsOid.data }),
    certificates,
    signerInfos: [signerInfo],
  })
  const content = new ContentInfo({ contentType: cmsOid.signedData, content: signedData.toSchema(true) })
  return new Uint8Array(content.toSchema().toBER())
}

export function cmsAttribute(type: string, value: asn1js.BaseBlock): Attribute {
  return new Attribute({ type, values: [value] })
}

/**
 * The bytes that are signed: the attributes encoded with the tag SET. The signature itself contains them with another
 * tag (RFC 5652, 5.4).
 */
export function signedBytesOf({ attributes, encodedValue }: SignedAndUnsignedAttributes): Uint8Array {
  if (encodedValue.byteLength > 0) {
    const bytes = new Uint8Array(encodedValue.slice(0))
    bytes[0] = 0x31
    return bytes
  }
  const set = new asn1js.Set({ value: attributes.map((one) => one.toSchema()) })
  return new Uint8Array(set.toBER())
}

export function octets(bytes: Uint8Array): asn1js.OctetString {
  return new asn1js.OctetString({ valueHex: bytes.slice().buffer as ArrayBuffer })
}

export function sha256Algorithm(): AlgorithmIdentifier {
  return new AlgorithmIdentifier({ algorithmId: cmsOid.sha256 })
}

/** DER sorts the members of a set by their encoding (X.690, 11.6). */
function inDerOrder(attributes: Attribute[]): Attribute[] {
  const encoded = attributes.map((one) => ({ one, der: Buffer.from(one.toSchema().toBER()) }))
  return encoded.toSorted((a, b) => Buffer.compare(a.der, b.der)).map(({ one }) => one)
}
