import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const code = 'Ahorn-27'

/** A link with an access code, and somebody at its page. */
async function visit() {
  const envelope = await sendEnvelope(firm, { signers: [{ name: 'Anna Meier', access_code: code }] })
  const token = await envelope.link()
  return { envelope, token, one: visitor(firm, token) }
}

/** Enters the code, and comes back with the cookie. */
async function unlocked({ token, one }: Awaited<ReturnType<typeof visit>>) {
  const { headers } = await one.post('access', { code })
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  return visitor(firm, token, { Cookie: cookie })
}

describe('an access code', () => {
  it('is asked for before anything is shown: no title, no names, no documents, and forms and files refuse', async () => {
    const { one, envelope } = await visit()

    const page = await one.page()
    const refused = [
      await one.open(),
      await one.sign(),
      await one.sign({ name: '' }),
      await one.decline(),
      await one.ask('GET', `/documents/${envelope.documents[0]?.id}`),
      await one.ask('GET', `/copies/${envelope.documents[0]?.id}`),
    ]

    expect(page.status).toBe(200)
    expect(page.body).toContain('Zugangscode')
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
    for (const { body } of [page, ...refused]) {
      expect(body).not.toContain('Vollmacht')
      expect(body).not.toContain('Anna Meier')
      expect(body).not.toContain('Kanzlei im Test')
    }
    expect((await envelope.get()).status).toBe('sent')
  })

  it('opens the link for who enters it, and is remembered in a cookie of that path that no script reads', async () => {
    const visited = await visit()
    const { token, one, envelope } = visited

    const { status, headers } = await one.post('access', { code: ` ${code} ` })
    const inside = await unlocked(visited)
    const answers = [await inside.page(), await inside.open(), await inside.sign()]

    expect([status, headers.get('location')]).toEqual([303, `${firm.baseUrl}/sign/${token}`])
    expect(headers.get('set-cookie')).toMatch(
      new RegExp(
        `^signing_access=[\\w-]{43}; Path=/sign/${token}; Max-Age=43200; HttpOnly; SameSite=Strict$`,
      ),
    )
    expect(headers.get('set-cookie')).not.toContain(code)
    expect(answers.map(({ status }) => status)).toEqual([200, 303, 303])
    expect((await envelope.get()).signers[0].status).toBe('signed')
  })

  it('in a cookie opens no other link, nor the next one of the same signer', async () => {
    const visited = await visit()
    const { headers } = await visited.one.post('access', { code })
    const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
    const other = await visit()
    const next = await visited.envelope.link()

    const pages = [
      await visitor(firm, other.token, { Cookie: cookie }).open(),
      await visitor(firm, next, { Cookie: cookie }).open(),
      await visitor(firm, next, { Cookie: 'signing_access=' }).open(),
    ]

    expect(pages.map(({ status }) => status)).toEqual([403, 403, 403])
  })

  it('that is wrong is the page again with 422 and how many attempts are left', async () => {
    const { one } = await visit()

    const wrong = await one.post('access', { code: 'Birke-1' })
    const empty = await one.post('access', { code: '' })
    const page = await one.page()

    expect([wrong.status, empty.status]).toEqual([422, 422])
    expect(wrong.body).toContain('Dieser Code ist falsch')
    for (const { body } of [wrong, empty, page]) expect(body).toContain('Sie haben noch 4 Versuche')
  })

  it('that is wrong five times locks the link, page and every form, until there is a new one', async () => {
    const visited = await visit()
    const { one, envelope } = visited
    const inside = await unlocked(visited)

    const attempts = []
    for (let attempt = 0; attempt < 5; attempt += 1)
      attempts.push(await one.post('access', { code: 'falsch' }))
    const locked = [
      await one.page(),
      await one.post('access', { code }),
      await inside.page(),
      await inside.open(),
      await inside.sign(),
      await inside.decline(),
    ]
    const next = await envelope.link()

    expect(attempts.map(({ status }) => status)).toEqual([422, 422, 422, 422, 409])
    expect(locked.map(({ status }) => status)).toEqual([409, 409, 409, 409, 409, 409])
    expect(locked[0]?.body).toContain('Dieser Link ist gesperrt')
    const again = await unlocked({ ...visited, token: next, one: visitor(firm, next) })
    expect((await again.open()).status).toBe(303)
  })

  it.each([
    ['once', ['geheim1']],
    ['three times, with another alphabet and a long one', ['Αχορν-27', '   x', 'y'.repeat(200)]],
    ['until it is locked', Array.from({ length: 7 }, (_, at) => `rate-${at}`)],
  ])('guessed %s is in the audit trail, in the timeline, and on the signer', async (_, guesses) => {
    const { one, envelope } = await visit()
    const wrong = Math.min(guesses.length, 5)

    for (const guess of guesses) await one.post('access', { code: guess })

    const refused = (await envelope.audit()).filter(({ action }) => action === 'code_refused')
    expect(refused.map(({ details }) => details)).toEqual(
      Array.from({ length: wrong }, (_, at) => ({ attempts: at + 1, locked: at === 4 })),
    )
    for (const { actor } of refused) {
      expect(actor).toMatchObject({
        type: 'signer',
        ip: expect.stringContaining('127.0.0.1'),
        user_agent: 'node',
      })
    }
    const { body: timeline } = await firm.owner('GET', `/api/v1/cases/${envelope.case_id}/timeline?limit=100`)
    const entries = timeline.data.filter(({ type }: { type: string }) => type === 'envelope.code_refused')
    expect(entries).toHaveLength(wrong)
    expect(entries.some(({ summary }: { summary: string }) => summary.includes('gesperrt'))).toBe(wrong === 5)
    expect((await envelope.get()).signers[0].locked).toBe(wrong === 5)
    for (const guess of guesses) expect(JSON.stringify([refused, entries])).not.toContain(guess)
  })

  it('locks one signer alone, until the office makes a new link', async () => {
    const envelope = await sendEnvelope(firm, {
      signers: [
        { name: 'Anna Meier', access_code: code },
        { name: 'Emre Çelik', access_code: code },
      ],
    })
    const one = visitor(firm, await envelope.link())
    for (let attempt = 0; attempt < 5; attempt += 1) await one.post('access', { code: 'falsch' })

    const locked = (await envelope.get()).signers.map((signer: { locked: boolean }) => signer.locked)
    await envelope.link()

    expect(locked).toEqual([true, false])
    expect((await envelope.get()).signers[0].locked).toBe(false)
  })

  it('guessed after the completion is in the audit trail, which stays intact', async () => {
    const visited = await visit()
    const { envelope, one } = visited
    const inside = await unlocked(visited)
    await inside.open()
    await inside.sign()
    await envelope.untilCompleted()

    const { status } = await one.post('access', { code: 'falsch' })

    const { body } = await firm.owner('GET', `/api/v1/signing/envelopes/${envelope.id}/audit?limit=100`)
    expect(status).toBe(422)
    expect([body.data.at(-1).action, body.intact]).toEqual(['code_refused', true])
  })

  it.each([
    '12345',
    'ÄÖÜß1',
    '𝔄𝔄𝔄𝔄𝔄',
    'a    b'.replaceAll(' ', ''),
  ])('of five characters is refused: %s', async (short) => {
    const made = sendEnvelope(firm, { signers: [{ name: 'Anna Meier', access_code: short }] })

    await expect(made).rejects.toThrow(/access_code/)
  })

  it('guessed twenty times at once is compared five times at most', async () => {
    const { one } = await visit()

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => one.post('access', { code: `falsch-${at}` })),
    )

    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 422).length).toBeLessThanOrEqual(4)
    expect(statuses.filter((status) => status === 409).length).toBeGreaterThanOrEqual(16)
    expect((await one.post('access', { code })).status).toBe(409)
  })

  it('that is right is not counted, however often it is entered', async () => {
    const { one } = await visit()

    const statuses = []
    for (let attempt = 0; attempt < 7; attempt += 1)
      statuses.push((await one.post('access', { code })).status)

    expect(statuses).toEqual(Array(7).fill(303))
  })

  it('is stored as a slow hash, and shown nowhere', async () => {
    const { envelope } = await visit()

    const shown = JSON.stringify([await envelope.get(), await envelope.audit()])

    expect(shown).not.toContain(code)
    expect(shown).not.toContain('scrypt')
  })
})
