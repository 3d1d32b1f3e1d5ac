import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { eventEntity } from '#store/calendar/event-entity.ts'
import { storedPushes } from '#store/calendar/push-store.ts'
import { pushedEvent } from '#store/calendar/pushed-event-entity.ts'
import { dueShard } from '#store/due-index.ts'
import { itemsOf } from '#store/pages-of.ts'
import { caseNouns } from '#store/retention/case-nouns.ts'
import { caseTexts } from '#store/retention/case-texts.ts'
import { readItems } from '#store/retention/record-removal.ts'
import { providerDomain, storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'

/** An event that named an erased party leaves the calendars that it was pushed to (R5, K11). */

const at = '2019-03-01T09:00:00.000Z'

it('an event is withdrawn from calendars if its texts named the party, and stays there if not', async () => {
  const deps = storeDeps(await sharedTable())
  const { db } = deps
  const [workspace_id, case_id, user_id] = [newId('workspace'), newId('case'), newId('user')]
  const add = async (title: string) => {
    const id = newId('event')
    const record = {
      ...{ workspace_id, id, title, case_id, type: 'event', starts_at: at, ends_at: at, all_day: false },
      ...{ first_day: null, last_day: null, location: null, description: null, attendees: [] },
      // A deleted event is in no list, but may still wait to be withdrawn.
      ...{ created_by: user_id, created_at: at, updated_at: at, changed_at: at, deleted_at: at, version: 1 },
    }
    await eventEntity(db)
      .put({ workspace_id, id, record: JSON.stringify(record), version: 1 })
      .go()
    await pushedEvent(db).put({ workspace_id, event_id: id, account_id: 'sync_1', user_id }).go()
    return id
  }
  const [named, other] = [await add('Besprechung mit Anna Meier'), await add('Besprechung')]
  const nouns = caseNouns({ ...deps, providerDomain })
  const redactTexts = caseTexts({ ...deps, files: {} as never })

  for (const id of [named, other])
    for (const { noun, item } of await readItems(db, nouns, workspace_id, [{ kind: 'event', id }]))
      await redactTexts(noun, item, (text) => text.replaceAll('Anna Meier', '[gelöscht]'))

  const { ofEvent } = storedPushes(db)
  expect([await ofEvent(workspace_id, named), await ofEvent(workspace_id, other)]).toEqual([
    [],
    [expect.objectContaining({ account_id: 'sync_1' })],
  ])
  const due: string[] = []
  for await (const items of itemsOf(db, `withdrawals#due#${dueShard(named)}`, []))
    due.push(...items.map(({ sk }) => sk))
  expect(due.join()).toContain(named)
})
