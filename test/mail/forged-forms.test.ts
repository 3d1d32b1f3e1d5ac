import { describe, expect, it } from 'vitest'
import type { MailForm } from '#correspondence/reception-ports.ts'
import { readHeader } from '#mail/read-header.ts'
import { receivedForms } from '#mail/received-form.ts'

/**
 * The mail service posts the header fields of a message together with its own fields. So a sender can add fields to the
 * form, but must not be able to impersonate somebody else (I1, I5).
 */

type Pairs = [name: string, value: string][]

const signature = (domain: string, more = '') =>
  `v=1; a=rsa-sha256; d=${domain}; s=s1; h=from:to; ${more}bh=c2VpdGU=; b=dW50ZXI=`
const passed: Pairs = [
  ['X-Mailgun-Spf', 'Pass'],
  ['X-Mailgun-Dkim-Check-Result', 'Pass'],
]

/** A mail of evil.example, whose SPF and DKIM passed, with header fields of its sender. */
function evilForm(own: Pairs, changes: MailForm['fields'] = {}): MailForm {
  const headers: Pairs = [
    ['X-Envelope-From', '<x@evil.example>'],
    ['Received', 'from a by mxa.mailgun.org'],
    ...passed,
    ['Dkim-Signature', signature('evil.example')],
    ...own,
    ['From', 'X <x@evil.example>'],
  ]
  const fields = {
    ...Object.fromEntries(own),
    recipient: 'kanzlei@in.example',
    sender: 'x@evil.example',
    from: 'X <x@evil.example>',
    ...Object.fromEntries(passed),
    'message-headers': JSON.stringify(headers),
    'body-plain': 'Text',
    ...changes,
  }
  return { fields, files: [] }
}

async function senderOf(form: MailForm) {
  const message = await receivedForms.message(form)
  const { from, sender_verified } = await readHeader.read(message, receivedForms.envelope(form).checks)
  return { from: from?.email, sender_verified }
}

const forgedHeaders = JSON.stringify([
  ['From', 'Max <max@mueller.example>'],
  ...passed,
  ['DKIM-Signature', signature('mueller.example')],
])
const forgedMessage = [
  'From: Max <max@mueller.example>',
  `DKIM-Signature: ${signature('mueller.example')}`,
  ...passed.map((pair) => pair.join(': ')),
  '',
  'Text',
].join('\r\n')

describe('a sender who writes fields of the mail service', () => {
  it.each([
    'Message-Headers',
    'MESSAGE-HEADERS',
    'Body-Mime',
    'body-mime',
    'BODY-mime',
  ])('stays who he is with a header field %s', async (name) => {
    const forged = name.toLowerCase() === 'body-mime' ? forgedMessage : forgedHeaders

    expect(await senderOf(evilForm([[name, forged]]))).toEqual({
      from: 'x@evil.example',
      sender_verified: true,
    })
  })

  it.each([
    ['message-headers, before those of the service', 'message-headers', [forgedHeaders, '[]']],
    ['message-headers, behind those of the service', 'message-headers', ['[]', forgedHeaders]],
    ['body-mime', 'body-mime', [forgedMessage, forgedMessage]],
  ])('is not verified if a field occurs twice: %s', async (_, name, values) => {
    const form = evilForm([], { [name]: values })

    expect((await senderOf(form)).sender_verified).toBe(false)
  })

  it('is not verified if message-headers occurs only with capital letters', async () => {
    const form = evilForm([['Message-Headers', forgedHeaders]])
    delete form.fields['message-headers']

    expect((await senderOf(form)).sender_verified).toBe(false)
  })

  it.each([
    ['that is long', signature('evil.example', `x=${'y'.repeat(59_000)}; `), 0],
    ['behind long fields', signature('evil.example'), 59_900],
    ['behind many fields', signature('evil.example'), 1],
  ])('hides no signature %s', async (_, verified, length) => {
    const padding: Pairs = Array.from({ length: length === 1 ? 600 : 1 }, (_unused, at) => [
      `X-${at}`,
      'x'.repeat(length),
    ])
    const headers: Pairs = [
      ['X-Mailgun-Dkim-Check-Result', 'Pass'],
      ['From', 'Max <max@mueller.example>'],
      ['DKIM-Signature', signature('mueller.example')],
      ...padding,
      ['DKIM-Signature', verified],
    ]
    const form = evilForm([], { 'message-headers': JSON.stringify(headers) })

    expect(await senderOf(form)).toEqual({ from: 'max@mueller.example', sender_verified: false })
  })
})

describe('a mail of the mail service', () => {
  it('has a verified sender, posted as fields or as a whole message, which may begin with an empty line', async () => {
    const whole = (message: string) => ({
      fields: { sender: 'max@mueller.example', 'body-mime': message },
      files: [],
    })
    const fields = evilForm([], { 'message-headers': forgedHeaders, sender: 'max@mueller.example' })

    const forms = [fields, whole(forgedMessage), whole(`\r\n${forgedMessage}`)]
    expect(await Promise.all(forms.map(senderOf))).toEqual(
      Array(3).fill({ from: 'max@mueller.example', sender_verified: true }),
    )
  })
})
