import { type KeyObject, randomBytes, sign } from 'node:crypto'
import * as asn1js from 'asn1js'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  PublicKeyInfo,
  RelativeDistinguishedNames,
  Time,
} from 'pkijs'

export type NewCertificate = {
  subject: string
  publicKey: KeyObject
  validFrom: Date
  validTo: Date
  isAuthority: boolean
}

/** The issuer: its common name and its RSA key. */
export type Issuer = { name: string; key: KeyObject }

/** Issues an X.509 certificate, signed with RSASSA-PKCS1-v1_5 and SHA-256. @returns PEM */
export function issueCertificate(issuer: Issuer, made: NewCertificate): string {
  const certificate = new Certificate()
  certificate.version = 2
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  certificate.serialNumber = new asn1js.Integer({ valueHex: new Uint8Array(serial).buffer })
  certificate.issuer = nameOf(issuer.name)
  certificate.subject = nameOf(made.subject)
  certificate.notBefore = timeOf(made.validFrom)
  certificate.notAfter = timeOf(made.validTo)
  certificate.subjectPublicKeyInfo = PublicKeyInfo.fromBER(
    made.publicKey.export({ type: 'spki', format: 'der' }),
  )
  const constraints = new BasicConstraints({ cA: made.isAuthority }).toSchema().toBER()
  certificate.extensions = [new Extension({ extnID: '2.5.29.19', critical: true, extnValue: constraints })]
  certificate.signature = algorithm
  certificate.signatureAlgorithm = algorithm
  const toSign = new Uint8Array(certificate.encodeTBS().toBER())
  certificate.tbsView = toSign
  const signature = sign('sha256', toSign, issuer.key)
  certificate.signatureValue = new asn1js.BitString({ valueHex: new Uint8Array(signature).buffer })
  const der = Buffer.from(certificate.toSchema(true).toBER()).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`
}

/** With the parameter NULL, as RFC 4055 requires: programs that rewrite the certificate would add it. */
const algorithm = new AlgorithmIdentifier({
  algorithmId: '1.2.840.113549.1.1.11',
  algorithmParams: new asn1js.Null(),
})

/** UTCTime ends with the year 2049 (RFC 5280, 4.1.2.5). */
function timeOf(value: Date): Time {
  return new Time({ type: value.getUTCFullYear() < 2050 ? 0 : 1, value })
}

/** Each part of a name is a separate set. pkijs does this only when it reads a name. */
function nameOf(commonName: string): RelativeDistinguishedNames {
  const part = (type: string, value: asn1js.Utf8String | asn1js.PrintableString) =>
    new asn1js.Set({ value: [new AttributeTypeAndValue({ type, value }).toSchema()] })
  const parts = [
    part('2.5.4.6', new asn1js.PrintableString({ value: 'DE' })),
    part('2.5.4.3', new asn1js.Utf8String({ value: commonName })),
  ]
  return RelativeDistinguishedNames.fromBER(new asn1js.Sequence({ value: parts }).toBER())
}
