import { expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import { timelineEntry } from '#store/cases/timeline-entity.ts'
import { leftCase } from '#store/retention/disposal-part-entity.ts'
import { redactLeft } from '#store/retention/redacted-entries.ts'
import { ownTable } from '#test/support/own-table.ts'

it('only texts and outside actors of entries about records that left the case are redacted', async () => {
  const db = await ownTable()
  const [workspace_id, case_id, user] = [newId('workspace'), newId('case'), newId('user')]
  const [bounced, moved, there] = [newId('correspondence'), newId('document'), newId('document')]
  const entries = timelineEntry(db)
  const entryOf = (type: string, record: string, actor: object) =>
    entries.put({
      ...{ workspace_id, case_id, id: newId('timelineEntry'), type, actor, ref: { type: 'any', id: record } },
      ...{ summary: `Zu Anna Meier: ${type}`, occurred_at: '2026-11-29T09:00:00.000Z' },
    })
  const outside = { type: 'external', id: null, name: 'anna.meier@example.org' }
  const inside = { type: 'user', id: user, name: 'Meier, Rechtsanwältin' }
  await writeAll(db, [
    entryOf('mail.bounced', bounced, outside),
    entryOf('document.unassigned', moved, inside),
    entryOf('document.created', there, inside),
    ...[bounced, moved].map((id) => leftCase(db).put({ workspace_id, id, case_id })),
  ])

  await redactLeft(db, workspace_id, [bounced, moved], (text) => text.replace(/anna\.?\s?meier/i, '…'))

  const { data } = await entries.query.newest({ workspace_id, case_id }).go()
  expect(data.map(({ type, summary, actor }) => ({ type, summary, actor }))).toEqual([
    { type: 'mail.bounced', summary: 'Zu …: mail.bounced', actor: { ...outside, name: '…@example.org' } },
    { type: 'document.unassigned', summary: 'Zu …: document.unassigned', actor: inside },
    { type: 'document.created', summary: 'Zu Anna Meier: document.created', actor: inside },
  ])
})
