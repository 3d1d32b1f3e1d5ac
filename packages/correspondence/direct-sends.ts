import { randomUUID } from 'node:crypto'
import type { Actor } from '#kernel/actor.ts'
import { canonicalJson } from '#kernel/canonical-json.ts'
import type { Clock } from '#kernel/clock.ts'
import { conflict, type Failure, type FailureDetail, invalid } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { idempotencyKey } from '#kernel/idempotency.ts'
import { requireScope } from '#kernel/require-scope.ts'
import { type ContentNames, type MailContent, newContent, requireSendable } from './outgoing-mail.ts'
import type { CorrespondenceStore } from './ports.ts'
import { type DirectSendInput, type SendResult, type SentCorrespondence, sendKeyDays } from './schema.ts'
import { type SendRequest, type sending, sendResultOf } from './sending.ts'

export type DirectSendDeps = {
  store: Pick<CorrespondenceStore, 'findSend'>
  send: ReturnType<typeof sending>['send']
  clock: Clock
}

export type DirectSendService = ReturnType<typeof directSendService>

/** Mail that is sent without a draft (M1). */
export function directSendService({ store, send, clock }: DirectSendDeps) {
  return {
    /**
     * Sends a mail. The input has one of two shapes, and the answer has the shape of the input. A request with the same
     * key and the same content gets the same answer, also in the other shape, and sends no second mail. If the body has
     * no key, the Idempotency-Key of the request is used, for 24 hours (G14).
     *
     * @throws Failure AUTH_INSUFFICIENT_SCOPE, VALIDATION_ERROR, IDEMPOTENCY_KEY_REUSED, and what `sending` throws
     */
    async send(
      actor: Actor,
      input: DirectSendInput,
      { baseUrl }: { baseUrl: string },
    ): Promise<SendResult | SentCorrespondence> {
      const { content, names, isCurrentShape } = readInput(input)
      if (content.document_ids.length > 0) requireScope(actor, 'documents:read', 'Sending documents')
      requireSendable(content, names)
      const { workspace_id, user_id } = actor
      const digest = hexDigest(canonicalJson(content))
      const headerKey = idempotencyKey()
      const key = input.idempotency_key ?? headerKey ?? randomUUID()
      const isFromHeader = input.idempotency_key == null && headerKey !== undefined
      const keptMilliseconds = isFromHeader ? headerKeyMilliseconds : sendKeyDays * 86_400_000

      const request = async (): Promise<SendRequest> => {
        const begun = await store.findSend(workspace_id, user_id, key, clock.now())
        if (begun === undefined) {
          const expires_at = new Date(clock.now().getTime() + keptMilliseconds).toISOString()
          return { names, content, claim: { by: 'key', user_id, key, digest, expires_at } }
        }
        if (begun.digest !== digest) throw keyReused()
        return { names, begunId: begun.correspondence_id }
      }
      const sent = await send(actor, request, { baseUrl })
      const result = sendResultOf(sent)
      if (isCurrentShape) return result
      return { id: sent.id, direction: 'outbound', status: 'sent', sent_at: result.sent_at }
    },
  }
}

const headerKeyMilliseconds = 86_400_000

/** The mail to send, and the shape of the input. @throws Failure VALIDATION_ERROR */
function readInput(input: DirectSendInput): {
  content: MailContent
  names: ContentNames
  isCurrentShape: boolean
} {
  const { to_recipients, to } = input
  const isCurrentShape = to_recipients != null
  if (isCurrentShape === (to != null)) throw shapeUnclear(isCurrentShape)
  const names = { to: isCurrentShape ? 'body.to_recipients' : 'body.to', subject: 'body.subject' }
  if (isCurrentShape && input.idempotency_key == null) {
    throw invalid('A send needs an `idempotency_key`.', [
      { path: 'body.idempotency_key', message: 'Send a UUID: one for each send, the same on every retry.' },
    ])
  }
  return {
    isCurrentShape,
    names,
    content: newContent({
      ...input,
      to: to_recipients ?? to,
      // Both shapes may use both names, so that no recipient is left out.
      cc: [...(input.cc_recipients ?? []), ...(input.cc ?? [])],
      bcc: [...(input.bcc_recipients ?? []), ...(input.bcc ?? [])],
    }),
  }
}

function shapeUnclear(hasBoth: boolean): Failure {
  const message = hasBoth ? 'Send only one of the two.' : 'Name at least one recipient.'
  const details: FailureDetail[] = ['body.to_recipients', 'body.to'].map((path) => ({ path, message }))
  return invalid('Name the recipients either in `to_recipients` or in `to`.', details)
}

function keyReused(): Failure {
  return conflict(
    'IDEMPOTENCY_KEY_REUSED',
    'This `idempotency_key` was used for a mail with other content. Nothing was sent: use a new key.',
  )
}
