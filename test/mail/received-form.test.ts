import { describe, expect, it } from 'vitest'
import type { MailForm } from '#correspondence/reception-ports.ts'
import { type ReadMail, readMail } from '#mail/read-mail.ts'
import { receivedForms } from '#mail/received-form.ts'
import { corpus } from '#test/mail-corpus/corpus.ts'
import { rawMessage } from '#test/mail-corpus/mail-programs.ts'
import { mailgunForm } from '#test/support/mailgun-form.ts'
import { opensslSmime } from '#test/support/openssl-smime.ts'
import fc from '#test/support/properties.ts'

/** A form of the mail service is converted to a message (I1). */
const form = (fields: MailForm['fields'], files: MailForm['files'] = []): MailForm => ({
  fields: { from: 'a@b.example', recipient: 'kanzlei@in.example', ...fields },
  files,
})
const file = (changes: Partial<MailForm['files'][number]> = {}) => ({
  name: 'attachment-1',
  filename: 'Anlage.pdf',
  claimedType: 'application/pdf',
  bytes: Buffer.from('%PDF-1.7'),
  ...changes,
})
const read = async (given: MailForm) => readMail(await receivedForms.message(given))
const lines = (text: string | null) => text?.replace(/\r\n?/g, '\n').trim()
/** The data that must be the same. Line breaks, and empty lines at the end, depend on the transport. */
const essence = ({ text, html, attachments, ...rest }: ReadMail) => ({
  ...rest,
  text: lines(text),
  html: lines(html),
  attachments: attachments.map(({ bytes, ...about }) => ({
    ...about,
    bytes: Buffer.from(bytes).toString('base64'),
  })),
})

describe('a message that comes as a form', () => {
  it.each(
    corpus.map((mail) => [mail.id, mail] as const),
  )('is the same as the one that was sent: %s', async (_, mail) => {
    const raw = rawMessage(mail)
    const sent = await readMail(raw)

    const arrived = await read(mailgunForm(raw, sent))

    expect(essence(arrived)).toEqual(essence(sent))
  })

  it('is the same bytes each time', async () => {
    const given = form({ subject: 'Größe', 'body-plain': 'a', 'body-html': '<p>a' }, [file(), file()])

    expect(await receivedForms.message(given)).toEqual(await receivedForms.message(structuredClone(given)))
  })

  it('keeps any subject, name, text and file', async () => {
    const oneLine = fc
      .string({ unit: 'grapheme', maxLength: 300 })
      .map((text) => text.replace(/[\p{Cc}\u2028\u2029]/gu, '').trim())
      .filter((text) => !text.includes('=?'))
    const anyText = fc.string({ unit: 'grapheme', maxLength: 2_000 }).filter((text) => !/[\r\0]/.test(text))
    const anyFile = fc.record({
      filename: oneLine.filter((name) => name !== '' && name.length < 200),
      claimedType: fc.constantFrom(
        'application/pdf',
        'image/png',
        'text/plain',
        'text/calendar',
        'message/rfc822',
        'text/html',
      ),
      bytes: fc.uint8Array({ maxLength: 500 }),
    })
    await fc.assert(
      fc.asyncProperty(
        oneLine,
        anyText,
        anyText,
        fc.array(anyFile, { maxLength: 4 }),
        async (subject, text, html, files) => {
          const named = files.map((one, at) => ({ ...one, name: `attachment-${at + 1}` }))
          const message = await read(
            form({ subject, 'body-plain': `x${text}`, 'body-html': `x${html}` }, named),
          )

          expect(message.subject).toBe(subject)
          expect(lines(message.text)).toBe(lines(`x${text}`))
          expect(lines(message.html)).toBe(lines(`x${html}`))
          expect(message.attachments.map((one) => [one.filename, one.mime_type, [...one.bytes]])).toEqual(
            files.map((one) => [one.filename, one.claimedType, [...one.bytes]]),
          )
        },
      ),
      { numRuns: 150 },
    )
  })

  it('has the fields of the form if there are no message-headers', async () => {
    const message = await read(
      form({
        from: '"Müller, Ö." <oe@mueller.example>',
        To: 'Kanzlei <kanzlei@in.example>',
        Cc: 'c@c.example',
        subject: 'Grüße 👩‍⚖️',
        'Message-Id': '<1@mueller.example>',
        'In-Reply-To': '<0@in.example>',
        References: '<r@in.example> <0@in.example>',
        Date: 'Fri, 20 Nov 2026 09:30:00 +0100',
        'Reply-To': 'buero@mueller.example',
        'List-Unsubscribe': '<https://b.example>',
        'Auto-Submitted': 'auto-replied',
        'body-plain': 'Text',
      }),
    )

    expect(message).toMatchObject({
      from: { name: 'Müller, Ö.', email: 'oe@mueller.example' },
      to: [{ name: 'Kanzlei', email: 'kanzlei@in.example' }],
      cc: [{ email: 'c@c.example' }],
      subject: 'Grüße 👩‍⚖️',
      message_id: '<1@mueller.example>',
      in_reply_to: ['<0@in.example>'],
      references: ['<r@in.example>', '<0@in.example>'],
      date: '2026-11-20T08:30:00.000Z',
      reply_to: [{ email: 'buero@mueller.example' }],
      headers: { list_unsubscribe: '<https://b.example>', auto_submitted: 'auto-replied' },
      html: null,
    })
  })

  it('may have nothing but its sender and recipient', async () => {
    expect(await read(form({}))).toMatchObject({
      from: { email: 'a@b.example' },
      to: [{ email: 'kanzlei@in.example' }],
      subject: '',
      message_id: null,
      date: null,
      text: '',
      html: null,
      attachments: [],
    })
  })

  it.each([
    ['one field', 'kanzlei@in.example, andere@in.example'],
    ['two fields', ['kanzlei@in.example', 'andere@in.example']],
  ])('does not show the recipients that the sender has hidden: %s', async (_, recipient) => {
    const message = await receivedForms.message(form({ recipient }))

    expect(Buffer.from(message).toString()).not.toContain('in.example')
    expect((await readMail(message)).to).toEqual([])
  })

  it('is the message itself if that was posted, as a field or as a file', async () => {
    const raw = 'From: x@y.example\r\nSubject: Selbst\r\n\r\nText\r\n'
    const asField = await receivedForms.message(form({ subject: 'Anders', 'body-mime': raw }))
    const latin = Buffer.from('From: x@y.example\r\n\r\nM\xfcnchen', 'latin1')
    const asFile = await receivedForms.message(form({}, [file({ name: 'body-mime', bytes: latin })]))

    expect(Buffer.from(asField).toString()).toBe(raw)
    expect(Buffer.from(asFile)).toEqual(latin)
  })

  it('stays encrypted or signed', async () => {
    const headers = (type: string) => ({ 'message-headers': JSON.stringify([['Content-Type', type]]) })
    const smime = { filename: 'smime.p7m', claimedType: 'application/pkcs7-mime' }
    const protections = await Promise.all([
      read(form(headers('application/pkcs7-mime; smime-type=enveloped-data'), [file(smime)])),
      read(form(headers('application/pkcs7-mime; smime-type=signed-data'), [file(smime)])),
      read(form(headers('multipart/encrypted; protocol="application/pgp-encrypted"'), [file(), file()])),
      read(form({ 'body-plain': 'Text' }, [file({ claimedType: 'application/pkcs7-signature' })])),
      read(form(headers('multipart/mixed; boundary=x'), [file()])),
    ])

    expect(protections.map(({ protection, attachments }) => [protection, attachments.length])).toEqual([
      ['encrypted', 1],
      ['signed', 1],
      ['encrypted', 2],
      ['signed', 1],
      ['none', 1],
    ])
  })

  it('has the text inside an S/MIME signature', async () => {
    const part = 'Content-Type: text/plain; charset=utf-8\r\n\r\nGrüße'
    const bytes = opensslSmime(part, ['cms', '-sign', '-nodetach', '-stream', '-binary', '-outform', 'DER'])
    const headers = JSON.stringify([['Content-Type', 'application/pkcs7-mime; smime-type=signed-data']])
    const smime = file({ filename: 'smime.p7m', claimedType: 'application/pkcs7-mime', bytes })

    expect(await read(form({ 'message-headers': headers }, [smime]))).toMatchObject({
      text: expect.stringContaining('Grüße'),
      protection: 'signed',
    })
  })
})

describe('the header of a message that comes as a form', () => {
  it('keeps every field but those of the MIME structure, in their order', async () => {
    const pairs = [
      ['Received', 'from a'],
      ['Received', 'from b'],
      ['MIME-Version', '1.0'],
      ['Content-Type', 'text/html'],
      ['Content-Transfer-Encoding', '8bit'],
      ['X-Mailer', 'Mühle'],
    ]
    const raw = await receivedForms.message(
      form({ 'message-headers': JSON.stringify(pairs), 'body-plain': 'Text' }),
    )
    const [header = ''] = Buffer.from(raw).toString().split('\r\n\r\n')

    expect(header.split('\r\n')).toEqual([
      'From: a@b.example',
      'To: kanzlei@in.example',
      'Received: from a',
      'Received: from b',
      'X-Mailer: Mühle',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
    ])
  })

  it('has no field or body that a value, a name or a file name injects', async () => {
    const evil = 'x\r\nBcc: evil@evil.example\r\n\r\nKörper'
    const message = await read(
      form(
        {
          subject: evil,
          'message-headers': JSON.stringify([
            ['X-A', evil],
            [`X-B: y\r\nReply-To`, 'evil@evil.example'],
            ['Reply To', 'evil@evil.example'],
          ]),
          'body-plain': 'Text',
          'content-id-map': JSON.stringify({ '<a>\r\nX: y': 'attachment-1' }),
        },
        [file({ filename: 'a"\r\nContent-Type: text/html\r\n\r\n.pdf', claimedType: 'a/b\r\nX: y' })],
      ),
    )

    expect(message).toMatchObject({
      subject: 'x Bcc: evil@evil.example Körper',
      reply_to: [],
      text: expect.stringMatching(/^Text\s*$/),
      attachments: [{ mime_type: 'application/octet-stream', filename: 'a" Content-Type: text/html .pdf' }],
    })
  })

  it('has a bounded size, and still has the main fields', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => [`X-${at}`, 'y'.repeat(100)])
    const raw = await receivedForms.message(
      form({
        'message-headers': JSON.stringify([...many, ['Subject', 'Termin'], ['Message-ID', '<1@b.example>']]),
        To: '"x" <a@b.example>, '.repeat(100_000),
        References: '<a@b.example> '.repeat(50_000),
        'body-plain': 'Text',
      }),
    )
    const header = Buffer.from(raw).toString().split('\r\n\r\n')[0] ?? ''

    expect(Buffer.byteLength(header)).toBeLessThan(256 * 1024)
    expect(Math.max(...header.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThan(998)
    expect(await readMail(raw)).toMatchObject({ subject: 'Termin', message_id: '<1@b.example>' })
  })

  it.each([
    ['not JSON', '{"a'],
    ['no list', '{"Subject":"x"}'],
    ['no pairs', '[1,null,["Subject"],[["Subject"],"x"],["Subject",1]]'],
    ['nested without end', '['.repeat(1_000_000)],
  ])('comes from the other fields if message-headers are %s', async (_, headers) => {
    expect(await read(form({ subject: 'Termin', 'message-headers': headers }))).toMatchObject({
      subject: 'Termin',
    })
  })
})

describe('the attachments of a form', () => {
  it('are all files, whatever the names of their fields and the value of attachment-count', async () => {
    const message = await read(
      form({ 'attachment-count': '1', 'attachment-9': 'Nur Text: ü', 'body-plain': 'Text' }, [
        file({ name: 'attachment-1' }),
        file({ name: 'attachment-1', filename: '' }),
        file({
          name: 'file',
          filename: 'Zwei.txt',
          claimedType: 'text/plain',
          bytes: Buffer.from('M\xfcller', 'latin1'),
        }),
        file({ name: '', filename: 'Leer.bin', claimedType: '', bytes: Buffer.alloc(0) }),
        file({ claimedType: 'multipart/mixed; boundary=x' }),
      ]),
    )

    expect(
      message.attachments.map(({ filename, mime_type, bytes }) => [filename, mime_type, bytes.length]),
    ).toEqual([
      ['Anlage.pdf', 'application/pdf', 8],
      ['Unbenannt.pdf', 'application/pdf', 8],
      ['Zwei.txt', 'text/plain', 6],
      ['Leer.bin', 'application/octet-stream', 0],
      ['Anlage.pdf', 'application/octet-stream', 8],
      ['Unbenannt.txt', 'text/plain', 12],
    ])
    expect(message.text.trim()).toBe('Text')
  })

  it('are related to the HTML if content-id-map contains them', async () => {
    const message = await read(
      form(
        {
          'body-plain': 'Text',
          'body-html': '<img src="cid:logo@b.example">',
          'content-id-map': JSON.stringify({
            '<logo@b.example>': 'attachment-2',
            '<nothing>': 'attachment-7',
            '<x>': 3,
          }),
        },
        [file(), file({ name: 'attachment-2', filename: 'logo.png', claimedType: 'image/png' })],
      ),
    )

    expect(
      message.attachments.map(({ filename, content_id, is_related }) => [filename, content_id, is_related]),
    ).toEqual([
      ['logo.png', 'logo@b.example', true],
      ['Anlage.pdf', null, false],
    ])
  })

  it('may be five hundred', async () => {
    const files = Array.from({ length: 500 }, (_, at) =>
      file({ name: `attachment-${at + 1}`, bytes: Buffer.from(`${at}`) }),
    )
    const { attachments } = await read(form({ 'body-plain': 'Text' }, files))

    expect(attachments.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
      files.map((_, at) => `${at}`),
    )
  })

  it('keep the line ends of a calendar', async () => {
    const bytes = Buffer.from('BEGIN:VCALENDAR\r\nSUMMARY:Größe\r\nEND:VCALENDAR\r\n\r\n')
    const { attachments } = await read(
      form({}, [file({ filename: 'termin.ics', claimedType: 'text/calendar', bytes })]),
    )

    expect(Buffer.from(attachments[0]?.bytes ?? [])).toEqual(bytes)
  })
})

describe('the envelope of a form', () => {
  const recipientsOf = (fields: MailForm['fields']) =>
    receivedForms.envelope({ fields, files: [] }).recipients

  it('has all recipients, those of the envelope first', () => {
    expect(
      recipientsOf({
        To: '"Kanzlei, Erste" <a@in.example>, Gruppe: b@in.example;',
        to: 'c@in.example',
        recipient: 'd@in.example, e+tag@in.example',
      }),
    ).toEqual(['d@in.example', 'e+tag@in.example', 'a@in.example', 'b@in.example', 'c@in.example'])
    expect(recipientsOf({ to: '', subject: 'x' })).toEqual([])
    expect(recipientsOf({ recipient: ['a@in.example', 'b@in.example'] })).toEqual([
      'a@in.example',
      'b@in.example',
    ])
  })

  it('says whether there is a sender', () => {
    const hasSender = (fields: MailForm['fields']) => receivedForms.envelope({ fields, files: [] }).hasSender

    expect([
      hasSender({ from: 'a@b.example' }),
      hasSender({ From: 'x' }),
      hasSender({ from: ' ' }),
      hasSender({ subject: 'x', 'body-plain': 'y' }),
      hasSender({}),
    ]).toEqual([true, true, false, false, false])
  })

  it('has a sender without From if it has a field of the mail service', () => {
    const hasSender = (fields: MailForm['fields']) => receivedForms.envelope({ fields, files: [] }).hasSender

    expect([
      hasSender({ sender: 'bounce@b.example' }),
      hasSender({ from: '', 'message-headers': '[["Subject","x"]]' }),
      hasSender({ 'body-mime': 'Subject: x\r\n\r\ny' }),
    ]).toEqual([true, true, true])
  })

  it('has the results of the mail service; a favourable result only if it occurs once', () => {
    const verdictsOf = (...headers: string[][]) =>
      receivedForms.envelope({ fields: { 'message-headers': JSON.stringify(headers) }, files: [] }).checks
        .verdicts
    const nothing = { spam: 'unknown', virus: 'unknown', spf: 'unknown', dkim: 'unknown', dmarc: 'unknown' }

    expect(
      verdictsOf(
        ['X-Mailgun-Sflag', 'Yes'],
        ['X-Mailgun-Spf', 'SoftFail'],
        ['X-Mailgun-Dkim-Check-Result', 'Fail'],
      ),
    ).toEqual({ ...nothing, spam: 'fail', spf: 'gray', dkim: 'fail' })
    expect(verdictsOf(['X-Mailgun-Spf', 'Pass'], ['X-Mailgun-SPF', 'Fail'])).toEqual({
      ...nothing,
      spf: 'fail',
    })
    expect(
      verdictsOf(
        ['X-Mailgun-Sflag', 'No'],
        ['X-Mailgun-Spf', 'Pass'],
        ['X-Mailgun-Dkim-Check-Result', 'Pass'],
      ),
    ).toEqual({ ...nothing, spf: 'pass', dkim: 'pass' })
    expect(verdictsOf(['X-Mailgun-Spf', 'Pass'], ['x-mailgun-spf', 'Pass'])).toEqual({
      ...nothing,
      spf: 'gray',
    })
    expect(verdictsOf(['X-Mailgun-Spf', 'Neutral'])).toEqual({ ...nothing, spf: 'gray' })
  })
})
