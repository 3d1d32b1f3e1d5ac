import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const open = async (body: Record<string, unknown> = {}) =>
  (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte', ...body } })).body
const timelineOf = async (id: string) => (await firm.owner('GET', `/api/v1/cases/${id}/timeline`)).body.data

describe('opening a case', () => {
  it('answers 201 with the whole active case and a file number of the year', async () => {
    const { status, body, headers } = await firm.owner('POST', '/api/v1/cases', {
      body: {
        name: '  Müller ./. Groß  ',
        type: 'litigation',
        description: 'Kaufpreis',
        dezernat: 'Zivilrecht',
      },
    })

    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'Müller ./. Groß',
      type: 'litigation',
      description: 'Kaufpreis',
      dezernat: 'Zivilrecht',
      status: 'active',
      parties: [],
      staff: [],
    })
    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(body.file_number).toMatch(/^\d{4}\/\d{2}$/)
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/)
  })

  it('refuses a file number that is taken, and changes nothing', async () => {
    const first = await open({ file_number: 'A-17' })

    const again = await firm.owner('POST', '/api/v1/cases', {
      body: { name: 'Zweite', file_number: 'A-17' },
    })

    expect(again.status).toBe(409)
    expect(again.body.error).toMatchObject({
      code: 'FILE_NUMBER_TAKEN',
      details: [{ path: 'body.file_number' }],
    })
    const found = await firm.owner('GET', '/api/v1/cases?search=A-17')
    expect(found.body.data.map((summary: { id: string }) => summary.id)).toEqual([first.id])
  })

  it('skips numbers that were taken by hand', async () => {
    const own = await newFirm()
    const year = systemClock.now().toLocaleDateString('de-DE', { year: '2-digit', timeZone: 'Europe/Berlin' })
    await own.owner('POST', '/api/v1/cases', { body: { name: 'Von Hand', file_number: `0002/${year}` } })

    const numbers = []
    for (let count = 0; count < 3; count += 1) {
      numbers.push((await own.owner('POST', '/api/v1/cases', { body: { name: 'Selbst' } })).body.file_number)
    }

    expect(numbers).toEqual([`0001/${year}`, `0003/${year}`, `0004/${year}`])
  })

  it('finds the next number after hundreds of numbers that were imported by hand', async () => {
    const own = await newFirm()
    const year = systemClock.now().toLocaleDateString('de-DE', { year: '2-digit', timeZone: 'Europe/Berlin' })
    for (let from = 1; from <= 120; from += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const file_number = `${String(from + index).padStart(4, '0')}/${year}`
          return own.owner('POST', '/api/v1/cases', { body: { name: 'Alt', file_number } })
        }),
      )
    }

    const next = await own.owner('POST', '/api/v1/cases', { body: { name: 'Neu' } })

    expect(next.body.file_number).toBe(`0121/${year}`)
  })

  it('skips numbers that imported cases have in another form', async () => {
    const own = await newFirm()
    const year = systemClock.now().toLocaleDateString('de-DE', { year: '2-digit', timeZone: 'Europe/Berlin' })
    for (const file_number of [`1/${year}`, `2/20${year}`, `20${year}/00003`, `4-${year} AL`])
      await own.owner('POST', '/api/v1/cases', { body: { name: 'Alt', file_number } })

    const next = await own.owner('POST', '/api/v1/cases', { body: { name: 'Neu' } })

    expect(next.body.file_number).toBe(`0005/${year}`)
  })

  it('treats a file number that only looks different as the same number', async () => {
    await open({ file_number: '\u00c41' })

    const again = await firm.owner('POST', '/api/v1/cases', {
      body: { name: 'Zweite', file_number: 'A\u03081' },
    })

    expect(again.status).toBe(409)
  })

  it.each([
    [{}, 'body.name'],
    [{ name: '' }, 'body.name'],
    [{ name: '   ' }, 'body.name'],
    [{ name: 'x'.repeat(501) }, 'body.name'],
    [{ name: 5 }, 'body.name'],
    [{ name: 'A', description: 'x'.repeat(20_001) }, 'body.description'],
    [{ name: 'A', type: '' }, 'body.type'],
    [{ name: 'A', dezernat: 'x'.repeat(101) }, 'body.dezernat'],
    [{ name: 'A', file_number: '' }, 'body.file_number'],
    [{ name: 'A\u0000B' }, 'body.name'],
    [{ name: '\ud800' }, 'body.name'],
  ])('answers 400 to %j and says where', async (body, path) => {
    const answer = await firm.owner('POST', '/api/v1/cases', { body })

    expect(answer.status).toBe(400)
    const detail = answer.body.error.details.find((one: { path: string }) => one.path === path)
    expect(detail).toBeDefined()
    expect(detail.message === 'This is required.').toBe(!('name' in body))
  })

  it('accepts umlauts, names of 500 characters and descriptions of 20 000', async () => {
    const body = { name: 'ÄÖÜß'.repeat(125), description: '§'.repeat(20_000) }

    const created = await open(body)

    expect((await firm.owner('GET', `/api/v1/cases/${created.id}`)).body).toMatchObject(body)
  })

  it('ignores unknown fields', async () => {
    const raw =
      '{"name":"Harmlos","__proto__":{"status":"archived"},"constructor":{"prototype":{}},"id":"x","status":"closed"}'

    const { status, body } = await firm.owner('POST', '/api/v1/cases', {
      raw,
      headers: { 'Content-Type': 'application/json' },
    })

    expect(status).toBe(201)
    expect(body.status).toBe('active')
    expect(body.id).not.toBe('x')
  })
})

describe('changing a case', () => {
  it('changes only the fields in the body and clears those that are null', async () => {
    const before = await open({ type: 'litigation', description: 'Alt' })

    const { status, body } = await firm.owner('PUT', `/api/v1/cases/${before.id}`, {
      body: { status: 'closed', type: null },
    })

    expect(status).toBe(200)
    const { updated_at, closed_at, retention } = body
    expect(body).toEqual({ ...before, status: 'closed', type: null, updated_at, closed_at, retention })
    expect(body.updated_at > before.updated_at).toBe(true)
  })

  it('allows every change of the status', async () => {
    const { id } = await open()
    for (const status of ['archived', 'active', 'closed', 'archived', 'closed', 'active']) {
      expect((await firm.owner('PUT', `/api/v1/cases/${id}`, { body: { status } })).body.status).toBe(status)
    }
  })

  it('does not change parties and staff, which have their own paths', async () => {
    const { id } = await open()
    await firm.owner('POST', `/api/v1/cases/${id}/parties`, { body: [{ name: 'Anna', role: 'client' }] })

    const { body } = await firm.owner('PUT', `/api/v1/cases/${id}`, {
      body: { parties: [], staff: [{ id: 'x' }] },
    })

    expect(body.parties).toHaveLength(1)
    expect(body.staff).toEqual([])
  })

  it('frees its former file number; the file number of a deleted case stays taken', async () => {
    const moved = await open({ file_number: 'FREI-1' })
    await firm.owner('PUT', `/api/v1/cases/${moved.id}`, { body: { file_number: 'FREI-2' } })
    const deleted = await open({ file_number: 'WEG-1' })
    await firm.owner('DELETE', `/api/v1/cases/${deleted.id}`)

    const freed = await firm.owner('POST', '/api/v1/cases', {
      body: { name: 'Neu', file_number: 'FREI-1' },
    })
    const kept = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Neu', file_number: 'WEG-1' } })
    const taken = await firm.owner('PUT', `/api/v1/cases/${freed.body.id}`, {
      body: { file_number: 'FREI-2' },
    })

    expect([freed.status, kept.status, taken.status]).toEqual([201, 409, 409])
    expect(kept.body.error.message).toContain('perhaps a deleted one')
  })

  it('obeys If-Match and If-None-Match', async () => {
    const { id } = await open()
    const path = `/api/v1/cases/${id}`
    const etag = (await firm.owner('GET', path)).headers.get('etag') ?? ''

    const unchanged = await firm.owner('GET', path, { headers: { 'If-None-Match': `"other", ${etag}` } })
    const changed = await firm.owner('PUT', path, { body: { name: 'Neu' }, headers: { 'If-Match': etag } })
    const late = await firm.owner('PUT', path, { body: { name: 'Zu spät' }, headers: { 'If-Match': etag } })
    const lateDelete = await firm.owner('DELETE', path, { headers: { 'If-Match': etag } })

    expect([unchanged.status, unchanged.body]).toEqual([304, ''])
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
    expect([late.status, late.body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect(lateDelete.status).toBe(412)
    const now = await firm.owner('GET', path)
    expect(now.body.name).toBe('Neu')
    expect(now.headers.get('etag')).toBe(changed.headers.get('etag'))
  })
})

describe('deleting a case', () => {
  it('removes it from every view; the record stays', async () => {
    const kept = await open({ name: 'Bleibt' })
    const { id } = await open({ name: 'Verschwindetwirklich' })
    await firm.owner('POST', `/api/v1/cases/${kept.id}/links`, { body: { case_id: id } })

    const deleted = await firm.owner('DELETE', `/api/v1/cases/${id}`)

    expect(deleted.status).toBe(204)
    for (const path of ['', '/parties', '/staff', '/timeline', '/links']) {
      const answer = await firm.owner('GET', `/api/v1/cases/${id}${path}`)
      expect([answer.status, answer.body.error.code]).toEqual([404, 'CASE_NOT_FOUND'])
    }
    expect((await firm.owner('DELETE', `/api/v1/cases/${id}`)).status).toBe(404)
    expect((await firm.owner('GET', '/api/v1/cases?search=verschwindet')).body.data).toEqual([])
    expect((await firm.owner('GET', `/api/v1/cases/${kept.id}/links`)).body.data).toEqual([])
    expect((await timelineOf(kept.id))[0]).toMatchObject({ type: 'link.removed' })
  })

  it('needs the scope cases:delete; cases:write is not enough', async () => {
    const { id } = await open()
    const writer = await firm.withScopes('cases:write')

    const refused = await writer('DELETE', `/api/v1/cases/${id}`)

    expect(refused.status).toBe(403)
    expect(refused.body.error.message).toContain('cases:delete')
  })
})

describe('parties of a case', () => {
  it('adds parties by id and by name, each once per role', async () => {
    const { id } = await open()
    const { body: party } = await firm.owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })

    const added = await firm.owner('POST', `/api/v1/cases/${id}/parties`, {
      body: {
        parties: [
          { id: party.id, role: 'client' },
          { name: 'Müller GmbH', type: 'organization', role: 'opponent' },
        ],
      },
    })
    const again = await firm.owner('POST', `/api/v1/cases/${id}/parties`, {
      body: [
        { id: party.id.slice('pty_'.length).toUpperCase(), role: 'client' },
        { id: party.id, role: 'witness' },
      ],
    })

    expect(added.status).toBe(201)
    expect(added.body.data).toEqual([
      { id: party.id, role: 'client', side: 'client', name: 'Anna Meier' },
      { id: expect.stringMatching(/^pty_/), role: 'opponent', side: 'opponent', name: 'Müller GmbH' },
    ])
    expect(again.body.data.map(({ role }: { role: string }) => role)).toEqual([
      'client',
      'opponent',
      'witness',
    ])
    expect((await firm.owner('GET', `/api/v1/cases/${id}`)).body.parties).toEqual(again.body.data)
    const created = await firm.owner('GET', `/api/v1/parties/${added.body.data[1].id}`)
    expect(created.body).toMatchObject({ name: 'Müller GmbH', type: 'organization' })
    expect((await firm.owner('GET', '/api/v1/parties?search=müller gmbh')).body.data).toHaveLength(1)
  })

  it('shows the current name of a party', async () => {
    const { id } = await open()
    const { body } = await firm.owner('POST', `/api/v1/cases/${id}/parties`, {
      body: [{ name: 'Anna Meier', role: 'client' }],
    })

    await firm.owner('PUT', `/api/v1/parties/${body.data[0].id}`, { body: { name: 'Anna Schulze' } })

    expect((await firm.owner('GET', `/api/v1/cases/${id}/parties`)).body.data[0].name).toBe('Anna Schulze')
  })

  it('replaces all parties at once, and removes all with an empty list', async () => {
    const { id } = await open()
    await firm.owner('POST', `/api/v1/cases/${id}/parties`, { body: [{ name: 'Alt', role: 'client' }] })

    const replaced = await firm.owner('PUT', `/api/v1/cases/${id}/parties`, {
      body: { parties: [{ name: 'Neu', role: 'client' }] },
    })
    const emptied = await firm.owner('PUT', `/api/v1/cases/${id}/parties`, { body: [] })

    expect([replaced.status, replaced.body.data.length, replaced.body.data[0].name]).toEqual([200, 1, 'Neu'])
    expect(emptied.body.data).toEqual([])
  })

  it('are replaced only in the state of the case that If-Match names', async () => {
    const { id } = await open()
    const path = `/api/v1/cases/${id}`
    const etag = async () => (await firm.owner('GET', path)).headers.get('etag') ?? ''
    const replace = (ifMatch: string) =>
      firm.owner('PUT', `${path}/parties`, { body: [], headers: { 'If-Match': ifMatch } })
    const seen = await etag()
    await firm.owner('POST', `${path}/parties`, { body: [{ name: 'Gegner GmbH', role: 'opponent' }] })

    const late = await replace(seen)
    const { data } = (await firm.owner('GET', `${path}/parties`)).body
    const fitting = await replace(await etag())

    expect([late.status, late.body.error.code]).toEqual([412, 'PRECONDITION_FAILED'])
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['Gegner GmbH'])
    expect([fitting.status, fitting.body.data]).toEqual([200, []])
  })

  it('changes nothing if one party is unknown', async () => {
    const { id } = await open()
    const body = [
      { name: 'Wird nicht angelegt', role: 'client' },
      { id: 'pty_00000000-0000-7000-8000-000000000001', role: 'opponent' },
    ]

    const post = await firm.owner('POST', `/api/v1/cases/${id}/parties`, { body })
    const put = await firm.owner('PUT', `/api/v1/cases/${id}/parties`, {
      body: [{ id: 'gibt-es-nicht', role: 'opponent' }],
    })

    expect([post.status, post.body.error.code]).toEqual([404, 'PARTY_NOT_FOUND'])
    expect([put.status, put.body.error.code]).toEqual([404, 'PARTY_NOT_FOUND'])
    expect((await firm.owner('GET', `/api/v1/cases/${id}/parties`)).body.data).toEqual([])
    expect((await firm.owner('GET', '/api/v1/parties?search=angelegt')).body.data).toEqual([])
  })

  it('accepts a hundred new parties in one request, and refuses one more', async () => {
    const { id } = await open()
    const hundred = Array.from({ length: 100 }, (_, index) => ({ name: `Erbe ${index + 1}`, role: 'heir' }))

    const tooMany = await firm.owner('POST', `/api/v1/cases/${id}/parties`, {
      body: [...hundred, { name: 'Zu viel', role: 'heir' }],
    })
    const added = await firm.owner('POST', `/api/v1/cases/${id}/parties`, { body: { parties: hundred } })
    const oneMore = await firm.owner('POST', `/api/v1/cases/${id}/parties`, {
      body: [{ name: 'Zu viel', role: 'heir' }],
    })
    const replaced = await firm.owner('PUT', `/api/v1/cases/${id}/parties`, { body: hundred })

    expect([tooMany.status, added.status, oneMore.status, replaced.status]).toEqual([400, 201, 400, 200])
    expect(added.body.data.map(({ name }: { name: string }) => name)).toEqual(hundred.map(({ name }) => name))
    expect((await firm.owner('GET', '/api/v1/parties?search=zu viel')).body.data).toEqual([])
  })

  it('accepts a hundred parties whose fields all have their maximum length', async () => {
    const { id } = await open({ name: '🦄'.repeat(500), description: '🦄'.repeat(20_000) })
    const hundred = Array.from({ length: 100 }, (_, index) => ({
      name: `${index}${'🦄'.repeat(497)}`,
      role: '🦄'.repeat(100),
      address: '🦄'.repeat(2_000),
    }))

    const added = await firm.owner('POST', `/api/v1/cases/${id}/parties`, { body: hundred })

    expect(added.status).toBe(201)
    expect(
      (await firm.owner('GET', `/api/v1/cases/${id}`)).body.parties.map(({ name }: { name: string }) => name),
    ).toEqual(hundred.map(({ name }) => name))
  })

  it.each([
    [[{ name: 'Ohne Rolle' }], 'body.0.role'],
    [{ parties: [{ role: 'client' }] }, 'body.parties.0.name'],
    [{ parties: [{ name: 'A', role: '' }] }, 'body.parties.0.role'],
    [{ parties: 'alle' }, 'body.parties'],
    [{}, 'body.parties'],
    ['alle', 'body'],
    [Array(101).fill({ name: 'A', role: 'client' }), 'body'],
  ])('answers 400 to %j and says where', async (body, path) => {
    const { id } = await open()

    const answer = await firm.owner('POST', `/api/v1/cases/${id}/parties`, { body })

    expect(answer.status).toBe(400)
    expect(answer.body.error.details).toContainEqual(expect.objectContaining({ path }))
  })
})

describe('staff of a case', () => {
  it('assigns and removes users', async () => {
    const { id } = await open()
    const { user } = await firm.colleague()
    const path = `/api/v1/cases/${id}/staff`

    const added = await firm.owner('POST', path, {
      body: {
        staff: [
          { id: firm.ownerUser.id, role: 'lead_attorney' },
          { id: user.id, role: 'assistant' },
        ],
      },
    })
    const twice = await firm.owner('POST', path, { body: [{ id: user.id, role: 'assistant' }] })
    const removed = await firm.owner('DELETE', path, {
      body: { staff_ids: [firm.ownerUser.id, 'usr_unbekannt'] },
    })
    const rest = await firm.owner('DELETE', `${path}?staff_id=${user.id}`)

    expect(added.status).toBe(201)
    expect(added.body.data).toEqual([
      { id: firm.ownerUser.id, name: firm.ownerUser.name, role: 'lead_attorney' },
      { id: user.id, name: user.name, role: 'assistant' },
    ])
    expect(twice.body.data).toHaveLength(2)
    expect([removed.status, removed.body.data]).toEqual([
      200,
      [{ id: user.id, name: user.name, role: 'assistant' }],
    ])
    expect(rest.body.data).toEqual([])
    expect((await firm.owner('GET', path)).body.data).toEqual([])
  })

  it('does not accept users of another firm', async () => {
    const { id } = await open()
    const other = await newFirm()

    const answer = await firm.owner('POST', `/api/v1/cases/${id}/staff`, {
      body: [{ id: other.ownerUser.id, role: 'lead_attorney' }],
    })

    expect([answer.status, answer.body.error.code]).toEqual([404, 'USER_NOT_FOUND'])
  })

  it('does not accept a deactivated user, except one who is assigned and gets another role', async () => {
    const { id } = await open()
    const [former, never] = [await firm.colleague(), await firm.colleague()]
    const add = (user: { id: string }, role: string) =>
      firm.owner('POST', `/api/v1/cases/${id}/staff`, { body: [{ id: user.id, role }] })
    await add(former.user, 'lead_attorney')
    for (const { user } of [former, never])
      await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: false } })

    const answers = [await add(never.user, 'lead_attorney'), await add(former.user, 'former_attorney')]

    expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [404, 'USER_NOT_FOUND'],
      [201, undefined],
    ])
    expect(answers[0]?.body.error.message).toContain('is deactivated')
    expect((await firm.owner('GET', `/api/v1/cases/${id}`)).body.staff).toHaveLength(2)
  })
})

describe('links between cases', () => {
  it('are shown in both cases, and removed from both', async () => {
    const [here, there] = [await open({ name: 'Hier' }), await open({ name: 'Dort' })]

    const linked = await firm.owner('POST', `/api/v1/cases/${here.id}/links`, {
      body: { case_id: there.id, type: 'Vorinstanz', note: 'AG Mitte' },
    })
    const fromThere = await firm.owner('GET', `/api/v1/cases/${there.id}/links`)
    const removed = await firm.owner('DELETE', `/api/v1/cases/${there.id}/links/${linked.body.id}`)

    expect(linked.status).toBe(201)
    expect(linked.body).toMatchObject({
      case_id: here.id,
      linked_case_id: there.id,
      type: 'Vorinstanz',
      note: 'AG Mitte',
    })
    expect(fromThere.body.data).toEqual([{ ...linked.body, case_id: there.id, linked_case_id: here.id }])
    expect(removed.status).toBe(204)
    for (const id of [here.id, there.id]) {
      expect((await firm.owner('GET', `/api/v1/cases/${id}/links`)).body.data).toEqual([])
      expect((await timelineOf(id)).map(({ type }: { type: string }) => type)).toEqual([
        'link.removed',
        'link.created',
        'case.created',
      ])
    }
  })

  it('exist once per pair, in either direction', async () => {
    const [here, there] = [await open(), await open()]
    await firm.owner('POST', `/api/v1/cases/${here.id}/links`, { body: { case_id: there.id } })

    const again = await firm.owner('POST', `/api/v1/cases/${here.id}/links`, {
      body: { case_id: there.id },
    })
    const reversed = await firm.owner('POST', `/api/v1/cases/${there.id}/links`, {
      body: { case_id: here.id },
    })
    const toItself = await firm.owner('POST', `/api/v1/cases/${here.id}/links`, {
      body: { case_id: here.id.toUpperCase() },
    })
    const toNowhere = await firm.owner('POST', `/api/v1/cases/${here.id}/links`, {
      body: { case_id: 'nirgends' },
    })
    const gone = await firm.owner('DELETE', `/api/v1/cases/${here.id}/links/link_nirgends`)

    expect([again.status, reversed.status, toItself.status, toNowhere.status, gone.status]).toEqual([
      409, 409, 400, 404, 404,
    ])
    expect([again.body.error.code, toNowhere.body.error.code, gone.body.error.code]).toEqual([
      'LINK_EXISTS',
      'CASE_NOT_FOUND',
      'LINK_NOT_FOUND',
    ])
    expect(again.body.error.details).toMatchObject([{ path: 'body.case_id' }])
  })
})

describe('a link whose ids are malformed', () => {
  it.each([
    ['in the body', (id: string) => [id, 'nirgends']],
    ['in the path', (id: string) => ['nirgends', id]],
    ['in both', () => ['nirgends', 'auch-nirgends']],
    ['in both, the same', () => ['nirgends', 'nirgends']],
  ])('%s is 404', async (_where, of) => {
    const [path, body] = of((await open()).id)

    const answer = await firm.owner('POST', `/api/v1/cases/${path}/links`, { body: { case_id: body } })

    expect([answer.status, answer.body.error.code]).toEqual([404, 'CASE_NOT_FOUND'])
  })
})

describe('the timeline', () => {
  it('has exactly one entry for each change, newest first, and none if nothing changed', async () => {
    const { id, name } = await open({ name: 'Zeitachse' })
    const path = `/api/v1/cases/${id}`
    await firm.owner('PUT', path, { body: { status: 'closed', dezernat: 'Arbeitsrecht' } })
    await firm.owner('PUT', path, { body: { status: 'closed', name } })
    await firm.owner('POST', `${path}/parties`, {
      body: [
        { name: 'Anna', role: 'client' },
        { name: 'Bernd', role: 'opponent' },
      ],
    })
    await firm.owner('PUT', `${path}/parties`, { body: [{ name: 'Clara', role: 'client' }] })
    await firm.owner('POST', `${path}/staff`, {
      body: [{ id: firm.ownerUser.id, role: 'lead_attorney' }],
    })
    await firm.owner('POST', `${path}/staff`, {
      body: [{ id: firm.ownerUser.id, role: 'lead_attorney' }],
    })
    await firm.owner('DELETE', `${path}/staff`, { body: { staff_ids: [firm.ownerUser.id] } })

    const entries = await timelineOf(id)

    expect(entries.map(({ type }: { type: string }) => type)).toEqual([
      'staff.removed',
      'staff.added',
      'parties.replaced',
      'parties.added',
      'case.updated',
      'case.created',
    ])
    expect(entries[4].summary).toBe('Akte geändert: Status active → closed, Dezernat leer → Arbeitsrecht')
    expect(entries[0]).toMatchObject({
      actor: { type: 'user', id: firm.ownerUser.id, name: firm.ownerUser.name },
      ref: { type: 'case', id },
    })
  })

  it('is read page by page without gaps', async () => {
    const { id } = await open()
    for (const status of ['closed', 'active', 'archived', 'closed'])
      await firm.owner('PUT', `/api/v1/cases/${id}`, { body: { status } })

    const first = await firm.owner('GET', `/api/v1/cases/${id}/timeline?limit=2`)
    const second = await firm.owner(
      'GET',
      `/api/v1/cases/${id}/timeline?limit=2&cursor=${first.body.pagination.cursor}`,
    )
    const third = await firm.owner(
      'GET',
      `/api/v1/cases/${id}/timeline?limit=2&cursor=${second.body.pagination.cursor}`,
    )

    expect([...first.body.data, ...second.body.data, ...third.body.data]).toEqual(await timelineOf(id))
    expect(third.body.pagination).toEqual({ cursor: null, has_more: false })
  })
})
