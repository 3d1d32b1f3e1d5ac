import { constants, publicEncrypt, X509Certificate } from 'node:crypto'
import type { LoginChallenges, LoginKeys, LoginStep1, LoginStep2, LoginStep3 } from '#bea-wire/wire.ts'
import { base64 } from '../ciphers.ts'
import { GatewayError, lockedError } from '../gateway-error.ts'
import type { Randomness } from '../randomness.ts'
import type { Sessions } from './sessions.ts'
import { faultOfSignature, type LoginVersion } from './verify-signature.ts'

/** The three steps of a login. Each must follow the previous one within five minutes; no step can be repeated. */
export type Login = {
  /** @throws GatewayError for a thumbprint that nobody has */
  step1: (version: LoginVersion, request: LoginStep1) => LoginChallenges
  /** @throws GatewayError for an invalid certificate or signature, and for a locked identity */
  step2: (version: LoginVersion, request: LoginStep2) => Promise<LoginKeys>
  /** @throws GatewayError for the wrong key */
  step3: (version: LoginVersion, request: LoginStep3) => { token: string }
}

/** The certificates that the login knows. `thumbprints` maps each to its SAFE-ID. */
export type Registry = { authorityPem: string; thumbprints: ReadonlyMap<string, string> }

export type LoginDependencies = {
  registry: Registry
  sessions: Sessions
  random: Randomness
  now: () => number
  isActive: (safeId: string) => boolean
}

type Begun = {
  version: LoginVersion
  thumbprint: string
  safeId: string
  challengeVal: string
  challengeValidation: string
}
type Signed = { version: LoginVersion; safeId: string; sessionKey: Buffer; validationKey: Buffer }

const stepMilliseconds = 5 * 60_000
const challengeBytes = 32
const keyBytes = 32

export function openLogin({ registry, sessions, random, now, isActive }: LoginDependencies): Login {
  const authority = new X509Certificate(registry.authorityPem)
  const begun = steps<Begun>(now)
  const signed = steps<Signed>(now)

  return {
    step1: (version, { thumbprint }) => {
      const safeId = registry.thumbprints.get(thumbprint)
      if (safeId === undefined) throw new GatewayError('No identity has a certificate with this thumbprint.')
      const challengeVal = base64(random.bytes(challengeBytes, 'challenge'))
      const challengeValidation = base64(random.bytes(challengeBytes, 'challenge'))
      const tokenPAOS = random.token('paos')
      begun.add(tokenPAOS, { version, thumbprint, safeId, challengeVal, challengeValidation })
      return { challengeVal, challengeValidation, tokenPAOS }
    },

    step2: async (version, { tokenPAOS, userCert, challengeSigned, validationSigned }) => {
      const step = begun.take(tokenPAOS, version)
      const certificate = readCertificate(userCert)
      const fault = faultOfCertificate(certificate, step, authority, new Date(now()))
      if (fault !== undefined) throw new GatewayError(`The certificate is invalid: ${fault}.`)
      for (const [challenge, signature] of [
        [step.challengeVal, challengeSigned],
        [step.challengeValidation, validationSigned],
      ] as const) {
        const fault = await faultOfSignature(version, challenge, signature, certificate)
        if (fault !== undefined) throw new GatewayError(`The signature is invalid: ${fault}.`)
      }
      if (!isActive(step.safeId)) throw lockedError()
      const sessionKey = random.bytes(keyBytes, 'sessionKey')
      const validationKey = random.bytes(keyBytes, 'validationKey')
      const tokenValidation = random.token('tv')
      signed.add(tokenValidation, { version, safeId: step.safeId, sessionKey, validationKey })
      return {
        safeId: step.safeId,
        sessionKey: wrap(certificate, sessionKey),
        validationKey: wrap(certificate, validationKey),
        tokenValidation,
      }
    },

    step3: (version, { tokenValidation, validationKey }) => {
      const step = signed.take(tokenValidation, version)
      if (!step.validationKey.equals(Buffer.from(validationKey, 'base64')))
        throw new GatewayError('The validation key is wrong.')
      return { token: sessions.begin(step.safeId, step.sessionKey).token }
    },
  }
}

/** The state between two steps. It can be used once, in time, and by the same version of the login. */
function steps<Step extends { version: LoginVersion }>(now: () => number) {
  const waiting = new Map<string, Step & { until: number }>()
  return {
    add: (token: string, step: Step): void => {
      for (const [other, { until }] of waiting) if (until < now()) waiting.delete(other)
      waiting.set(token, { ...step, until: now() + stepMilliseconds })
    },
    take: (token: string, version: LoginVersion): Step => {
      const step = waiting.get(token)
      waiting.delete(token)
      if (step === undefined || step.until < now() || step.version !== version)
        throw new GatewayError('This login was not started, or too long ago.')
      return step
    },
  }
}

/** @param userCert base64 of the certificate in PEM */
function readCertificate(userCert: string): X509Certificate {
  const pem = Buffer.from(userCert, 'base64').toString('latin1')
  if (!/^-----BEGIN CERTIFICATE-----\r?\n/.test(pem))
    throw new GatewayError('The certificate is invalid: it is not PEM.')
  try {
    return new X509Certificate(pem)
  } catch {
    throw new GatewayError('The certificate is invalid: it cannot be read.')
  }
}

function faultOfCertificate(
  certificate: X509Certificate,
  { thumbprint }: Begun,
  authority: X509Certificate,
  now: Date,
): string | undefined {
  if (certificate.fingerprint.replaceAll(':', '').toLowerCase() !== thumbprint)
    return 'it has another thumbprint'
  if (!certificate.checkIssued(authority) || !certificate.verify(authority.publicKey))
    return 'its authority is not trusted'
  if (now > certificate.validToDate) return 'it has expired'
  if (now < certificate.validFromDate) return 'it is not yet valid'
  if (certificate.publicKey.asymmetricKeyType !== 'rsa') return 'its key is not an RSA key'
  return undefined
}

function wrap({ publicKey }: X509Certificate, key: Buffer): string {
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  return base64(publicEncrypt({ key: publicKey, padding, oaepHash: 'sha256' }, key))
}
