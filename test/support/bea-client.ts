import { constants, createDecipheriv, privateDecrypt, sign, X509Certificate } from 'node:crypto'
import type { BeaSimulator } from '#bea-simulator/simulator.ts'

/** A session with the simulator: each call uses the newest token. */
export type BeaClient = {
  safeId: string
  sessionKey: Buffer
  /** The newest token. */
  token: () => string
  // biome-ignore lint/suspicious/noExplicitAny: an answer has any form; tests assert what it is
  call: (name: string, request?: object) => Promise<any>
}

type Certificate = BeaSimulator['certificates'][keyof BeaSimulator['certificates']]

/** Sends one call like the vendor's samples, and returns the answer. */
// biome-ignore lint/suspicious/noExplicitAny: an answer has any form; tests assert what it is
export async function callBea({ url, ident }: BeaSimulator, name: string, request: object): Promise<any> {
  const answer = await fetch(url + name, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'bex-ident': ident },
    body: `j=${Buffer.from(JSON.stringify(request)).toString('base64url')}`,
  })
  return answer.json()
}

/** Logs in with version 1, step by step. */
export async function logIn(simulator: BeaSimulator, certificate: Certificate): Promise<BeaClient> {
  const { certificate_pem, private_key_pem } = certificate
  const { fingerprint } = new X509Certificate(certificate_pem)
  const thumbprint = fingerprint.replaceAll(':', '').toLowerCase()
  const one = await callBea(simulator, 'bea_login_step1', { thumbprint })
  const signed = (challenge: string) =>
    sign('sha256', Buffer.from(challenge, 'base64'), private_key_pem).toString('base64')
  const two = await callBea(simulator, 'bea_login_step2', {
    tokenPAOS: one.tokenPAOS,
    userCert: Buffer.from(certificate_pem).toString('base64'),
    challengeSigned: signed(one.challengeVal),
    validationSigned: signed(one.challengeValidation),
  })
  const unwrapped = (key: string) => unwrap(certificate, key)
  const three = await callBea(simulator, 'bea_login_step3', {
    tokenValidation: two.tokenValidation,
    validationKey: unwrapped(two.validationKey).toString('base64'),
  })
  if (typeof three.token !== 'string') throw new Error(JSON.stringify(three))
  let { token } = three
  return {
    safeId: two.safeId,
    sessionKey: unwrapped(two.sessionKey),
    token: () => token,
    call: async (name, request = {}) => {
      const answer = await callBea(simulator, name, { token, ...request })
      token = answer.token ?? token
      return answer
    },
  }
}

/** Unwraps a key that was encrypted to the certificate. */
export function unwrap({ private_key_pem: key }: Certificate, wrapped: string): Buffer {
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  return privateDecrypt({ key, padding, oaepHash: 'sha256' }, Buffer.from(wrapped, 'base64'))
}

/** Decrypts AES-256-GCM. @throws Error if the parts do not match */
export function decryptGcm(
  key: Buffer,
  { iv, tag, value }: { iv: string; tag: string; value: string },
): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'))
  decipher.setAuthTag(Buffer.from(tag, 'base64'))
  return Buffer.concat([decipher.update(Buffer.from(value, 'base64')), decipher.final()])
}

/** A search of the directory with these members; all others are empty, as the gateway requires. */
export function directoryQuery(wanted: object): object {
  const members = ['SafeId', 'Status', 'Type', 'Username', 'Firstname', 'Surname', 'Postalcode', 'City']
  const ofTheChamber = ['ChamberType', 'ChamberMembershipId', 'OfficeName']
  const empty = [...members, ...ofTheChamber].map((name) => [`identity${name}`, ''])
  return { ...Object.fromEntries(empty), ...wanted }
}
