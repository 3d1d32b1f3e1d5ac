import { describe, expect, it } from 'vitest'
import type { Api } from '#test/support/api.ts'
import { newDeadlineFirm, outcome, times, unknown, uuidOf } from '#test/support/deadline-firm.ts'
import { newFirm } from '#test/support/firm.ts'

const { firm, caseId, colleague, third, openCase, enter, entered, read, change, verify } =
  await newDeadlineFirm()

describe('entering a deadline', () => {
  it('answers 201 with the whole deadline, pending, in the hands of the caller', async () => {
    const answer = await enter({ title: '  Berufung  ', due_at: '2031-04-16T12:00:00Z' })

    expect(answer.status).toBe(201)
    expect(answer.headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
      type: 'frist',
      title: 'Berufung',
      case_id: caseId,
      frist_type: 'hauptfrist',
      due_at: '2031-04-16T14:00:00+02:00',
      status: 'pending',
      verified_by: null,
      assigned_to: firm.ownerUser.id,
      chain: { vorfrist: null, hauptfrist: answer.body.id, nachfrist: null },
    })
    const { warnings, ...deadline } = answer.body
    expect(warnings).toEqual([])
    expect(await read(answer.body.id)).toEqual(deadline)
  })

  it('takes a date as the end of that day in the workspace', async () => {
    expect((await entered({ due_at: '2031-01-15' })).due_at).toBe('2031-01-15T23:59:59+01:00')
    expect((await entered({ due_at: '2031-07-15' })).due_at).toBe('2031-07-15T23:59:59+02:00')
  })

  it('creates the Vorfrist with it: same assignee, its own title, seven days before unless the request says otherwise', async () => {
    const { chain, case_id } = await entered({ create_vorfrist: true, assigned_to: colleague.user.id })
    const { chain: other } = await entered({ create_vorfrist: true, vorfrist_days: 90 })

    expect(await read(chain.vorfrist)).toMatchObject({
      title: 'Vorfrist: Berufung',
      frist_type: 'vorfrist',
      case_id,
      due_at: '2031-04-09T23:59:59+02:00',
      assigned_to: colleague.user.id,
      status: 'pending',
      chain,
    })
    expect((await read(other.vorfrist)).due_at).toBe('2031-01-16T23:59:59+01:00')
  })

  it.each([
    ['2031-04-02T12:00:00+02:00', '2031-03-26T12:00:00+01:00'],
    ['2031-10-29T12:00:00+01:00', '2031-10-22T12:00:00+02:00'],
    ['2031-04-06T02:30:00+02:00', '2031-03-30T03:30:00+02:00'],
    ['2031-11-02T02:30:00+01:00', '2031-10-26T02:30:00+02:00'],
  ])('of %s has its Vorfrist at %s: the same local time across a change of summer time', async (due_at, before) => {
    const { chain } = await entered({ due_at, create_vorfrist: true })

    expect((await read(chain.vorfrist)).due_at).toBe(before)
  })

  it.each([
    [{ title: '' }, 'body.title'],
    [{ title: undefined }, 'body.title'],
    [{ title: 'x'.repeat(501) }, 'body.title'],
    [{ case_id: undefined }, 'body.case_id'],
    [{ due_at: undefined }, 'body.due_at'],
    [{ due_at: '2031-04-16T12:00:00' }, 'body.due_at'],
    [{ due_at: '2031-02-31' }, 'body.due_at'],
    [{ due_at: '2031-02-31T10:00:00Z' }, 'body.due_at'],
    [{ due_at: '+010000-01-01T00:00:00Z' }, 'body.due_at'],
    [{ due_at: '10000-01-01' }, 'body.due_at'],
    [{ due_at: '9999-12-31T23:59:59-12:00' }, 'body.due_at'],
    [{ due_at: '0000-01-01' }, 'body.due_at'],
    [{ due_at: '2031-04-16T25:00:00Z' }, 'body.due_at'],
    [{ due_at: '16.04.2031' }, 'body.due_at'],
    [{ due_at: '' }, 'body.due_at'],
    [{ due_at: 1_900_000_000 }, 'body.due_at'],
    [{ due_at: null }, 'body.due_at'],
    [{ frist_type: 'wiedervorlage' }, 'body.frist_type'],
    [{ create_vorfrist: 'ja' }, 'body.create_vorfrist'],
    [{ create_vorfrist: true, vorfrist_days: 0 }, 'body.vorfrist_days'],
    [{ create_vorfrist: true, vorfrist_days: 91 }, 'body.vorfrist_days'],
    [{ create_vorfrist: true, vorfrist_days: 1.5 }, 'body.vorfrist_days'],
    [{ create_vorfrist: true, frist_type: 'nachfrist' }, 'body.create_vorfrist'],
    [{ vorfrist_days: 7 }, 'body.vorfrist_days'],
    [{ create_vorfrist: false, vorfrist_days: 91 }, 'body.vorfrist_days'],
    [{ frist_type: 'vorfrist', vorfrist_days: 3 }, 'body.vorfrist_days'],
    [{ create_vorfrist: null, vorfrist_days: 14 }, 'body.vorfrist_days'],
    [{ frist_type: 'nachfrist', vorfrist_on_working_day: true }, 'body.vorfrist_on_working_day'],
    [{ frist_type: 'hauptfrist', hauptfrist_id: `evt_${unknown}` }, 'body.hauptfrist_id'],
  ])('answers 400 to %j and says where', async (body, path) => {
    const answer = await enter(body)

    expect(outcome(answer)).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.details).toContainEqual(expect.objectContaining({ path }))
  })

  it.each([
    [{ case_id: unknown }, 'CASE_NOT_FOUND'],
    [{ case_id: 'keine' }, 'CASE_NOT_FOUND'],
    [{ assigned_to: `usr_${unknown}` }, 'USER_NOT_FOUND'],
    [{ assigned_to: 'niemand' }, 'USER_NOT_FOUND'],
    [{ frist_type: 'nachfrist', hauptfrist_id: `evt_${unknown}` }, 'DEADLINE_NOT_FOUND'],
  ])('answers 404 if it refers to a missing record: %j', async (body, code) => {
    expect(outcome(await enter(body))).toEqual([404, code])
  })

  it('writes nothing if the case is missing, not even a Vorfrist', async () => {
    const deleted = await openCase()
    await firm.owner('DELETE', `/api/v1/cases/${deleted}`)

    const refused = await enter({ case_id: deleted, create_vorfrist: true })

    expect(outcome(refused)).toEqual([404, 'CASE_NOT_FOUND'])
    const { body } = await firm.owner('GET', `/api/v1/deadlines?case_id=${deleted}`)
    expect(body.data).toEqual([])
  })

  it.each([
    [{ create_vorfrist: false, vorfrist_days: 7 }],
    [{ create_vorfrist: false, vorfrist_days: 1, vorfrist_on_working_day: true }],
    [{ create_vorfrist: false, vorfrist_days: 90, frist_type: 'nachfrist' }],
    [{ create_vorfrist: false, vorfrist_days: 14, due_at: '2031-04-16T10:00:00+02:00' }],
  ])('enters no Vorfrist if %j says so', async (body) => {
    const { chain } = await entered(body)

    expect(chain.vorfrist).toBeNull()
  })

  it.each([
    [{ vorfrist_on_working_day: true }],
    [{ vorfrist_on_working_day: true, create_vorfrist: null }],
    [{ vorfrist_on_working_day: true, frist_type: 'hauptfrist' }],
    [{ vorfrist_on_working_day: true, vorfrist_days: null, frist_type: null }],
  ])('refuses %j, which could have no effect', async (body) => {
    const refused = await enter(body)

    expect(outcome(refused)).toEqual([400, 'VALIDATION_ERROR'])
    expect(refused.body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'body.vorfrist_on_working_day',
    ])
  })

  it('treats null like a missing field', async () => {
    const nothing = {
      frist_type: null,
      assigned_to: null,
      create_vorfrist: null,
      vorfrist_days: null,
      hauptfrist_id: null,
    }

    expect(await entered(nothing)).toMatchObject({
      frist_type: 'hauptfrist',
      assigned_to: firm.ownerUser.id,
      chain: { vorfrist: null },
    })
  })

  it('thirty at once in one case all exist, each with its Vorfrist and one entry in the timeline', async () => {
    const case_id = await openCase()

    const answers = await times(30, () => enter({ case_id, create_vorfrist: true }))

    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201))
    const { body } = await firm.owner('GET', `/api/v1/deadlines?case_id=${case_id}&limit=100`)
    expect(body.data).toHaveLength(60)
    const timeline = await firm.owner('GET', `/api/v1/cases/${case_id}/timeline?limit=100`)
    expect(timeline.body.data).toHaveLength(31)
  })

  it('keeps its deadlines when the case is deleted', async () => {
    const id = await openCase()
    const deadline = await entered({ case_id: id })

    await firm.owner('DELETE', `/api/v1/cases/${id}`)

    expect(await read(deadline.id)).toEqual({ ...deadline, case_deleted_at: expect.any(String) })
    expect(outcome(await verify(deadline.id))).toEqual([200, undefined])
  })
})

describe('the two views of one record', () => {
  it('share one UUID, and every path takes either id and the bare UUID', async () => {
    const deadline = await entered({ create_vorfrist: true })
    const uuid = uuidOf(deadline.id)

    for (const id of [`evt_${uuid}`, `frist_${uuid}`, uuid, uuid.toUpperCase()]) {
      expect(await read(id)).toEqual(deadline)
      const chain = await firm.owner('GET', `/api/v1/calendar/fristen/${id}/chain`)
      expect(chain.body.chain_id).toBe(deadline.chain_id)
      expect(chain.body.data.map((frist: { id: string }) => frist.id)).toEqual([
        `frist_${uuidOf(deadline.chain.vorfrist)}`,
        `frist_${uuid}`,
      ])
    }
  })

  it('show a Frist with its verification and delegation', async () => {
    const { id, due_at, chain_id, title, created_at: _ } = await entered({ case_id: await openCase() })
    await firm.owner('POST', `/api/v1/deadlines/${id}/delegate`, { body: { user_id: colleague.user.id } })

    const verified = await colleague.api('POST', `/api/v1/calendar/fristen/${id}/verify`)

    expect(verified.status).toBe(200)
    expect(verified.body).toMatchObject({
      id: `frist_${uuidOf(id)}`,
      title,
      deadline: due_at,
      status: 'verified',
      verified: true,
      verified_by: colleague.user.id,
      chain_id,
      assigned_to: firm.ownerUser.id,
      delegation: { delegated_to: colleague.user.id, delegated_by: firm.ownerUser.id },
    })
    expect(await read(id)).toMatchObject({ status: 'verified', verified_by: colleague.user.id })
  })

  it('give the same answer for missing records and records of another workspace', async () => {
    const { id } = await entered()
    const other = await newFirm()
    const messages = new Set<string>()
    for (const wanted of [id, `evt_${unknown}`, 'unsinn', '%00']) {
      const answers = await Promise.all([
        other.owner('GET', `/api/v1/deadlines/${wanted}`),
        other.owner('PATCH', `/api/v1/deadlines/${wanted}`, { body: { title: 'Neu' } }),
        other.owner('DELETE', `/api/v1/deadlines/${wanted}`),
        other.owner('GET', `/api/v1/deadlines/${wanted}/chain`),
        other.owner('GET', `/api/v1/deadlines/${wanted}/history`),
        other.owner('POST', `/api/v1/deadlines/${wanted}/verify`),
        other.owner('POST', `/api/v1/deadlines/${wanted}/delegate`, {
          body: { user_id: other.ownerUser.id },
        }),
        other.owner('POST', `/api/v1/deadlines/${wanted}/complete`, {
          body: { evidence: { type: 'note', text: 'x' } },
        }),
        other.owner('GET', `/api/v1/calendar/fristen/${wanted}/chain`),
        other.owner('POST', `/api/v1/calendar/fristen/${wanted}/verify`),
      ])
      for (const answer of answers) {
        expect(outcome(answer)).toEqual([404, 'DEADLINE_NOT_FOUND'])
        messages.add(answer.body.error.message)
      }
    }
    expect(messages.size).toBe(1)
  })

  it('need their scopes', async () => {
    const { id } = await entered()
    const [reader, calendarReader] = await Promise.all([
      firm.withScopes('deadlines:read', 'calendar:write'),
      firm.withScopes('calendar:read', 'deadlines:write'),
    ])

    expect((await reader('GET', '/api/v1/deadlines')).status).toBe(200)
    expect(outcome(await enter({}, reader))).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect(outcome(await verify(id, reader))).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect(outcome(await reader('GET', '/api/v1/calendar/fristen'))).toEqual([403, 'AUTH_INSUFFICIENT_SCOPE'])
    expect((await calendarReader('GET', '/api/v1/calendar/fristen')).status).toBe(200)
    expect(outcome(await calendarReader('GET', `/api/v1/deadlines/${id}`))).toEqual([
      403,
      'AUTH_INSUFFICIENT_SCOPE',
    ])
    expect(outcome(await calendarReader('POST', `/api/v1/calendar/fristen/${id}/verify`))).toEqual([
      403,
      'AUTH_INSUFFICIENT_SCOPE',
    ])
  })
})

describe('completing', () => {
  const complete = (id: string, body: unknown, by: Api = firm.owner) =>
    by('POST', `/api/v1/deadlines/${id}/complete`, { body })

  it('needs evidence, keeps it, and stays as it is when repeated', async () => {
    const { id } = await entered()
    const evidence = { type: 'note', text: 'Schriftsatz am 14.04. per beA eingereicht.' }

    const completed = await complete(id, { evidence })
    const again = await complete(id, { evidence: { type: 'note', text: 'Anders.' } }, colleague.api)

    expect(completed.body).toMatchObject({
      status: 'completed',
      completed_by: firm.ownerUser.id,
      completed_at: expect.stringMatching(/Z$/),
      evidence,
    })
    expect([again.status, again.body]).toEqual([200, completed.body])
    const { body } = await firm.owner('GET', `/api/v1/calendar/fristen/${id}/chain`)
    expect(body.data[0]).toMatchObject({ status: 'verified', completed_at: completed.body.completed_at })
  })

  it.each([
    [{}],
    [{ evidence: null }],
    [{ evidence: {} }],
    [{ evidence: { type: 'note' } }],
    [{ evidence: { type: 'note', text: '  ' } }],
    [{ evidence: { type: 'bea_receipt' } }],
    [{ evidence: { type: 'document' } }],
    [{ evidence: { type: 'Zuruf', text: 'Ja' } }],
  ])('answers 400 to %j', async (body) => {
    const { id } = await entered()

    expect(outcome(await complete(id, body))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await read(id)).status).toBe('pending')
  })

  it('takes no document that is not there', async () => {
    const { id } = await entered()

    const answer = await complete(id, { evidence: { type: 'document', document_id: `doc_${unknown}` } })

    expect(outcome(answer)).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect((await read(id)).status).toBe('pending')
  })

  it('takes a document of the firm, and none of another', async () => {
    const { id } = await entered()
    const form = () => {
      const data = new FormData()
      data.set('file', new Blob(['Eingangsbestätigung des Gerichts']), 'eingang.txt')
      return data
    }
    const own = await firm.owner('POST', '/api/v1/documents', { raw: form() })
    const foreign = await (await newFirm()).owner('POST', '/api/v1/documents', { raw: form() })

    const refused = await complete(id, { evidence: { type: 'document', document_id: foreign.body.id } })
    const taken = await complete(id, { evidence: { type: 'document', document_id: own.body.id } })

    expect(outcome(refused)).toEqual([404, 'DOCUMENT_NOT_FOUND'])
    expect(taken.body).toMatchObject({
      status: 'completed',
      evidence: { type: 'document', document_id: own.body.id },
    })
  })

  it('ten times at once records one completion', async () => {
    const { id } = await entered()

    const answers = await times(10, (index) =>
      complete(id, { evidence: { type: 'note', text: `Nr. ${index}` } }),
    )

    expect(new Set(answers.map(({ body }) => body.evidence.text)).size).toBe(1)
  })

  it.each([
    { type: 'note', text: '\u200b\u2060' },
    { type: 'bea_receipt', message_id: ' \u00ad ' },
  ])('takes no evidence that cannot be seen: %j', async (evidence) => {
    const { id } = await entered()

    expect(outcome(await complete(id, { evidence }))).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('striking', () => {
  it('removes a deadline from every path and list, with its Vorfrist, not its Nachfrist', async () => {
    const case_id = await openCase()
    const { id, chain } = await entered({ case_id, create_vorfrist: true })
    const nachfrist = await entered({ case_id, frist_type: 'nachfrist', hauptfrist_id: id })

    const struck = await firm.owner('DELETE', `/api/v1/deadlines/${id}`)

    expect([struck.status, struck.body]).toEqual([204, ''])
    for (const gone of [id, chain.vorfrist]) {
      expect((await firm.owner('GET', `/api/v1/deadlines/${gone}`)).status).toBe(404)
      expect(outcome(await verify(gone))).toEqual([404, 'DEADLINE_NOT_FOUND'])
      expect((await firm.owner('DELETE', `/api/v1/deadlines/${gone}`)).status).toBe(404)
    }
    expect((await read(nachfrist.id)).chain).toEqual({
      vorfrist: null,
      hauptfrist: null,
      nachfrist: nachfrist.id,
    })
    for (const path of [`deadlines?case_id=${case_id}`, `calendar/fristen?case_id=${case_id}`]) {
      const { body } = await firm.owner('GET', `/api/v1/${path}`)
      expect(body.data.map((one: { id: string }) => uuidOf(one.id))).toEqual([uuidOf(nachfrist.id)])
    }
    const history = await firm.owner('GET', `/api/v1/deadlines/${id}/history`)
    expect(history.body.data.at(-1)).toMatchObject({
      action: 'struck',
      actor: { id: firm.ownerUser.id },
      after: { struck_by: firm.ownerUser.id },
    })
  })
})

describe('the timeline of the case', () => {
  it('has exactly one entry for every change, and none for requests that changed nothing', async () => {
    const case_id = await openCase()
    const { id } = await entered({ case_id, create_vorfrist: true })
    await change(id, { title: 'Berufung', due_at: '2031-04-16' })
    await change(id, { title: 'Berufungsfrist', due_at: '2031-04-17', assigned_to: third.user.id })
    await firm.owner('POST', `/api/v1/deadlines/${id}/delegate`, { body: { user_id: colleague.user.id } })
    await verify(id)
    await verify(id)
    await firm.owner('POST', `/api/v1/deadlines/${id}/complete`, {
      body: { evidence: { type: 'note', text: 'Per beA eingereicht.' } },
    })
    await firm.owner('DELETE', `/api/v1/deadlines/${id}`)

    const { body } = await firm.owner('GET', `/api/v1/cases/${case_id}/timeline`)

    expect(
      body.data
        .map(({ summary }: { summary: string }) => summary)
        .toReversed()
        .slice(1),
    ).toEqual([
      'Hauptfrist „Berufung“ zum 16.04.2031, 23:59 Uhr eingetragen, mit Vorfrist zum 09.04.2031, 23:59 Uhr',
      `Hauptfrist „Berufung“ geändert: Bezeichnung „Berufung“ → „Berufungsfrist“, fällig 16.04.2031, 23:59 Uhr → 17.04.2031, 23:59 Uhr, zuständig ${third.user.name}, Vorfrist mitverlegt: fällig 09.04.2031, 23:59 Uhr → 10.04.2031, 23:59 Uhr`,
      `Prüfung der Hauptfrist „Berufungsfrist“ an ${colleague.user.name} übertragen`,
      'Hauptfrist „Berufungsfrist“ geprüft (Vier-Augen-Prinzip)',
      'Hauptfrist „Berufungsfrist“ erledigt, Nachweis: Vermerk',
      'Hauptfrist „Berufungsfrist“ zum 17.04.2031, 23:59 Uhr gestrichen, mit ihrer Vorfrist',
    ])
    expect(body.data[0].ref).toEqual({ type: 'deadline', id })
  })
})

describe('a list of open deadlines', () => {
  it('never misses a deadline in a list that is reopened in the meantime', async () => {
    const case_id = await openCase()
    const { id } = await entered({ case_id })
    for (let round = 0; round < 8; round += 1) {
      await verify(id)
      const [lists] = await Promise.all([
        times(12, () => firm.owner('GET', `/api/v1/calendar/fristen?case_id=${case_id}`)),
        change(id, { due_at: `2031-05-0${round + 1}` }),
      ])
      for (const { body } of lists) expect(body.data).toHaveLength(1)
    }
  })
})
