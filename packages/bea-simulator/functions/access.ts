import { administered } from '../directory/identities.ts'
import { GatewayError } from '../gateway-error.ts'
import type { Session } from '../login/sessions.ts'
import type { Folder, Network, StoredMessage } from '../network/network.ts'

/** A session sees its own postbox and the postboxes that it administers. All others do not exist for it. */
export type Access = {
  postboxes: (session: Session) => string[]
  /** @throws GatewayError */
  requirePostbox: (session: Session, safeId: string) => void
  folder: (session: Session, folderId: string) => Folder
  message: (session: Session, messageId: string) => { message: StoredMessage; folder: Folder }
}

export function openAccess(network: Network): Access {
  const postboxes = ({ safeId }: Session) => [safeId, ...(administered[safeId] ?? [])]
  const folder = (session: Session, folderId: string): Folder => {
    const found = network.folder(folderId)
    if (found === undefined || !postboxes(session).includes(found.safeId))
      throw new GatewayError('The folder does not exist.')
    return found
  }
  return {
    postboxes,
    requirePostbox: (session, safeId) => {
      if (!postboxes(session).includes(safeId)) throw new GatewayError('The postbox does not exist.')
    },
    folder,
    message: (session, messageId) => {
      const message = network.message(messageId)
      if (message === undefined) throw new GatewayError('The message does not exist.')
      const found = network.folder(message.folderId)
      if (found === undefined || !postboxes(session).includes(found.safeId))
        throw new GatewayError('The message does not exist.')
      return { message, folder: found }
    },
  }
}
