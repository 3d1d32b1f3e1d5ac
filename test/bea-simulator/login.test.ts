import { sign, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DemoCertificate, DemoName } from '#bea-simulator/certificates/demo-certificates.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { callBea, unwrap } from '#test/support/bea-client.ts'
import { opensslCms, pssOptions } from '#test/support/openssl-cms.ts'

let simulator: BeaSimulator
beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})
afterAll(() => simulator.close())
beforeEach(() => simulator.control.reset())

const names = ['lindner', 'demir'] as const
type Version = 'bea' | 'bex'
type Signed = { challengeSigned: string; validationSigned: string }

const thumbprintOf = ({ certificate_pem }: DemoCertificate) =>
  new X509Certificate(certificate_pem).fingerprint.replaceAll(':', '').toLowerCase()

/** The signature of version 1: over the decoded challenge. */
const raw = (challenge: string, { private_key_pem }: DemoCertificate) =>
  sign('sha256', Buffer.from(challenge, 'base64'), private_key_pem).toString('base64')

const signers = {
  bea: raw,
  bex: (challenge: string, certificate: DemoCertificate) => opensslCms(challenge, certificate),
}

async function step1(version: Version, certificate: DemoCertificate) {
  return callBea(simulator, `${version}_login_step1`, { thumbprint: thumbprintOf(certificate) })
}

/** Runs steps 1 and 2. `change` replaces members of the request of step 2. */
async function step2(
  version: Version,
  certificate: DemoCertificate,
  change: (signed: Signed, challenges: { challengeVal: string }) => object = () => ({}),
) {
  const one = await step1(version, certificate)
  const signed = {
    challengeSigned: signers[version](one.challengeVal, certificate),
    validationSigned: signers[version](one.challengeValidation, certificate),
  }
  return callBea(simulator, `${version}_login_step2`, {
    tokenPAOS: one.tokenPAOS,
    userCert: Buffer.from(certificate.certificate_pem).toString('base64'),
    ...signed,
    ...change(signed, one),
  })
}

async function step3(version: Version, certificate: DemoCertificate, validationKey?: Buffer) {
  const two = await step2(version, certificate)
  const key = validationKey ?? unwrap(certificate, two.validationKey)
  const { tokenValidation } = two
  const validation = { tokenValidation, validationKey: key.toString('base64') }
  const answer = await callBea(simulator, `${version}_login_step3`, validation)
  return { two, answer, validation }
}

describe.each(['bea', 'bex'] as const)('the login by %s_login', (version) => {
  it.each(names)('gives %s a session with a key of 32 bytes', async (name) => {
    const certificate = simulator.certificates[name]

    const { two, answer } = await step3(version, certificate)
    const check = await callBea(simulator, 'bea_check_session', { token: answer.token })

    expect(two.safeId).toBe(certificate.safe_id)
    expect(unwrap(certificate, two.sessionKey)).toHaveLength(32)
    expect(check).toEqual({ info: 'ok' })
  })

  it('accepts a certificate with CRLF line ends', async () => {
    const { certificate_pem } = simulator.certificates.lindner
    const userCert = Buffer.from(certificate_pem.replaceAll('\n', '\r\n')).toString('base64')

    const two = await step2(version, simulator.certificates.lindner, () => ({ userCert }))

    expect(two.safeId).toBe(simulator.certificates.lindner.safe_id)
  })

  it.each([
    ['a changed signature', (signed: Signed) => ({ challengeSigned: changed(signed.challengeSigned) })],
    [
      'exchanged signatures',
      ({ challengeSigned, validationSigned }: Signed) => ({
        challengeSigned: validationSigned,
        validationSigned: challengeSigned,
      }),
    ],
    ['no signature', () => ({ validationSigned: '' })],
    [
      'the signature of another key',
      (_: Signed, { challengeVal }: { challengeVal: string }) => ({
        challengeSigned: signers[version](challengeVal, simulator.certificates.demir),
      }),
    ],
    [
      'the signature of the other version',
      (_: Signed, { challengeVal }: { challengeVal: string }) => ({
        challengeSigned: signers[version === 'bea' ? 'bex' : 'bea'](
          challengeVal,
          simulator.certificates.lindner,
        ),
      }),
    ],
  ])('refuses %s', async (_, change) => {
    const answer = await step2(version, simulator.certificates.lindner, change)

    expect(answer).toEqual({ error: expect.stringMatching(/^The signature is invalid/) })
  })

  it.each([
    ['expired', /has expired/],
    ['notYetValid', /not yet valid/],
    ['foreign', /authority is not trusted/],
    ['locked', /identity is locked/],
  ] as [DemoName, RegExp][])('refuses the certificate "%s" with a reason', async (name, reason) => {
    const answer = await step2(version, simulator.certificates[name])

    expect(answer).toEqual({ error: expect.stringMatching(reason) })
  })

  it('refuses a key that is not RSA', async () => {
    const { certificates } = simulator
    const answer = await step2(version, certificates.lindner, () => ({
      userCert: Buffer.from(certificates.ec.certificate_pem).toString('base64'),
    }))
    const one = await step1(version, certificates.ec)
    const own = await callBea(simulator, `${version}_login_step2`, {
      tokenPAOS: one.tokenPAOS,
      userCert: Buffer.from(certificates.ec.certificate_pem).toString('base64'),
      challengeSigned: 'AAAA',
      validationSigned: 'AAAA',
    })

    expect(answer).toEqual({ error: expect.stringMatching(/another thumbprint/) })
    expect(own).toEqual({ error: expect.stringMatching(/not an RSA key/) })
  })

  it('refuses an unknown thumbprint, and a malformed one', async () => {
    const unknown = await step1(version, simulator.certificates.unknown)
    const upper = await callBea(simulator, `${version}_login_step1`, {
      thumbprint: thumbprintOf(simulator.certificates.lindner).toUpperCase(),
    })

    expect(unknown).toEqual({ error: expect.stringMatching(/thumbprint/) })
    expect(upper).toEqual({ error: expect.stringMatching(/malformed/) })
  })

  it('refuses a wrong validation key, and a second attempt with the right one', async () => {
    const certificate = simulator.certificates.lindner

    const { two, answer, validation } = await step3(version, certificate, Buffer.alloc(32))
    const validationKey = unwrap(certificate, two.validationKey).toString('base64')
    const again = await callBea(simulator, `${version}_login_step3`, { ...validation, validationKey })

    expect(answer).toEqual({ error: expect.stringMatching(/validation key/) })
    expect(again).toEqual({ error: expect.stringMatching(/not started/) })
  })

  it('refuses a step that is repeated, late, or of the other version', async () => {
    const certificate = simulator.certificates.lindner
    const other = version === 'bea' ? 'bex' : 'bea'
    const { two, validation } = await step3(version, certificate)

    const repeated = await callBea(simulator, `${version}_login_step3`, validation)
    const begun = await step2(version, certificate)
    const crossed = await callBea(simulator, `${other}_login_step3`, {
      tokenValidation: begun.tokenValidation,
      validationKey: unwrap(certificate, begun.validationKey).toString('base64'),
    })
    const late = await step2(version, certificate)
    simulator.control.advanceMinutes(6)
    const tooLate = await callBea(simulator, `${version}_login_step3`, {
      tokenValidation: late.tokenValidation,
      validationKey: unwrap(certificate, late.validationKey).toString('base64'),
    })

    expect(two.safeId).toBe(certificate.safe_id)
    for (const answer of [repeated, crossed, tooLate])
      expect(answer).toEqual({ error: expect.stringMatching(/not started, or too long ago/) })
  })
})

describe('the CMS of version 2', () => {
  it.each([
    ['with its content inside', ['-nodetach'], /not detached/],
    ['without its certificate', ['-nocerts'], /exactly one certificate/],
    ['without signed attributes', ['-noattr'], /no signed attributes/],
    ['with another digest', ['-md', 'sha512'], /digest is not SHA-256/],
    ['with another length of salt', pssOptions(20), /32 bytes of salt/],
    ['with PKCS#1 instead of PSS', ['-keyopt', 'rsa_padding_mode:pkcs1'], /not RSASSA-PSS/],
  ])('is refused %s', async (_, options, reason) => {
    const certificate = simulator.certificates.lindner

    const answer = await step2('bex', certificate, (_, { challengeVal }) => ({
      challengeSigned: opensslCms(challengeVal, certificate, ...options),
    }))

    expect(answer).toEqual({ error: expect.stringMatching(reason) })
  })

  it('is accepted without S/MIME capabilities', async () => {
    const certificate = simulator.certificates.lindner

    const answer = await step2('bex', certificate, (_, { challengeVal }) => ({
      challengeSigned: opensslCms(challengeVal, certificate, '-nosmimecap'),
    }))

    expect(answer.safeId).toBe(certificate.safe_id)
  })

  it('of another text is refused', async () => {
    const certificate = simulator.certificates.lindner

    const answer = await step2('bex', certificate, (_, { challengeVal }) => ({
      challengeSigned: opensslCms(`${challengeVal}\n`, certificate),
    }))

    expect(answer).toEqual({ error: expect.stringMatching(/signs something else/) })
  })
})

/** The signature with one changed bit in its last quarter, which contains the signature value. */
function changed(signature: string): string {
  const bytes = Buffer.from(signature, 'base64')
  const at = bytes.length - 40
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes.toString('base64')
}
