import { isDeepStrictEqual } from 'node:util'
import { quotingNothing } from '#bea/messages/message-schema.ts'
import { waitingAnswersOf } from '../bea/bea-draft-store.ts'
import { beaImportEntity, beaMessageEntity } from '../bea/bea-message-entity.ts'
import { remoteKey } from '../bea/bea-message-records.ts'
import { caseEntity } from '../cases/case-entity.ts'
import { sharedLink } from '../correspondence/shared-link-entity.ts'
import { type Db, strongly, ttlOf } from '../db.ts'
import type { StoredItem } from '../pages-of.ts'
import { asRead } from '../records.ts'
import { deadlines } from '../retention/case-nouns.ts'
import { removedInCase } from '../retention/disposal-part-entity.ts'
import { recordRemoval } from '../retention/record-removal.ts'
import { sortedList } from '../sorted-list.ts'
import { type Action, change, demand, put, transact } from '../transact.ts'
import type { Upgrade } from './upgrade.ts'

/**
 * Brings under disposals and erasures (R3, R5) what they could not find. Run it once no instance of the old release is
 * left.
 *
 * - Links to documents expire, as the lists that find them do. Earlier releases kept them without end, with the names of
 *   the documents.
 * - Notices of beA messages that are imported now quote nothing.
 * - Struck deadlines of cases are noted. No list of the case names them, and its timeline does not name a Vorfrist that
 *   was struck with its Hauptfrist. If the case is gone, they are removed.
 * - Answers (eEB) that wait to be sent are listed. They keep a case from disposal.
 */
export const outlivingTexts: Upgrade = {
  layout: 20,
  name: 'outliving-texts',
  says: 'lets links to documents expire, empties notices of beA messages that are imported, notes or removes struck deadlines, lists waiting answers',
  scanned: (db: Db) => {
    const [links, messages, imports] = [sharedLink(db), beaMessageEntity(db), beaImportEntity(db)]
    const [cases, notes] = [caseEntity(db), removedInCase(db)]
    const beaDrafts = sortedList<object>(db, 'bea_drafts', 'descending')
    const removal = recordRemoval({
      db,
      outbox: { commit: (actions, _, change) => transact(db, actions, change) },
      nouns: [deadlines(db)],
      runJob: async () => {},
      eraseObjects: async () => {},
    })
    const write = (actions: Action[]) => (): Promise<unknown> => transact(db, actions)

    // An item may have changed since the scan read it, so each is read again.
    const expiring = async (item: StoredItem) => {
      const token_sha256 = String(item.token_sha256)
      if (item.ttl !== undefined) return undefined
      const { data: link } = await links.get({ token_sha256 }).go(strongly)
      if (link === null || link.ttl !== undefined) return undefined
      return write([change(links.patch({ token_sha256 }).set({ ttl: ttlOf(link) }))])
    }

    const emptied = async (item: StoredItem) => {
      const [workspace_id, id] = [String(item.workspace_id), String(item.id)]
      const [notice, remoteId] = String(item.remote_id).split('\n')
      if (remoteId === undefined || notice === 'entries') return undefined
      const key = {
        workspace_id,
        postbox_safe_id: String(item.postbox_safe_id),
        remote_key: remoteKey(remoteId),
      }
      const { data: imported } = await imports.get(key).go(strongly)
      if (imported === null) return undefined
      const { data: current } = await messages.get({ workspace_id, id }).go(strongly)
      if (current === null) return undefined
      const { subject, sender, recipients, reference_sender = null, reference_recipient = null } = current
      const said = { subject, sender, recipients, reference_sender, reference_recipient }
      if (isDeepStrictEqual(said, quotingNothing)) return undefined
      const { reference_sender: _, reference_recipient: __, ...quoted } = quotingNothing
      return write([
        change(
          messages
            .patch({ workspace_id, id })
            .set({ ...quoted, version: current.version + 1 })
            .remove(['reference_sender', 'reference_recipient'])
            .where(asRead(current)),
        ),
      ])
    }

    const noted = async (item: StoredItem) => {
      const { case_id, struck_at } = item
      if (typeof case_id !== 'string' || typeof struck_at !== 'string') return undefined
      const [workspace_id, id] = [String(item.workspace_id), String(item.id)]
      const ofCase = { workspace_id, id: case_id }
      if ((await cases.get(ofCase).go(strongly)).data === null)
        return () => removal.remove(workspace_id, [{ kind: 'deadline', id }])
      const note = { workspace_id, case_id, id }
      const { data } = await notes.get(note).go(strongly)
      // Otherwise a disposal that removes the case meanwhile would leave the note.
      return data === null ? write([demand(cases.remove(ofCase)), put(notes.put(note))]) : undefined
    }

    const listed = async (item: StoredItem) => {
      const [workspace_id, place] = [String(item.workspace_id), String(item.id)]
      const isWaiting = item.state === 'queued' || item.state === 'preparing'
      if (item.eeb === undefined || !isWaiting) return undefined
      const term = waitingAnswersOf(String(item.account_id))
      if ((await beaDrafts.at(workspace_id, term, [place])).size > 0) return undefined
      return write(beaDrafts.changes(workspace_id, [], [{ term, place, data: {} }]))
    }

    const changes = { sharedlink: expiring, beamessage: emptied, deadline: noted, beadraft: listed }
    return {
      kinds: Object.keys(changes),
      convert: async (item, dryRun) => {
        const work = await changes[item.__edb_e__ as keyof typeof changes](item)
        if (work !== undefined && !dryRun) await work()
        return work !== undefined
      },
    }
  },
}
