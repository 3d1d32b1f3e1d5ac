import type { KeyObject } from 'node:crypto'
import { OctetString } from 'asn1js'
import forge from 'node-forge'
import {
  AuthenticatedSafe,
  CertBag,
  Certificate,
  PFX,
  PKCS8ShroudedKeyBag,
  PrivateKeyInfo,
  SafeBag,
  SafeContents,
} from 'pkijs'

export type KeyPair = { certificatePem: string; privateKey: KeyObject }

const iterations = 2_048
const oid = { shroudedKeyBag: '1.2.840.113549.1.12.10.1.2', certBag: '1.2.840.113549.1.12.10.1.3' }

/** A PKCS#12 file as programs write it today: AES-256, PBKDF2 and a MAC with SHA-256. Keys of any kind. @returns DER */
export async function pkcs12Of({ certificatePem, privateKey }: KeyPair, passphrase: string): Promise<Buffer> {
  const password = new Uint8Array(Buffer.from(passphrase)).buffer
  const encryption = {
    password,
    contentEncryptionAlgorithm: { name: 'AES-CBC', length: 256 } as never,
    hmacHashAlgorithm: 'SHA-256',
    iterationCount: iterations,
  }
  const keyBag = new PKCS8ShroudedKeyBag({
    parsedValue: PrivateKeyInfo.fromBER(privateKey.export({ type: 'pkcs8', format: 'der' })),
  })
  await keyBag.makeInternalValues(encryption)
  // pkijs writes the string in pieces, which DER does not allow and other libraries do not read.
  keyBag.encryptedData = new OctetString({ valueHex: keyBag.encryptedData.getValue() })
  const certBag = new CertBag({ parsedValue: Certificate.fromBER(derOf(certificatePem)) })
  const contents = (bagId: string, bagValue: PKCS8ShroudedKeyBag | CertBag, privacyMode: number) => ({
    privacyMode,
    value: new SafeContents({ safeBags: [new SafeBag({ bagId, bagValue })] }),
  })
  const authenticatedSafe = new AuthenticatedSafe({
    parsedValue: {
      safeContents: [contents(oid.shroudedKeyBag, keyBag, 0), contents(oid.certBag, certBag, 1)],
    },
  })
  await authenticatedSafe.makeInternalValues({ safeContents: [{}, encryption] })
  const file = new PFX({ parsedValue: { integrityMode: 0, authenticatedSafe } })
  await file.makeInternalValues({
    password,
    iterations,
    pbkdf2HashAlgorithm: { name: 'SHA-256' },
    hmacHashAlgorithm: 'SHA-256',
  })
  return Buffer.from(file.toSchema().toBER())
}

/** A PKCS#12 file as older programs wrote it: 3DES and a MAC with SHA-1. RSA keys only. @returns DER */
export function legacyPkcs12Of({ certificatePem, privateKey }: KeyPair, passphrase: string): Buffer {
  const file = forge.pkcs12.toPkcs12Asn1(
    forge.pki.privateKeyFromPem(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
    [forge.pki.certificateFromPem(certificatePem)],
    passphrase,
    { algorithm: '3des' },
  )
  return Buffer.from(forge.asn1.toDer(file).getBytes(), 'binary')
}

export function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
}
