import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Answer } from '#test/support/api.ts'
import { billing } from '#test/support/billing.ts'
import { claimOf } from '#test/support/claims.ts'
import { form, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** G14: what a request with an Idempotency-Key promises. */
let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const keyed = (key: string = randomUUID()) => ({ 'Idempotency-Key': key })
const countCases = async ({ owner }: Firm, search: string) =>
  (await owner('GET', `/api/v1/cases?search=${search}`)).body.data.length

/** The caller's view of an answer, without data of the request itself. */
const seen = ({ status, body, headers }: Answer) => ({ status, body, etag: headers.get('etag') })

describe('a request that is repeated with its key', () => {
  it('gets the first answer again and opens no second case', async () => {
    const word = `wiederholt${randomUUID().slice(0, 8)}`
    const send = { body: { name: `${word} ./. Einmal` }, headers: keyed() }
    // Act
    const first = await firm.owner('POST', '/api/v1/cases', send)
    const again = await firm.owner('POST', '/api/v1/cases', send)
    // Assess
    expect(seen(again)).toEqual(seen(first))
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await countCases(firm, word)).toBe(1)
  })

  it('is the same whatever the order of its members and the space between them', async () => {
    const headers = { ...keyed(), 'Content-Type': 'application/json' }
    const send = (raw: string) => firm.owner('POST', '/api/v1/cases', { raw, headers })

    const first = await send('{"name":"Reihenfolge ./. Egal","type":"Zivil"}')
    const again = await send('{ "type": "Zivil", "name": "Reihenfolge ./. Egal" }')

    expect([again.status, again.body]).toEqual([201, first.body])
  })

  it('gets the first answer also if the resource was changed and deleted since', async () => {
    const send = { body: { name: 'Gelöscht ./. Seither' }, headers: keyed() }
    const first = await firm.owner('POST', '/api/v1/cases', send)
    await firm.owner('PUT', `/api/v1/cases/${first.body.id}`, { body: { name: 'Anders' } })
    await firm.owner('DELETE', `/api/v1/cases/${first.body.id}`)

    const again = await firm.owner('POST', '/api/v1/cases', send)

    expect(seen(again)).toEqual(seen(first))
  })

  it('gets the first answer even if the state would now refuse it, or the ETag is out of date', async () => {
    const { id, path } = await newDeadline(firm)
    const read = await firm.owner('GET', `/api/v1/deadlines/${id}`)
    const etag = read.headers.get('etag') ?? ''
    const send = {
      body: { evidence: { type: 'note', text: 'Eingereicht.' } },
      headers: { ...keyed(), 'If-Match': etag },
    }
    const first = await firm.owner('POST', `${path}/complete`, send)
    await firm.owner('POST', `${path}/reopen`, { body: { reason: 'Falsche Akte.' } })
    await firm.owner('DELETE', path)

    const again = await firm.owner('POST', `${path}/complete`, send)

    expect([first.status, first.body.completed_at]).toEqual([200, expect.any(String)])
    expect(seen(again)).toEqual(seen(first))
  })

  it('that changed nothing gets the first answer, though the state is another by now', async () => {
    const { path } = await newDeadline(firm)
    const complete = (headers: Record<string, string> = {}) =>
      firm.owner('POST', `${path}/complete`, { body: { evidence: { type: 'note', text: 'Fax.' } }, headers })
    await complete()
    const key = keyed()
    const unchanged = await complete(key)
    await firm.owner('POST', `${path}/reopen`, { body: { reason: 'Irrtum.' } })

    const again = await complete(key)

    expect(seen(again)).toEqual(seen(unchanged))
    expect((await firm.owner('GET', path)).body.completed_at).toBeNull()
  })

  it('is refused with another key of the user that lacks a scope which this request needs', async () => {
    const { id } = (await upload(firm.owner, { filename: 'Vergleich geheim.txt' })).body
    const send = { body: { subject: 'Anlage', attachments: [id] }, headers: keyed() }
    const first = await firm.owner('POST', '/api/v1/email/outbound/drafts', send)
    const narrow = await firm.withScopes('inbox:write')

    const again = await narrow('POST', '/api/v1/email/outbound/drafts', send)

    expect(first.body.attachments).toEqual([{ document_id: id, filename: 'Vergleich geheim.txt' }])
    expect([again.status, again.body.error?.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect(JSON.stringify(again.body)).not.toContain('geheim')
  })

  it('is refused with another key of the user that may not see all that the first answer shows', async () => {
    const known = (
      await firm.owner('POST', '/api/v1/parties', { body: { type: 'person', name: 'Ilka Kurzgeheim' } })
    ).body
    const open = async (parties: object[]): Promise<string> => {
      const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Kurzgeheim' } })).body
      if (parties.length > 0) await firm.owner('POST', `/api/v1/cases/${id}/parties`, { body: parties })
      return id
    }
    await open([{ id: known.id, role: 'client' }])
    const path = `/api/v1/cases/${await open([])}/parties`
    const add = { body: [{ id: known.id, role: 'opponent' }], headers: keyed() }
    const first = await firm.owner('POST', path, add)
    const narrow = await firm.withScopes('cases:write')

    const again = await narrow('POST', path, add)

    expect(first.body.warnings).toMatchObject([{ conflict: true }])
    expect([again.status, again.body.error?.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
  })

  it('is refused with a conflict if it has other content, and changes nothing', async () => {
    const headers = keyed()
    const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Erste' }, headers })).body
    const send = (path: string, body: object) => firm.owner('POST', path, { body, headers })

    const answers = await Promise.all([
      send('/api/v1/cases', { name: 'Zweitens ./. Anders' }),
      send('/api/v1/parties', { name: 'Erste' }),
      send(`/api/v1/cases/${id}/staff`, { staff: [{ id: firm.ownerUser.id, role: 'Anwalt' }] }),
    ])

    expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
      Array(3).fill([409, 'IDEMPOTENCY_KEY_REUSED']),
    )
    expect(await countCases(firm, 'zweitens')).toBe(0)
    expect((await firm.owner('GET', `/api/v1/cases/${id}/staff`)).body.data).toEqual([])
  })

  it('is refused with a conflict for another deadline, which stays open', async () => {
    const [one, other] = [await newDeadline(firm), await newDeadline(firm)]
    const send = { body: { evidence: { type: 'note', text: 'Eingereicht.' } }, headers: keyed() }
    await firm.owner('POST', `${one.path}/complete`, send)

    const { status, body } = await firm.owner('POST', `${other.path}/complete`, send)

    expect([status, body.error?.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect((await firm.owner('GET', other.path)).body.completed_at).toBeNull()
  })

  it('is handled again if it was refused before', async () => {
    const headers = keyed()
    const body = { name: 'Neue Partei', role: 'client' }
    const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Erst unbekannt' } })).body
    const link = (linked: string) =>
      firm.owner('POST', `/api/v1/cases/${id}/links`, { body: { case_id: linked }, headers })
    const refused = await link(randomUUID())
    const other = (await firm.owner('POST', '/api/v1/cases', { body: { name: body.name } })).body

    const accepted = await link(other.id)

    expect([refused.status, accepted.status]).toEqual([404, 201])
  })

  it('is another request if another user sends it', async () => {
    const colleague = await firm.colleague()
    const send = { body: { name: 'Zwei ./. Personen' }, headers: keyed() }

    const [mine, theirs] = [
      await firm.owner('POST', '/api/v1/cases', send),
      await colleague.api('POST', '/api/v1/cases', send),
    ]

    expect([mine.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.id).not.toBe(mine.body.id)
    expect(theirs.headers.get('idempotent-replayed')).toBeNull()
  })

  it('is handled again after 24 hours', async () => {
    const key = randomUUID()
    const send = { body: { name: 'Abgelaufen ./. Neu' }, headers: keyed(key) }
    const first = await firm.owner('POST', '/api/v1/cases', send)
    const { item, expire } = await claimOf(firm.workspace.id, firm.ownerUser.id, key)
    await expire()

    const again = await firm.owner('POST', '/api/v1/cases', send)

    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(again.body.id).not.toBe(first.body.id)
    const hours = (item.ttl - epochMilliseconds() / 1_000) / 3_600
    expect([hours > 23.9, hours <= 24]).toEqual([true, true])
  })
})

describe('a request that prepares its change', () => {
  it('releases its prepared records if it is repeated after its invoice was deleted', async () => {
    const make = billing(firm)
    const caseId = await make.makeCase()
    const time = await make.makeTime(caseId)
    const lines = [{ time_entry_id: time.id }]
    const send = { body: { case_id: caseId, buyer: { name: 'Anna Meier' }, lines }, headers: keyed() }
    const first = await firm.owner('POST', '/api/v1/invoices', send)
    await firm.owner('DELETE', `/api/v1/invoices/${first.body.id}`)

    const again = await firm.owner('POST', '/api/v1/invoices', send)

    expect(seen(again)).toEqual(seen(first))
    expect((await make.getTime(time.id)).invoice_id).toBeNull()
  })
})

describe('a form', () => {
  const upload = (key: string, bytes: string, fields: Record<string, string> = {}) =>
    firm.owner('POST', '/api/v1/documents', {
      raw: form({ file: { filename: 'Brief.txt', bytes } }, fields),
      headers: keyed(key),
    })

  it('that is sent again with another boundary is the same request', async () => {
    const [key, text] = [randomUUID(), `Ein Text ${randomUUID()}`]

    const [first, again] = [await upload(key, text), await upload(key, text)]

    expect([first.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(again.body).toEqual(first.body)
  })

  it('with other bytes or other fields is another request', async () => {
    const [key, text] = [randomUUID(), `Ein Text ${randomUUID()}`]
    const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Ziel' } })).body
    await upload(key, text)

    const answers = [await upload(key, `${text}.`), await upload(key, text, { case_id: id })]

    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      Array(2).fill([409, 'IDEMPOTENCY_KEY_REUSED']),
    )
  })
})

describe('an answer', () => {
  it('that is too large for one item is kept whole', async () => {
    // Compression makes little of it.
    const body_html = `<p>${randomBytes(600_000).toString('base64')}</p>`
    const send = { body: { subject: 'Groß', body_html }, headers: keyed() }

    const first = await firm.owner('POST', '/api/v1/email/outbound/drafts', send)
    const again = await firm.owner('POST', '/api/v1/email/outbound/drafts', send)

    expect([first.status, first.body.body_html.length > 790_000]).toEqual([201, true])
    expect(seen(again)).toEqual(seen(first))
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })
})

describe('a mail', () => {
  const mailsOf = async ({ owner }: Firm) =>
    (await owner('GET', '/api/v1/correspondence?direction=outbound')).body.data
  const mail = { to: ['mandant@example.de'], subject: 'Einmal', body_html: '<p>Guten Tag</p>' }

  it('that is sent twenty times at once with one key is sent once', async () => {
    const office = await newFirm()
    const send = { body: mail, headers: keyed() }

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => office.owner('POST', '/api/v1/email/outbound/send', send)),
    )
    const again = await office.owner('POST', '/api/v1/email/outbound/send', send)

    const codes = new Set(answers.map(({ status, body }) => body.error?.code ?? status))
    expect([...codes].filter((code) => code !== 200 && code !== 'SEND_IN_PROGRESS')).toEqual([])
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect((await mailsOf(office)).map(({ id }: { id: string }) => id)).toEqual([again.body.id])
  })

  it('with other content under the same key is refused, and not sent', async () => {
    const office = await newFirm()
    const headers = keyed()
    await office.owner('POST', '/api/v1/email/outbound/send', { body: mail, headers })

    const other = await office.owner('POST', '/api/v1/email/outbound/send', {
      body: { ...mail, subject: 'Anders' },
      headers,
    })

    expect([other.status, other.body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await mailsOf(office)).toHaveLength(1)
  })

  it('with the key of another request is refused, and not sent', async () => {
    const office = await newFirm()
    const headers = keyed()
    await office.owner('POST', '/api/v1/cases', { body: { name: 'Akte' }, headers })

    const refused = await office.owner('POST', '/api/v1/email/outbound/send', { body: mail, headers })

    expect([refused.status, refused.body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await mailsOf(office)).toEqual([])
  })

  it('with a key in its body goes by that one', async () => {
    const office = await newFirm()
    const headers = keyed()
    const send = (idempotency_key: string) =>
      office.owner('POST', '/api/v1/email/outbound/send', { body: { ...mail, idempotency_key }, headers })
    const key = randomUUID()

    const [first, again, other] = [await send(key), await send(key), await send(randomUUID())]

    expect([first.status, again.body, other.status]).toEqual([200, first.body, 200])
    expect(other.body.id).not.toBe(first.body.id)
    expect(await mailsOf(office)).toHaveLength(2)
  })
})

describe('twenty repetitions at once', () => {
  it.each([
    'a case',
    'a deadline with its Vorfrist',
  ])('open %s once, and all get one answer', async (what) => {
    const office = await newFirm()
    const { id } = (await office.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body
    const [path, list, body] =
      what === 'a case'
        ? ['/api/v1/cases', '/api/v1/cases?search=zugleich', { name: 'Zugleich ./. Zwanzigfach' }]
        : [
            '/api/v1/deadlines',
            '/api/v1/deadlines',
            { title: 'Berufung', case_id: id, due_at: '2031-04-16', create_vorfrist: true },
          ]
    const headers = keyed()

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => office.owner('POST', path, { body, headers })),
    )

    expect(new Set(answers.map((answer) => JSON.stringify(seen(answer)))).size).toBe(1)
    expect(answers[0]?.status).toBe(201)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    const { data } = (await office.owner('GET', list)).body
    expect(data).toHaveLength(what === 'a case' ? 1 : 2)
    const timeline = (await office.owner('GET', `/api/v1/cases/${id}/timeline`)).body.data
    expect(timeline).toHaveLength(what === 'a case' ? 1 : 2)
  })
})

describe('requests that collide with others', () => {
  it('are stored with their change however often they are tried, each once', async () => {
    const office = await newFirm()
    const path = '/api/v1/calendar/events'
    // All of them change the agenda of one user on one day.
    const sends = Array.from({ length: 8 }, (_, at) => ({
      body: {
        title: `Termin ${at}`,
        start: `2031-03-03T${String(8 + at).padStart(2, '0')}:00:00+01:00`,
        end: `2031-03-03T${String(8 + at).padStart(2, '0')}:30:00+01:00`,
        attendees: [office.ownerUser.id],
        allow_conflict: true,
      },
      headers: keyed(),
    }))

    const answers = await Promise.all([...sends, ...sends].map((send) => office.owner('POST', path, send)))

    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(201))
    const { data } = (await office.owner('GET', path)).body
    expect(data.map(({ title }: { title: string }) => title).toSorted()).toEqual(
      sends.map(({ body }) => body.title),
    )
    for (const { headers } of sends) {
      const { item } = await claimOf(office.workspace.id, office.ownerUser.id, headers['Idempotency-Key'])
      expect(item.changes_nothing).toBeUndefined()
    }
  })
})

describe('the kept data of a request', () => {
  it('does not reveal its content, not even to somebody who guesses it', async () => {
    const body = { name: 'Passwort ./. Wörterbuch' }
    const keys = [randomUUID(), randomUUID()] as const
    for (const key of keys) await firm.owner('POST', '/api/v1/cases', { body, headers: keyed(key) })

    const [one, other] = await Promise.all(
      keys.map((key) => claimOf(firm.workspace.id, firm.ownerUser.id, key)),
    )

    expect(one?.item.content).not.toBe(other?.item.content)
  })
})

describe('a request without a body', () => {
  it('takes a key whatever type of content it names', async () => {
    // As `curl --data ''` sends it.
    const send = { raw: new URLSearchParams(), headers: keyed() }

    const first = await firm.owner('POST', '/api/v1/calendar/ical-tokens', send)
    const again = await firm.owner('POST', '/api/v1/calendar/ical-tokens', send)

    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id])
  })
})

describe('a key', () => {
  it.each([
    ['of no characters', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a tab', 'a\tb'],
    ['with an umlaut', 'schlüssel'],
  ])('%s is refused, and nothing is changed', async (_, key) => {
    const name = `Unlesbar ${randomUUID().slice(0, 8)}`
    const answer = await firm.owner('POST', '/api/v1/cases', { body: { name }, headers: keyed(key) })

    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details[0].path).toBe('header.Idempotency-Key')
    expect(await countCases(firm, name.split(' ')[1] ?? '')).toBe(0)
  })

  it.each([
    ['of 255 characters', 'k'.repeat(255)],
    ['with spaces and marks', 'Akte #7 / "Meier" {1}'],
  ])('%s is taken', async (_, key) => {
    const answer = await firm.owner('POST', '/api/v1/cases', {
      body: { name: 'Lesbar' },
      headers: keyed(key),
    })

    expect(answer.status).toBe(201)
  })

  it('counts for POST only', async () => {
    const headers = keyed()
    const { id } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Nur POST' }, headers })).body

    const changed = await firm.owner('PUT', `/api/v1/cases/${id}`, { body: { name: 'Geändert' }, headers })
    const read = await firm.owner('GET', `/api/v1/cases/${id}`, { headers })

    expect([changed.status, read.body.name]).toEqual([200, 'Geändert'])
  })
})

async function newDeadline({ owner }: Firm): Promise<{ id: string; path: string }> {
  const { id: case_id } = (await owner('POST', '/api/v1/cases', { body: { name: 'Frist' } })).body
  const body = { title: 'Berufung', case_id, due_at: '2031-04-16' }
  const { id } = (await owner('POST', '/api/v1/deadlines', { body })).body
  return { id, path: `/api/v1/deadlines/${id}` }
}
