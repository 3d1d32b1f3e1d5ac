import type { WireFolder } from '#bea-wire/wire.ts'
import { findIdentity } from '../directory/identities.ts'
import { GatewayError } from '../gateway-error.ts'
import type { Sessions } from '../login/sessions.ts'
import type { Folder, Network } from '../network/network.ts'
import type { Access } from './access.ts'
import type { Handlers } from './requests.ts'

type Names =
  | 'bea_get_postboxes'
  | 'bea_get_folderstructure'
  | 'bea_add_folder'
  | 'bea_remove_folder'
  | 'bea_move_messagetofolder'
  | 'bea_move_messagetotrash'
  | 'bea_restore_messagefromtrash'
  | 'bea_delete_message'

const maxFolderNameLength = 100

/** Postboxes with their folders, and the folders of messages. */
export function folderFunctions(network: Network, sessions: Sessions, access: Access): Handlers<Names> {
  const wireFolder = ({ id, safeId, type, name, parentId }: Folder): WireFolder => ({
    id,
    type,
    postboxSafeId: safeId,
    parentId,
    name,
    unreadMessageCount: type === 'INBOX' ? network.countMessages(id) : 0,
  })

  return {
    bea_get_postboxes: ({ token }) => {
      const session = sessions.use(token)
      const postboxes = access.postboxes(session).map((postboxSafeId) => ({
        postboxSafeId,
        name: findIdentity(postboxSafeId)?.name ?? '',
        folder: network.folders(postboxSafeId).map(wireFolder),
      }))
      return { token: sessions.rotate(session), postboxes }
    },
    bea_get_folderstructure: ({ token, postboxSafeId }) => {
      const session = sessions.use(token)
      access.requirePostbox(session, postboxSafeId)
      return { token: sessions.rotate(session), folders: network.folders(postboxSafeId).map(wireFolder) }
    },
    bea_add_folder: ({ token, parentFolderId, newFolderName }) => {
      const session = sessions.use(token)
      const parent = access.folder(session, parentFolderId)
      const name = newFolderName.trim()
      if (name === '' || name.length > maxFolderNameLength)
        throw new GatewayError('The name of the folder is empty or too long.')
      if (network.folders(parent.safeId).some((it) => it.parentId === parent.id && it.name === name))
        throw new GatewayError('A folder with this name exists.')
      const { id } = network.addFolder(parent, name)
      return { token: sessions.rotate(session), id }
    },
    bea_remove_folder: ({ token, folderId }) => {
      const session = sessions.use(token)
      const folder = access.folder(session, folderId)
      if (folder.type !== 'CUSTOM') throw new GatewayError('This folder cannot be removed.')
      const hasFolders = network.folders(folder.safeId).some(({ parentId }) => parentId === folderId)
      if (hasFolders || network.countMessages(folderId) > 0)
        throw new GatewayError('The folder is not empty.')
      network.removeFolder(folderId)
      return { token: sessions.rotate(session), info: 'ok' }
    },
    bea_move_messagetofolder: ({ token, folderId, messageId }) => {
      const session = sessions.use(token)
      const { message, folder: from } = access.message(session, messageId)
      const to = access.folder(session, folderId)
      if (
        to.safeId !== from.safeId ||
        !['INBOX', 'SENT', 'CUSTOM'].includes(to.type) ||
        from.type === 'TRASH'
      )
        throw new GatewayError('The message cannot be moved there.')
      network.move(message, to.id)
      return { token: sessions.rotate(session), info: 'ok' }
    },
    bea_move_messagetotrash: ({ token, messageId }) => {
      const session = sessions.use(token)
      const { message, folder } = access.message(session, messageId)
      if (folder.type === 'TRASH') throw new GatewayError('The message is in the trash.')
      network.trash(message, network.baseFolder(folder.safeId, 'TRASH'))
      return { token: sessions.rotate(session), info: 'ok' }
    },
    bea_restore_messagefromtrash: ({ token, messageId }) => {
      const session = sessions.use(token)
      const { message, folder } = access.message(session, messageId)
      if (folder.type !== 'TRASH') throw new GatewayError('The message is not in the trash.')
      network.restore(message)
      return { token: sessions.rotate(session), info: 'ok' }
    },
    bea_delete_message: ({ token, messageId }) => {
      const session = sessions.use(token)
      const { message, folder } = access.message(session, messageId)
      if (folder.type !== 'TRASH') throw new GatewayError('The message is not in the trash.')
      network.removeMessage(message.id)
      return { token: sessions.rotate(session), info: 'ok' }
    },
  }
}
