import { createHash } from 'node:crypto'
import * as asn1js from 'asn1js'
import { PublicKeyInfo } from 'pkijs'
import { distinguishedName } from './distinguished-name.ts'
import type { SigningKey } from './kms-signer.ts'
import { signatureAlgorithm } from './self-signed-certificate.ts'

/** The subject of the certificate. `country` is two letters. */
type RequestedSubject = { commonName: string; organization: string; country: string }

/**
 * A certificate signing request (PKCS #10, RFC 2986), signed with its own key as a proof of possession.
 *
 * @returns PEM
 */
export async function certificateRequest(key: SigningKey, subject: RequestedSubject): Promise<string> {
  const info = new asn1js.Sequence({
    value: [
      new asn1js.Integer({ value: 0 }),
      distinguishedName(subject).toSchema(),
      PublicKeyInfo.fromBER(key.publicKey).toSchema(),
      // No attributes: tag 0, empty.
      new asn1js.Constructed({ idBlock: { tagClass: 3, tagNumber: 0 } }),
    ],
  })
  const bytes = new Uint8Array(info.toBER())
  const signature = await key.sign({ bytes, digest: createHash('sha256').update(bytes).digest() })
  const request = new asn1js.Sequence({
    value: [
      info,
      signatureAlgorithm(key).toSchema(),
      new asn1js.BitString({ valueHex: signature.slice().buffer as ArrayBuffer }),
    ],
  })
  const lines =
    Buffer.from(request.toBER())
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`
}
