import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#kernel/clock.ts'
import { Failure, type FailureDetail, invalid } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import type { Log } from '#kernel/log.ts'
import type { Reception } from './reception.ts'
import type { MailForm, MailForms, SenderChecks } from './reception-ports.ts'
import type { Verdicts } from './schema.ts'

export type MailWebhookDeps = {
  reception: Reception
  forms: MailForms
  /** The mail signing key of the deployment; undefined if none is set. */
  signingKey: () => Promise<string | undefined>
  /** Whether the mail service adds its checks of the sender to every mail. If not, a sender can forge them. */
  checksSenders: boolean
  clock: Clock
  log: Pick<Log, 'error'>
}

/** A call with a valid signature. */
export type SignedCall = { token_sha256: string; signed_at: Date }

export type MailWebhook = ReturnType<typeof mailWebhook>

/** A signature is valid from this time before its timestamp to this time after it. */
const validMilliseconds = 5 * 60 * 1_000

/** The webhook that a mail service calls for each received mail (I1). */
export function mailWebhook({ reception, forms, checksSenders, signingKey, clock, log }: MailWebhookDeps) {
  return {
    /**
     * Verifies the signature: the lower-case hexadecimal HMAC-SHA256 of `timestamp` (seconds) and `token` under the
     * mail signing key, compared in constant time. It does not cover the rest of the form.
     *
     * @throws Failure MAIL_SIGNATURE_INVALID
     */
    async admit({ timestamp, token, signature }: Record<string, string | undefined>): Promise<SignedCall> {
      if (!timestamp || !token || !signature) throw signatureRefused()
      const key = await signingKey()
      if (!key) {
        log.error('Mail is refused: no mail signing key is set. Set it with "admin mail signing-key set".')
        throw signatureRefused()
      }
      const expected = createHmac('sha256', key).update(timestamp).update(token).digest('hex')
      const digest = (text: string) => createHash('sha256').update(text).digest()
      if (!timingSafeEqual(digest(signature), digest(expected))) throw signatureRefused()
      const signedAt = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN
      const isFresh = Math.abs(clock.now().getTime() - signedAt) <= validMilliseconds
      if (!isFresh) throw signatureRefused()
      return { token_sha256: hexDigest(token), signed_at: new Date(signedAt) }
    },

    /**
     * Accepts the mail of a signed call, and answers when everything is stored. A repeated call gets the same answer.
     * The token of a refused call can be used again.
     *
     * @throws Failure MAIL_SIGNATURE_INVALID if the token was used with other content, VALIDATION_ERROR if sender or
     *   recipient are missing, RECIPIENT_UNKNOWN
     */
    async accept(call: SignedCall, form: MailForm): Promise<{ status: 'ok'; correspondence_id: string }> {
      const { token_sha256 } = call
      const expiresAt = new Date(call.signed_at.getTime() + 2 * validMilliseconds)
      const token = { token_sha256, digest: digestOf(form), expires_at: expiresAt.toISOString() }
      const answered = await reception.answered(token)
      if (answered !== undefined) return { status: 'ok', correspondence_id: answered }

      const { recipients, hasSender, checks } = forms.envelope(form)
      requireEnvelope(recipients, hasSender)
      const correspondence_id = await reception.receive({
        raw: await forms.message(form),
        recipients,
        received_at: clock.now(),
        checks: checksSenders ? checks : withoutPasses(checks),
        token,
        delivery: `token:${token_sha256}`,
      })
      return { status: 'ok', correspondence_id }
    },
  }
}

/** @throws Failure VALIDATION_ERROR */
function requireEnvelope(recipients: string[], hasSender: boolean): void {
  const faults: FailureDetail[] = [
    ...(hasSender ? [] : [{ path: 'body.from', message: 'This is required.' }]),
    ...(recipients.length > 0
      ? []
      : [{ path: 'body.recipient', message: 'Send `recipient`, `to` or `To`.' }]),
  ]
  if (faults.length > 0) throw invalid('The mail has no sender or no recipient.', faults)
}

/** Changes `pass` to `unknown`, because a sender could have forged it. */
function withoutPasses(checks: SenderChecks): SenderChecks {
  const withoutPass = (verdict: Verdicts['spf']) => (verdict === 'pass' ? 'unknown' : verdict)
  const { spf, dkim, dmarc } = checks.verdicts
  return {
    ...checks,
    verdicts: {
      ...checks.verdicts,
      spf: withoutPass(spf),
      dkim: withoutPass(dkim),
      dmarc: withoutPass(dmarc),
    },
  }
}

/** A digest of all fields and files. It does not depend on the order of the fields. */
function digestOf({ fields, files }: MailForm): string {
  const named = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const described = files.map(({ name, filename, claimedType, bytes }) => [
    name,
    filename,
    claimedType,
    hexDigest(bytes),
  ])
  return hexDigest(JSON.stringify([named, described]))
}

function signatureRefused(): Failure {
  return new Failure(
    'unauthenticated',
    'MAIL_SIGNATURE_INVALID',
    'Send `timestamp`, `token` and `signature` as the mail service signs them, within five minutes.',
  )
}
