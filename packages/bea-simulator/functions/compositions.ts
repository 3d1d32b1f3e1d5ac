import type { WireMessageInfos } from '#bea-wire/wire.ts'
import { GatewayError } from '../gateway-error.ts'
import type { Session, Sessions } from '../login/sessions.ts'
import type { Attachment } from '../messages/postbox-message.ts'
import type { Randomness } from '../randomness.ts'

/** A message that was initialised, and was not yet sent, saved or abandoned. */
export type Composition = {
  session: Session
  postboxSafeId: string
  messageKey: Buffer
  infos: WireMessageInfos
  /** The draft from which it was started. */
  draftId: string | null
}

/** A message with checked contents. It counts as sent once its validations come back. */
export type Validation = {
  composition: Composition
  attachments: Attachment[]
  /** The plain bytes of each validation by its id. */
  expected: ReadonlyMap<string, Buffer>
}

/** The state between two calls of the send chain, by the token that replaces the session's token. Each token is valid once. */
export type Compositions = {
  begin: (composition: Composition) => string
  take: (messageToken: string) => Composition
  await: (validation: Validation) => string
  finish: (validationToken: string) => Validation
  /** The receivers of a message that waits for its validations; none if there is no such message. */
  receiversOf: (validationToken: string) => readonly string[]
  clear: () => void
}

export function openCompositions(sessions: Sessions, random: Randomness): Compositions {
  const begun = new Map<string, Composition>()
  const awaited = new Map<string, Validation>()
  const forgetEnded = () => {
    for (const [token, { session }] of begun) if (!sessions.isAlive(session)) begun.delete(token)
    for (const [token, { composition }] of awaited)
      if (!sessions.isAlive(composition.session)) awaited.delete(token)
  }
  const takeFrom = <Value>(
    waiting: Map<string, Value>,
    token: string,
    sessionOf: (value: Value) => Session,
  ) => {
    const value = waiting.get(token)
    if (value === undefined) throw new GatewayError('This message was not initialised.')
    waiting.delete(token)
    sessions.requireAlive(sessionOf(value))
    return value
  }

  return {
    begin: (composition) => {
      forgetEnded()
      const token = random.token('mt')
      begun.set(token, composition)
      return token
    },
    take: (messageToken) => takeFrom(begun, messageToken, ({ session }) => session),
    await: (validation) => {
      const token = random.token('vt')
      awaited.set(token, validation)
      return token
    },
    finish: (validationToken) => takeFrom(awaited, validationToken, ({ composition }) => composition.session),
    receiversOf: (validationToken) => awaited.get(validationToken)?.composition.infos.receivers ?? [],
    clear: () => {
      begun.clear()
      awaited.clear()
    },
  }
}
