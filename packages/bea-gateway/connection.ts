import { type BeaConnection, type GatewaySession, sameSafeId } from '#bea/network/gateway-ports.ts'
import { concurrencyLimit } from '#kernel/concurrency-limit.ts'
import { Failure } from '#kernel/failure.ts'
import type { Log } from '#kernel/log.ts'
import type { Client, SessionCall } from './client.ts'
import { searchDirectory } from './directory.ts'
import { aesKey, base64Bytes } from './envelope.ts'
import { accountLocked, GatewayFault, maySpeakOfAccount, sessionEnded, wrongSessionKey } from './failures.ts'
import { optionalText, UnreadableAnswer } from './fields.ts'
import { decryptEnc, foldersOf, postboxesOf, type ReadingContext, summariesOf } from './overview.ts'
import { rightsOf } from './rights.ts'
import { sendMessage } from './sending.ts'
import type { Answer, FunctionName } from './transport.ts'

/** The time limit for ending a session with a wrong key. */
const endMilliseconds = 5_000

type Deps = {
  client: Client
  log: Log
  timeZone: string
  newIv: () => Buffer
}

/**
 * A session in use. Its calls run one after the other, because the next call may have to use the token of the last
 * answer. A whole chain of sending counts as one call.
 */
export function connection(session: GatewaySession, { client, log, timeZone, newIv }: Deps): BeaConnection {
  const current = { ...session }
  const inTurn = concurrencyLimit(1)
  const context: ReadingContext = { sessionKey: sessionKeyOf(session), timeZone }

  const takeOver = (answer: Answer) => {
    current.token = optionalText(answer.token) ?? current.token
  }
  const withoutToken: SessionCall = (name, request, signal) => client.call(name, request, signal, takeOver)
  const withToken: SessionCall = (name, request, signal) =>
    withoutToken(name, { token: current.token, ...request }, signal)
  /** Calls a function after the previous calls and reads its answer. */
  const get = <Result>(
    name: FunctionName,
    request: object,
    signal: AbortSignal,
    read: (answer: Answer) => Result | Promise<Result>,
  ): Promise<Result> =>
    inTurn(async () => {
      const answer = await withToken(name, request, signal)
      return client.reading(name, () => read(answer))
    })

  const check = (signal: AbortSignal) => get('bea_check_session', {}, signal, () => undefined)

  /**
   * Makes calls for one message. If a refusal mentions the session or a lock, `check` decides: without its
   * confirmation, the refusal concerns only this message.
   */
  const forOneMessage = async <Result>(
    calls: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> => {
    try {
      return await calls()
    } catch (error) {
      const cause = error instanceof Failure ? error.cause : undefined
      if (!(cause instanceof GatewayFault) || !maySpeakOfAccount(cause)) throw error
      const code = await check(signal).then(
        () => undefined,
        (refusal: unknown) => (refusal instanceof Failure ? refusal.code : undefined),
      )
      if (code === 'BEA_NOT_AUTHENTICATED') throw sessionEnded(cause)
      if (code === 'BEA_ACCOUNT_LOCKED') throw accountLocked(cause)
      throw error
    }
  }

  const logout = (signal: AbortSignal) => get('bea_logout', {}, signal, () => undefined)

  /** An untested key has decrypted something, so it is right. */
  const keyIsRight = () => {
    delete current.is_key_untested
  }

  /** Ends the session, because the network may refuse a second login while it exists. */
  const endedForItsKey = async (cause?: unknown): Promise<Failure> => {
    log.warn('The key of a beA session, decrypted with a card, is wrong.', {})
    await logout(AbortSignal.timeout(endMilliseconds)).catch(() => {})
    return wrongSessionKey(cause)
  }

  const postboxes = (signal: AbortSignal) =>
    get('bea_get_postboxes', {}, signal, (answer) => {
      const found = postboxesOf(answer)
      if (!found.some((it) => sameSafeId(it.postbox_safe_id, current.safe_id)))
        throw new UnreadableAnswer('The postbox of the login is not among the postboxes.')
      return found
    })

  return {
    session: () => ({ ...current }),
    check,
    logout,
    postboxes,
    folders: async (postboxSafeId, signal) => {
      const folders = await get('bea_get_folderstructure', { postboxSafeId }, signal, (answer) =>
        foldersOf(answer, postboxSafeId),
      )
      if (folders !== undefined) return folders
      const all = await postboxes(signal)
      return all.find((it) => sameSafeId(it.postbox_safe_id, postboxSafeId))?.folders ?? []
    },
    overview: async (folderId, signal) => {
      const { entries, opened, unopened } = await get(
        'bea_get_folderoverview',
        { folderId },
        signal,
        (answer) => summariesOf(answer, folderId, context, log),
      )
      if (opened > 0) keyIsRight()
      // One subject alone may be broken.
      if (current.is_key_untested && unopened > 1) throw await endedForItsKey()
      return entries
    },
    message: async (postboxSafeId, messageId, signal) => {
      const message = await forOneMessage(
        () =>
          get('bea_get_message', { messageId }, signal, async (answer) => {
            // The message reader and its XML parser are loaded with the first message.
            const { messageOf } = await import('./decrypted-message.ts')
            return messageOf(answer, { postboxSafeId, messageId }, context, log)
          }),
        signal,
      )
      const attachments = message.attachments.map(({ read, ...attachment }) => ({
        ...attachment,
        read: () => client.reading('bea_get_message', read),
      }))
      return { ...message, attachments }
    },
    accessRights: (signal) => get('bea_get_accessrights', {}, signal, (answer) => rightsOf(answer, timeZone)),
    search: (query, signal) =>
      searchDirectory(query, (request, read) => get('bea_search', request, signal, read)),
    send: async (postboxSafeId, message, beforeLastStep, signal) => {
      let isKeyWrong = false
      const keyOf = async (answer: Answer) => {
        try {
          const key = await client.reading('bea_init_message', () =>
            aesKey(decryptEnc(answer.key, context.sessionKey)),
          )
          keyIsRight()
          return key
        } catch (error) {
          isKeyWrong = current.is_key_untested === true
          throw error
        }
      }
      try {
        return await forOneMessage(
          () =>
            inTurn(() =>
              sendMessage(
                { postboxSafeId, message, beforeLastStep, signal },
                {
                  client,
                  initialise: (request) => withToken('bea_init_message', request, signal),
                  next: withoutToken,
                  sessionKey: context.sessionKey,
                  keyOf,
                  newIv,
                },
              ),
            ),
          signal,
        )
      } catch (error) {
        throw isKeyWrong ? await endedForItsKey(error) : error
      }
    },
  }
}

/** @throws TypeError for a session that was not made by a login */
function sessionKeyOf({ session_key }: GatewaySession): Buffer {
  try {
    return aesKey(base64Bytes(session_key))
  } catch (error) {
    throw new TypeError('The key of a session has 32 bytes in base64.', { cause: error })
  }
}
