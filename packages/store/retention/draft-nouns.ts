import type { BeaDraftRecord } from '#bea/drafts/draft-ports.ts'
import type { DraftRecord } from '#correspondence/ports.ts'
import { idPrefixes } from '#kernel/id.ts'
import { beaAccountIds } from '../bea/bea-account-ids.ts'
import { beaDraftEntity, dueBeaSend } from '../bea/bea-draft-entity.ts'
import { beaDraftList } from '../bea/bea-draft-store.ts'
import { draftActions } from '../correspondence/draft-actions.ts'
import { draftEntity } from '../correspondence/draft-entity.ts'
import type { Db } from '../db.ts'
import { dueKey } from '../due-index.ts'
import { keyIn } from '../upgrades/upgrade.ts'
import type { CaseNoun } from './case-noun.ts'
import { nounOf, objectsIn } from './noun-of.ts'

export function mailDrafts(db: Db): CaseNoun {
  const { read, ...noun } = nounOf(db, draftEntity)
  const drafts = draftActions(db)
  return {
    ...noun,
    idPrefix: idPrefixes.draft,
    objects: objectsIn('mails'),
    // A draft that is not sent is open work. A sent one goes with its mail, a deleted one is noted.
    listed: () => [],
    traces: (item) => {
      const record = read<DraftRecord>(item)
      return { entries: drafts.list.changes({ ...record, status: 'draft' }) }
    },
  }
}

export function beaDrafts(db: Db): CaseNoun {
  const { read, ...noun } = nounOf(db, beaDraftEntity)
  const [list, due] = [beaDraftList(db), dueBeaSend(db)]
  return {
    ...noun,
    idPrefix: idPrefixes.beaDraft,
    objects: objectsIn('bea'),
    listed: () => [],
    traces: (item) => {
      const record = read<BeaDraftRecord>(item)
      const { id, due_at } = record
      return {
        entries: list.changes(record),
        keys: due_at === null ? [] : [keyIn(due.delete(dueKey(due_at, id)))],
      }
    },
  }
}

/** The lists of the beA drafts of a case: one for each account that the firm has, or once had. */
export async function beaDraftLists(db: Db, workspace_id: string, caseId: string): Promise<string[]> {
  return (await beaAccountIds(db, workspace_id)).map((id) => `bea_drafts#account=${id} case=${caseId}`)
}
