import { describe, expect, it } from 'vitest'
import { newDeadlineFirm, outcome } from '#test/support/deadline-firm.ts'
import { newFirm } from '#test/support/firm.ts'

const { firm } = await newDeadlineFirm()

describe('the calculator', () => {
  it('uses the time zone and the holidays of the workspace, and stores nothing', async () => {
    const { status, body } = await firm.owner('POST', '/api/v1/deadlines/calculate', {
      body: { event_date: '2027-08-05', preset: 'zpo_berufung' },
    })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      calculated_date: '2027-09-05',
      due_date: '2027-09-06',
      due_at: '2027-09-06T23:59:59+02:00',
      shifted: true,
    })
    expect(body.steps.map(({ rule }: { rule: string }) => rule)).toEqual([
      '§ 187 Abs. 1 BGB',
      '§ 188 Abs. 2 BGB',
      '§ 222 Abs. 2 ZPO',
    ])
  })

  it('counts the holidays at the seat of the federal court that a preset names, unless a region is given', async () => {
    const { owner } = await newFirm()
    await owner('PATCH', '/api/v1/workspace', { body: { holiday_region: 'DE-BY' } })
    const served = { event_date: '2026-05-04', preset: 'arbgg_nichtzulassungsbeschwerde' }
    const reckoned = async (body: Record<string, unknown>) => {
      const answer = await owner('POST', '/api/v1/deadlines/calculate', { body })
      return [answer.body.due_date, answer.body.region, answer.body.region_source]
    }

    const answers = [
      await reckoned(served),
      await reckoned({ ...served, region: 'DE-BY' }),
      await reckoned({ ...served, preset: 'arbgg_berufung' }),
    ]

    expect(answers).toEqual([
      ['2026-06-04', 'DE-TH', 'court'],
      ['2026-06-05', 'DE-BY', 'request'],
      ['2026-06-05', 'DE-BY', 'workspace'],
    ])
  })

  it('shows with each preset the federal court at which the act is due', async () => {
    const { body } = await firm.owner('GET', '/api/v1/deadlines/presets')

    const courtOf = (key: string) => body.data.find((preset: { key: string }) => preset.key === key).court
    expect(courtOf('fgo_revision')).toEqual({ name: 'Bundesfinanzhof', seat: 'München', region: 'DE-BY' })
    expect(courtOf('zpo_berufung')).toBeUndefined()
  })

  it('names its presets, each of which it takes', async () => {
    const { body } = await firm.owner('GET', '/api/v1/deadlines/presets')

    expect(body.data.length).toBeGreaterThan(30)
    for (const { key } of body.data.slice(0, 10)) {
      const answer = await firm.owner('POST', '/api/v1/deadlines/calculate', {
        body: { event_date: '2026-03-16', preset: key },
      })
      expect(answer.status).toBe(200)
    }
  })

  it.each([
    [{ preset: 'zpo_berufung' }],
    [{ event_date: '2026-02-31', preset: 'zpo_berufung' }],
    [{ event_date: '2041-01-01', preset: 'zpo_berufung' }],
    [{ event_date: '2026-03-16' }],
    [{ event_date: '2026-03-16', preset: 'gibt_es_nicht' }],
    [{ event_date: '2026-03-16', period: { unit: 'day', count: 1e9 } }],
    [{ event_date: '2026-03-16', period: { unit: 'year', count: 101 } }],
    [{ event_date: '2026-03-16', preset: 'zpo_berufung', region: 'DE-XX' }],
    [{ event_date: '2026-03-16', preset: 'zpo_berufung', region: 'DE-BE', municipality: 'Augsburg' }],
  ])('answers 400 to %j', async (body) => {
    expect(outcome(await firm.owner('POST', '/api/v1/deadlines/calculate', { body }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
  })

  it('reckons a tax notice posted before 2025 by the third day', async () => {
    const { body } = await firm.owner('POST', '/api/v1/deadlines/calculate', {
      body: { preset: 'ao_bekanntgabe_post', event_date: '2024-12-30' },
    })

    expect(body.due_date).toBe('2025-01-02')
  })
})
