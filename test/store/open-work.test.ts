import { expect, it } from 'vitest'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { openWorkOfCases } from '#store/retention/open-work.ts'
import { userEntity } from '#store/workspace/user-entity.ts'
import { draftRecord } from '#test/support/mail-records.ts'
import { mailStores } from '#test/support/mail-stores.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

it.each([
  ['is open work while it may still be sent', 9, true],
  ['is none once it is lost', 11, false],
])('a draft of a deactivated user that is being sent %s', async (_, minutes, isOpen) => {
  const db = await sharedTable()
  const { drafts, addCase } = mailStores(db)
  const [workspace_id, user_id] = [newId('workspace'), newId('user')]
  const created_at = systemClock.now().toISOString()
  const user = { name: 'Jana Vogt', email: 'vogt@kanzlei.de', active: false, created_at, version: 1 }
  await userEntity(db)
    .put({ workspace_id, id: user_id, ...user })
    .go()
  const case_id = await addCase(workspace_id)
  const sending_since = new Date(epochMilliseconds() - minutes * 60_000).toISOString()
  const sent = { status: 'sending', correspondence_id: newId('correspondence'), sending_since } as const
  const draft = draftRecord(workspace_id, { user_id, case_id, ...sent })
  await drafts.add(plain(draft))

  const work = await openWorkOfCases(db)(workspace_id, [case_id])

  expect(work.get(case_id) ?? []).toEqual(isOpen ? [{ kind: 'mail_draft', id: draft.id }] : [])
})
