import { createHash, createPublicKey } from 'node:crypto'
import * as asn1js from 'asn1js'
import { AlgorithmIdentifier, BasicConstraints, Certificate, Extension, PublicKeyInfo, Time } from 'pkijs'
import { distinguishedName } from './distinguished-name.ts'
import type { Signer } from './signer.ts'

type SelfSigned = Pick<Signer, 'algorithm' | 'sign'> & {
  /** SubjectPublicKeyInfo in DER, as KMS `GetPublicKey` returns it. */
  publicKey: Uint8Array
  organization: string
  validFrom: Date
  validTo: Date
}

/**
 * A self-signed certificate for an office without a certificate of an authority. It is made once and kept, since seals
 * name it. A reader shows the seal as intact, but its signer as unknown.
 *
 * @returns DER
 */
export async function selfSignedCertificate(office: SelfSigned): Promise<Uint8Array> {
  const certificate = new Certificate()
  certificate.version = 2
  certificate.serialNumber = new asn1js.Integer({ valueHex: serialOf(office) })
  const name = distinguishedName({ organization: office.organization, commonName: office.organization })
  certificate.issuer = name
  certificate.subject = name
  certificate.notBefore = timeOf(office.validFrom)
  certificate.notAfter = timeOf(office.validTo)
  certificate.subjectPublicKeyInfo = PublicKeyInfo.fromBER(office.publicKey)
  certificate.extensions = [
    extension('2.5.29.19', true, new BasicConstraints({ cA: false }).toSchema()),
    extension('2.5.29.15', true, digitalSignatureAndNonRepudiation()),
    extension('2.5.29.14', false, keyIdentifier(office.publicKey)),
  ]
  const algorithm = signatureAlgorithm(office)
  certificate.signature = algorithm
  certificate.signatureAlgorithm = algorithm
  const toSign = new Uint8Array(certificate.encodeTBS().toBER())
  const digest = createHash('sha256').update(toSign).digest()
  const signature = await office.sign({ bytes: toSign, digest })
  certificate.tbsView = toSign
  certificate.signatureValue = new asn1js.BitString({ valueHex: signature.slice().buffer as ArrayBuffer })
  return new Uint8Array(certificate.toSchema(true).toBER())
}

/** The algorithm with which a key signs certificates and certificate requests. */
export function signatureAlgorithm({ algorithm }: Pick<Signer, 'algorithm'>): AlgorithmIdentifier {
  return new AlgorithmIdentifier(
    algorithm === 'rsa_pkcs1_sha256'
      ? { algorithmId: '1.2.840.113549.1.1.11', algorithmParams: new asn1js.Null() }
      : { algorithmId: '1.2.840.10045.4.3.2' },
  )
}

/** UTCTime ends with the year 2049 (RFC 5280, 4.1.2.5). */
function timeOf(value: Date): Time {
  return new Time({ type: value.getUTCFullYear() < 2050 ? 0 : 1, value })
}

/** A positive number of sixteen bytes, always the same for a key and a time. */
function serialOf({ publicKey, validFrom }: SelfSigned): ArrayBuffer {
  const hash = createHash('sha256').update(publicKey).update(validFrom.toISOString()).digest()
  hash[0] = ((hash[0] ?? 0) & 0x7f) | 0x40
  return new Uint8Array(hash.subarray(0, 16)).buffer
}

function extension(extnID: string, critical: boolean, value: { toBER(): ArrayBuffer }): Extension {
  return new Extension({ extnID, critical, extnValue: value.toBER() })
}

/** KeyUsage with its first two bits. */
function digitalSignatureAndNonRepudiation(): asn1js.BitString {
  return new asn1js.BitString({ valueHex: new Uint8Array([0xc0]).buffer, unusedBits: 6 })
}

/** SHA-1 of the key's bits (RFC 5280, 4.2.1.2). It only identifies the key. */
function keyIdentifier(publicKey: Uint8Array): asn1js.OctetString {
  const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' })
  const bits = PublicKeyInfo.fromBER(key.export({ type: 'spki', format: 'der' })).subjectPublicKey
  const hash = createHash('sha1').update(bits.valueBlock.valueHexView).digest()
  return new asn1js.OctetString({ valueHex: new Uint8Array(hash).buffer })
}
