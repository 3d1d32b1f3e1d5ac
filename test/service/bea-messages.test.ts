import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { courtSafeId, identity, remoteAttachment } from '#test/support/bea-remote.ts'
import { newFirm } from '#test/support/firm.ts'

const path = '/api/v1/bea/messages'

async function office() {
  const firm = await newFirm()
  return { firm, ...firm, ...(await beaOffice(firm)) }
}

const makeCase = async (owner: Api, body: Record<string, unknown> = {}) =>
  (await owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube', ...body } })).body

/** Asks until the answer is as wanted: the triage runs in the background. */
async function until<Result>(ask: () => Promise<Result>, isRight: (result: Result) => boolean) {
  for (const end = performance.now() + 90_000; performance.now() < end; await sleep(100)) {
    const result = await ask()
    if (isRight(result)) return result
  }
  throw new Error('It did not become as it was awaited.')
}

describe('who may read what (B8)', () => {
  const secret = 'Geheimes Vergleichsangebot'

  async function twoMessages() {
    const it = await office()
    const attachments = [remoteAttachment('Geheimplan.pdf', '%PDF-1.7 geheim')]
    const open = await it.receive({ subject: secret, reference_recipient: '4711/26', attachments })
    const confidential = await it.receive({ subject: secret, is_confidential: true, attachments })
    const { user, api } = await it.colleague()
    return { ...it, open, confidential, user, api }
  }

  const listed = async (api: Api, query = '') => {
    const { body } = await api('GET', `${path}${query}`)
    return new Map<string, string | null>(
      body.data.map(({ id, subject }: { id: string; subject: string | null }) => [id, subject]),
    )
  }

  it('the user who connected the account reads everything', async () => {
    const { owner, open, confidential } = await twoMessages()
    expect(await listed(owner)).toEqual(
      new Map([
        [confidential, secret],
        [open, secret],
      ]),
    )
    expect((await owner('GET', `${path}/${confidential}`)).body.body).toContain('Ladung')
  })

  it('without the right 01 a message does not appear, and is refused', async () => {
    const { api, open } = await twoMessages()
    expect(await listed(api)).toEqual(new Map())
    const { status, body } = await api('GET', `${path}/${open}`)
    expect([status, body.error.code]).toEqual([403, 'BEA_RIGHT_MISSING'])
  })

  it('with 01 alone the list shows sender, date and size, and nothing that was written', async () => {
    const { api, user, grant, open } = await twoMessages()
    await grant(user.id, '01')
    // Act
    const { data } = (await api('GET', path)).body
    // Assess
    expect(data).toHaveLength(2)
    const message = data.find(({ id }: { id: string }) => id === open)
    expect(message).toMatchObject({
      subject: null,
      body: null,
      attachments: [],
      reference_recipient: null,
      sender: { name: 'Landgericht München I', bea_id: courtSafeId },
      received_at: '2026-03-02T08:30:00.000Z',
      size_bytes: 15,
    })
    expect(JSON.stringify(data)).not.toMatch(/Geheim|4711/)
    expect((await api('GET', `${path}/${open}/attachments`)).status).toBe(403)
  })

  it('no search and no filter finds what may not be read', async () => {
    const { api, user, grant, owner, open } = await twoMessages()
    await grant(user.id, '01')
    const { id: case_id } = await makeCase(owner)
    await owner('POST', `${path}/${open}/assign`, { body: { case_id } })
    for (const query of [
      '?search=Vergleichsangebot',
      '?search=4711/26',
      `?case_id=${case_id}`,
      '?unassigned=true',
    ])
      expect(await listed(api, query), query).toEqual(new Map())
  })

  it('06 opens messages but confidential ones, which need 11', async () => {
    const { api, user, grant, open, confidential } = await twoMessages()
    await grant(user.id, '06')
    expect(await listed(api)).toEqual(
      new Map([
        [confidential, null],
        [open, secret],
      ]),
    )
    expect((await api('GET', `${path}/${confidential}`)).status).toBe(403)
    expect([...(await listed(api, '?search=Vergleichsangebot')).keys()]).toEqual([open])
    // Act
    await grant(user.id, '01', '12')
    // Assess
    expect(await listed(api)).toEqual(
      new Map([
        [confidential, secret],
        [open, null],
      ]),
    )
  })

  it('08 is needed to file, and does not open a message', async () => {
    const { api, owner, user, grant, open } = await twoMessages()
    const { id: case_id } = await makeCase(owner)
    await grant(user.id, '07')
    expect((await api('POST', `${path}/${open}/assign`, { body: { case_id } })).status).toBe(403)
    await grant(user.id, '01', '08')
    // Act
    const { status, body } = await api('POST', `${path}/${open}/assign`, { body: { case_id } })
    // Assess
    expect([status, body.subject]).toEqual([200, null])
    expect((await owner('GET', `${path}/${open}`)).body.case_id).toBe(case_id)
  })

  it('a confidential message comes into a case only by who may read it, and its subject and sender into no timeline', async () => {
    const { api, owner, user, grant, confidential } = await twoMessages()
    const { id: case_id } = await makeCase(owner)
    await grant(user.id, '06', '08')
    const paths = [`${path}/${confidential}/assign`, `/api/v1/inbox/${confidential}/file`]
    // Act
    const refused = await Promise.all(paths.map((one) => api('POST', one, { body: { case_id } })))
    await grant(user.id, '06', '08', '11')
    const filed = await api('POST', `${path}/${confidential}/assign`, { body: { case_id } })
    // Assess
    expect(refused.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [403, 'BEA_RIGHT_MISSING'],
      [403, 'BEA_RIGHT_MISSING'],
    ])
    expect([filed.status, filed.body.case_id]).toEqual([200, case_id])
    const summaries = (await owner('GET', `/api/v1/cases/${case_id}/timeline`)).body.data.map(
      ({ summary }: { summary: string }) => summary,
    )
    expect(summaries[0]).toBe('Vertrauliche beA-Nachricht der Akte zugeordnet')
    expect(summaries.join()).not.toMatch(new RegExp(`${secret}|Landgericht`))
  })

  it('08 without 01 assigns a message and shows nothing of it', async () => {
    const { api, owner, user, grant, open } = await twoMessages()
    const { id: case_id } = await makeCase(owner)
    await grant(user.id, '08')
    // Act
    const { status, body } = await api('POST', `${path}/${open}/assign`, { body: { case_id } })
    // Assess
    expect([status, (await owner('GET', `${path}/${open}`)).body.case_id]).toEqual([200, case_id])
    expect(body).toMatchObject({ id: open, subject: null, received_at: null, purge_at: null, size_bytes: 0 })
    expect(JSON.stringify(body)).not.toMatch(/München|2026-03-02/)
  })

  it('only a user who may read a confidential message (08 and 11) decides about it', async () => {
    const { api, owner, user, grant, confidential } = await twoMessages()
    const { id: party_id } = (
      await owner('POST', '/api/v1/parties', { body: { type: 'person', name: 'Weber' } })
    ).body
    const decisions: [string, object][] = [
      [`${path}/${confidential}/assign`, { party_id }],
      [`/api/v1/inbox/${confidential}/file`, { assigned_to: user.id }],
      [`/api/v1/inbox/${confidential}/dismiss`, {}],
      [`/api/v1/inbox/${confidential}/reopen`, {}],
    ]
    const decide = async () => {
      const seen: unknown[] = []
      for (const [to, body] of decisions) {
        const answer = await api('POST', to, { body })
        seen.push(answer.body.error?.code ?? answer.status)
      }
      return seen
    }
    await grant(user.id, '06', '08')
    // Act
    const without = await decide()
    await grant(user.id, '01', '08', '11')
    const withIt = await decide()
    // Assess
    expect(without).toEqual(Array(4).fill('BEA_RIGHT_MISSING'))
    expect(withIt).toEqual(Array(4).fill(200))
  })

  it('the inbox shows what the list shows', async () => {
    const { api, owner, user, grant, open } = await twoMessages()
    const inbox = async (caller: Api, query = '') => (await caller('GET', `/api/v1/inbox${query}`)).body.data
    await until(
      () => inbox(owner),
      (items) => items.length === 2 && items.every(({ triage }: { triage: unknown }) => triage !== null),
    )
    expect(await inbox(api)).toEqual([])
    expect((await api('POST', `/api/v1/inbox/${open}/dismiss`)).status).toBe(404)
    // Act
    await grant(user.id, '01')
    // Assess
    const items = await inbox(api)
    expect(items).toHaveLength(2)
    for (const item of items) {
      expect(item).toMatchObject({ kind: 'bea', subject: null, triage: null })
      expect(item.from).toEqual({ name: 'Landgericht München I', email: null })
      expect(item.bea).toMatchObject({ name: 'Landgericht München I', bea_id: courtSafeId })
    }
    expect(await inbox(api, '?category=court')).toEqual([])
    expect(await inbox(owner, '?category=court&kind=bea')).toHaveLength(2)
    expect((await api('POST', `/api/v1/inbox/${open}/dismiss`)).status).toBe(403)
  })
})

describe('a page of messages (G7)', () => {
  it('has a cursor for the same account and filters alone', async () => {
    const { owner, account, receive } = await office()
    for (const subject of ['Ladung', 'Beschluss']) await receive({ subject })
    const ofAccount = `account_id=${account.id}`
    const next = async (query: string, other: string) => {
      const { cursor } = (await owner('GET', `${path}?limit=1&${query}`)).body.pagination
      return (await owner('GET', `${path}?limit=1&${other}&cursor=${cursor}`)).status
    }
    expect([
      await next(ofAccount, ofAccount),
      await next('', ''),
      await next(ofAccount, ''),
      await next('', ofAccount),
      await next('', 'direction=inbound'),
    ]).toEqual([200, 200, 400, 400, 400])
  })
})

describe('filing a message (B6)', () => {
  it('makes a document of each attachment in the case, once, with one entry in the timeline', async () => {
    const { owner, receive } = await office()
    const attachments = [
      remoteAttachment('Klage.txt', 'Klage auf Räumung'),
      remoteAttachment('xjustiz_nachricht.xml', '<a/>'),
    ]
    const id = await receive({ attachments })
    const { id: case_id } = await makeCase(owner)
    // Act
    const answers = []
    for (let times = 0; times < 3; times += 1)
      answers.push(await owner('POST', `${path}/${id}/assign`, { body: { case_id } }))
    // Assess
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const shown = answers[0]?.body.attachments.map(({ document_id }: { document_id: string }) => document_id)
    const { data } = (await owner('GET', `/api/v1/documents?case_id=${case_id}`)).body
    expect(data.map((document: { id: string }) => document.id).toSorted()).toEqual(shown.toSorted())
    expect(data.every(({ source }: { source: string }) => source === 'bea')).toBe(true)
    const bytes = await owner('GET', `/api/v1/documents/${shown[0]}/download`)
    expect(bytes.body).toBe('Klage auf Räumung')
    const text = await until(
      () => owner('GET', `/api/v1/documents/${shown[0]}`),
      ({ body }) => body.status === 'processed',
    )
    expect(text.body.extracted_text_length).toBeGreaterThan(10)
    const timeline = (await owner('GET', `/api/v1/cases/${case_id}/timeline`)).body.data
    const ours = timeline.filter(({ ref }: { ref: { id: string } | null }) => ref?.id === id)
    expect(ours.map(({ type }: { type: string }) => type)).toEqual(['bea.filed'])
  })

  it('elsewhere moves the message with its documents, and taking it out of its case takes them out', async () => {
    const { owner, receive } = await office()
    const id = await receive()
    const [first, second] = [await makeCase(owner), await makeCase(owner)]
    const file = (case_id: string | null) => owner('POST', `${path}/${id}/assign`, { body: { case_id } })
    const documentsOf = async (caseId: string) =>
      (await owner('GET', `/api/v1/documents?case_id=${caseId}`)).body.data.length
    await file(first.id)
    expect(await documentsOf(first.id)).toBe(1)
    // Act
    await file(second.id)
    // Assess
    expect([await documentsOf(first.id), await documentsOf(second.id)]).toEqual([0, 1])
    await file(null)
    expect([await documentsOf(first.id), await documentsOf(second.id)]).toEqual([0, 0])
    const { body } = await owner('GET', `/api/v1/cases/${first.id}/timeline`)
    const types = body.data.filter(({ type }: { type: string }) => type.startsWith('bea.'))
    expect(types.map(({ type }: { type: string }) => type)).toEqual(['bea.unfiled', 'bea.filed'])
  })

  it('that is confidential leaves no subject in the timeline, which everybody reads', async () => {
    const { owner, receive } = await office()
    const { id: case_id } = await makeCase(owner)
    const id = await receive({ subject: 'Geheimes Angebot', is_confidential: true })
    await owner('POST', `${path}/${id}/assign`, { body: { case_id } })
    const { data } = (await owner('GET', `/api/v1/cases/${case_id}/timeline`)).body
    expect(data[0]).toMatchObject({ type: 'bea.filed', ref: { id } })
    expect(JSON.stringify(data)).not.toContain('Geheimes')
  })

  it('in an unknown case, or with an unknown party, changes nothing', async () => {
    const { owner, receive } = await office()
    const id = await receive()
    const missing = '01993f5e-0000-7000-8000-000000000000'
    const answers = await Promise.all([
      owner('POST', `${path}/${id}/assign`, { body: { case_id: missing } }),
      owner('POST', `${path}/${id}/assign`, { body: { party_id: `pty_${missing}` } }),
      owner('POST', `${path}/${id}/assign`, { body: {} }),
    ])
    expect(answers.map(({ body }) => body.error.code)).toEqual([
      'CASE_NOT_FOUND',
      'PARTY_NOT_FOUND',
      'VALIDATION_ERROR',
    ])
    expect((await owner('GET', `${path}/${id}`)).body).toMatchObject({ case_id: null, party_id: null })
  })
})

describe('the triage of a message (I5)', () => {
  it('files by our number and a court that is known in the case, with one entry of the system and the documents', async () => {
    const { owner, receive } = await office()
    const { id: case_id, file_number } = await makeCase(owner)
    const changes = { reference_recipient: file_number, sender: identity(courtSafeId, 'LG München I') }
    const attachments = [remoteAttachment('Schreiben.pdf', '%PDF-1.7')]
    const served = { subject: '3 O 45/26', body: '', attachments, is_eeb_requested: true }
    const first = await receive({ ...changes, ...served })
    const suggested = await until(
      () => owner('GET', '/api/v1/inbox?kind=bea'),
      ({ body }) => body.data[0]?.triage?.case_suggestions?.length > 0,
    )
    expect(suggested.body.data[0].triage).toMatchObject({
      category: 'court',
      // The sender asks for an eEB.
      priority: 'high',
      case_suggestions: [{ case_id, evidence: [{ kind: 'file_number' }] }],
    })
    // Act
    await owner('POST', `/api/v1/inbox/${first}/file`, { body: { case_id } })
    const second = await receive({ ...changes, subject: 'Terminsverlegung' })
    // Assess
    await until(
      () => owner('GET', `${path}/${second}`),
      ({ body }) => body.case_id === case_id,
    )
    const { data } = (await owner('GET', `/api/v1/cases/${case_id}/timeline`)).body
    const entries = data.filter(({ ref }: { ref: { id: string } | null }) => ref?.id === second)
    expect(entries).toMatchObject([{ type: 'bea.filed', actor: { type: 'system' } }])
    await until(
      () => owner('GET', `/api/v1/documents?case_id=${case_id}`),
      ({ body }) => body.data.length === 2,
    )
    const confidential = await receive({ ...changes, is_confidential: true })
    const judged = await until(
      () => owner('GET', '/api/v1/inbox?kind=bea'),
      ({ body }) => body.data[0]?.id === confidential && body.data[0].triage !== null,
    )
    expect(judged.body.data[0].triage.case_suggestions[0].case_id).toBe(case_id)
  })
})

describe('an attachment', () => {
  it('is downloaded byte for byte, with a name that cannot end the header', async () => {
    const { owner, receive, store, workspace } = await office()
    const name = 'Örtliche "Begehung"; filename=x\u202e.pdf'
    const bytes = new Uint8Array(100_000).map((_, at) => at % 251)
    const id = await receive({ attachments: [remoteAttachment(name, bytes)] })
    const attachment = (await store.find(workspace.id, id))?.attachments[0]
    // Act
    const answer = await owner('GET', `${path}/${id}/attachments/${attachment?.id}/download`)
    // Assess
    expect(answer.bytes).toEqual(bytes)
    expect(attachment?.filename).toBe(name)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[^"]*"; filename\*=UTF-8''[\w%.~-]+$/,
    )
  })

  it('of another message, or of nothing, is not found', async () => {
    const { owner, receive, store, workspace } = await office()
    const [one, other] = [await receive(), await receive()]
    const ofOther = (await store.find(workspace.id, other))?.attachments[0]?.id
    for (const id of [ofOther, 'nothing', '%00'])
      expect((await owner('GET', `${path}/${one}/attachments/${id}/download`)).body.error.code).toBe(
        'ATTACHMENT_NOT_FOUND',
      )
  })

  it('of many is listed page by page', async () => {
    const { owner, receive } = await office()
    const attachments = Array.from({ length: 250 }, (_, at) => remoteAttachment(`${at}.pdf`, 'gleich'))
    const id = await receive({ attachments })
    const names: string[] = []
    for (let cursor = ''; ; ) {
      const { data, pagination } = (await owner('GET', `${path}/${id}/attachments?limit=100${cursor}`)).body
      names.push(...data.map(({ filename }: { filename: string }) => filename))
      if (!pagination.has_more) break
      cursor = `&cursor=${pagination.cursor}`
    }
    expect(names).toEqual(attachments.map(({ filename }) => filename))
  })
})
