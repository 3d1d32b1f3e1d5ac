import { beforeAll, describe, expect, it } from 'vitest'
import { api, codeOf } from '#test/support/api.ts'
import { aConfig, aRun, aToken, configsPath } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** The caller's view of scheduled runs. `test/store/export-runs.test.ts` proves when they run, and that each runs once. */
let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const schedule = { frequency: 'monthly', time: '06:00', day: 1 }
const scheduled = (body = {}) => aConfig(firm, { format: 'csv', schedule, ...body })
const get = (path: string, headers = {}) => firm.owner('GET', `${configsPath}/${path}`, { headers })
const retrieve = (id: string, token: string, run: string) =>
  api(firm.baseUrl, undefined)('GET', `${configsPath}/${id}/retrieve?token=${token}&run=${run}`)

describe('the runs of a configuration', () => {
  it('are listed newest first, and each is downloaded as it was made', async () => {
    const { id } = await scheduled()
    const first = await aRun(firm, id, { text: 'erste\r\n', scheduled_at: '2026-10-01T04:00:00.000Z' })
    const second = await aRun(firm, id, { text: 'zweite\r\n', scheduled_at: '2026-11-01T05:00:00.000Z' })

    const { data } = (await get(`${id}/runs`)).body
    const answer = await get(`${id}/runs/${first.id}/download`)

    expect(data.map((run: { id: string }) => run.id)).toEqual([second.id, first.id])
    expect(data[0]).toEqual({
      id: second.id,
      started_at: expect.any(String),
      finished_at: expect.any(String),
      status: 'succeeded',
      status_reason: null,
      row_count: 1,
      size_bytes: 8,
    })
    expect([answer.status, answer.body]).toEqual([200, 'erste\r\n'])
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-length')).toBe('7')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; .*T%C3%A4glich\.csv$/)
  })

  it('can be fetched in parts, and not again by a caller that has them', async () => {
    const { id } = await scheduled()
    const run = await aRun(firm, id, { text: '0123456789' })
    const path = `${id}/runs/${run.id}/download`
    const etag = (await get(path)).headers.get('etag') ?? ''

    const part = await get(path, { Range: 'bytes=2-4' })
    const same = await get(path, { 'If-None-Match': etag })

    expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
    expect(same.status).toBe(304)
  })

  it('are none of another configuration or firm', async () => {
    const [one, other] = [await scheduled(), await scheduled()]
    const run = await aRun(firm, one.id)
    const stranger = await newFirm()

    const answers = [
      await get(`${other.id}/runs/${run.id}/download`),
      await get(`${one.id}/runs/run_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10/download`),
      await stranger.owner('GET', `${configsPath}/${one.id}/runs/${run.id}/download`),
      await stranger.owner('GET', `${configsPath}/${one.id}/runs`),
    ]

    expect(answers.map(codeOf)).toEqual([
      [404, 'RUN_NOT_FOUND'],
      [404, 'RUN_NOT_FOUND'],
      [404, 'CONFIG_NOT_FOUND'],
      [404, 'CONFIG_NOT_FOUND'],
    ])
  })

  it('go with the configuration', async () => {
    const { id } = await scheduled()
    const run = await aRun(firm, id)
    const { token } = await aToken(firm, id)

    await firm.owner('DELETE', `${configsPath}/${id}`)

    const answers = [
      await get(`${id}/runs`),
      await get(`${id}/runs/${run.id}/download`),
      await retrieve(id, token, 'latest'),
    ]
    expect(answers.map(codeOf)).toEqual(answers.map(() => [404, 'CONFIG_NOT_FOUND']))
  })
})

describe('the holder of a token', () => {
  it('retrieves the last finished run, and learns that there is none yet', async () => {
    const { id } = await scheduled()
    const { token } = await aToken(firm, id)
    const none = await retrieve(id, token, 'latest')
    await aRun(firm, id, { text: 'erste', scheduled_at: '2026-10-01T04:00:00.000Z' })
    await aRun(firm, id, { text: 'zweite', scheduled_at: '2026-11-01T05:00:00.000Z' })

    const answer = await retrieve(id, token, 'latest')

    expect(codeOf(none)).toEqual([404, 'RUN_NOT_FOUND'])
    expect([answer.status, answer.body]).toEqual([200, 'zweite'])
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-disposition')).toContain('T%C3%A4glich.csv')
  })

  it.each([
    ['a column', { columns: [{ field: 'name' }] }],
    ['rows by a filter', { filters: { type: 'person' } }],
    ['everything by another source', { source: 'cases', columns: null, filters: null }],
  ])('gets no older file once the firm has taken out %s, until the next run', async (_, changes) => {
    const { id } = await scheduled({ source: 'parties' })
    const { token } = await aToken(firm, id)
    await aRun(firm, id, { text: 'mit allem', scheduled_at: '2026-10-01T04:00:00.000Z' })
    const before = await retrieve(id, token, 'latest')

    const changed = await firm.owner('PUT', `${configsPath}/${id}`, { body: changes })

    const after = await retrieve(id, token, 'latest')
    await aRun(firm, id, { text: 'weniger', scheduled_at: '2026-11-01T05:00:00.000Z' })
    const next = await retrieve(id, token, 'latest')
    expect([before.body, changed.status, codeOf(after)]).toEqual(['mit allem', 200, [404, 'RUN_NOT_FOUND']])
    expect([next.status, next.body]).toEqual([200, 'weniger'])
  })

  it('still gets the last file if only its name or time was changed', async () => {
    const { id } = await scheduled()
    const { token } = await aToken(firm, id)
    await aRun(firm, id, { text: 'wie zuvor' })

    const body = { name: 'Anders', schedule: { frequency: 'daily', time: '07:00' } }
    await firm.owner('PUT', `${configsPath}/${id}`, { body })

    expect((await retrieve(id, token, 'latest')).body).toBe('wie zuvor')
  })

  it('is asked for the token before anything else, and for a run that can be named', async () => {
    const { id } = await scheduled()
    const { token } = await aToken(firm, id)

    expect(codeOf(await retrieve(id, 'falsch', 'latest'))).toEqual([401, 'EXPORT_TOKEN_INVALID'])
    expect(codeOf(await retrieve(id, 'falsch', 'first'))).toEqual([401, 'EXPORT_TOKEN_INVALID'])
    expect(codeOf(await retrieve(id, token, 'first'))).toEqual([400, 'VALIDATION_ERROR'])
  })
})

it('a schedule is checked, shown and changed', async () => {
  const body = { name: 'Wöchentlich', source: 'cases', format: 'json' }
  const create = async (given: unknown) =>
    (await firm.owner('POST', configsPath, { body: { ...body, schedule: given } })).status

  const wrong = [
    { frequency: 'hourly', time: '06:00' },
    { frequency: 'daily', time: '24:00' },
    { frequency: 'daily', time: '6:00' },
    { frequency: 'weekly', time: '06:00' },
    { frequency: 'weekly', time: '06:00', weekday: 0 },
    { frequency: 'weekly', time: '06:00', weekday: 8 },
    { frequency: 'monthly', time: '06:00' },
    { frequency: 'monthly', time: '06:00', day: 29 },
    'daily',
    [],
  ]
  for (const one of wrong) expect([one, await create(one)]).toEqual([one, 400])
  const { id } = await scheduled()
  const weekly = { frequency: 'weekly', time: '23:59', weekday: 7 }
  const changed = await firm.owner('PUT', `${configsPath}/${id}`, { body: { schedule: weekly } })
  expect(changed.body.schedule).toEqual(weekly)
})
