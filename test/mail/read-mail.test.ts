import { describe, expect, it } from 'vitest'
import { FormatFault } from '#formats/format-fault.ts'
import { readHeader } from '#mail/read-header.ts'
import { mailLimits, readMail } from '#mail/read-mail.ts'

type Part = { head?: string[]; body: string | Buffer }

const header = ['From: "Müller, Ö." <a@b.example>', 'To: akten@in.example', 'Message-ID: <1@b.example>']
const bytesOf = (content: string | Buffer) =>
  typeof content === 'string' ? Buffer.from(content.replaceAll('\n', '\r\n')) : content
const messageOf = (head: string[], body: string | Buffer) =>
  Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytesOf(body)])
const mixed = (parts: Part[], boundary = 'x') =>
  messageOf(
    [...header, `Content-Type: multipart/mixed; boundary="${boundary}"`],
    Buffer.concat([
      ...parts.map(({ head = ['Content-Type: text/plain'], body }) =>
        Buffer.concat([
          Buffer.from(`--${boundary}\r\n${head.join('\r\n')}\r\n\r\n`),
          bytesOf(body),
          Buffer.from('\r\n'),
        ]),
      ),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  )
const attached = (type: string, name: string, body: string | Buffer): Part => ({
  head: [`Content-Type: ${type}; name="${name}"`, `Content-Disposition: attachment; filename="${name}"`],
  body,
})

const tooLarge = async (raw: Uint8Array) => {
  const error = await readMail(raw).catch((reason: unknown) => reason)
  return error instanceof FormatFault ? error.kind : error
}

describe('the header of a message', () => {
  it('has addresses, subject, ids and the fields for the triage', async () => {
    const raw = messageOf(
      [
        ...header,
        'Reply-To: c@d.example',
        'Cc: Gruppe: e@f.example, g@h.example;',
        'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?= aus =?ISO-8859-1?Q?M=FCnchen?=',
        'Date: Fri, 20 Nov 2026 09:30:00 +0100',
        'In-Reply-To: <2@b.example>',
        'References: <0@b.example>',
        ' <2@b.example>',
        'Auto-Submitted: auto-replied',
        'List-Unsubscribe: <https://b.example>',
        'Precedence: bulk',
      ],
      'Text',
    )

    expect(await readMail(raw)).toMatchObject({
      message_id: '<1@b.example>',
      from: { name: 'Müller, Ö.', email: 'a@b.example' },
      reply_to: [{ name: null, email: 'c@d.example' }],
      cc: [{ email: 'e@f.example' }, { email: 'g@h.example' }],
      subject: 'Grüße aus München',
      date: '2026-11-20T08:30:00.000Z',
      in_reply_to: ['<2@b.example>'],
      references: ['<0@b.example>', '<2@b.example>'],
      headers: {
        auto_submitted: 'auto-replied',
        list_unsubscribe: '<https://b.example>',
        precedence: 'bulk',
      },
    })
  })

  it.each([
    ['Mi, 2 Dez 2026 10:00:00 +0100', '2026-12-02T09:00:00.000Z'],
    ['Mo, 4 Mai 2026 10:00:00 +0200', '2026-05-04T08:00:00.000Z'],
    ['Mo, 2 März 2026 10:00:00 +0100', '2026-03-02T09:00:00.000Z'],
    ['gestern', null],
  ])('may have a date in German: %s', async (written, date) => {
    const raw = Buffer.from(`From: a@b.example\r\nDate: ${written}\r\n\r\nText`)

    expect((await readMail(raw)).date).toBe(date)
  })

  it('may be empty', async () => {
    expect(await readMail(messageOf(['X-Nothing: 1'], 'Text'))).toMatchObject({
      message_id: null,
      from: null,
      subject: '',
      date: null,
      in_reply_to: [],
      text: expect.stringContaining('Text'),
    })
    expect(await readMail(new Uint8Array())).toMatchObject({ from: null, text: '', attachments: [] })
  })

  it('in eight bits is read as Windows-1252', async () => {
    const raw = Buffer.from(
      'From: M\xfcller <a@b.example>\r\nSubject: Gr\xfc\xdfe f\xfcr 5 \x80\r\n\r\nText',
      'latin1',
    )

    expect(await readMail(raw)).toMatchObject({ from: { name: 'Müller' }, subject: 'Grüße für 5 €' })
  })

  it('may have ids without brackets', async () => {
    const raw = messageOf([...header, 'In-Reply-To: 2@b.example'], '')

    expect((await readMail(raw)).in_reply_to).toEqual(['<2@b.example>'])
  })

  it('has no line break in a value', async () => {
    const raw = messageOf([...header, 'Subject: =?UTF-8?Q?a=0D=0ABcc:_x?='], '')

    expect((await readMail(raw)).subject).toBe('a Bcc: x')
  })
})

describe('the text of a message', () => {
  it.each([
    ['ISO-8859-15', 'Preis 5 \xa4, M\xfcnchen'],
    ['windows-1252', 'Preis 5 \x80, M\xfcnchen'],
    ['utf-8', 'Preis 5 \x80, M\xfcnchen'],
    ['us-ascii', 'Preis 5 \x80, M\xfcnchen'],
  ])('in Latin letters that are called %s is right', async (charset, text) => {
    const raw = messageOf(
      [...header, `Content-Type: text/plain; charset=${charset}`],
      Buffer.from(text, 'latin1'),
    )

    expect((await readMail(raw)).text).toContain('Preis 5 €, München')
  })

  const inLatin = Buffer.from('Preis 5 \x80, M\xfcnchen', 'latin1')
  const statements: [string, string[]][] = [
    ['no Content-Type', []],
    ['a type alone', ['Content-Type: text/plain']],
    ['a type with another parameter', ['Content-Type: text/plain; format=flowed']],
    ['HTML alone', ['Content-Type: text/html']],
    ['an empty charset', ['Content-Type: text/plain; charset=""']],
    ['blanks around the charset', ['Content-Type: text/plain;', '\tcharset = "utf-8"']],
    ['the charset in capital letters', ['CONTENT-TYPE: TEXT/PLAIN; CHARSET=UTF8']],
  ]

  it.each(statements)('in Windows-1252 with %s is decoded correctly', async (_, head) => {
    for (const raw of [messageOf([...header, ...head], inLatin), mixed([{ head, body: inLatin }])])
      expect((await readMail(raw)).text).toContain('Preis 5 €, München')
  })

  it('in Windows-1252 without a charset is also decoded correctly in quoted-printable and base64', async () => {
    const encoded: [string, string][] = [
      ['quoted-printable', 'Preis 5 =80, M=FCnchen'],
      ['base64', inLatin.toString('base64')],
    ]
    for (const [encoding, body] of encoded) {
      const raw = messageOf([...header, `Content-Transfer-Encoding: ${encoding}`], body)

      expect((await readMail(raw)).text).toContain('Preis 5 €, München')
    }
  })

  it('keeps its stated charset next to a part in Windows-1252 that states none', async () => {
    const raw = mixed([
      { head: ['Content-Type: text/plain; charset="iso-8859-15"'], body: Buffer.from('5 \xa4', 'latin1') },
      { head: [], body: inLatin },
    ])

    expect((await readMail(raw)).text).toMatch(/5 €\s+Preis 5 €, München/)
  })

  it.each([
    'unknown-8bit',
    'x-unknown',
    'utf8mb4',
  ])('in UTF-8 that is called %s is right', async (charset) => {
    const type = `Content-Type: text/plain; charset=${charset}`
    const text = async (body: Buffer) => (await readMail(messageOf([...header, type], body))).text

    expect(await text(Buffer.from('Müller, § 520 ZPO'))).toContain('Müller, § 520 ZPO')
    expect(await text(inLatin)).toContain('Preis 5 €, München')
  })

  const flowed = 'Content-Type: text/plain; charset=utf-8; format=flowed'

  it.each([
    [
      'a quote after it',
      'Sie schrieben: \n> Ihr Zeichen \n> 0011/26',
      'Sie schrieben:\n> Ihr Zeichen\n> 0011/26',
    ],
    ['a signature after it', 'anbei alles. \n-- \nQuirin', 'anbei alles.\n-- \nQuirin'],
    ['a quote before it', '> teilen Sie mit, ob \nIhr Zeichen', '> teilen Sie mit, ob\nIhr Zeichen'],
    ['no quote beside it', 'Ein Absatz, \nder weitergeht', 'Ein Absatz, der weitergeht'],
  ])('in lines that may be joined is joined by its sender’s rules with %s', async (_, body, text) => {
    for (const [encoding, written] of [
      ['8bit', body],
      ['quoted-printable', body.replaceAll(' \n', '=20\n')],
      ['base64', Buffer.from(body.replaceAll('\n', '\r\n')).toString('base64')],
    ] as const) {
      const head = [flowed, `Content-Transfer-Encoding: ${encoding}`]
      for (const raw of [messageOf([...header, ...head], written), mixed([{ head, body: written }])])
        expect((await readMail(raw)).text.trimEnd()).toBe(text)
    }
  })

  it('in UTF-8 is decoded correctly if another part is not UTF-8', async () => {
    const raw = mixed([
      { head: ['Content-Type: text/plain; charset=utf-8'], body: 'Grüße' },
      attached('text/plain; charset=utf-8', 'notiz.txt', Buffer.from('M\xfcnchen', 'latin1')),
    ])
    const { text, attachments } = await readMail(raw)

    expect(text).toContain('Grüße')
    expect(Buffer.from(attachments[0]?.bytes ?? []).toString('latin1')).toBe('M\xfcnchen')
  })

  it('in UTF-8 may contain the replacement character next to HTML that is not UTF-8', async () => {
    const raw = mixed([
      { head: ['Content-Type: text/plain; charset=utf-8'], body: 'Grüße \ufffd' },
      { head: ['Content-Type: text/html; charset=utf-8'], body: Buffer.from('<p>M\xfcnchen</p>', 'latin1') },
    ])
    const { text, html } = await readMail(raw)

    expect(text).toContain('Grüße \ufffd')
    expect(html).toContain('München')
  })

  it('is made from the HTML if there is no other, with marks before quotes and without styles and scripts', async () => {
    const html = `<style>${'p{color:red}'.repeat(400_000)}</style><script>böse()</script><p>Ja, 10/26.</p><blockquote>Alt</blockquote>`
    const { text, html: original } = await readMail(
      messageOf([...header, 'Content-Type: text/html; charset=utf-8'], html),
    )

    expect(text).toContain('Ja, 10/26.')
    expect(text).toContain('> Alt')
    expect(text).not.toMatch(/color|böse/)
    expect(original).toContain('<p>Ja, 10/26.</p>')
  })

  it('of HTML that is too complicated is all text between its tags', async () => {
    const html = `${'<div>'.repeat(2_000)}Ja, 10/26.`

    expect((await readMail(messageOf([...header, 'Content-Type: text/html'], html))).text).toContain(
      'Ja, 10/26.',
    )
  })
})

describe('the attachments of a message', () => {
  it('have the bytes that were sent, also calendars and text', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    const calendar = 'BEGIN:VCALENDAR\nSUMMARY:Termin\n\nEND:VCALENDAR\n\n'
    const raw = mixed([
      { body: 'Text' },
      {
        head: [...(attached('application/pdf', 'a.pdf', '').head ?? []), 'Content-Transfer-Encoding: base64'],
        body: bytes.toString('base64'),
      },
      attached('text/calendar; method=REQUEST', 'einladung.ics', calendar),
      attached('text/plain', 'unix.txt', Buffer.from('a\nb  \n')),
      {
        head: [
          ...(attached('text/plain', 'qp.txt', '').head ?? []),
          'Content-Transfer-Encoding: quoted-printable',
        ],
        body: 'Gr=C3=BC=\n=C3=9Fe=20\nmehr',
      },
    ])
    const { attachments } = await readMail(raw)

    expect(attachments.map(({ filename, mime_type }) => [filename, mime_type])).toEqual([
      ['a.pdf', 'application/pdf'],
      ['einladung.ics', 'text/calendar'],
      ['unix.txt', 'text/plain'],
      ['qp.txt', 'text/plain'],
    ])
    expect(Buffer.from(attachments[0]?.bytes ?? [])).toEqual(bytes)
    const textOf = (at: number) => Buffer.from(attachments[at]?.bytes ?? []).toString()
    expect(textOf(1)).toBe(calendar.replaceAll('\n', '\r\n'))
    expect(textOf(2)).toBe('a\nb  \n')
    expect(textOf(3)).toBe('Grüße \r\nmehr')
  })

  it('have their names in eight-bit Latin letters, and keep their bytes', async () => {
    const bytes = Buffer.from('Gr\xfc\xdfe\n\r\x00', 'latin1')
    const part = (...head: string[]) =>
      Buffer.concat([
        Buffer.from(`--x\r\n${head.join('\r\n')}\r\n\r\n`, 'latin1'),
        bytes,
        Buffer.from('\r\n'),
      ])
    const raw = Buffer.concat([
      messageOf([...header, 'Content-Type: multipart/mixed; boundary=x'], '--x\n\nText\n'),
      part(
        'Content-Type: application/pdf',
        'Content-Disposition: attachment; filename="K\xfcndigung \x80.pdf"',
      ),
      part('Content-Type: text/csv; name=M\xe4rz.csv'),
      part('Content-Type: text/plain', 'Content-Disposition: attachment; filename="Gr\xc3\xbc\xc3\x9fe.txt"'),
      Buffer.from('--x--\r\n'),
    ])
    const before = Buffer.from(raw)
    const { text, from, attachments } = await readMail(raw)

    expect(text.trim()).toBe('Text')
    expect(from?.name).toBe('Müller, Ö.')
    expect(attachments.map(({ filename }) => filename)).toEqual(['Kündigung €.pdf', 'März.csv', 'Grüße.txt'])
    for (const attachment of attachments) expect(Buffer.compare(attachment.bytes, bytes)).toBe(0)
    expect(raw.equals(before)).toBe(true)
  })

  const inline = (type: string, name: string, body: string | Buffer): Part => ({
    head: [`Content-Type: ${type}; charset=utf-8`, `Content-Disposition: inline; filename="${name}"`],
    body,
  })

  it('include text and HTML files with a name that are sent inline, byte for byte', async () => {
    const comparison = Buffer.from('Vergleich: 5 \x80\n\n', 'latin1')
    const raw = mixed([
      inline('text/plain', 'body.txt', 'Anbei.'),
      inline('text/plain', 'Vergleich.txt', comparison),
      inline('text/html', 'Angebot.html', '<p>Angebot</p>'),
      {
        head: ['Content-Type: text/plain;', ' name="Liste.txt"', 'Content-Disposition:', ' INLINE'],
        body: 'Liste',
      },
      { head: ['Content-Disposition: inline;', " filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt"], body: 'Gruß' },
      { head: ['Content-Type: text/csv; name=Kosten.csv'], body: '1;2' },
      { head: ['Content-Type: text/plain; charset=utf-8; name="Kosten.txt"'], body: '12 €' },
      { head: ['Content-Type: text/plain', 'Content-Disposition: inline'], body: 'Und viele Grüße.' },
    ])
    const { text, html, attachments } = await readMail(raw)

    expect(text).toMatch(/^Anbei\.\s+Und viele Grüße\.\s*$/)
    expect(html).toBeNull()
    expect(attachments.map(({ filename, mime_type }) => [filename, mime_type])).toEqual([
      ['Vergleich.txt', 'text/plain'],
      ['Angebot.html', 'text/html'],
      ['Liste.txt', 'text/plain'],
      ['Grüße.txt', 'text/plain'],
      ['Kosten.csv', 'text/csv'],
      ['Kosten.txt', 'text/plain'],
    ])
    expect(Buffer.compare(attachments[0]?.bytes ?? Buffer.alloc(0), comparison)).toBe(0)
    expect(Buffer.from(attachments[1]?.bytes ?? []).toString()).toBe('<p>Angebot</p>')
  })

  it('sent inline may be large, and have a name in eight-bit Latin letters', async () => {
    const list = Buffer.from('Zeile\r\n'.repeat(100_000))
    const raw = mixed([{ body: 'Anbei.' }, inline('text/plain', 'Pr?fung.txt', list)])
    raw[raw.indexOf('Pr?fung') + 2] = 0xfc
    const { text, attachments, is_cut } = await readMail(raw)

    expect([text.trim(), is_cut]).toEqual(['Anbei.', false])
    expect(attachments.map(({ filename }) => filename)).toEqual(['Prüfung.txt'])
    expect(Buffer.compare(attachments[0]?.bytes ?? Buffer.alloc(0), list)).toBe(0)
  })

  it.each(['alternative', 'related'])('do not include the HTML with a name of multipart/%s', async (kind) => {
    const html =
      '--i\nContent-Type: text/html\nContent-Disposition: inline; filename=a.html\n\n<p>Hallo</p>\n'
    const plain = kind === 'alternative' ? '--i\n\nHallo\n' : ''
    const raw = mixed([
      { body: 'Vorab.' },
      { head: [`Content-Type: multipart/${kind}; boundary=i`], body: `${plain}${html}--i--` },
      inline('text/plain', 'Vergleich.txt', 'Vergleich'),
    ])
    const { html: shown, attachments } = await readMail(raw)

    expect(shown).toContain('<p>Hallo</p>')
    expect(attachments.map(({ filename }) => filename)).toEqual(['Vergleich.txt'])
  })

  it('do not include the first body of a mail, even if a file is before it', async () => {
    const pdf = attached('application/pdf', 'Klage.pdf', Buffer.from('%PDF'))
    const { text, attachments } = await readMail(mixed([pdf, inline('text/plain', 'body.txt', 'Anbei.')]))
    const root =
      '--i\nContent-Type: image/png\nContent-ID: <p>\n\nPNG\n--i\nContent-Type: text/html; name=a.html\nContent-ID: <r>\n\n<p>Hallo</p>\n--i--'
    const related = await readMail(
      messageOf([...header, 'Content-Type: multipart/related; start="<r>"; boundary=i'], root),
    )

    expect(text.trim()).toBe('Anbei.')
    expect(attachments.map(({ filename }) => filename)).toEqual(['Klage.pdf'])
    expect(related.html).toContain('<p>Hallo</p>')
  })

  it('of a signed message have the bytes that were sent', async () => {
    const signed = messageOf(
      [...header, 'Content-Type: multipart/signed; protocol="application/pkcs7-signature"; boundary=s'],
      `--s\n${mixed([{ body: 'Anbei.' }, inline('text/plain', 'K?.txt', 'Text')])
        .toString()
        .replaceAll(
          '\r',
          '',
        )}--s\nContent-Type: application/pkcs7-signature; name=smime.p7s\n\nMIAG\n--s--\n`,
    )
    signed[signed.indexOf('K?.txt') + 1] = 0xfc
    const before = Buffer.from(signed)
    const { attachments, protection } = await readMail(signed)

    expect(attachments.map(({ filename }) => filename)).toEqual(['Kü.txt', 'smime.p7s'])
    expect(protection).toBe('signed')
    expect(signed.equals(before)).toBe(true)
  })

  it('have a name if the message has none for them', async () => {
    const raw = mixed([{ body: 'Text' }, { head: ['Content-Type: application/pdf'], body: 'x' }])

    expect((await readMail(raw)).attachments).toMatchObject([{ filename: 'Unbenannt.pdf' }])
  })

  it('include attached messages, ten levels deep, none of which is read', async () => {
    let inner = messageOf([...header, 'Subject: innen 0042/26'], 'Innen 0042/26')
    for (let depth = 0; depth < 10; depth += 1)
      inner = mixed(
        [{ body: `Ebene ${depth}` }, { head: ['Content-Type: message/rfc822'], body: inner }],
        `x${depth}`,
      )
    const { text, attachments } = await readMail(inner)

    expect(text.trim()).toBe('Ebene 9')
    expect(attachments).toMatchObject([{ mime_type: 'message/rfc822', filename: 'Unbenannt.eml' }])
    expect(Buffer.from(attachments[0]?.bytes ?? []).toString()).toContain('Innen 0042/26')
  })

  it('may be five hundred files of any type', async () => {
    const raw = mixed([
      { body: 'Text' },
      ...Array.from({ length: 500 }, (_, at) => attached('application/ms-tnef', `winmail-${at}.dat`, 'x')),
    ])

    expect((await readMail(raw)).attachments).toHaveLength(500)
  })

  it('include the facts of an XJustiz record; a damaged one is an attachment like any other', async () => {
    const record = `<n:nachricht.a.1 xmlns:n="http://www.xjustiz.de"><n:nachrichtenkopf><n:aktenzeichen.absender>3 O 45/26</n:aktenzeichen.absender></n:nachrichtenkopf></n:nachricht.a.1>`
    const read = (xml: string) =>
      readMail(mixed([{ body: '' }, attached('text/xml', 'xjustiz_nachricht.xml', xml)]))

    expect((await read(record)).xjustiz).toMatchObject([{ sender_references: ['3 O 45/26'] }])
    expect(await read(record.slice(0, -9))).toMatchObject({
      xjustiz: [],
      attachments: [{ mime_type: 'text/xml' }],
    })
  })
})

describe('a text part that only says that the mail is in HTML', () => {
  const alternative = (text: string, html: string) =>
    messageOf(
      [...header, 'Content-Type: multipart/alternative; boundary=x'],
      `--x\nContent-Type: text/plain; charset=utf-8\n\n${text}\n--x\nContent-Type: text/html; charset=utf-8\n\n${html}\n--x--\n`,
    )
  const letter = '<p>Bitte nehmen Sie bis zum 15.12.2026 Stellung zu Ihrem Zeichen 0010/26.</p>'

  it.each([
    'Ihr E-Mail-Programm unterstützt kein HTML.',
    'Diese Nachricht ist im HTML-Format.',
    'Please use an HTML compatible viewer!',
  ])('is replaced by the text of the HTML: %s', async (notice) => {
    expect((await readMail(alternative(notice, letter))).text).toContain('bis zum 15.12.2026')
  })

  it.each([
    ['says more than the HTML', 'Ihr E-Mail-Programm unterstützt kein HTML.', '<p>Ja.</p>'],
    ['says something else', 'Ihr Zeichen 0010/26', letter],
    ['is long', `Die HTML-Seite des Gegners.${' Dazu mehr.'.repeat(50)}`, letter],
  ])('stays if it %s', async (_, text, html) => {
    expect((await readMail(alternative(text, html))).text.trim()).toBe(text)
  })
})

it.each([
  ['begins with a byte order mark', (raw: string) => `\xef\xbb\xbf${raw}`],
  ['begins with an empty line', (raw: string) => `\n${raw}`],
  ['begins with a byte order mark and empty lines', (raw: string) => `\xef\xbb\xbf\r\n\r\n${raw}`],
  ['has line breaks of carriage returns only', (raw: string) => raw.replace(/\r?\n/g, '\r')],
])('a message is read also if it %s', async (_, changed) => {
  const message = messageOf([...header, 'Subject: Zu 0010/26'], 'Anbei die Klage.\n').toString('latin1')
  const raw = Buffer.from(changed(message), 'latin1')
  const verdicts = { spam: 'unknown', virus: 'unknown', spf: 'pass', dkim: 'pass', dmarc: 'pass' } as const

  const read = await readMail(raw)
  const recorded = await readHeader.read(raw, { verdicts, envelope_from: null, authserv_id: null })

  for (const one of [read, recorded])
    expect(one).toMatchObject({ from: { email: 'a@b.example' }, subject: 'Zu 0010/26' })
  expect(read.text).toBe('Anbei die Klage.\n')
})

it('a text after an empty line is no header', async () => {
  const { subject, text } = await readMail(Buffer.from('\r\nAnbei die Klage.\r\nSubject: Klage\r\n'))

  expect([subject, text]).toEqual(['', 'Anbei die Klage.\nSubject: Klage\n'])
})

describe('a part with an invalid type', () => {
  it('is read in a moment if the type is very long', { timeout: 3_000 }, async () => {
    const type = `text/plain${' '.repeat(100_000)}x`

    expect(await readMail(messageOf([...header, `Content-Type: ${type}`], 'Zu 0010/26'))).toMatchObject({
      text: 'Zu 0010/26\n',
    })
  })

  it.each([
    ['text', 'Zu 0010/26', null],
    ['text/plain charset=utf-8', 'Zu 0010/26', null],
    ['text/plain, charset=utf-8', 'Zu 0010/26', null],
    ['', 'Zu 0010/26', null],
    ['text/html charset=utf-8', '<b>Zu 0010/26</b>', '<b>Zu 0010/26</b>'],
  ])('is shown if it is text: %j', async (type, body, html) => {
    const read = await readMail(messageOf([...header, `Content-Type: ${type}`], body))

    expect([read.text.trim(), read.html?.trim() ?? null]).toEqual(['Zu 0010/26', html])
  })

  it.each([
    ['abc', 'Content-Type: pdf; name=a.pdf'],
    ['abc', 'Content-Type: pdf', 'Content-Disposition: attachment'],
    ['%PDF-1.7', 'Content-Type: pdf'],
    ['BEGIN:VCALENDAR', 'Content-Type: text/calendar charset=utf-8'],
    ['abc', 'Content-Type: application/ms-tnef x'],
  ])('stays an attachment if it is a file: %s, %s', async (body, ...fields) => {
    const read = await readMail(messageOf([...header, ...fields], body))

    expect(read.attachments).toHaveLength(1)
  })
})

describe('a multipart without a boundary', () => {
  it('is shown as text, in its stated charset', async () => {
    const body = Buffer.from('Gr\xfc\xdfe zu 0010/26', 'latin1')
    const raw = messageOf([...header, 'Content-Type: multipart/mixed; charset=iso-8859-1'], body)

    expect(await readMail(raw)).toMatchObject({ text: 'Grüße zu 0010/26\n', attachments: [] })
  })

  it.each([
    'boundary=""',
    'boundary=',
    'name="boundary=x"',
    'boundary=never',
  ])('is shown also with %s', async (parameter) => {
    const raw = messageOf([...header, `Content-Type: multipart/mixed; ${parameter}`], 'Zu 0010/26')

    expect((await readMail(raw)).text).toBe('Zu 0010/26\n')
  })

  it('is shown even if the header is not UTF-8', async () => {
    const subject = Buffer.from('Subject: Gr\xfc\xdfe\r\n', 'latin1')
    const raw = Buffer.concat([subject, messageOf(['Content-Type: multipart/mixed'], 'Zu 0010/26')])

    expect(await readMail(raw)).toMatchObject({ subject: 'Grüße', text: 'Zu 0010/26\n' })
  })

  it.each([
    ['<html><body><p>Zu 0010/26</p></body></html>', true],
    ['<!DOCTYPE html>\n<p>Zu 0010/26', true],
    ['<?xml version="1.0"?>\n<!DOCTYPE html><p>Zu 0010/26', true],
    ['<!-- a -->\n<!-- b --><html><p>Zu 0010/26</p></html>', true],
    ['<style>p { color: red }</style><p>Zu 0010/26</p>', true],
    ['<!-- Zu 0010/26 --> Text', false],
    ['<a@b.de> schrieb: <p>Zu 0010/26</p>', false],
  ])('is read as HTML if it begins like HTML (%j)', async (body, isHtml) => {
    const { html, text } = await readMail(messageOf([...header, 'Content-Type: multipart/alternative'], body))

    expect([html?.trim() ?? null, text.trim()]).toEqual(isHtml ? [body, 'Zu 0010/26'] : [null, body])
  })

  it('is shown even if only the end of its boundary occurs', async () => {
    const raw = messageOf([...header, 'Content-Type: multipart/mixed; boundary=b'], 'Zu 0010/26\n--b--')

    expect((await readMail(raw)).text).toContain('Zu 0010/26')
  })

  it('does not end the message if its boundary, of which only the end occurs, is also that of the message', async () => {
    const raw = mixed([
      { head: ['Content-Type: multipart/alternative; boundary=x'], body: 'Anbei die Klage.\n--x--' },
      attached('application/pdf', 'Klage.pdf', 'pdf'),
    ])

    expect((await readMail(raw)).attachments).toMatchObject([{ filename: 'Klage.pdf' }])
  })

  it.each([
    ['boundary*0="a"; boundary*1="b"', 'ab'],
    ['boundary=a b; charset=utf-8', 'a b'],
    ['boundary=ab (Teile)', 'ab'],
    ['boundary="a\\"b"', 'a"b'],
    ['boundary="ab "', 'ab '],
    ['name="a; boundary=b"; boundary=c', 'c'],
    [`${' '.repeat(30)}boundary=ab`, 'ab'],
    [`boundary=${'b'.repeat(201)}`, 'b'.repeat(201)],
  ])('is none with %s', async (parameters, boundary) => {
    const raw = messageOf(
      [...header, `Content-Type: multipart/mixed; ${parameters}`],
      `--${boundary}\n\nZu 0010/26\n--${boundary}\nContent-Type: application/pdf\n\npdf\n--${boundary}--\n`,
    )
    const { text, attachments } = await readMail(raw)

    expect(text).toMatch(/^Zu 0010\/26\s*$/)
    expect(attachments.map(({ bytes }) => Buffer.from(bytes).toString().trim())).toEqual(['pdf'])
  })

  it.each([
    '',
    '; boundary=never',
  ])('is shown with the parts around it, and an attachment stays what it is (%j)', async (parameter) => {
    const raw = mixed([
      { head: [`Content-Type: multipart/alternative${parameter}`], body: 'Anbei die Klage.' },
      attached('application/pdf', 'Klage.pdf', 'pdf'),
      { body: 'Abmelden' },
    ])
    const { text, attachments } = await readMail(raw)

    expect(text).toMatch(/^Anbei die Klage\.\s+Abmelden/)
    expect(attachments).toMatchObject([{ filename: 'Klage.pdf' }])
  })

  it.each(['encrypted', 'signed'])('is still %s', async (kind) => {
    const raw = messageOf([...header, `Content-Type: multipart/${kind}; boundary=never`], 'Text')

    expect(await readMail(raw)).toMatchObject({ text: expect.stringContaining('Text'), protection: kind })
  })
})

describe('a protected message', () => {
  it.each([
    ['application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m', 'MIAGCS', 'encrypted'],
    ['application/x-pkcs7-mime; smime-type=signed-data', 'MIAGCS', 'signed'],
    [
      'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=x',
      '--x\n\nVersion: 1\n--x--',
      'encrypted',
    ],
    ['multipart/signed; protocol="application/pkcs7-signature"; boundary=x', '--x\n\nText\n--x--', 'signed'],
    ['text/plain', '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----', 'encrypted'],
    ['text/plain', '-----BEGIN PGP SIGNED MESSAGE-----\n\nText', 'signed'],
    ['text/plain', 'Text', 'none'],
  ])('%s, %j: %s', async (type, body, protection) => {
    expect((await readMail(messageOf([...header, `Content-Type: ${type}`], body))).protection).toBe(
      protection,
    )
  })

  it('by PGP is encrypted even with the footer of a mailing list', async () => {
    const encrypted = {
      head: ['Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary=y'],
      body: '--y\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--y--',
    }

    expect((await readMail(mixed([encrypted, { body: 'Abmelden' }]))).protection).toBe('encrypted')
  })
})

describe('a hostile message', () => {
  it('with too many parts, too large a header or too deep a nesting is not read', async () => {
    const parts = Buffer.from(
      `Content-Type: multipart/mixed; boundary=x\r\n\r\n${'--x\r\n\r\n'.repeat(mailLimits.boundaries)}`,
    )
    const deep = Array.from(
      { length: 100 },
      (_, at) => `--b${at}\nContent-Type: multipart/mixed; boundary=b${at + 1}\n\n`,
    )

    expect(await tooLarge(parts)).toBe('too_large')
    expect(await tooLarge(messageOf([`X-Long: ${'x'.repeat(2 * 1024 * 1024)}`], ''))).toBe('too_large')
    expect(await tooLarge(messageOf(['Content-Type: multipart/mixed; boundary=b0'], deep.join('')))).toBe(
      'too_large',
    )
  })

  it('with broken MIME is read as far as possible', async () => {
    const cut = mixed([{ body: 'Text' }, attached('application/pdf', 'a.pdf', 'x')]).subarray(0, -20)

    expect(await readMail(cut)).toMatchObject({ text: expect.stringContaining('Text') })
    expect(await readMail(messageOf([...header, 'Content-Type: multipart/mixed'], 'Text'))).toBeDefined()
    expect(await readMail(messageOf([...header, 'Content-Transfer-Encoding: base64'], '%%%'))).toBeDefined()
  })
})

describe('large attachments', () => {
  const bytesOfSize = (size: number) =>
    Buffer.from(Array.from({ length: size }, (_, at) => (at * 7919 + size) % 256))
  const inBase64 = (bytes: Buffer, lineLength = 76) =>
    bytes.toString('base64').replace(new RegExp(`.{${lineLength}}`, 'g'), '$&\r\n')
  const encoded = (type: string, name: string, bytes: Buffer, lineLength?: number): Part => ({
    head: [...(attached(type, name, '').head ?? []), 'Content-Transfer-Encoding: base64'],
    body: Buffer.from(inBase64(bytes, lineLength)),
  })

  it('have the bytes that were sent, between small ones, text and messages, in lines of any length', async () => {
    const files = [
      ['application/pdf', 'gross.pdf', bytesOfSize(300_001), 76],
      ['text/plain', 'liste.txt', bytesOfSize(200_000), 4],
      ['image/png', 'klein.png', bytesOfSize(500), 76],
      ['message/rfc822', 'mail.eml', Buffer.from(`Subject: innen\r\n\r\n${'x'.repeat(150_000)}`), 72],
      ['text/calendar', 'termin.ics', bytesOfSize(100_000), 990],
    ] as const

    const message = await readMail(
      mixed([
        { body: 'Anbei.' },
        ...files.map(([type, name, bytes, length]) => encoded(type, name, bytes, length)),
      ]),
    )

    expect(message.text.trim()).toBe('Anbei.')
    expect(message.attachments.map(({ filename }) => filename)).toEqual(files.map(([, name]) => name))
    for (const [at, { filename, bytes }] of message.attachments.entries())
      expect(Buffer.compare(bytes, files[at]?.[2] ?? Buffer.alloc(0)), filename).toBe(0)
  })

  it.each(['quoted-printable', '8bit'])('have the bytes that were sent in %s too', async (encoding) => {
    const line = encoding === '8bit' ? 'Gr\xfc\xdfe --x- \r\n' : 'Gr=FC=DFe=20--x-=20\r\n'
    const part = {
      head: [...(attached('text/csv', 'liste.csv', '').head ?? []), `Content-Transfer-Encoding: ${encoding}`],
      body: Buffer.from(line.repeat(20_000), 'latin1'),
    }

    const { attachments } = await readMail(mixed([{ body: 'Anbei.' }, part, { body: 'Danach.' }]))

    const meant = Buffer.from('Gr\xfc\xdfe --x- \r\n'.repeat(20_000), 'latin1')
    expect(attachments.map(({ bytes }) => Buffer.compare(bytes, meant))).toEqual([0])
  })

  it('are complete if the message has no end, or a body states a wrong charset', async () => {
    const bytes = bytesOfSize(120_000)
    const whole = mixed([
      { head: ['Content-Type: text/plain; charset=utf-8'], body: Buffer.from('Gr\xfc\xdfe', 'latin1') },
      encoded('application/pdf', 'a.pdf', bytes),
    ])
    const cut = whole.subarray(0, whole.lastIndexOf('\r\n--x--'))

    for (const raw of [whole, cut]) {
      const { text, attachments } = await readMail(raw)

      expect(text.trim()).toBe('Grüße')
      expect(attachments.map((one) => Buffer.compare(one.bytes, bytes))).toEqual([0])
    }
  })

  it('are complete if the message consists of one', async () => {
    const bytes = bytesOfSize(120_000)

    const { attachments } = await readMail(
      messageOf(
        [...header, 'Content-Type: application/pdf; name="a.pdf"', 'Content-Transfer-Encoding: base64'],
        Buffer.from(inBase64(bytes)),
      ),
    )

    expect(attachments.map((one) => Buffer.compare(one.bytes, bytes))).toEqual([0])
  })
})
