import * as z from 'zod'
import { defineHandOver } from '#jobs/job.ts'
import { lazyObject } from '#kernel/lazy-object.ts'
import { EnvelopeMail, EnvelopeToSeal, envelopeMailQueue, sealQueue } from './queues.ts'

/** Enqueues mails of an envelope for the worker `signing-mails`. */
export const sendEnvelopeMails = defineHandOver({
  name: 'envelope.mail',
  version: 1,
  payload: lazyObject(() => ({
    workspace_id: z.string(),
    envelope_id: z.string(),
    mails: z.array(EnvelopeMail.unwrap().pick({ to: true, kind: true, key: true })),
  })),
  queue: envelopeMailQueue,
  messagesOf: ({ workspace_id, envelope_id, mails }) =>
    mails.map((mail) => ({ workspace_id, envelope_id, ...mail })),
})

/** Enqueues an envelope for the worker `seal`, once everybody has signed it. */
export const sealEnvelope = defineHandOver({
  name: 'envelope.seal',
  version: 1,
  payload: EnvelopeToSeal,
  queue: sealQueue,
  messagesOf: (envelope) => [envelope],
})
