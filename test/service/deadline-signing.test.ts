import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { newDeadlineFirm, outcome, times } from '#test/support/deadline-firm.ts'

let at: Awaited<ReturnType<typeof newDeadlineFirm>>
beforeAll(async () => {
  at = await newDeadlineFirm()
})

const sign = (date: string, body?: unknown, by = at.colleague.api) =>
  by('POST', `/api/v1/deadlines/register/${date}/sign`, body === undefined ? {} : { body })
const signed = (date: string, accept = 'application/json', more = '') =>
  at.firm.owner('GET', `/api/v1/deadlines/register?date=${date}&signed=true${more}`, {
    headers: { Accept: accept },
  })
const localDay = (days = 0) =>
  new Date(epochMilliseconds() + days * 86_400_000).toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })

describe('the evening check (F20; BGH I ZB 108/17)', () => {
  it('stores the register as it stands, and gives exactly that again in all three forms', async () => {
    const date = '2024-03-18'
    const { id } = await at.entered({ title: 'Am Abend offen', due_at: date })
    const before = (await at.firm.owner('GET', `/api/v1/deadlines/register?date=${date}`)).body

    const { status, body: signature } = await sign(date, { remarks: 'Ohne Abweichung.' })
    await at.complete(id)
    await at.change(id, { title: 'Am Morgen danach' })

    expect(status).toBe(200)
    expect(signature).toMatchObject({
      date,
      version: 1,
      signed_by: { id: at.colleague.user.id, name: at.colleague.user.name },
      remarks: 'Ohne Abweichung.',
      previous_hash: null,
    })
    const json = (await signed(date)).body
    expect(json).toEqual({ ...before, generated_at: json.generated_at, signature })
    expect((await signed(date)).body).toEqual(json)
    const page = (await signed(date, 'text/html')).body
    expect(page).toContain('Am Abend offen')
    expect(page).toContain('▲ NICHT ERLEDIGT')
    expect(page).toContain('Bemerkungen: <bdi>Ohne Abweichung.</bdi>')
    expect(page).not.toContain('Am Morgen danach')
    expect((await signed(date, 'text/csv')).body).toMatch(/\r\nsigned,.*Ohne Abweichung\./)
    expect((await at.firm.owner('GET', `/api/v1/deadlines/register?date=${date}`)).body).toMatchObject({
      signature: null,
      due: [{ title: 'Am Morgen danach', state: 'completed' }],
    })
  })

  it('has a hash that any reader can recompute, and that names the version before', async () => {
    const date = '2024-03-19'
    await at.entered({ due_at: date })
    const first = (await sign(date)).body
    await at.entered({ title: 'Nachgetragen', due_at: date })
    const second = (await sign(date)).body

    const { signature, pagination: _, ...register } = (await signed(date)).body

    expect(register.due).toHaveLength(2)
    expect([second.version, second.previous_hash]).toEqual([2, first.hash])
    const { hash, ...bare } = signature
    const content = canonicalJson({ ...bare, parts: [register] })
    expect(createHash('sha256').update(content).digest('hex')).toBe(hash)
    expect(signature).toEqual(second)
  })

  it('by five at the same moment gives five versions', async () => {
    const answers = await times(5, () => sign('2024-03-20'))

    expect(answers.map(({ body }) => body.version).toSorted()).toEqual([1, 2, 3, 4, 5])
  })

  it('holds a day that one answer cannot hold, in parts', async () => {
    const far = await newDeadlineFirm()
    const date = '2024-03-21'
    // A page writes `&#38;`.
    const text = '&'.repeat(2_000)
    for (let made = 0; made < 260; made += 26)
      await times(26, async () => {
        const { id } = await far.entered({ title: '&'.repeat(500), due_at: date })
        await far.complete(id, { type: 'note', text })
      })
    await far.firm.owner('POST', `/api/v1/deadlines/register/${date}/sign`)

    const seen: string[] = []
    for (let cursor: string | null = null, part = 1; ; part += 1) {
      const query: string = `date=${date}&signed=true${cursor ? `&cursor=${cursor}` : ''}`
      const { body } = await far.firm.owner('GET', `/api/v1/deadlines/register?${query}`)
      expect(body.part).toBe(part)
      seen.push(...body.due.map(({ id }: { id: string }) => id))
      cursor = body.pagination.cursor
      if (cursor === null) break
    }

    expect(new Set(seen).size).toBe(260)
    expect(seen).toHaveLength(260)
    const asPage = { headers: { Accept: 'text/html' } }
    const first = await far.firm.owner('GET', `/api/v1/deadlines/register?date=${date}&signed=true`, asPage)
    const [, next = 'no link'] = /<a href="(\?[^"]+)">Es folgt Teil 2/.exec(first.body) ?? []
    const second = await far.firm.owner(
      'GET',
      `/api/v1/deadlines/register${next.replaceAll('&amp;', '&')}`,
      asPage,
    )
    expect(second.status).toBe(200)
    expect(second.body).toContain('Teil 2')
  })

  it('is refused for a day to come, and without the right to write', async () => {
    const reader = await at.firm.withScopes('deadlines:read')

    const answers = [
      await sign(localDay(2)),
      await sign('2024-02-30'),
      await sign('2024-03-22', { remarks: 'x'.repeat(2_001) }),
      await sign('2024-03-22', undefined, reader),
      await signed('2024-03-22'),
      await signed('2024-03-18', 'application/json', '&cursor=Zm9yZ2Vk'),
    ]

    expect(answers.map(outcome)).toEqual([
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
      [403, 'AUTH_INSUFFICIENT_SCOPE'],
      [404, 'REGISTER_NOT_SIGNED'],
      [400, 'VALIDATION_ERROR'],
    ])
  })

  it('of another firm is not found', async () => {
    await sign('2024-03-23')
    const stranger = await newDeadlineFirm()

    const answer = await stranger.firm.owner('GET', '/api/v1/deadlines/register?date=2024-03-23&signed=true')

    expect(outcome(answer)).toEqual([404, 'REGISTER_NOT_SIGNED'])
  })
})
