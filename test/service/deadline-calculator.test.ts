import { describe, expect, it } from 'vitest'
import { newDeadlineFirm, outcome } from '#test/support/deadline-firm.ts'
import { newFirm } from '#test/support/firm.ts'

const { firm } = await newDeadlineFirm()

type ListedPreset = {
  key: string
  period: object
  start: string
  direction: string
  begins?: { kind: string; period?: object }
}

/** The day from which a preset counts, by what the list says of it. */
async function countedFrom(
  date: string,
  begins: ListedPreset['begins'],
  add: (date: string, period: object) => Promise<string>,
): Promise<string> {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  if (begins?.kind === 'year_end') return `${year}-12-31`
  if (begins?.kind === 'next_month') return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10)
  if (begins?.kind === 'next_day')
    return new Date(Date.UTC(year, month - 1, day + 1)).toISOString().slice(0, 10)
  return add(date, begins?.period ?? {})
}

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

  it('shows with each preset from which other day it counts, so that the listed fields give the same end', async () => {
    const presets: ListedPreset[] = (await firm.owner('GET', '/api/v1/deadlines/presets')).body.data
    const ends = async (body: Record<string, unknown>) =>
      (await firm.owner('POST', '/api/v1/deadlines/calculate', { body })).body.calculated_date
    const others = presets.filter(({ begins }) => begins !== undefined)

    for (const event_date of ['2026-03-05', '2027-02-28', '2027-12-31'])
      for (const { key, begins, period, start, direction } of others) {
        const day = await countedFrom(event_date, begins, (from, of) =>
          ends({ event_date: from, period: of, shift: 'none' }),
        )
        const listed = await ends({ event_date: day, period, start, direction, shift: 'none' })
        expect([key, event_date, listed]).toEqual([key, event_date, await ends({ event_date, preset: key })])
      }
    expect(others.map(({ key }) => key)).toEqual(
      expect.arrayContaining(['bgb_verjaehrung', 'bgb_mieterhoehung_klage', 'bgb_betriebskosten_abrechnung']),
    )
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
