import type { Db } from '../db.ts'
import { withNulls } from '../nulls.ts'
import { keyIn } from '../upgrades/upgrade.ts'
import type { RawItem } from './case-noun.ts'

/** The parts of a noun that follow from its entity. */
export function nounOf(db: Db, kind: unknown) {
  const described = kind as Described
  const entity = described(db)
  return {
    kind: entity.schema.model.entity,
    keyOf: (workspace_id: string, id: string) => keyIn(entity.get({ workspace_id, id })),
    caseOf: (item: RawItem) => item.case_id,
    read: <Stored>(Item: RawItem): Stored =>
      withNulls<object, never>(entity.parse({ Item }).data ?? {}, described.nullable) as unknown as Stored,
  }
}

/** The beginnings of the keys of the objects of a record: the id may be followed by a name, or by other objects. */
export function objectsIn(...folders: string[]) {
  return (workspaceId: string, id: string) => folders.map((folder) => `${folder}/${workspaceId}/${id}`)
}

type Described = {
  (
    db: Db,
  ): {
    schema: { model: { entity: string } }
    get: (key: { workspace_id: string; id: string }) => { params: () => unknown }
    parse: (response: { Item: object }) => { data: object | null }
  }
  nullable: { readonly [field: string]: true }
}
