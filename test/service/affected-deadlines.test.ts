import { describe, expect, it } from 'vitest'
import { newDeadlineFirm } from '#test/support/deadline-firm.ts'

describe('the answer to the deactivation of a user', () => {
  it('names the open deadlines of this user, also if the request is repeated', async () => {
    const at = await newDeadlineFirm()
    const { id: assigned_to } = at.third.user
    const deactivate = () =>
      at.firm.owner('PATCH', `/api/v1/users/${assigned_to}`, { body: { active: false } })
    await at.enter()
    const late = await at.entered({ assigned_to, due_at: '2031-05-16' })
    const early = await at.entered({ assigned_to, due_at: '2031-04-16' })
    await at.verify(early.id)
    await at.complete((await at.entered({ assigned_to })).id)
    await at.firm.owner('DELETE', `/api/v1/deadlines/${(await at.entered({ assigned_to })).id}`)

    const first = await deactivate()
    const again = await deactivate()

    expect(first.body).toMatchObject({
      active: false,
      warnings: [
        'Diesem Nutzer sind 2 offene Fristen zugewiesen, die früheste fällig am Mittwoch, 16.04.2031: Sie brauchen eine andere zuständige Person.',
      ],
      deadline_ids: [early.id, late.id],
    })
    expect(again.body).toEqual(first.body)
  })

  it('has no warnings for a user without open deadlines, and no other change has them', async () => {
    const at = await newDeadlineFirm()
    const { id } = at.third.user
    await at.entered({ assigned_to: at.colleague.user.id })

    const left = await at.firm.owner('PATCH', `/api/v1/users/${id}`, { body: { active: false } })
    const renamed = await at.firm.owner('PATCH', `/api/v1/users/${at.colleague.user.id}`, {
      body: { name: 'Emre Groß' },
    })

    for (const { body } of [left, renamed]) expect(body).not.toHaveProperty('warnings')
    expect(left.body).toEqual((await at.firm.owner('GET', `/api/v1/users/${id}`)).body)
  })
})

describe('the answer to a new region of the firm', () => {
  // 1 November 2027 is a Monday: Allerheiligen, a holiday in Nordrhein-Westfalen, but not in Berlin.
  const month = { event_date: '2027-10-01', period: { unit: 'month', count: 1 } }
  const calculated = (at: Awaited<ReturnType<typeof newDeadlineFirm>>, calculation: object) =>
    at.entered({ due_at: undefined, calculation })
  const move = (at: Awaited<ReturnType<typeof newDeadlineFirm>>, holiday_region: string) =>
    at.firm.owner('PATCH', '/api/v1/workspace', { body: { holiday_region } })

  it('names the deadlines that were counted with the holidays of the old one and may end on another day', async () => {
    const at = await newDeadlineFirm()
    const { id } = await calculated(at, month)
    await calculated(at, { ...month, region: 'DE-BE' })
    await calculated(at, { ...month, event_date: '2027-10-05' })
    await at.complete((await calculated(at, month)).id)
    const hours = { event_at: '2027-10-29T10:00:00Z', period: { unit: 'hour', count: 48 } }
    const { id: ofHours } = await calculated(at, hours)
    // The fourth day after posting is 1 November, which moves in Nordrhein-Westfalen (§ 108 Abs. 3 AO).
    const { id: posted } = await calculated(at, { preset: 'ao_einspruch', posted_on: '2027-10-28' })

    const moved = await move(at, 'DE-NW')
    const back = await move(at, 'DE-BE')

    expect(moved.body).toMatchObject({
      holiday_region: 'DE-NW',
      warnings: [
        '3 offene Fristen, die früheste fällig am Montag, 01.11.2027, sind mit den Feiertagen eines anderen Landes gerechnet und enden nach denen in Nordrhein-Westfalen womöglich an einem anderen Tag: Zu prüfen ist, wo die Handlung vorzunehmen ist.',
      ],
      deadline_ids: [id, ofHours, posted],
    })
    expect((await at.read(id)).due_at).toBe('2027-11-01T23:59:59+01:00')
    expect(back.body).toEqual((await at.firm.owner('GET', '/api/v1/workspace')).body)
  })

  it('does not name a deadline whose end is not moved by days off', async () => {
    const at = await newDeadlineFirm()
    // 31 October 2027 is a Sunday.
    await calculated(at, {
      ...month,
      event_date: '2027-09-30',
      period: { unit: 'day', count: 31 },
      shift: 'none',
    })

    expect((await move(at, 'DE-NW')).body).not.toHaveProperty('deadline_ids')
  })
})
