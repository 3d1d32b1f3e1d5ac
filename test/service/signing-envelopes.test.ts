import { beforeAll, describe, expect, it } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import { isIntact } from '#kernel/hash-chain.ts'
import { type Answer, codeOf } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import {
  anna,
  bert,
  createEnvelope,
  envelopes,
  linkOf,
  newCase,
  sendEnvelope,
} from '#test/support/office-envelopes.ts'
import { newAddress, sentTo, until } from '#test/support/sent-mail.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const inDays = (days: number) => new Date(epochMilliseconds() + days * 24 * 60 * 60 * 1_000).toISOString()
const ask = (id: string, action: string, body?: unknown) =>
  firm.owner('POST', `${envelopes}/${id}/${action}`, body === undefined ? {} : { body })
const patch = (id: string, body: unknown) => firm.owner('PATCH', `${envelopes}/${id}`, { body })
const auditOf = async (id: string) => (await firm.owner('GET', `${envelopes}/${id}/audit`)).body
const actionsOf = async (id: string): Promise<string[]> =>
  (await auditOf(id)).data.map(({ action }: { action: string }) => action)
const timelineOf = async (caseId: string): Promise<{ type: string; summary: string }[]> =>
  (await firm.owner('GET', `/api/v1/cases/${caseId}/timeline`)).body.data.filter(
    ({ type }: { type: string }) => type.startsWith('envelope.'),
  )

describe('a draft', () => {
  it('is changed in the fields that are sent, and null resets them to the default', async () => {
    const { id } = (await createEnvelope(firm.owner, { message: 'Bitte', expires_at: inDays(40) })).body
    const expires_at = inDays(50)
    const reminders = { first_after_days: 2, repeat_every_days: 5 }

    const changed = await patch(id, {
      title: 'Vergütung',
      signing_order: 'sequential',
      expires_at,
      reminders,
    })
    const reset = await patch(id, { message: null, expires_at: null, reminders: null })
    const same = await patch(id, { title: 'Vergütung' })

    expect(changed.body).toMatchObject({
      title: 'Vergütung',
      signing_order: 'sequential',
      message: 'Bitte',
      expires_at,
      reminders,
    })
    expect(reset.body).toMatchObject({ title: 'Vergütung', message: null, expires_at: null, reminders: null })
    expect([same.status, same.body]).toEqual([200, reset.body])
    const { data } = await auditOf(id)
    expect(data.map(({ action }: { action: string }) => action)).toEqual(['created', 'changed', 'changed'])
    expect(data[1].details).toEqual({
      before: expect.objectContaining({ title: 'Vollmacht', signing_order: 'parallel', reminders: null }),
      after: { title: 'Vergütung', signing_order: 'sequential', expires_at, reminders },
    })
  })

  it.each([
    ['a time that has passed', { expires_at: '2020-01-01T00:00:00Z' }],
    ['a time after more than 365 days', { expires_at: inDays(366) }],
    ['a title of two lines', { title: 'a\nb' }],
    ['no title', { title: null }],
  ])('is not changed by %s', async (_, changes) => {
    const { body } = await createEnvelope(firm.owner)

    expect(codeOf(await patch(body.id, changes))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await firm.owner('GET', `${envelopes}/${body.id}`)).body).toEqual(body)
  })

  it('gets signers and loses them; the others are counted anew', async () => {
    const { id, signers } = (await createEnvelope(firm.owner, { signers: [anna, bert] })).body
    const path = `${envelopes}/${id}/signers`

    const added = await firm.owner('POST', path, {
      body: { signers: [{ ...anna, access_code: 'Ulme-4711' }] },
    })
    const removed = await firm.owner('DELETE', `${path}/${signers[0].id}`)
    const again = await firm.owner('DELETE', `${path}/${signers[0].id}`)
    const tooMany = await firm.owner('POST', path, { body: { signers: Array(49).fill(anna) } })

    expect([added.status, removed.status]).toEqual([201, 204])
    expect([again, tooMany].map(codeOf)).toEqual([
      [404, 'SIGNER_NOT_FOUND'],
      [400, 'VALIDATION_ERROR'],
    ])
    const { body } = await firm.owner('GET', `${envelopes}/${id}`)
    expect(body.signers.map(({ name, order }: { name: string; order: number }) => [name, order])).toEqual([
      ['Bert Schulze', 1],
      ['Anna Meier', 2],
    ])
    const { data } = await auditOf(id)
    expect(data.map(({ action }: { action: string }) => action)).toEqual(['created', 'changed', 'changed'])
    expect(data[1].details.signers_added).toMatchObject([{ ...anna, order: 3, has_access_code: true }])
    expect(data[2].details.signer_removed).toMatchObject({ ...anna, order: 1 })
    expect(JSON.stringify(data)).not.toContain('4711')
  })

  it('is not voided, not reminded of, and has no links: 409 ENVELOPE_NOT_SENT', async () => {
    const { id, signers } = (await createEnvelope(firm.owner)).body

    const answers = [
      await ask(id, 'void', { reason: 'Irrtum' }),
      await ask(id, 'remind'),
      await ask(id, `signers/${signers[0].id}/link`),
    ]

    expect(answers.map(codeOf)).toEqual(Array(3).fill([409, 'ENVELOPE_NOT_SENT']))
    expect(await actionsOf(id)).toEqual(['created'])
  })
})

describe('sending', () => {
  it('mails by default; sending again changes nothing and sends no second mail', async () => {
    const { id, case_id } = (await createEnvelope(firm.owner)).body

    const first = await ask(id, 'send', {})
    const again = await ask(id, 'send', { send_emails: false })
    const bare = await ask(id, 'send')

    expect([first.status, first.body.status, first.body.signers[0].delivery]).toEqual([200, 'sent', 'queued'])
    expect([again.status, bare.status]).toEqual([200, 200])
    expect(withoutDelivery(again.body)).toEqual(withoutDelivery(first.body))
    expect((await actionsOf(id)).filter((action) => action === 'sent')).toEqual(['sent'])
    expect((await timelineOf(case_id)).map(({ summary }) => summary)).toEqual([
      'Signaturvorgang „Vollmacht“ zur Unterschrift versandt',
      'Signaturvorgang „Vollmacht“ angelegt',
    ])
  })

  it('sends only the state that If-Match names; a repeated send changes nothing', async () => {
    const made = await createEnvelope(firm.owner)
    const { id } = made.body
    const changed = await patch(id, { message: 'Ungesehen' })
    const send = ({ headers }: Answer) =>
      firm.owner('POST', `${envelopes}/${id}/send`, { headers: { 'If-Match': headers.get('etag') ?? '' } })

    const late = await send(made)
    const unsent = await actionsOf(id)
    const fitting = await send(changed)
    const again = await send(changed)

    expect([codeOf(late), unsent]).toEqual([
      [412, 'PRECONDITION_FAILED'],
      ['created', 'changed'],
    ])
    expect([fitting.body.status, fitting.headers.get('etag') !== null, again.status]).toEqual([
      'sent',
      true,
      200,
    ])
  })

  it('without mails asks for none', async () => {
    const { body } = await sendEnvelope(firm.owner, { signers: [anna, bert] })

    expect([body.status, body.signers.map(({ delivery }: { delivery: null }) => delivery)]).toEqual([
      'sent',
      [null, null],
    ])
    expect((await auditOf(body.id)).data.at(-1).details).toMatchObject({ send_emails: false })
  })

  it('is refused where the draft’s own time has passed meanwhile, and nothing changes', async () => {
    const { id } = (await createEnvelope(firm.owner)).body
    const { expires_at } = (await patch(id, { expires_at: inSeconds(10) })).body
    await untilAfter(expires_at)

    expect(codeOf(await ask(id, 'send', {}))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await firm.owner('GET', `${envelopes}/${id}`)).body.status).toBe('draft')
  })
})

describe('a sent envelope', () => {
  it('is changed in its time and its reminders alone', async () => {
    const { id, signers, sent_at } = (await sendEnvelope(firm.owner)).body
    const expires_at = inDays(100)
    const reminders = { first_after_days: 1, repeat_every_days: 1 }

    const changed = await patch(id, { expires_at, reminders })
    const reset = await patch(id, { expires_at: null })
    const refused = await Promise.all([
      patch(id, { title: 'Anders' }),
      patch(id, { message: null, expires_at }),
      patch(id, { signing_order: 'sequential' }),
      ask(id, 'signers', { signers: [bert] }),
      firm.owner('DELETE', `${envelopes}/${id}/signers/${signers[0].id}`),
    ])
    const badTimes = await Promise.all([
      patch(id, { expires_at: '2020-01-01T00:00:00Z' }),
      patch(id, { expires_at: inDays(366) }),
    ])

    expect(changed.body).toMatchObject({ status: 'sent', expires_at, reminders })
    const defaultTime = new Date(Date.parse(sent_at) + 30 * 24 * 60 * 60 * 1_000).toISOString()
    expect(reset.body).toMatchObject({ expires_at: defaultTime, reminders })
    expect(refused.map(codeOf)).toEqual(Array(5).fill([409, 'ENVELOPE_NOT_DRAFT']))
    expect(badTimes.map(codeOf)).toEqual(Array(2).fill([400, 'VALIDATION_ERROR']))
  })

  it.each([
    ['documents:write'],
    ['documents:read'],
  ] as const)('gives no link to a key with %s alone', async (scope) => {
    const { id, signers } = (await sendEnvelope(firm.owner)).body
    const api = await firm.withScopes(scope)

    const answer = await api('POST', `${envelopes}/${id}/signers/${signers[0].id}/link`)

    expect([answer.status, answer.body.error.code]).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
  })

  it('gives a link for each whose turn it is, every time another one', async () => {
    const { id, signers, expires_at } = (
      await sendEnvelope(firm.owner, {
        signing_order: 'sequential',
        signers: [anna, bert, { ...anna, role: 'cc' }],
      })
    ).body
    const link = (at: number) => ask(id, `signers/${signers[at].id}/link`)

    const [first, second] = [await link(0), await link(0)]
    const [outOfTurn, copied] = [await link(1), await link(2)]
    const unknown = await ask(id, 'signers/signer_01993f5e-0000-7000-8000-000000000000/link')

    for (const { status, body } of [first, second]) {
      expect(status).toBe(201)
      expect(body).toEqual({ url: expect.stringMatching(/\/sign\/[\w-]{43}$/), expires_at })
      expect(body.url.startsWith(firm.baseUrl)).toBe(true)
    }
    expect(first.body.url).not.toBe(second.body.url)
    expect([outOfTurn, copied, unknown].map(codeOf)).toEqual([
      [409, 'NOT_YOUR_TURN'],
      [409, 'NOT_YOUR_TURN'],
      [404, 'SIGNER_NOT_FOUND'],
    ])
    const { data } = await auditOf(id)
    expect(data.slice(2).map(({ action, details }: Entry) => [action, details.signer])).toEqual([
      ['link_made', { id: signers[0].id, name: anna.name }],
      ['link_made', { id: signers[0].id, name: anna.name }],
    ])
    expect(JSON.stringify(data)).not.toContain(first.body.url.split('/').at(-1))
  })

  it('reminds whose turn it is, and says whom in the audit trail', async () => {
    const { id, signers } = (
      await sendEnvelope(firm.owner, { signing_order: 'sequential', signers: [anna, bert] })
    ).body

    const { status, body } = await ask(id, 'remind')

    expect(status).toBe(200)
    expect(body.signers.map(({ delivery }: { delivery: unknown }) => delivery !== null)).toEqual([
      true,
      false,
    ])
    expect((await auditOf(id)).data.at(-1)).toMatchObject({
      action: 'reminded',
      details: { signers: [{ id: signers[0].id, name: anna.name }] },
    })
  })

  it('is voided, and its signers reminded, only in the state that If-Match names', async () => {
    const act = ({ body: { id }, headers }: Answer, action: string, body?: object) =>
      firm.owner('POST', `${envelopes}/${id}/${action}`, {
        ...(body && { body }),
        headers: { 'If-Match': headers.get('etag') ?? '' },
      })
    const [reminded, voided] = [await sendEnvelope(firm.owner), await sendEnvelope(firm.owner)]
    const changed = await patch(voided.body.id, { expires_at: inDays(20) })
    const reason = { reason: 'Überholt' }

    const fitting = await act(reminded, 'remind')
    const late = [await act(reminded, 'remind'), await act(voided, 'void', reason)]
    const ended = await act(changed, 'void', reason)

    expect(late.map(codeOf)).toEqual(Array(2).fill([412, 'PRECONDITION_FAILED']))
    expect(await actionsOf(reminded.body.id)).toEqual(['created', 'sent', 'reminded'])
    expect([fitting.status, ended.body.status]).toEqual([200, 'voided'])
  })

  it('that is voided has ended: every operation is 409 ENVELOPE_ENDED or ENVELOPE_NOT_DRAFT, and its audit stays', async () => {
    const { id, case_id, signers } = (await sendEnvelope(firm.owner)).body

    const voided = await ask(id, 'void', { reason: 'Mandat beendet' })

    expect([voided.status, voided.body.status, voided.body.void_reason]).toEqual([
      200,
      'voided',
      'Mandat beendet',
    ])
    expect(voided.body.voided_at).not.toBeNull()
    const answers: Answer[] = [
      await ask(id, 'void', { reason: 'Noch einmal' }),
      await ask(id, 'send', {}),
      await ask(id, 'remind'),
      await ask(id, `signers/${signers[0].id}/link`),
      await patch(id, { expires_at: null }),
      await patch(id, { title: 'Anders' }),
      await ask(id, 'signers', { signers: [bert] }),
    ]
    expect(answers.map(codeOf)).toEqual([
      ...Array(6).fill([409, 'ENVELOPE_ENDED']),
      [409, 'ENVELOPE_NOT_DRAFT'],
    ])
    expect(await actionsOf(id)).toEqual(['created', 'sent', 'voided'])
    expect((await timelineOf(case_id))[0]?.summary).toBe(
      'Signaturvorgang „Vollmacht“ zurückgezogen: Mandat beendet',
    )
    expect(codeOf(await ask(id, 'void', { reason: ' ' }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('expires in every answer as soon as its time is over, and once in audit and timeline', async () => {
    const { id, case_id } = (await sendEnvelope(firm.owner)).body
    const { expires_at } = (await patch(id, { expires_at: inSeconds(10) })).body
    await untilAfter(expires_at)
    const list = (query: string) => firm.owner('GET', `${envelopes}?${query}`)

    const [one, sent, expired, ofCase] = await Promise.all([
      firm.owner('GET', `${envelopes}/${id}`),
      list('status=sent&limit=100'),
      list('status=expired&limit=100'),
      firm.owner('GET', `/api/v1/cases/${case_id}/signed-documents`),
    ])

    const idsOf = ({ body }: Answer) => body.data.map((each: { id: string }) => each.id)
    expect(one.body.status).toBe('expired')
    expect(ofCase.body.data[0].status).toBe('expired')
    expect(idsOf(sent)).not.toContain(id)
    expect(idsOf(expired)).toContain(id)
    const { data, intact } = await auditOf(id)
    expect([data.map(({ action }: Entry) => action), data.at(-1).actor.type, intact]).toEqual([
      ['created', 'sent', 'changed', 'expired'],
      'system',
      true,
    ])
    expect((await timelineOf(case_id)).filter(({ type }) => type === 'envelope.expired')).toHaveLength(1)
    expect(codeOf(await ask(id, 'void', { reason: 'Zu spät' }))).toEqual([409, 'ENVELOPE_ENDED'])
  })
})

describe('lists', () => {
  it('show the envelopes of a case and of a status, newest first, by pages', async () => {
    const case_id = await newCase(firm.owner)
    const made: string[] = []
    for (let count = 0; count < 5; count += 1)
      made.push((await createEnvelope(firm.owner, { case_id })).body.id)
    await ask(made[1] as string, 'send', { send_emails: false })
    const list = async (path: string, query: string) => (await firm.owner('GET', `${path}?${query}`)).body
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

    const all = await list(envelopes, `case_id=${case_id}`)
    const first = await list(envelopes, `case_id=${case_id}&limit=2`)
    const second = await list(envelopes, `case_id=${case_id}&limit=2&cursor=${first.pagination.cursor}`)
    const sent = await list(envelopes, `case_id=${case_id}&status=sent`)
    const drafts = await list(envelopes, `case_id=${case_id}&status=draft`)
    const short = await list(`/api/v1/cases/${case_id}/signed-documents`, 'limit=100')

    const newestFirst = made.toReversed()
    expect(ids(all)).toEqual(newestFirst)
    expect([...ids(first), ...ids(second)]).toEqual(newestFirst.slice(0, 4))
    expect(ids(sent)).toEqual([made[1]])
    expect(ids(drafts)).toEqual(newestFirst.filter((id) => id !== made[1]))
    expect(short.data[3]).toEqual({
      id: made[1],
      title: 'Vollmacht',
      status: 'sent',
      signers: [{ name: anna.name, status: 'pending', signed_at: null }],
    })
  })

  it('refuse an unknown status and a malformed case; an unknown case has no list of its own', async () => {
    const get = (path: string) => firm.owner('GET', path)

    const answers = await Promise.all([
      get(`${envelopes}?status=gone`),
      get(`${envelopes}?case_id=x`),
      get('/api/v1/cases/01993f5e-0000-7000-8000-000000000000/signed-documents'),
    ])

    expect(answers.map(codeOf)).toEqual([
      [400, 'VALIDATION_ERROR'],
      [400, 'VALIDATION_ERROR'],
      [404, 'CASE_NOT_FOUND'],
    ])
  })
})

describe('the audit trail', () => {
  it('is a chain that anybody can recompute from its pages', async () => {
    const { id, signers } = (await sendEnvelope(firm.owner)).body
    await linkOf(firm.owner, id, signers[0].id)
    await ask(id, 'void', { reason: 'Ende' })
    const page = async (query: string) =>
      (await firm.owner('GET', `${envelopes}/${id}/audit?limit=2${query}`)).body

    const first = await page('')
    const second = await page(`&cursor=${first.pagination.cursor}`)

    const entries = [...first.data, ...second.data]
    expect(entries.map(({ seq, action }: Entry & { seq: number }) => [seq, action])).toEqual([
      [1, 'created'],
      [2, 'sent'],
      [3, 'link_made'],
      [4, 'voided'],
    ])
    expect([first.intact, second.intact, isIntact(entries, undefined)]).toEqual([true, true, true])
    expect(entries.every(({ actor }) => actor.type === 'user' && actor.key_id.startsWith('ak_'))).toBe(true)
  })
})

describe('requests at the same time', () => {
  it('send twenty times: it is sent once, with one entry and one mail per signer', async () => {
    const emails = [newAddress(), newAddress()]
    const signers = emails.map((email) => ({ name: anna.name, email }))
    const { id, case_id } = (await createEnvelope(firm.owner, { signers })).body

    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(id, 'send', {})))
    const isMailed = ({ delivery }: { delivery: string }) => delivery === 'sent'
    await until(firm.owner, `${envelopes}/${id}`, ({ signers }) => signers.every(isMailed), 60)

    expect(new Set(answers.map(({ status, body }) => `${status} ${body.sent_at}`)).size).toBe(1)
    expect((await actionsOf(id)).filter((action) => action === 'sent')).toHaveLength(1)
    expect((await timelineOf(case_id)).filter(({ type }) => type === 'envelope.sent')).toHaveLength(1)
    const mails = await Promise.all(emails.map((email) => sentTo(email)))
    expect(mails.map((each) => each.length)).toEqual([1, 1])
  })

  it.each(
    Array.from({ length: 5 }, (_, at) => at),
  )('void against patch and link: each happens before the end or not at all (%i)', async () => {
    const { id, signers } = (await sendEnvelope(firm.owner)).body

    const [patched, linked, voided] = await Promise.all([
      patch(id, { reminders: { first_after_days: 1, repeat_every_days: 1 } }),
      ask(id, `signers/${signers[0].id}/link`),
      ask(id, 'void', { reason: 'Ende' }),
    ])

    expect(voided?.status).toBe(200)
    const actions = await actionsOf(id)
    expect(actions.at(-1)).toBe('voided')
    expect(actions.includes('changed')).toBe(patched?.status === 200)
    expect(actions.includes('link_made')).toBe(linked?.status === 201)
    expect((await auditOf(id)).intact).toBe(true)
  })

  it.each(
    Array.from({ length: 5 }, (_, at) => at),
  )('patch of the title against send: what is sent bears the title that was accepted (%i)', async () => {
    const { id } = (await createEnvelope(firm.owner)).body

    const [patched, sent] = await Promise.all([
      patch(id, { title: 'Vergütung' }),
      ask(id, 'send', { send_emails: false }),
    ])

    expect(sent?.status).toBe(200)
    expect([200, 409]).toContain(patched?.status)
    const { body } = await firm.owner('GET', `${envelopes}/${id}`)
    expect([body.status, body.title]).toEqual(['sent', patched?.status === 200 ? 'Vergütung' : 'Vollmacht'])
    const expected = patched?.status === 200 ? ['created', 'changed', 'sent'] : ['created', 'sent']
    expect(await actionsOf(id)).toEqual(expected)
  })
})

type Entry = { action: string; details: Record<string, unknown>; actor: { type: string; key_id: string } }

function inSeconds(seconds: number): string {
  return new Date(epochMilliseconds() + seconds * 1_000).toISOString()
}

function untilAfter(time: string): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Date.parse(time) - epochMilliseconds() + 100))
}

/** Without the delivery of the mail, which shows in the signers: the sending endpoints do not promise it. */
function withoutDelivery({ signers, ...others }: { signers: Record<string, unknown>[] }) {
  return { ...others, signers: signers.map(({ delivery: _, sent_at: __, ...signer }) => signer) }
}
