import { beforeAll, describe, expect, it } from 'vitest'
import { api } from '#test/support/api.ts'
import { judged, newCase, read } from '#test/support/arriving-mail.ts'
import { rawMessage, smtpUrl } from '#test/support/delivered-mail.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { nothingKnown, receiving } from '#test/support/receiving.ts'
import { outbound, until } from '#test/support/sent-mail.ts'
import { signMail } from '#test/support/signed-mail.ts'
import { sendBySmtp } from '#test/support/smtp-client.ts'

/** Mail files itself only if the receiving service vouches for its sender (I5, I8). */

const client = 'rita.sommer@sommer.example'
let firm: Firm
let number: string
let caseId: string
beforeAll(async () => {
  firm = await newFirm()
  const party = { type: 'person', name: 'Rita Sommer', email: client }
  const { id } = (await firm.owner('POST', '/api/v1/parties', { body: party })).body
  caseId = await newCase(firm, { name: 'Sommer ./. Kiesgrube' })
  const parties = [{ id, role: 'client' }]
  await firm.owner('POST', `/api/v1/cases/${caseId}/parties`, { body: { parties } })
  number = (await firm.owner('GET', `/api/v1/cases/${caseId}`)).body.file_number
})

type Fields = Record<string, string | string[]>

/** A call of the mail service, as Mailgun posts it: fields of its own beside the header of the message. */
async function post(header: [string, string][], fields: Fields = {}): Promise<string> {
  const named: [string, string][] = [
    ...header,
    ['Subject', `Ihr Zeichen ${number}`],
    ['Message-Id', `<${crypto.randomUUID()}@sommer.example>`],
  ]
  const form = new URLSearchParams({
    ...signMail(),
    recipient: firm.workspace.inbound_address,
    'body-plain': 'Guten Tag',
    'message-headers': JSON.stringify(named),
  })
  for (const [name, value] of Object.entries({ from: header[0]?.[1] ?? '', ...fields }))
    for (const one of [value].flat()) form.append(name, one)
  const { status, body } = await api(firm.baseUrl, undefined)('POST', '/api/v1/email/inbound', { raw: form })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.correspondence_id
}

/** The mail once its attachments are judged too: it has none. */
async function outcome(id: string) {
  const { case_id, sender_verified, sender_verified_reason, triage } = await judged(firm, id)
  return { case_id, sender_verified, sender_verified_reason, suggested: triage.case_suggestions[0]?.case_id }
}
const filed = { sender_verified: true, sender_verified_reason: null }
const from: [string, string] = ['From', `Rita Sommer <${client}>`]
const dkim = (domain: string): [string, string] => [
  'Dkim-Signature',
  `v=1; a=rsa-sha256; d=${domain}; s=k1; h=from:to:subject; bh=c2VpdGU=; b=dW50ZXI=`,
]

describe('a mail of the webhook files itself', () => {
  it.each<[string, [string, string][], Fields]>([
    ['with SPF for the domain of the sender', [from, ['X-Mailgun-Spf', 'Pass']], { sender: client }],
    [
      'with SPF for a server of the sender’s organisation',
      [from, ['X-Mailgun-Spf', 'Pass']],
      { sender: 'bounce+7@mail.sommer.example' },
    ],
    [
      'with DKIM of the sender, though it was forwarded',
      [from, dkim('sommer.example'), ['X-Mailgun-Spf', 'SoftFail'], ['X-Mailgun-Dkim-Check-Result', 'Pass']],
      { sender: 'srs@forwarder.example' },
    ],
  ])('%s', async (_, header, fields) => {
    const id = await post(header, fields)

    expect(await outcome(id)).toEqual({ ...filed, case_id: caseId, suggested: caseId })
  })
})

describe('a mail of the webhook is only suggested', () => {
  it.each<[string, string, [string, string][], Fields]>([
    ['nobody looked', 'not_checked', [from], { sender: client }],
    ['softfail', 'not_passed', [from, ['X-Mailgun-Spf', 'SoftFail']], { sender: client }],
    ['neutral', 'not_passed', [from, ['X-Mailgun-Spf', 'Neutral']], { sender: client }],
    [
      'SPF of the server of somebody else',
      'not_aligned',
      [from, ['X-Mailgun-Spf', 'Pass']],
      { sender: 'x@evil.example' },
    ],
    [
      'a header field Sender in place of the envelope’s',
      'not_aligned',
      [from, ['X-Mailgun-Spf', 'Pass'], ['Sender', client]],
      { sender: 'x@evil.example', Sender: client },
    ],
    [
      'a result of SPF that the sender wrote beside the real one',
      'not_passed',
      [from, ['X-Mailgun-Spf', 'Pass'], ['X-Mailgun-Spf', 'Neutral']],
      { sender: client },
    ],
    [
      'a result that the sender wrote, and the real one beside the header',
      'not_passed',
      [from, ['X-Mailgun-Spf', 'Pass']],
      { sender: client, 'X-Mailgun-Spf': 'Fail' },
    ],
    [
      'DKIM of somebody else',
      'not_aligned',
      [from, dkim('evil.example'), ['X-Mailgun-Dkim-Check-Result', 'Pass']],
      { sender: 'x@evil.example' },
    ],
    [
      'results that are not the mail service’s',
      'not_checked',
      [from, ['Authentication-Results', 'mxa.mailgun.org; dmarc=pass header.from=sommer.example']],
      { sender: client },
    ],
    [
      'two senders',
      'no_clear_sender',
      [from, ['From', 'x@evil.example'], ['X-Mailgun-Spf', 'Pass']],
      { sender: client },
    ],
  ])('%s', async (_, reason, header, fields) => {
    const id = await post(header, fields)

    expect(await outcome(id)).toMatchObject({
      case_id: null,
      sender_verified: false,
      sender_verified_reason: reason,
    })
  })

  it('and names the case that it would be filed in', async () => {
    const id = await post([from, ['X-Mailgun-Spf', 'Neutral']], { sender: client })

    expect((await outcome(id)).suggested).toBe(caseId)
  })

  it('also where it answers a mail of ours', async () => {
    const body = { to: [client], subject: 'Vollmacht', body_html: '<p>Anbei.</p>', case_id: caseId }
    const { id } = (await firm.owner('POST', `${outbound}/send`, { body })).body
    const [, uuid] = id.split('_')
    const [, domain] = firm.workspace.inbound_address.split('@')
    const answer: [string, string] = ['In-Reply-To', `<${uuid}@${domain}>`]

    const forged = await post([from, answer, ['X-Mailgun-Spf', 'Pass']], { sender: 'x@evil.example' })
    const real = await post([from, answer, ['X-Mailgun-Spf', 'Pass']], { sender: client })

    expect([(await outcome(forged)).case_id, (await outcome(real)).case_id]).toEqual([null, caseId])
  })
})

describe('a mail of SES', () => {
  const raw = (...header: string[]) =>
    Buffer.from(rawMessage({ From: client, Subject: `Ihr Zeichen ${number}` }))
      .toString()
      .replace(/^/, header.map((line) => `${line}\r\n`).join(''))
  const results = (domain: string) => `Authentication-Results: amazonses.com; dkim=pass header.i=@${domain};`

  it.each([
    ['with DMARC files itself', { dmarc: 'pass' }, [], true],
    [
      'with DKIM of its sender files itself',
      { dkim: 'pass' },
      [results('sommer.example'), dkim('sommer.example').join(': ')],
      true,
    ],
    [
      'with results of SES that its sender wrote is suggested',
      { dkim: 'pass' },
      [results('evil.example'), results('sommer.example'), dkim('sommer.example').join(': ')],
      false,
    ],
    ['with SPF of another domain is suggested', { spf: 'pass' }, [], false],
  ] as const)('%s', async (_, verdicts, header, isFiled) => {
    const { receive } = await receiving(firm)
    const id = await receive(Buffer.from(raw(...header)), { ...nothingKnown, ...verdicts }, 'x@evil.example')

    expect((await outcome(id)).case_id).toBe(isFiled ? caseId : null)
  })
})

it('a mail by SMTP files itself if the envelope has the domain of its sender', async () => {
  const send = async (envelope: string) => {
    const id = `<${crypto.randomUUID()}@sommer.example>`
    const raw = rawMessage({ From: client, Subject: `Ihr Zeichen ${number}`, 'Message-ID': id })
    await sendBySmtp(smtpUrl(), { from: envelope, to: [firm.workspace.inbound_address], raw })
    const list = await until(firm.owner, '/api/v1/correspondence?direction=inbound&limit=100', ({ data }) =>
      data.some(({ message_id }: { message_id: string }) => message_id === id),
    )
    return outcome(list.data.find(({ message_id }: { message_id: string }) => message_id === id).id)
  }

  const own = await send('rechnung@post.sommer.example')
  const other = await send('x@evil.example')

  expect(own).toEqual({ ...filed, case_id: caseId, suggested: caseId })
  expect(other).toMatchObject({
    case_id: null,
    sender_verified: false,
    sender_verified_reason: 'not_aligned',
  })
})

describe('where answers go', () => {
  const replyTo = (address: string): [string, string] => ['Reply-To', address]

  it('is shown in the mail, and a reply to another domain than the sender’s carries a warning', async () => {
    const id = await post([from, replyTo('Rita <rita@evil.example>')])
    const mail = await read(firm, id)
    const body = { correspondence_id: id }
    const draft = (await firm.owner('POST', `${outbound}/reply-envelope`, { body })).body
    const path = `${outbound}/drafts/${draft.id}`
    const stored = (await firm.owner('GET', path)).body
    const changed = (await firm.owner('PUT', path, { body: { to: [client] } })).body

    expect(mail.reply_to).toEqual([{ name: 'Rita', email: 'rita@evil.example' }])
    expect(draft.to).toEqual(['Rita <rita@evil.example>'])
    expect(draft.warnings).toHaveLength(1)
    expect(draft.warnings[0]).toContain('rita@evil.example')
    expect([stored.warnings, changed.warnings]).toEqual([draft.warnings, []])
  })

  it.each([
    ['the sender’s own', client],
    ['another host of the sender’s organisation', 'antwort@buero.sommer.example'],
    ['nothing that could be answered', 'unbekannt'],
  ])('is no warning with %s', async (_, address) => {
    const id = await post([from, replyTo(address)])
    await read(firm, id)
    const body = { correspondence_id: id }

    expect((await firm.owner('POST', `${outbound}/reply-envelope`, { body })).body.warnings).toEqual([])
  })
})
