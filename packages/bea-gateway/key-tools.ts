import {
  constants,
  createHash,
  createPrivateKey,
  type KeyObject,
  privateDecrypt,
  X509Certificate,
} from 'node:crypto'
import type { Certificate, KeyTools, RelayItem } from '#bea/network/gateway-ports.ts'
import { certificateName } from '#formats/certificate-name.ts'
import { attempted } from '#kernel/attempted.ts'
import { Failure } from '#kernel/failure.ts'
import { certificateInvalid } from './failures.ts'
import { openPkcs12, Pkcs12Fault } from './pkcs12.ts'
import { type LoginVersion, signChallenge } from './signatures.ts'

/** A file with a key and a chain has some kilobytes. */
const maxBytes = 256 * 1024

/** Larger keys take seconds for a signature; no card and no authority of the network has them. */
const maxKeyBits = 8_192

/**
 * Opens certificates and uses their keys, without the network. The libraries for PKCS#12 and CMS are loaded on first
 * use.
 */
export function keyTools({ loginVersion }: { loginVersion: LoginVersion }): KeyTools {
  return {
    open: async (bytes, passphrase, now) => {
      if (bytes.length === 0) throw certificateInvalid('The certificate file is empty.')
      if (bytes.length > maxBytes)
        throw certificateInvalid(
          'The file is larger than 256 KiB: it is not a certificate of the beA network.',
        )
      const { own, key } = readCertificates(bytes) ?? (await readPkcs12(bytes, passphrase))
      checkCertificate(own, now)
      return {
        certificate: describe(own),
        private_key_pem: key === null ? null : key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
    sign: (material, challenges) =>
      Promise.all(
        challenges.map(async (challenge) => ({
          id: challenge.id,
          data: await signChallenge(loginVersion, material, challenge),
        })),
      ),
    unwrap: async ({ private_key_pem }, keys) => keys.map((wrapped) => unwrapped(private_key_pem, wrapped)),
  }
}

/** RSA-OAEP with SHA-256, also in MGF1, and an empty label. */
function unwrapped(privateKeyPem: string, { id, data }: RelayItem): RelayItem {
  const key = { key: privateKeyPem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  try {
    return { id, data: privateDecrypt(key, Buffer.from(data, 'base64')).toString('base64') }
  } catch (error) {
    throw new Failure(
      'upstream',
      'BEA_GATEWAY_ERROR',
      'The beA gateway sent a key that does not decrypt. Try again later.',
      { cause: error },
    )
  }
}

type Opened = { own: X509Certificate; key: KeyObject | null }

/** Certificates without a key: one in DER, or some in PEM. @returns undefined if the file is neither */
function readCertificates(bytes: Uint8Array): Opened | undefined {
  const text = Buffer.from(bytes).toString('latin1')
  if (!text.includes('-----BEGIN ')) {
    const certificate = parsed(bytes)
    return certificate && { own: certificate, key: null }
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    throw certificateInvalid(
      'The PEM file contains a private key. Send a PKCS#12 file (.p12), whose key is encrypted.',
    )
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const certificates = blocks.slice(0, maxCertificates).map((block) => {
    const certificate = parsed(block)
    if (certificate === undefined) throw certificateInvalid('A certificate in the PEM file is damaged.')
    return certificate
  })
  const holders = certificates.filter(({ ca }) => !ca)
  const [own, ...others] = certificates.length === 1 ? certificates : holders
  if (own === undefined)
    throw certificateInvalid('The PEM file contains no certificate of a person or an office.')
  if (others.length > 0)
    throw certificateInvalid('The PEM file contains several certificates. Send only the one for the login.')
  return { own, key: null }
}

const maxCertificates = 20

function parsed(bytes: Uint8Array | string): X509Certificate | undefined {
  return attempted(() => new X509Certificate(bytes))
}

/** The key of a PKCS#12 file with its certificate, at any position in the file. */
async function readPkcs12(bytes: Uint8Array, passphrase: string): Promise<Opened> {
  const contents = await openPkcs12(bytes, passphrase).catch((error: unknown) => {
    if (!(error instanceof Pkcs12Fault)) throw error
    throw certificateInvalid(faultMessage(error, passphrase), error)
  })
  const certificates = contents.certificates.map(parsed).filter((it) => it !== undefined)
  const keys = contents.keys.map(privateKey)
  if (keys.length === 0) throw certificateInvalid('The PKCS#12 file contains no private key.')
  const rsaKeys = keys.filter((key) => key?.asymmetricKeyType === 'rsa')
  if (rsaKeys.length === 0)
    throw certificateInvalid('The key in the PKCS#12 file is not an RSA key. The beA network needs one.')
  const pairs = rsaKeys.flatMap((key) => {
    const own = key && certificates.find((certificate) => certificate.checkPrivateKey(key))
    return own ? [{ own, key }] : []
  })
  const [pair, ...others] = pairs
  if (pair === undefined)
    throw certificateInvalid('The PKCS#12 file contains no certificate for its private key.')
  if (others.length > 0)
    throw certificateInvalid('The PKCS#12 file contains several keys. Export only the one for the beA login.')
  return pair
}

function faultMessage({ reason }: Pkcs12Fault, passphrase: string): string {
  if (reason === 'passphrase')
    return passphrase === ''
      ? 'The PKCS#12 file needs a passphrase.'
      : 'The passphrase does not open the PKCS#12 file.'
  if (reason === 'too_much_work')
    return 'The PKCS#12 file needs too many iterations to open. Export it again with at most 50 000.'
  if (reason === 'unsupported')
    return 'The PKCS#12 file is encrypted in a way that is not supported. Export it again with a passphrase and AES-256.'
  return 'The file is neither a PKCS#12 file (.p12, .pfx) nor a certificate in DER or PEM, or it is damaged.'
}

function privateKey(pkcs8: Buffer): KeyObject | undefined {
  return attempted(() => createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }))
}

/** @throws Failure BEA_CERTIFICATE_INVALID for a certificate that cannot log in */
function checkCertificate({ publicKey, validFromDate, validToDate }: X509Certificate, now: Date): void {
  if (publicKey.asymmetricKeyType !== 'rsa')
    throw certificateInvalid('The certificate is not for an RSA key. The beA network needs one.')
  if ((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) > maxKeyBits)
    throw certificateInvalid(`The key has more than ${maxKeyBits} bits.`)
  if (now > validToDate)
    throw certificateInvalid(`The certificate expired on ${day(validToDate)}. Send its successor.`)
  if (now < validFromDate)
    throw certificateInvalid(`The certificate is valid only from ${day(validFromDate)}.`)
}

function day(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}

function describe(certificate: X509Certificate): Certificate {
  const subject = certificateName(certificate.subject)
  // In `subject` a comma in a name has a backslash: `Dr. Berg\, LL.M.`
  const names = [certificate.toLegacyObject().subject?.CN ?? []].flat()
  return {
    pem: certificate.toString(),
    subject,
    issuer: certificateName(certificate.issuer),
    serial: certificate.serialNumber,
    thumbprint: createHash('sha1').update(certificate.raw).digest('hex'),
    valid_from: certificate.validFromDate.toISOString(),
    valid_to: certificate.validToDate.toISOString(),
    owner_name: names[0] || subject,
  }
}
