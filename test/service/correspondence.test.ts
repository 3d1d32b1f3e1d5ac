import { beforeAll, describe, expect, it } from 'vitest'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { newAddress, send } from '#test/support/sent-mail.ts'

let firm: Firm
let stranger: Firm
beforeAll(async () => {
  ;[firm, stranger] = await Promise.all([newFirm(), newFirm()])
})

const path = '/api/v1/correspondence'
const create = async (place: string, body: unknown) => (await firm.owner('POST', place, { body })).body
const idsOf = async (query: string, by = firm) =>
  (await by.owner('GET', `${path}?${query}`)).body.data.map(({ id }: { id: string }) => id)

describe('correspondence', () => {
  it('shows a mail whose bodies are longer in an answer than a function can return at once', async () => {
    const quotes = '"'.repeat(1_000_000)
    const to = [newAddress()]
    const sent = await send(firm.owner, { to, subject: 'Lang', body_html: `<p>${quotes}</p>` })

    const { status, body } = await firm.owner('GET', `${path}/${sent.body.id}`)

    expect([sent.status, status]).toEqual([200, 200])
    expect([body.body_html === `<p>${quotes}</p>`, body.body_text === quotes]).toEqual([true, true])
  })

  it('shows all that is known of a mail that was sent', async () => {
    // Prepare
    const [to, bcc] = [newAddress(), newAddress()]
    const kase = await create('/api/v1/cases', { name: 'Meier ./. Schulze' })
    const party = await create('/api/v1/parties', { name: 'Anna Meier', email: to.toUpperCase() })
    const document = (await upload(firm.owner, { filename: 'Klage.txt' })).body

    // Act
    const sent = await send(firm.owner, {
      to: [`Anna Meier <${to}>`],
      bcc: [bcc],
      subject: 'Klage',
      body_html: '<p>Guten Tag</p>',
      inline_images: [],
      case_id: kase.id,
      attachments: [document.id],
    })
    const { status, body } = await firm.owner('GET', `${path}/${sent.body.id}`)

    // Assess
    expect(status).toBe(200)
    expect(body).toEqual({
      id: sent.body.id,
      direction: 'outbound',
      status: 'sent',
      status_reason: null,
      from: { name: firm.ownerUser.name, email: firm.workspace.inbound_address },
      to: [`Anna Meier <${to}>`],
      cc: [],
      bcc: [bcc],
      subject: 'Klage',
      body_text: 'Guten Tag',
      body_html: '<p>Guten Tag</p>',
      inline_images: [],
      case_id: kase.id,
      party_id: party.id,
      assigned_to: null,
      attachments: [
        {
          document_id: document.id,
          filename: 'Klage.txt',
          mime_type: 'text/plain',
          size_bytes: document.size_bytes,
          content_id: null,
        },
      ],
      message_id: expect.stringMatching(/./),
      in_reply_to: null,
      sent_at: sent.body.sent_at,
      received_at: null,
      dated_at: null,
      delivery: expect.any(Array),
      verdicts: null,
      sender_verified: null,
      sender_verified_reason: null,
      reply_to: [],
      protection: 'none',
      triage: null,
      created_at: expect.any(String),
    })
  })

  it('is found by case, party, direction, subject and address', async () => {
    const [to, other] = [newAddress(), newAddress()]
    const kase = await create('/api/v1/cases', { name: 'Suche' })
    const party = await create('/api/v1/parties', { name: 'Otto', email: to })
    const first = (await send(firm.owner, { to: [to], subject: 'Räumungsklage', case_id: kase.id })).body.id
    const second = (await send(firm.owner, { to: [other], subject: 'Vollmacht' })).body.id

    expect(await idsOf(`case_id=${kase.id}`)).toEqual([first])
    expect(await idsOf(`party_id=${party.id}`)).toEqual([first])
    expect(await idsOf('search=raeumungskl')).toEqual([first])
    expect(await idsOf(`search=${other.slice(8, 44)}`)).toEqual([second])
    expect(await idsOf('direction=inbound')).toEqual([])
    expect((await idsOf('direction=outbound&limit=2')).toSorted()).toEqual([first, second].toSorted())
  })

  it('of another workspace does not exist', async () => {
    const { id } = (await send(stranger.owner, { to: [newAddress()], subject: 'Fremd' })).body

    const answer = await firm.owner('GET', `${path}/${id}`)

    expect([answer.status, answer.body.error.code]).toEqual([404, 'CORRESPONDENCE_NOT_FOUND'])
    expect(await idsOf('search=fremd')).toEqual([])
  })

  it.each(['case_id=x', 'party_id=x', 'direction=sideways'])('refuses the filter %s', async (query) => {
    const { status, body } = await firm.owner('GET', `${path}?${query}`)

    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
  })
})
