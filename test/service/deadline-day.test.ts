import { expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'

it('a day in the life: from the judgment that is served to the register that is signed and read again', async () => {
  const at = await newDeadlineFirm()
  const { firm, caseId, colleague } = at
  const post = async (path: string, body?: unknown, by = firm.owner) => {
    const answer = await by('POST', `/api/v1/deadlines${path}`, body === undefined ? {} : { body })
    expect([answer.status, answer.body.error]).toEqual([answer.status < 300 ? answer.status : 200, undefined])
    return answer.body
  }

  // Pronounced on 3 March 2031, served on Friday the 14th: a month later is Easter Monday, so the appeal is due the day after.
  const judgment = { event_date: '2031-03-14', pronounced_on: '2031-03-03', region: 'DE-BE' }
  const calculated = await post('/calculate', { ...judgment, preset: 'zpo_berufung' })
  const [second] = calculated.related
  expect([calculated.due_date, second.due_date]).toEqual(['2031-04-15', '2031-05-14'])

  // Both stages are entered by their calculations; the reasons with a Vorfrist.
  const appeal = await post('', {
    title: 'Berufung',
    case_id: caseId,
    due_at: calculated.due_date,
    calculation: { ...judgment, preset: 'zpo_berufung' },
  })
  const reasons = await post('', {
    title: 'Berufungsbegründung',
    case_id: caseId,
    calculation: { ...judgment, preset: second.preset },
    create_vorfrist: true,
  })
  expect(reasons).toMatchObject({ due_at: second.due_at, category: 'begruendung' })

  // The colleague checks both against the basis, and verifies exactly what she looked at.
  for (const { id } of [appeal, reasons]) {
    const seen = await colleague.api('GET', `/api/v1/deadlines/${id}`)
    expect(seen.body.basis).toMatchObject({ event_date: '2031-03-14', pronounced_on: '2031-03-03' })
    const verified = await colleague.api('POST', `/api/v1/deadlines/${id}/verify`, {
      headers: { 'If-Match': seen.headers.get('etag') ?? '' },
    })
    expect(verified.body.status).toBe('verified')
  }

  // The appeal goes out; its court receipt is looked at, and a second person checks the outgoing post.
  const receipt = { receipt_at: '2031-04-10T09:12:44Z', checked_by: firm.ownerUser.id }
  await post(`/${appeal.id}/complete`, { evidence: { type: 'note', text: 'Per beA.', ...receipt } })
  const controlled = await post(`/${appeal.id}/exit-control`, undefined, colleague.api)
  expect(controlled.exit_control.by).toBe(colleague.user.id)

  // More time for the reasons is requested and granted; the new end is verified again.
  await post(`/${reasons.id}/extension`, { period: { unit: 'month', count: 1 } })
  const granted = await post(`/${reasons.id}/extension/grant`)
  expect(granted).toMatchObject({
    due_at: '2031-06-16T23:59:59+02:00',
    status: 'pending',
    basis: reasons.basis,
  })
  expect((await at.read(reasons.chain.vorfrist)).due_at).toBe('2031-06-09T23:59:59+02:00')
  await post(`/${reasons.id}/verify`, undefined, colleague.api)

  // They are filed; the first completion names the wrong receipt and is undone.
  await at.complete(reasons.id)
  await post(`/${reasons.id}/reopen`, { reason: 'Der Beleg gehört zur Berufungsschrift.' })
  await at.complete(reasons.id)

  // In the evening the register is signed. The reasons still lack their exit control, and it says so.
  const today = systemClock.now().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
  const signature = await post(
    `/register/${today}/sign`,
    { remarks: 'Ausgangskontrolle folgt.' },
    colleague.api,
  )
  await post(`/${reasons.id}/exit-control`, undefined, colleague.api)

  const { body: evening } = await firm.owner('GET', `/api/v1/deadlines/register?date=${today}&signed=true`)
  const { body: now } = await firm.owner('GET', `/api/v1/deadlines/register?date=${today}`)
  const lacking = (register: { completed_without_exit_control: { id: string }[] }) =>
    register.completed_without_exit_control.map(({ id }) => id)
  expect(evening.signature).toEqual(signature)
  expect([lacking(evening), lacking(now)]).toEqual([[reasons.id], []])

  // The history is complete and valid.
  const { body: history } = await firm.owner('GET', `/api/v1/deadlines/${reasons.id}/history`)
  expect(history.intact).toBe(true)
  expect(history.data.map(({ action }: { action: string }) => action)).toEqual([
    'created',
    'verified',
    'extension_requested',
    'extension_granted',
    'verified',
    'completed',
    'reopened',
    'completed',
    'exit_controlled',
  ])
})
