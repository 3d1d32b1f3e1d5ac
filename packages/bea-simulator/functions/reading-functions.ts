import type { Behaviour } from '../behaviour.ts'
import type { Sessions } from '../login/sessions.ts'
import { wireMessage, wireSummary } from '../messages/wire-message.ts'
import type { Network, StoredMessage } from '../network/network.ts'
import type { Randomness } from '../randomness.ts'
import type { Access } from './access.ts'
import type { Handlers } from './requests.ts'

/** Overviews and whole messages, encrypted for the session. */
export function readingFunctions(
  network: Network,
  sessions: Sessions,
  access: Access,
  random: Randomness,
  { behaviour, now }: { behaviour: Behaviour; now: () => Date },
): Handlers<'bea_get_folderoverview' | 'bea_get_message'> {
  /** The sender's view of a message that has not been acknowledged yet. */
  const asSeen = (message: StoredMessage): StoredMessage => {
    const sinceSent = now().getTime() - Date.parse(message.sent ?? '')
    const isAwaited = message.received === null && sinceSent < behaviour.acknowledged_after_minutes * 60_000
    return isAwaited ? { ...message, zugegangen: null, egvpStatus: null } : message
  }

  return {
    bea_get_folderoverview: ({ token, folderId }) => {
      const session = sessions.use(token)
      const found = network.messages(access.folder(session, folderId).id)
      const messages = found.map((message) => wireSummary(asSeen(message), session.sessionKey, random))
      return { token: sessions.rotate(session), messages: messages.length === 0 ? null : messages }
    },
    bea_get_message: async ({ token, messageId }) => {
      const session = sessions.use(token)
      const { message } = access.message(session, messageId)
      const attachments = network.attachments(message.id)
      const answer = await wireMessage(asSeen(message), attachments, session.sessionKey, random)
      return { token: sessions.rotate(session), ...answer }
    },
  }
}
