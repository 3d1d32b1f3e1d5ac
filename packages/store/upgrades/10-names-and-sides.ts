import { caseEntity } from '../cases/case-entity.ts'
import type { Db } from '../db.ts'
import { partyEntity } from '../parties/party-entity.ts'
import { partySides } from '../parties/party-sides.ts'
import { similarParties } from '../parties/similar-parties.ts'
import { filedIn, itemIn, itemsIn, type Upgrade } from './upgrade.ts'

/**
 * Files every party under the terms of its name (C10), and every case under the sides of its parties (C11), as this release
 * looks them up. Earlier releases noted only clients and opponents, by few words for roles.
 */
export const namesAndSides: Upgrade = {
  layout: 10,
  name: 'names-and-sides',
  says: 'files parties by their names and cases by the sides of their parties, for conflict checks',
  sources: (db: Db) => {
    const [parties, cases] = [partyEntity(db), caseEntity(db)]
    const [similar, sides] = [similarParties(db), partySides(db)]
    return [
      filedIn('parties', parties, (Item) => {
        const { data } = parties.parse({ Item })
        if (data === null) return []
        return itemsIn(similar.changes(undefined, { ...data, email: data.email ?? null }))
      }),
      filedIn('cases', cases, (Item) => {
        const { data } = cases.parse({ Item })
        return data === null ? [] : sides.puts(data).map(itemIn)
      }),
    ]
  },
}
