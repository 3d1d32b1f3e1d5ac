import type {
  Certificate,
  DecryptingStep,
  GatewaySession,
  RelayItem,
  SigningStep,
} from '#bea/network/gateway-ports.ts'
import type { Client } from './client.ts'
import { base64Bytes } from './envelope.ts'
import { certificateInvalid } from './failures.ts'
import { requiredText, UnreadableAnswer } from './fields.ts'
import { type LoginVersion, signatureFits } from './signatures.ts'
import type { FunctionName } from './transport.ts'

type Deps = { client: Client; version: LoginVersion }

/** The names under which challenges and keys are relayed (B4). */
const ids = {
  challenge: 'challenge',
  validation: 'validation',
  sessionKey: 'session_key',
  validationKey: 'validation_key',
}

/** Step 1: sends the fingerprint of the certificate, and gets two challenges. @throws Failure */
export async function startLogin(
  certificate: Certificate,
  signal: AbortSignal,
  { client, version }: Deps,
): Promise<SigningStep> {
  const name = step(version, 1)
  const answer = await client.call(name, { thumbprint: certificate.thumbprint }, signal)
  return client.reading(name, () => {
    const challenges = [
      { id: ids.challenge, data: requiredText(answer, 'challengeVal') },
      { id: ids.validation, data: requiredText(answer, 'challengeValidation') },
    ]
    for (const { data } of challenges) if (version === 1) base64Bytes(data)
    return { certificate, challenges, state: requiredText(answer, 'tokenPAOS') }
  })
}

/** Step 2: sends the signatures, and gets two wrapped keys. @throws Failure */
export async function answerChallenges(
  { certificate, challenges, state }: SigningStep,
  signatures: RelayItem[],
  signal: AbortSignal,
  { client, version }: Deps,
): Promise<DecryptingStep> {
  const signed: Record<string, string> = {}
  for (const challenge of challenges) {
    const signature = signatures.find(({ id }) => id === challenge.id)
    const fits =
      signature !== undefined &&
      (await signatureFits(version, { certificate, challenge, signature: signature.data }))
    if (!fits) throw certificateInvalid(`The signature of "${challenge.id}" does not match the certificate.`)
    signed[challenge.id] = signature.data
  }
  const name = step(version, 2)
  const request = {
    tokenPAOS: state,
    userCert: Buffer.from(certificate.pem).toString('base64'),
    challengeSigned: signed[ids.challenge],
    validationSigned: signed[ids.validation],
  }
  const answer = await client.call(name, request, signal)
  return client.reading(name, () => ({
    certificate,
    keys: [
      { id: ids.sessionKey, data: requiredText(answer, 'sessionKey') },
      { id: ids.validationKey, data: requiredText(answer, 'validationKey') },
    ],
    state: JSON.stringify({
      safeId: requiredText(answer, 'safeId'),
      tokenValidation: requiredText(answer, 'tokenValidation'),
    }),
  }))
}

/** Step 3: sends a decrypted key, and gets a session. @throws Failure BEA_CERTIFICATE_INVALID for invalid keys */
export async function finishLogin(
  { state }: DecryptingStep,
  keys: RelayItem[],
  signal: AbortSignal,
  { client, version }: Deps,
): Promise<GatewaySession> {
  const { safeId, tokenValidation } = JSON.parse(state) as { safeId: string; tokenValidation: string }
  const sessionKey = keyOf(keys, ids.sessionKey)
  if (sessionKey.length !== 32)
    throw certificateInvalid('The decrypted key of the session does not have 32 bytes.')
  const validationKey = keyOf(keys, ids.validationKey).toString('base64')
  const name = step(version, 3)
  const answer = await client.call(name, { tokenValidation, validationKey }, signal)
  return client.reading(name, () => ({
    token: requiredText(answer, 'token'),
    session_key: sessionKey.toString('base64'),
    safe_id: safeId,
  }))
}

function step(version: LoginVersion, number: 1 | 2 | 3): FunctionName {
  return `${version === 1 ? 'bea' : 'bex'}_login_step${number}`
}

/** @throws Failure BEA_CERTIFICATE_INVALID */
function keyOf(keys: RelayItem[], id: string): Buffer {
  const key = keys.find((one) => one.id === id)
  if (key === undefined || key.data === '') throw certificateInvalid(`The decrypted key "${id}" is missing.`)
  try {
    return base64Bytes(key.data)
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error
    throw certificateInvalid(`The decrypted key "${id}" is not base64.`, error)
  }
}
