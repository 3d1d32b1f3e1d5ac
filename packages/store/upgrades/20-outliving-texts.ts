import { quotingNothing } from '#bea/messages/message-schema.ts'
import { beaImportEntity, beaMessageEntity } from '../bea/bea-message-entity.ts'
import { remoteKey } from '../bea/bea-message-records.ts'
import { sharedLink } from '../correspondence/shared-link-entity.ts'
import { ttlOf } from '../correspondence/shared-links.ts'
import { type Db, strongly } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { asRead } from '../records.ts'
import { removedInCase } from '../retention/disposal-part-entity.ts'
import { type Action, change, put, transact } from '../transact.ts'
import type { Upgrade } from './upgrade.ts'

/**
 * Takes texts out of the table that outlived their case, where no disposal finds them (R3). Earlier releases kept links
 * to documents without end, with the names of the documents, while the lists that find them expired. And the notice of
 * a beA message that could not be imported kept what it quotes after the message was imported. It also notes the struck
 * deadlines of cases, so that a disposal and the erasure of a party find them: no list of the case names them, and its
 * timeline names only those that a user struck, not a Vorfrist that was struck along with its Hauptfrist. Run it once no
 * instance of the old release is left.
 */
export const outlivingTexts: Upgrade = {
  layout: 20,
  name: 'outliving-texts',
  says: 'lets links to documents expire, empties notices of beA messages that are imported, notes struck deadlines',
  sources: () => [],
  scanned: (db: Db) => {
    const [links, messages, imports] = [sharedLink(db), beaMessageEntity(db), beaImportEntity(db)]
    const notes = removedInCase(db)

    const expiring = ({ token_sha256, expires_at, ttl }: StoredItem): Action | undefined =>
      ttl !== undefined
        ? undefined
        : change(
            links
              .patch({ token_sha256: String(token_sha256) })
              .set({ ttl: ttlOf({ expires_at: String(expires_at) }) }),
          )

    const emptied = async (item: StoredItem): Promise<Action | undefined> => {
      const [workspace_id, id] = [String(item.workspace_id), String(item.id)]
      const [notice, remoteId] = String(item.remote_id).split('\n')
      if (remoteId === undefined || notice === 'entries' || item.subject === '') return undefined
      const key = {
        workspace_id,
        postbox_safe_id: String(item.postbox_safe_id),
        remote_key: remoteKey(remoteId),
      }
      const { data: imported } = await imports.get(key).go(strongly)
      if (imported === null) return undefined
      const { reference_sender: _, reference_recipient: __, ...quoted } = quotingNothing
      const version = Number(item.version)
      return change(
        messages
          .patch({ workspace_id, id })
          .set({ ...quoted, version: version + 1 })
          .remove(['reference_sender', 'reference_recipient'])
          .where(asRead({ version })),
      )
    }

    const noted = async (item: StoredItem): Promise<Action | undefined> => {
      const { case_id, struck_at } = item
      if (typeof case_id !== 'string' || typeof struck_at !== 'string') return undefined
      const note = { workspace_id: String(item.workspace_id), case_id, id: String(item.id) }
      const { data } = await notes.get(note).go(strongly)
      return data === null ? put(notes.put(note)) : undefined
    }

    const changes = { sharedlink: expiring, beamessage: emptied, deadline: noted }
    return {
      kinds: Object.keys(changes),
      convert: async (item, dryRun) => {
        const action = await changes[item.__edb_e__ as keyof typeof changes](item)
        if (action !== undefined && !dryRun) await transact(db, [action])
        return action !== undefined
      },
    }
  },
}
