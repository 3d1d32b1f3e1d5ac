import { expect, it } from 'vitest'
import { upload } from '#test/support/documents.ts'
import { closeLongAgo } from '#test/support/due-case.ts'
import { newFirm } from '#test/support/firm.ts'
import { disposeOf } from '#test/support/run-disposals.ts'
import { indexed } from '#test/support/search.ts'
import { placesOf } from '#test/support/stored-data.ts'

it('no word of a case is left after its disposal', async () => {
  const firm = await newFirm()
  const { owner, workspace } = firm
  const words = [
    'zwxname',
    'zwxakte',
    'zwxdatei',
    'zwxinhalt',
    'zwxbetreff',
    'zwxtext',
    'zwxtermin',
    'zwxzeit',
  ]
  const add = async (path: string, body: unknown) => (await owner('POST', `/api/v1/${path}`, { body })).body
  const { id: case_id } = await add('cases', {
    name: 'Zwxname ./. Schulze',
    description: 'Es geht um zwxakte.',
  })
  await upload(owner, { filename: 'zwxdatei.txt', bytes: 'Hier steht zwxinhalt.' }, { case_id })
  const mail = { to: ['jemand@example.com'], subject: 'Zwxbetreff', body_html: '<p>zwxtext</p>', case_id }
  await add('email/outbound/send', mail)
  await add('calendar/events', {
    title: 'Zwxtermin',
    start: '2026-12-01T09:00:00Z',
    end: '2026-12-01T10:00:00Z',
    case_id,
  })
  await add('time-entries', { case_id, date: '2026-11-27', minutes: 5, activity: 'zwxzeit' })
  await indexed(owner)
  await closeLongAgo(firm, case_id)
  const filled = (await placesOf(workspace.id, words)).join('\n')
  for (const word of words) expect(filled).toContain(`${word}:`)

  await disposeOf(firm, case_id)

  await indexed(owner)
  expect(await placesOf(workspace.id, words)).toEqual([])
})
