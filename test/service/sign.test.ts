import { beforeAll, describe, expect, it, vi } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { settled } from '#test/support/documents.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import {
  type CaseWithDocuments,
  caseWithDocuments,
  type EnvelopeOptions,
  type SentEnvelope,
  sendEnvelope,
  visitor,
} from '#test/support/signing.ts'
import { sharedTable } from '#test/support/table.ts'
import { rowsOf } from '#test/support/table-file.ts'

let firm: Firm
let office: CaseWithDocuments
beforeAll(async () => {
  firm = await newFirm('Kanzlei Vogt & Çelik')
  office = await caseWithDocuments(firm)
})

/** An envelope, and its first signer at the page. */
async function visit(options: EnvelopeOptions = {}) {
  const envelope = await sendEnvelope(firm, options.documents ? options : { of: office, ...options })
  const token = await envelope.link()
  return { envelope, token, one: visitor(firm, token) }
}

const two = { signers: [{ name: 'Anna Meier' }, { name: 'Emre Çelik' }] }
const sequential = { ...two, fields: { signing_order: 'sequential' } }

/** The data that a refused form must not change. */
const stateOf = async (envelope: SentEnvelope) => [await envelope.get(), await envelope.audit()]

describe('the page of a magic link', () => {
  it('says who asks whom for what, with the documents and what signing means, before anything is opened', async () => {
    const message = 'Bitte bis Freitag.\nJana Vogt'
    const { one, envelope } = await visit({ fields: { title: 'Vollmacht <Meier>', message } })

    const { status, body } = await one.page()

    expect(status).toBe(200)
    expect(body).toContain('Kanzlei Vogt &#38; Çelik')
    expect(body).toContain('bittet Sie um Ihre Unterschrift')
    expect(body).toContain('Vollmacht &#60;Meier&#62;')
    expect(body).toContain(message)
    expect(body).toContain('Vollmacht.txt')
    expect(body).toContain('Art. 3 Nr. 10 der eIDAS-Verordnung')
    expect(body).not.toContain(`/documents/${envelope.documents[0]?.id}`)
    expect(body).not.toContain('name="consent"')
  })

  it('is in English for readers who prefer it', async () => {
    const { token } = await visit()

    const { body } = await visitor(firm, token, { 'Accept-Language': 'en-GB,en' }).page()

    expect(body).toContain('<html lang="en">')
    expect(body).toContain('asks you for your signature')
  })

  it('loads nothing from elsewhere, is kept nowhere, and tells nobody its address', async () => {
    const { one } = await visit()
    await one.open()

    const { headers, body } = await one.page()

    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(body).not.toMatch(/https?:\/\//)
    expect(body).not.toMatch(/ src=| on\w+=/)
  })

  it('shows names and titles with markup, bidi marks and line breaks as text', async () => {
    const hostile = '"><script>alert(1)</script>\u202Egnp.exe'
    const { one } = await visit({
      signers: [{ name: hostile }],
      documents: [{ bytes: 'a', filename: '<img src=x onerror=alert(1)>.txt' }],
      fields: { title: hostile, message: `</blockquote>\n<script>${hostile}` },
    })

    const before = await one.page()
    await one.open()
    const after = await one.page()

    for (const { body } of [before, after]) {
      expect(body.match(/<script>/g) ?? []).toHaveLength(body === after.body ? 1 : 0)
      expect(body).not.toContain('<img')
      expect(body).toContain('&#60;script&#62;')
      for (const at of body.matchAll(/\u202e/gu)) {
        const before = body.slice(0, at.index)
        const isIsolated = before.lastIndexOf('<bdi>') > before.lastIndexOf('</bdi>')
        expect(
          isIsolated || before.lastIndexOf('<blockquote dir="auto">') > 0 || before.includes('<title>'),
        ).toBe(true)
      }
    }
  })
})

describe('opening', () => {
  it('lets read the documents; the first one of all makes the envelope in_progress; it is in the audit trail', async () => {
    const { one, envelope } = await visit(two)
    const document = `/documents/${envelope.documents[0]?.id}`
    const early = await one.ask('GET', document, { headers: { Accept: 'application/json' } })

    const opened = await one.open()

    expect([early.status, early.body.error.code]).toEqual([409, 'ENVELOPE_NOT_OPENED'])
    expect(opened.status).toBe(303)
    const read = await one.ask('GET', document)
    expect([read.status, new TextDecoder().decode(read.bytes)]).toEqual([200, 'Vollmacht'])
    expect(read.headers.get('content-disposition')).toMatch(/^inline/)
    expect(read.headers.get('content-security-policy')).toContain('sandbox')
    expect(read.headers.get('referrer-policy')).toBe('no-referrer')
    const now = await envelope.get()
    expect([now.status, now.signers[0].opened_at, now.signers[1].opened_at]).toEqual([
      'in_progress',
      expect.any(String),
      null,
    ])
    expect((await envelope.audit()).at(-1)).toMatchObject({
      action: 'opened',
      actor: { type: 'signer', name: 'Anna Meier', ip: expect.stringContaining('127.0.0.1') },
    })
  })

  it('again changes nothing', async () => {
    const { one, envelope } = await visit()
    await one.open()
    const before = await stateOf(envelope)

    const { status } = await one.open()

    expect(status).toBe(303)
    expect(await stateOf(envelope)).toEqual(before)
  })

  it('reads no document of another envelope', async () => {
    const [{ one }, other] = await Promise.all([visit(), visit()])
    await one.open()

    const { status } = await one.ask('GET', `/documents/${other.envelope.documents[0]?.id}`)

    expect(status).toBe(404)
  })
})

describe('signing', () => {
  it('keeps the typed name, the consent in the words that were shown, address, browser and time', async () => {
    const { one, envelope, token } = await visit(two)
    await one.open()
    const { body: shown } = await visitor(firm, token, { 'Accept-Language': 'en' }).page()

    const { status, headers } = await one.sign({ name: ' Anna  Meier ', language: 'en' })

    expect([status, headers.get('location')]).toEqual([303, `${firm.baseUrl}/sign/${token}`])
    const [signer, other] = (await envelope.get()).signers
    expect([signer.status, signer.signed_at, other.status]).toEqual(['signed', expect.any(String), 'pending'])
    const entry = (await envelope.audit()).at(-1)
    expect(entry).toMatchObject({
      action: 'signed',
      actor: { type: 'signer', ip: expect.stringContaining('127.0.0.1'), user_agent: 'node' },
      details: { name: 'Anna  Meier', picture_sha256: null, documents: [{ sha256: expect.any(String) }] },
    })
    expect(shown).toContain(entry.details.consent)
    const { body } = await one.page()
    expect(body).toContain('Vielen Dank, Sie haben unterschrieben')
    expect(body).toContain('1 von 2 haben unterschrieben')
  })

  it.each([
    ['before the documents were opened', 'ENVELOPE_NOT_OPENED', async () => {}],
    [
      'twice',
      'ALREADY_SIGNED',
      async (one: ReturnType<typeof visitor>) => {
        await one.open()
        await one.sign()
      },
    ],
  ])('%s changes nothing and says so', async (_, code, prepare) => {
    const { one, envelope } = await visit(two)
    await prepare(one)
    const before = await stateOf(envelope)

    const page = await one.sign({ name: 'Jemand Anderes' })
    const json = await one.ask('POST', '/sign', {
      raw: new URLSearchParams({ name: 'Jemand Anderes', consent: 'yes' }),
      headers: { Accept: 'application/json' },
    })

    expect([page.status, json.status, json.body.error.code]).toEqual([409, 409, code])
    expect(page.body).toContain('Es wurde nichts geändert')
    expect(await stateOf(envelope)).toEqual(before)
  })

  it('out of turn is impossible: the second has no link before the first has signed, then it is the second’s turn', async () => {
    const { one, envelope } = await visit(sequential)
    const path = `/api/v1/signing/envelopes/${envelope.id}/signers/${envelope.signers[1]?.id}/link`
    const early = await firm.owner('POST', path)
    await one.open()
    await one.sign()

    const second = visitor(firm, await envelope.link(1))
    await second.open()
    const { status } = await second.sign({ name: 'Emre Çelik' })

    expect([early.status, early.body.error.code, status]).toEqual([409, 'NOT_YOUR_TURN', 303])
  })

  it.each([
    [{ consent: 'no' }, ['#consent']],
    [{ consent: '' }, ['#consent']],
    [{ name: '' }, ['#name']],
    [{ name: '\u200b', consent: 'on' }, ['#name', '#consent']],
    [{ name: 'x'.repeat(201) }, ['#name']],
    [{ name: 'Anna\nMeier' }, ['#name']],
    [{ signature: 'data:text/html;base64,PGI+' }, ['#signature']],
    [{ signature: `data:image/png;base64,${'A'.repeat(273_068)}` }, ['#signature']],
    [{ signature: 'data:image/png;base64,iVBORw0KGgo=' }, ['#signature']],
  ])('with %o is the page again with 422, what is missing, and what was typed', async (fields, links) => {
    const { one, envelope } = await visit()
    await one.open()
    const before = await stateOf(envelope)

    const { status, body } = await one.sign({ name: 'Anna <Meier>', ...(fields as Record<string, string>) })

    expect(status).toBe(422)
    for (const link of links) expect(body).toContain(`<a href="${link}">`)
    expect([...body.matchAll(/<li><a href="#/g)]).toHaveLength(links.length)
    if (!('name' in fields) && !('signature' in fields))
      expect(body).toContain('value="Anna &#60;Meier&#62;"')
    expect(await stateOf(envelope)).toEqual(before)
  })

  it.each([
    ['no form', '{}', 'application/json', 422],
    ['a thousand fields', 'a=1&'.repeat(1_000), 'application/x-www-form-urlencoded', 422],
    ['five megabytes', `name=${'x'.repeat(5_000_000)}`, 'application/x-www-form-urlencoded', 413],
    ['broken percent signs', 'name=%E0%A4%A&consent=yes', 'application/x-www-form-urlencoded', 422],
    ['names twice', 'name=A&name=B&consent=yes', 'application/x-www-form-urlencoded', 422],
  ])('with %s is refused and changes nothing', async (_, raw, type, expected) => {
    const { one, envelope } = await visit()
    await one.open()
    const before = await stateOf(envelope)

    const { status } = await one.ask('POST', '/sign', { raw, headers: { 'Content-Type': type } })

    expect(status).toBe(expected)
    expect(await stateOf(envelope)).toEqual(before)
  })

  it('an approver agrees with a name, and draws nothing', async () => {
    const { one, envelope } = await visit({
      signers: [{ name: 'Anna Meier', role: 'approver' }, { name: 'B' }],
    })
    await one.open()

    const { body } = await one.page()
    const drawn = await one.sign({ signature: `data:image/png;base64,${png}` })
    const agreed = await one.sign()

    expect(body).toContain('Jetzt zustimmen')
    expect(body).not.toContain('<canvas')
    expect([drawn.status, agreed.status]).toEqual([422, 303])
    expect((await envelope.audit()).at(-1).details.role).toBe('approver')
  })

  it('the same form twenty times at once is one signature', async () => {
    const { one, envelope } = await visit(two)
    await one.open()

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => one.sign({ signature: `data:image/png;base64,${png}` })),
    )

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    expect((await envelope.audit()).filter(({ action }) => action === 'signed')).toHaveLength(1)
  })

  it('two last signers at once complete the envelope once', async () => {
    const { one, envelope } = await visit(two)
    const other = visitor(firm, await envelope.link(1))
    await Promise.all([one.open(), other.open()])

    const answers = await Promise.all([one.sign(), other.sign({ name: 'Emre Çelik' })])

    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    await envelope.untilCompleted()
    const actions = (await envelope.audit()).map(({ action }) => action)
    expect(actions.filter((action) => action === 'signed')).toHaveLength(2)
    expect(actions.filter((action) => action === 'completed')).toHaveLength(1)
  })
})

/** A PNG of one black pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='

describe('declining', () => {
  it.each([
    ['a signer', { signers: [{ name: 'Anna Meier' }] }, 'unterschreiben'],
    ['an approver', { signers: [{ name: 'Emre Çelik', role: 'approver' }] }, 'zustimmen'],
    ['the first of two in order', sequential, 'unterschreiben'],
    ['one of two at once', two, 'unterschreiben'],
  ])('is offered to %s before the documents are opened, and ends the envelope', async (_, options, word) => {
    const { one, envelope } = await visit(options)
    const { body: page } = await one.page()

    const { status } = await one.decline('Ich öffne das nicht: Übermüdung.')

    expect(page).toContain(`Ich möchte nicht ${word}`)
    expect(page).toMatch(/<form method="post" action="[^"]*\/decline">/)
    expect(status).toBe(303)
    const now = await envelope.get()
    expect([now.status, now.declined_at, now.signers[0].status]).toEqual([
      'declined',
      expect.any(String),
      'declined',
    ])
    expect(now.signers[0]).toMatchObject({
      opened_at: null,
      decline_reason: 'Ich öffne das nicht: Übermüdung.',
    })
    expect((await envelope.audit()).map(({ action }) => action).slice(-2)).toEqual(['link_made', 'declined'])
    expect((await one.page()).status).toBe(410)
  })

  it('before opening without a reason is the page again with 422 and what is missing, and changes nothing', async () => {
    const { one, envelope } = await visit()
    const before = await stateOf(envelope)

    const { status, body } = await one.decline(' ')

    expect(status).toBe(422)
    expect(body).toContain('<a href="#reason">')
    expect(body).toContain('Dokumente öffnen')
    expect(await stateOf(envelope)).toEqual(before)
  })

  it('after signing changes nothing, as signing again', async () => {
    const { one, envelope } = await visit(two)
    await one.open()
    await one.sign()
    const before = await stateOf(envelope)

    const { status } = await one.decline()

    expect(status).toBe(409)
    expect(await stateOf(envelope)).toEqual(before)
  })

  it('ends the envelope for all, with the reason; links are 410 then, and say how it ended', async () => {
    const { one, envelope } = await visit(two)
    const other = visitor(firm, await envelope.link(1))
    await one.open()

    const { status } = await one.decline('Der Betrag stimmt nicht.')

    expect(status).toBe(303)
    const now = await envelope.get()
    expect([now.status, now.signers[0].decline_reason]).toEqual(['declined', 'Der Betrag stimmt nicht.'])
    const [mine, theirs, form] = [await one.page(), await other.page(), await other.open()]
    expect([mine.status, theirs.status, form.status]).toEqual([410, 410, 410])
    expect(mine.body).toContain('Sie haben abgelehnt')
    expect(theirs.body).not.toContain('Der Betrag')
    expect(theirs.body).toContain('Eine beteiligte Person hat abgelehnt')
    expect((await envelope.audit()).at(-1)).toMatchObject({ action: 'declined', actor: { type: 'signer' } })
  })

  it('needs a reason', async () => {
    const { one, envelope } = await visit()
    await one.open()

    const { status, body } = await one.decline('  ')

    expect(status).toBe(422)
    expect(body).toContain('<details open>')
    expect((await envelope.get()).status).toBe('in_progress')
  })
})

describe('after the end', () => {
  it.each([
    'open',
    'sign',
    'decline',
    'access',
  ])('of a voided envelope the page and the form %s are 410, whatever the form holds', async (form) => {
    const { one, envelope } = await visit()
    await one.open()
    const path = `/api/v1/signing/envelopes/${envelope.id}/void`
    await firm.owner('POST', path, { body: { reason: 'Falscher Betrag' } })
    const before = await stateOf(envelope)

    const [page, empty, full, document] = [
      await one.page(),
      await one.post(form),
      await one.post(form, { name: 'Anna Meier', consent: 'yes', reason: 'x', code: 'x' }),
      await one.ask('GET', `/documents/${envelope.documents[0]?.id}`),
    ]

    expect([page, empty, full, document].map(({ status }) => status)).toEqual([410, 410, 410, 410])
    expect(page.body).toContain('zurückgezogen')
    expect(page.body).not.toContain('Falscher Betrag')
    expect(await stateOf(envelope)).toEqual(before)
  })

  it('of a completed envelope the page has the sealed copies, and nothing else can be fetched or done', async () => {
    const { one, envelope } = await visit()
    const [document] = envelope.documents
    await one.open()
    await one.sign()
    await envelope.untilCompleted()
    expect((await one.page()).body).toContain('/copies/')

    const [copy, original, again] = [
      await one.ask('GET', `/copies/${document?.id}`),
      await one.ask('GET', `/documents/${document?.id}`),
      await one.sign(),
    ]

    expect([copy.status, original.status, again.status]).toEqual([200, 410, 410])
    expect(copy.headers.get('content-type')).toBe('application/pdf')
    expect(copy.headers.get('content-disposition')).toContain('inline')
    expect(new TextDecoder().decode(copy.bytes.slice(0, 5))).toBe('%PDF-')
  })

  it('of an envelope that was completed 30 days ago page, copies and forms are 410; a minute less, and the copies are there', async () => {
    const { one, envelope } = await visit()
    await one.open()
    await one.sign()
    await envelope.untilCompleted()
    const copy = `/copies/${envelope.documents[0]?.id}`
    const days = 30 * 24 * 60 * 60 * 1_000
    // The clock of the service cannot be moved; the completion can.
    const stores = envelopeStores(await sharedTable())
    const completedBefore = (milliseconds: number) =>
      stores.envelopes.change(firm.workspace.id, envelope.id, (current) => ({
        record: {
          ...current,
          completed_at: new Date(epochMilliseconds() - milliseconds).toISOString(),
          version: current.version + 1,
        },
        auditEntries: [],
        timeline: [],
        jobs: [],
        answer: undefined,
      }))
    const ask = async () => [await one.page(), await one.ask('GET', copy), await one.sign()]

    await completedBefore(days - 60_000)
    const inTime = await ask()
    await completedBefore(days)
    const late = await ask()

    expect(inTime.map(({ status }) => status)).toEqual([200, 200, 410])
    expect(late.map(({ status }) => status)).toEqual([410, 410, 410])
    expect(late[0]?.body).toContain('Sie standen 30 Tage lang bereit')
  })
})

describe('a link', () => {
  it.each([
    'x',
    'A'.repeat(43),
    'A'.repeat(5_000),
    '%00',
    '..%2f..',
  ])('that is guessed (%.10s) is a friendly page with 404', async (token) => {
    const { status, headers, body } = await visitor(firm, token).page()

    expect(status).toBe(404)
    expect(body).toContain('Diesen Link gibt es nicht')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('that was replaced is dead, for the page and for every form', async () => {
    const { one, envelope } = await visit()
    await one.open()
    const next = visitor(firm, await envelope.link())

    const dead = [await one.page(), await one.open(), await one.sign(), await one.decline()]
    const alive = await next.page()

    expect(dead.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect([alive.status, (await envelope.get()).signers[0].status]).toEqual([200, 'pending'])
  })
})

describe('the address of a form', () => {
  it.each([
    'access',
    'open',
    'sign',
    'decline',
  ])('%s leads who enters it by hand, or reloads it, to the page', async (form) => {
    const { one, token } = await visit()

    const answers = [await one.ask('GET', `/${form}`), await one.ask('HEAD', `/${form}`)]
    const followed = await fetch(`${firm.baseUrl}/sign/${token}/${form}`, {
      headers: { Accept: 'text/html' },
    })

    const address = `${firm.baseUrl}/sign/${token}`
    for (const { status, headers } of answers)
      expect([status, headers.get('location'), headers.get('referrer-policy')]).toEqual([
        303,
        address,
        'no-referrer',
      ])
    expect([followed.status, followed.url]).toEqual([200, address])
    expect(await followed.text()).toContain('bittet Sie um Ihre Unterschrift')
  })

  it('of an unknown link leads to the page that says so', async () => {
    const there = await fetch(`${firm.baseUrl}/sign/nobody/sign`, { headers: { Accept: 'text/html' } })

    expect(there.status).toBe(404)
    expect(await there.text()).toContain('Diesen Link gibt es nicht')
  })

  it('refuses a request that it cannot read with a page', async () => {
    const headers = { Accept: 'text/html,'.repeat(500) }
    const refused = await fetch(`${firm.baseUrl}/sign/nobody/sign`, { headers })

    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  })
})

describe('scanners', () => {
  it('that open every address of a link twenty times with GET and HEAD leave the table as it was', async () => {
    const own = await newFirm()
    const envelope = await sendEnvelope(own)
    const [document] = envelope.documents
    await settled(own.owner, document?.document_id ?? '')
    const token = await envelope.link()
    await vi.waitFor(async () => expect(storedOf(own).filter(isSearchWork)).toEqual([]), {
      timeout: 60_000,
      interval: 500,
    })
    const before = storedOf(own)

    const paths = [
      '',
      `/documents/${document?.id}`,
      `/copies/${document?.id}`,
      '/open',
      '/sign',
      '/decline',
      '/access',
    ]
    for (let round = 0; round < 20; round += 1) {
      for (const method of ['GET', 'HEAD'])
        await Promise.all(paths.map((path) => fetch(`${own.baseUrl}/sign/${token}${path}`, { method })))
    }

    expect(before.some((item) => item.includes(`"${envelope.id}"`))).toBe(true)
    expect(storedOf(own)).toEqual(before)
  })
})

/** The search index still has to follow a change, or is being written. */
const isSearchWork = (item: string) => /#search_(?:marks|lease)/.test(item)

/** Every item of a firm in the table. */
const storedOf = ({ workspace }: Firm) =>
  rowsOf(workspace.id)
    .map(({ item }) => item)
    .toSorted()
