import type { Behaviour } from '../behaviour.ts'
import { base64, encrypt, encryptData, nothingEncrypted } from '../ciphers.ts'
import { GatewayError } from '../gateway-error.ts'
import type { Sessions } from '../login/sessions.ts'
import { deliver, messageOf } from '../messages/deliver.ts'
import { wireMessage } from '../messages/wire-message.ts'
import type { Network } from '../network/network.ts'
import type { Randomness } from '../randomness.ts'
import type { Access } from './access.ts'
import { checkInfos, checkReceipt, checkReceivers, openContents } from './checks.ts'
import type { Compositions } from './compositions.ts'
import type { Handlers } from './requests.ts'

type Names =
  | 'bea_init_message'
  | 'bea_init_message_draft'
  | 'bea_cleanup_message'
  | 'bea_save_message'
  | 'bea_send_message'
  | 'bea_send_message_validation'

export type SendingDependencies = {
  network: Network
  sessions: Sessions
  access: Access
  compositions: Compositions
  random: Randomness
  behaviour: Behaviour
  now: () => Date
}

const keyBytes = 32
const validationBytes = 64

/** The send chain. A message is sent only after its validations came back. */
export function sendingFunctions(deps: SendingDependencies): Handlers<Names> {
  const { network, sessions, access, compositions, random, behaviour, now } = deps
  return {
    bea_init_message: ({ token, postboxSafeId, msg_infos: infos }) => {
      const session = sessions.use(token)
      access.requirePostbox(session, postboxSafeId)
      checkInfos(infos)
      checkReceipt(network, postboxSafeId, infos)
      const messageKey = random.bytes(keyBytes, 'messageKey')
      const messageToken = compositions.begin({ session, postboxSafeId, messageKey, infos, draftId: null })
      sessions.spend(session)
      return { messageToken, key: encrypt(session.sessionKey, messageKey, random) }
    },

    bea_init_message_draft: async ({ token, messageId }) => {
      const session = sessions.use(token)
      const { message, folder } = access.message(session, messageId)
      const infos = message.draft
      if (infos === null || folder.type !== 'DRAFT') throw new GatewayError('The message is not a draft.')
      const { sessionKey } = session
      const messageKey = random.bytes(keyBytes, 'messageKey')
      const whole = await wireMessage(message, network.attachments(message.id), sessionKey, random)
      const betreff = infos.betreff === '' ? nothingEncrypted : encrypt(sessionKey, infos.betreff, random)
      const messageToken = compositions.begin({
        session,
        postboxSafeId: folder.safeId,
        messageKey,
        infos,
        draftId: message.id,
      })
      sessions.spend(session)
      return {
        messageToken,
        key: encrypt(sessionKey, messageKey, random),
        msg_infos: {
          betreff,
          aktz_sender: infos.aktz_sender,
          aktz_rcv: infos.aktz_rcv,
          receivers: message.addressees,
          attachments: whole.attachments,
          encryptedObjects: whole.encryptedObjects,
          dringend: infos.dringend,
          pruefen: infos.pruefen,
          nachrichten_typ: infos.nachrichten_typ,
        },
      }
    },

    bea_cleanup_message: ({ messageToken }) => {
      compositions.take(messageToken)
      return { info: 'ok' }
    },

    bea_save_message: (request) => {
      const composition = compositions.take(request.messageToken)
      const { session, postboxSafeId: from, draftId } = composition
      const infos = request.msg_infos
      checkInfos(infos)
      const attachments = openContents(request, composition.messageKey)
      const known = { ...infos, receivers: infos.receivers.filter((safeId) => safeId !== '') }
      if (known.receivers.length > 0) checkReceivers(known)
      const message = messageOf({ from, infos: known, now: now() })
      const draft = { ...message, sent: null, zugegangen: null, egvpStatus: null, draft: known }
      const messageId = network.transaction(() => {
        if (draftId !== null) network.removeMessage(draftId)
        return network.addMessage(network.baseFolder(from, 'DRAFT').id, draft, attachments)
      })
      return { token: sessions.rotate(session), messageId, info: 'ok' }
    },

    bea_send_message: (request) => {
      const composition = compositions.take(request.messageToken)
      const infos = request.msg_infos
      checkInfos(infos)
      checkReceivers(infos)
      checkReceipt(network, composition.postboxSafeId, infos)
      const attachments = openContents(request, composition.messageKey)
      const { sessionKey } = composition.session
      const expected = new Map<string, Buffer>()
      const validations = Array.from({ length: behaviour.validations }, (_, at) => {
        const id = `v${at + 1}`
        const plain = random.bytes(validationBytes, 'validation')
        expected.set(id, plain)
        return { id, ...encryptData(sessionKey, plain, random) }
      })
      const validationTokenMSG = compositions.await({
        composition: { ...composition, infos },
        attachments,
        expected,
      })
      return { validationTokenMSG, ...(validations.length > 0 && { validations }) }
    },

    bea_send_message_validation: async ({ validationTokenMSG, validations }) => {
      const { composition, attachments, expected } = compositions.finish(validationTokenMSG)
      const { session, postboxSafeId: from, infos, draftId } = composition
      const isRight =
        validations.length === expected.size &&
        new Set(validations.map(({ id }) => id)).size === expected.size &&
        validations.every(({ id, data }) => data === base64(expected.get(id) ?? Buffer.alloc(0)))
      if (!isRight) throw new GatewayError('The validations are wrong.')
      const messageId = await deliver(network, { from, infos, attachments, draftId, now: now() })
      return { token: sessions.rotate(session), info: 'ok', messageId }
    },
  }
}
