import { describe, expect, it } from 'vitest'
import { leftCase } from '#store/retention/disposal-part-entity.ts'
import { aBeaAccountOf } from '#test/support/bea-records.ts'
import { upload } from '#test/support/documents.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

/** Saving a beA draft changes what it is sent (B7, B10), over HTTP. */

const path = '/api/v1/bea/drafts'

async function prepare() {
  const firm = await newFirm()
  const account = await aBeaAccountOf(firm)
  const [document, other] = await Promise.all(
    ['Klage.pdf', 'Anlage.pdf'].map(async (filename) => {
      const bytes = new TextEncoder().encode(`%PDF-1.7 ${filename}`)
      return (await upload(firm.owner, { bytes, filename })).body.id as string
    }),
  )
  const { body } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })
  const written = {
    account_id: account.id,
    to: [{ name: 'Amtsgericht Köln', bea_id: 'DE.Justiz.x' }],
    subject: 'Klage',
    body: 'Anbei die Klage.',
    attachments: [document],
    reference_sender: '0001/26',
    reference_recipient: '3 C 45/26',
    eeb_requested: true,
    case_id: body.id,
  }
  const draft = (await firm.owner('POST', path, { body: written })).body
  const save = (changes: object, headers: Record<string, string> = {}) =>
    firm.owner('PUT', `${path}/${draft.id}`, { body: changes, headers })
  const read = async () => (await firm.owner('GET', `${path}/${draft.id}`)).body
  const timeless = ({ updated_at: _, ...rest }: Record<string, unknown>) => rest
  return { ...firm, account, other, written, draft, save, read, timeless }
}

describe('saving a beA draft', () => {
  it('changes the subject and keeps everything else, with or without the account', async () => {
    const { draft, save, read, timeless, account } = await prepare()
    const saved = await save({ account_id: account.id, subject: 'Klage und Antrag' })
    const again = await save({ subject: 'Klage und Antrag vom 3. März' })
    expect([saved.status, again.status]).toEqual([200, 200])
    expect(timeless(await read())).toEqual(timeless({ ...draft, subject: 'Klage und Antrag vom 3. März' }))
  })

  it.each([
    ['body', 'Überarbeitet.'],
    ['to', [{ name: 'LG Köln', bea_id: 'DE.Justiz.y' }]],
    ['attachments', []],
    ['reference_recipient', '4 O 1/26'],
    ['eeb_requested', false],
    ['case_id', null],
  ])('changes %s alone', async (field, value) => {
    const { draft, save, read, timeless } = await prepare()
    await save({ [field]: value })
    expect(timeless(await read())).toEqual(timeless({ ...draft, [field]: value }))
  })

  it('notes the case that it leaves, whose timeline may quote it', async () => {
    const { workspace, draft, save, written } = await prepare()
    await save({ case_id: null })

    const left = leftCase(await sharedTable()).query.all({ workspace_id: workspace.id, id: draft.id })
    expect((await left.go()).data.map(({ case_id }) => case_id)).toEqual([written.case_id])
  })

  it.each([
    ['to', []],
    ['subject', ''],
    ['body', ''],
    ['attachments', []],
    ['reference_sender', null],
    ['eeb_requested', false],
  ])('clears %s with null, and only that', async (field, cleared) => {
    const { draft, save, read, timeless } = await prepare()
    await save({ [field]: null })
    expect(timeless(await read())).toEqual(timeless({ ...draft, [field]: cleared }))
  })

  it('with nothing changes nothing', async () => {
    const { draft, save, read } = await prepare()
    expect((await save({})).body).toEqual(draft)
    expect(await read()).toEqual(draft)
  })

  it('of two fields by two at once keeps both', async () => {
    const { draft, save, read, timeless, other } = await prepare()
    const attachments = [...draft.attachments, other]
    const answers = await Promise.all([
      save({ subject: 'Zwei zugleich' }),
      save({ body: 'ä'.repeat(90_000) }),
      save({ attachments }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const expected = { ...draft, subject: 'Zwei zugleich', body: 'ä'.repeat(90_000), attachments }
    expect(timeless(await read())).toEqual(timeless(expected))
  })

  it('that is refused changes nothing', async () => {
    const { draft, save, read } = await prepare()
    const missing = '01993f5e-0000-7000-8000-000000000000'
    const answers = [
      await save({ subject: 'Neu', attachments: [`doc_${missing}`] }),
      await save({ subject: 'Neu', case_id: missing }),
      await save({ subject: 'Neu', account_id: `bea_acc_${missing}` }),
      await save({ subject: 'Neu', account_id: null }),
      await save({ subject: 'Neu' }, { 'If-Match': '"stale"' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400, 412])
    expect(await read()).toEqual(draft)
  })
})

it('a beA draft is sent only in the state that If-Match names', async () => {
  const { owner, draft, save } = await prepare()
  const seen = (await owner('GET', `${path}/${draft.id}`)).headers.get('etag') ?? ''
  const now = (await save({ body: 'Von anderer Hand.' })).headers.get('etag') ?? ''
  const send = async (ifMatch: string) =>
    (await owner('POST', `${path}/${draft.id}/send`, { headers: { 'If-Match': ifMatch } })).status

  expect([await send(seen), await send(now)]).toEqual([412, 202])
})
