import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { textFileOf } from '#bea/messages/message-schema.ts'
import { makePdf } from '#bea-simulator/messages/make-pdf.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { Api } from '#test/support/api.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { courtSafeId, identity, remoteAttachment } from '#test/support/bea-remote.ts'
import { newFirm } from '#test/support/firm.ts'

/** Messages whose text stands only in the file that the network makes of it, or in attached letters. */

const path = '/api/v1/bea/messages'
const sent = { type: 'SENT', name: null }

async function prepare() {
  const firm = await newFirm()
  return { ...firm, ...(await beaOffice(firm)) }
}

const textFile = async (text: string, name = 'Nachrichtentext.pdf') =>
  remoteAttachment(name, new Uint8Array(await makePdf('Nachricht', text)))

// biome-ignore lint/suspicious/noExplicitAny: an answer has any form; tests assert what it is
async function until(ask: () => Promise<any>, isRight: (answer: any) => boolean): Promise<any> {
  for (const end = epochMilliseconds() + 60_000; ; await sleep(200)) {
    const answer = await ask()
    if (isRight(answer) || epochMilliseconds() > end) return answer
  }
}

const bodyOf = (api: Api, id: string) =>
  until(
    async () => (await api('GET', `${path}/${id}`)).body.body,
    (body) => body !== '',
  )

const triageOf = (api: Api, id: string) =>
  until(
    async () =>
      (await api('GET', '/api/v1/inbox?kind=bea')).body.data.find((one: { id: string }) => one.id === id)
        ?.triage ?? null,
    (triage) => triage !== null,
  )

describe('the text of a message that stands only in its file', () => {
  it.each([
    ['Nachrichtentext.pdf', 'Die Klageerwiderung ist binnen zwei Wochen einzureichen.'],
    ['nachrichtentext.PDF', 'Der Termin am 3. März fällt aus. Grüße aus Köln.'],
    ['Nachrichtentext-beN.pdf', `${'Erste Zeile\n'.repeat(60)}Letzte Zeile auf der zweiten Seite`],
  ])('is its body (%s, %#)', async (name, text) => {
    const { owner, receive } = await prepare()
    const id = await receive({ body: '', attachments: [await textFile(text, name)] })
    const body: string = await bodyOf(owner, id)
    expect(body.replace(/\s+/g, ' ')).toBe(text.replace(/\s+/g, ' '))
  })

  it('is judged: our number in it suggests the case', async () => {
    const { owner, receive } = await prepare()
    const made = (await owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })).body
    const text = `Ihr Zeichen: ${made.file_number}\n\nWir bitten um Stellungnahme.`
    const id = await receive({
      subject: 'Schreiben',
      body: '',
      reference_recipient: null,
      reference_sender: null,
      attachments: [await textFile(text)],
    })
    const triage = await triageOf(owner, id)
    expect(triage.case_suggestions.map(({ case_id }: { case_id: string }) => case_id)).toEqual([made.id])
  })

  it('of what we sent is its body too', async () => {
    const { owner, receive, account } = await prepare()
    const addresses = {
      sender: identity(account.postbox_safe_id, 'Wir'),
      recipients: [identity(courtSafeId, 'Landgericht')],
    }
    const id = await receive(
      { ...addresses, body: '', attachments: [await textFile('Anbei die Klage.')] },
      sent,
    )
    expect(await bodyOf(owner, id)).toBe('Anbei die Klage.')
  })

  it.each([
    ['inbound', ['Nachrichtentext-beN.pdf'], 'Nachrichtentext-beN.pdf'],
    ['inbound', ['Nachrichtentext-beN.pdf', 'Nachrichtentext.pdf'], 'Nachrichtentext.pdf'],
    ['outbound', ['Nachrichtentext-beN.pdf'], undefined],
  ] as const)('is not in a file of a notary that is forwarded (%s, %j)', (direction, names, expected) => {
    const attachments = names.map((filename) => ({ filename, size_bytes: 1 }))
    expect(textFileOf({ direction, attachments })?.filename).toBe(expected)
  })

  it('does not take the place of a body that is given', async () => {
    const { owner, receive } = await prepare()
    const id = await receive({ body: 'Der Text.', attachments: [await textFile('Ein anderer Text.')] })
    await triageOf(owner, id)
    expect((await owner('GET', `${path}/${id}`)).body.body).toBe('Der Text.')
  })

  it.each([
    ['damaged', new TextEncoder().encode('%PDF-1.7 kaputt')],
    ['empty', new Uint8Array()],
    ['no PDF', new TextEncoder().encode('Nur Text')],
  ])('and a file that is %s keeps the message from nothing', async (_, bytes) => {
    const { owner, receive } = await prepare()
    const id = await receive({ body: '', attachments: [remoteAttachment('Nachrichtentext.pdf', bytes)] })
    expect(await triageOf(owner, id)).toMatchObject({ category: 'court' })
    expect((await owner('GET', `${path}/${id}`)).body.body).toBe('')
  })
})

describe('the letters that are attached to a message', () => {
  const letterTo = (file_number: string) =>
    `Landgericht München I\n80335 München\n\nKanzlei Vogt\n\nIhr Zeichen: ${file_number}\n\nDie Klageerwiderung ist binnen zwei Wochen einzureichen.`

  it.each([
    ['an open message', false],
    ['a confidential message', true],
  ])('are judged: they suggest the case and name the time limit of %s', async (_, is_confidential) => {
    const { owner, receive } = await prepare()
    const made = (await owner('POST', '/api/v1/cases', { body: { name: 'Weber ./. Kiesgrube' } })).body
    const letter = await makePdf('Verfügung', letterTo(made.file_number))
    const id = await receive({
      subject: 'Schreiben',
      body: 'Siehe Anlage.',
      reference_recipient: null,
      reference_sender: null,
      is_confidential,
      attachments: [
        remoteAttachment('Kaputt.pdf', new TextEncoder().encode('%PDF-1.7 kaputt')),
        remoteAttachment('Verfuegung.pdf', new Uint8Array(letter)),
      ],
    })
    // Act
    const triage = await triageOf(owner, id)
    // Assess
    expect(triage).toMatchObject({
      priority: 'high',
      case_suggestions: [{ case_id: made.id }],
      deadline_hints: [{ period: { unit: 'week', count: 2 } }],
      final: true,
    })
  })
})
