import * as z from 'zod'
import { defineQueue } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { WebhookNotice } from '#webhooks/notice-schema.ts'

/** Why a mail of an envelope is sent. `your_turn` is the invitation to a signer who signs after others. */
export const mailKinds = ['invitation', 'your_turn', 'reminder', 'completed', 'declined', 'expired'] as const

export type MailKind = (typeof mailKinds)[number]

/** One mail of an envelope to one person: a signer, or the user who created it. */
export const EnvelopeMail = lazyObject(() => ({
  workspace_id: z.string(),
  envelope_id: z.string(),
  to: z.union([z.object({ signer_id: z.string() }), z.object({ user_id: z.string() })]),
  kind: z.enum(mailKinds),
  /** The idempotency key: the mail is sent once, even if the message arrives several times. */
  key: z.string(),
}))

export type EnvelopeMail = z.infer<typeof EnvelopeMail>

/** An envelope that everybody has signed, to be sealed. */
export const EnvelopeToSeal = lazyObject(() => ({ workspace_id: z.string(), envelope_id: z.string() }))

export type EnvelopeToSeal = z.infer<typeof EnvelopeToSeal>

/** Messages for the worker `signing-mails`: mails of envelopes and, since version 2, notices about webhooks. */
export const envelopeMailQueue = defineQueue({
  queue: 'signing-mails',
  version: 2,
  payload: z.lazy(() => z.union([EnvelopeMail, WebhookNotice])),
  migrations: { 1: (payload) => payload as z.input<typeof EnvelopeMail> },
})

/** Messages for the worker `seal`: envelopes to complete (S7). */
export const sealQueue = defineQueue({ queue: 'seal', payload: EnvelopeToSeal })
