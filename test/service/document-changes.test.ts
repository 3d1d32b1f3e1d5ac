import { beforeAll, describe, expect, it } from 'vitest'
import { settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const stored = async (filename: string, caseId?: string) =>
  (await upload(firm.owner, { filename }, caseId === undefined ? {} : { case_id: caseId })).body
const found = async (search: string) =>
  (await firm.owner('GET', `/api/v1/documents?search=${search}`)).body.data.map(
    ({ id }: { id: string }) => id,
  )

describe('a document', () => {
  it('gets another name: lists, search, download and the timeline of its case follow', async () => {
    const { id: caseId } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body
    const before = await stored('scan0815.txt', caseId)
    const path = `/api/v1/documents/${before.id}`

    const changed = await firm.owner('PATCH', path, { body: { filename: 'ordner/Mietvertrag Süd.txt' } })

    expect([changed.status, changed.body.filename]).toEqual([200, 'Mietvertrag Süd.txt'])
    expect((await firm.owner('GET', path)).body.filename).toBe('Mietvertrag Süd.txt')
    expect([await found('mietvertrag'), await found('scan0815')]).toEqual([[before.id], []])
    const [entry] = (await firm.owner('GET', `/api/v1/cases/${caseId}/timeline`)).body.data
    expect([entry.type, entry.summary, entry.ref.id]).toEqual([
      'document.updated',
      'Dokument „scan0815.txt“ umbenannt in „Mietvertrag Süd.txt“',
      before.id,
    ])
  })

  it('gets metadata, keeps them if they are not named, and loses them with null', async () => {
    const path = `/api/v1/documents/${(await stored('meta.txt')).id}`
    const change = async (body: unknown) => (await firm.owner('PATCH', path, { body })).body.metadata

    const given = await change({ metadata: { konto: 'A 1', tiefe: { b: [1] } } })
    const kept = await change({ filename: 'meta2.txt' })
    const removed = await change({ metadata: null })

    expect([given, kept, removed]).toEqual([
      { konto: 'A 1', tiefe: { b: [1] } },
      { konto: 'A 1', tiefe: { b: [1] } },
      null,
    ])
  })

  it.each([
    ['a list', ['a']],
    ['an empty list', []],
    ['a list of objects', [{ sender: 'Amtsgericht' }]],
    ['a text', '{"sender":"Amtsgericht"}'],
    ['a number', 7],
  ])('has no metadata that are %s, and the refusal shows an example', async (_, metadata) => {
    const path = `/api/v1/documents/${(await stored('meta.txt')).id}`

    const { status, body } = await firm.owner('PATCH', path, { body: { metadata } })

    expect([status, body.error.details]).toEqual([
      400,
      [{ path: 'body.metadata', message: expect.stringMatching(/one JSON object, such as `\{"/) }],
    ])
  })

  it('is changed, assigned and deleted only in the state that If-Match names', async () => {
    const path = `/api/v1/documents/${(await stored('etag.txt')).id}`
    // It is read first: reading changes it.
    await settled(firm.owner, path.split('/').at(-1) ?? '')
    const seen = (await firm.owner('GET', path)).headers.get('etag') ?? ''
    const ifMatch = (etag: string) => ({ headers: { 'If-Match': etag } })

    const first = await firm.owner('PATCH', path, { body: { filename: 'eins.txt' }, ...ifMatch(seen) })
    const second = await firm.owner('PATCH', path, { body: { filename: 'zwei.txt' }, ...ifMatch(seen) })
    const refused = await firm.owner('DELETE', path, ifMatch(seen))
    const assign = (etag: string) => firm.owner('POST', `${path}/assign`, { body: {}, ...ifMatch(etag) })
    const unassigned = await assign(seen)
    const assigned = await assign(first.headers.get('etag') ?? '')
    const unchanged = await firm.owner('GET', path, {
      headers: { 'If-None-Match': assigned.headers.get('etag') ?? '' },
    })
    const deleted = await firm.owner('DELETE', path, ifMatch(first.headers.get('etag') ?? ''))

    const answers = [first, second, refused, unassigned, assigned, unchanged, deleted]
    expect(answers.map(({ status }) => status)).toEqual([200, 412, 412, 412, 200, 304, 204])
  })

  it.each([
    ['half a character', String.raw`{"a":"\ud800"}`],
    ['nesting', `{"a":${'['.repeat(3_900)}${']'.repeat(3_900)}}`],
  ])('keeps metadata as they were sent, and is renamed all the same: %s', async (_, metadata) => {
    const path = `/api/v1/documents/${(await stored('daten.txt')).id}`
    const change = (raw: string) =>
      firm.owner('PATCH', path, { raw, headers: { 'Content-Type': 'application/json' } })

    const answers = [
      await change(`{"metadata":${metadata}}`),
      await change(`{"metadata":${metadata}}`),
      await change('{"filename":"neu.txt"}'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(JSON.stringify(answers[2]?.body.metadata)).toBe(metadata)
  })

  it('answers 400 to metadata that are nested too deep to be written', async () => {
    const path = `/api/v1/documents/${(await stored('tief.txt')).id}`
    const raw = `{"metadata":{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`

    const { status } = await firm.owner('PATCH', path, {
      raw,
      headers: { 'Content-Type': 'application/json' },
    })

    expect(status).toBe(400)
  })

  it.each([
    { filename: 'x'.repeat(501) },
    { filename: 7 },
    { metadata: 'text' },
    { metadata: [] },
    { metadata: { lang: 'x'.repeat(8_001) } },
  ])('answers 400 to %j', async (body) => {
    const path = `/api/v1/documents/${(await stored('fehler.txt')).id}`

    expect((await firm.owner('PATCH', path, { body })).status).toBe(400)
  })
})
