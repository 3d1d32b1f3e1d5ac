import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import type { MailToCompose } from '#correspondence/sending-ports.ts'
import { Failure } from '#kernel/failure.ts'
import { composeMail } from '#mail/compose.ts'
import fc from '#test/support/properties.ts'

const plain: MailToCompose = {
  from: { name: 'Dr. Anna Groß', email: 'vogt@mail.example.de' },
  to: [{ name: null, email: 'a@b.de' }],
  cc: [],
  subject: 'Klage',
  html: '<p>Guten Tag</p>',
  text: 'Guten Tag',
  date: new Date('2026-11-20T13:03:07Z'),
  message_id: '<0199-1@mail.example.de>',
  in_reply_to: null,
  references: [],
  attachments: [],
}
const compose = (changes: Partial<MailToCompose> = {}) => composeMail({ ...plain, ...changes })
const parse = async (raw: Uint8Array) => PostalMime.parse(raw)
const composed = async (changes: Partial<MailToCompose>) => parse(await compose(changes))
const latin = (raw: Uint8Array) => Buffer.from(raw).toString('latin1')
const sha256 = (bytes: Uint8Array | ArrayBuffer) =>
  createHash('sha256').update(new Uint8Array(bytes)).digest('hex')
const pngOf = (bytes: Uint8Array) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`

/** The fields of the message's header, by their names in lower case, unfolded. */
function headerOf(raw: Uint8Array): [name: string, value: string][] {
  const [head = ''] = latin(raw).split('\r\n\r\n')
  return head
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
}

const namesOf = (raw: Uint8Array) => headerOf(raw).map(([name]) => name)
const fieldOf = (raw: Uint8Array, wanted: string) => headerOf(raw).find(([name]) => name === wanted)?.[1]
const usual = ['cc', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to']

/** RFC 5322 and 2045 require of each line: ASCII, at most 998 octets, CR and LF only together, no empty fold. */
function expectLines(raw: Uint8Array): void {
  const text = latin(raw)
  expect(text).not.toMatch(/[\x80-\xff]|\r(?!\n)|(?<!\r)\n/)
  for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998)
  const [head = ''] = text.split('\r\n\r\n')
  for (const line of head.split('\r\n')) expect(line.trim()).not.toBe('')
}

describe('a composed mail (M4)', () => {
  it('has the given header, and no Bcc', async () => {
    const raw = await compose({
      to: [
        { name: 'Meier, "Bo" & Söhne', email: 'info@kanzlei-groß.de' },
        { name: '王五 🦊', email: 'a.b+c@例え.テスト' },
      ],
      cc: [{ name: 'Amtsgericht (Mitte)', email: 'x@y.de' }],
      in_reply_to: '<3@b.de>',
      references: ['<1@b.de>', '<2@b.de>', '<3@b.de>'],
    })

    expect(fieldOf(raw, 'date')).toBe('Fri, 20 Nov 2026 13:03:07 +0000')
    expect(fieldOf(raw, 'message-id')).toBe(plain.message_id)
    expect(fieldOf(raw, 'in-reply-to')).toBe('<3@b.de>')
    expect(fieldOf(raw, 'references')).toBe('<1@b.de> <2@b.de> <3@b.de>')
    expect(namesOf(raw).toSorted()).toEqual([...usual, 'in-reply-to', 'references'].toSorted())
    const { from, to, cc } = await parse(raw)
    expect([from, to, cc]).toEqual([
      { name: 'Dr. Anna Groß', address: 'vogt@mail.example.de' },
      [
        { name: 'Meier, "Bo" & Söhne', address: 'info@xn--kanzlei-gro-56a.de' },
        { name: '王五 🦊', address: 'a.b+c@xn--r8jz45g.xn--zckzah' },
      ],
      [{ name: 'Amtsgericht (Mitte)', address: 'x@y.de' }],
    ])
    expectLines(raw)
  })

  it('has the thread of three generations, without malformed ids', async () => {
    const raw = await compose({
      in_reply_to: 'no id',
      references: ['<a@b>', 'x\r\nBcc: c@d.de', '<ü@b>', `<${'a'.repeat(901)}@b>`, '<b@b> <c@b>', '<d@b>'],
    })

    expect([fieldOf(raw, 'in-reply-to'), fieldOf(raw, 'references')]).toEqual([undefined, '<a@b> <d@b>'])
    const long = Array.from({ length: 100 }, (_, at) => `<${'x'.repeat(200)}${at}@b.de>`)
    const threaded = await compose({ references: long })
    expect(fieldOf(threaded, 'references')).toBe(long.join(' '))
    expectLines(threaded)
  })

  it.each([
    ['short', 'Klage'],
    ['umlauts', 'Müller ./. Größe: Fristverlängerung bis 3. März – „Eilt!“'],
    ['no blank in 998 characters', 'a'.repeat(998)],
    ['998 umlauts', 'ß'.repeat(998)],
    ['998 emoji', '🦊'.repeat(998)],
    ['998 characters of words', 'Klage wegen Kaufpreis '.repeat(46).slice(0, 997).trim()],
    ['words of umlauts', 'Größe über Maß '.repeat(66).trim()],
    ['many blanks', `a${' '.repeat(300)}b`],
    ['blanks and tabs', 'a \t b'],
    ['what looks like an encoded word', '=?utf-8?Q?x=0D=0ABcc:_c=40d.de?='],
    ['what looks like half of one', 'a =?utf-8?B? b ?= c'],
    ['marks and joiners', 'e\u0301\u200d👩‍⚖️\u202e'],
    ['a field', 'Bcc: c@d.de'],
    ['quotes', '"a" \\ (b) <c>'],
  ])('has the same subject after parsing: %s', async (_, subject) => {
    const raw = await compose({ subject })

    expect((await parse(raw)).subject?.replaceAll('\t', ' ')).toBe(subject.replaceAll('\t', ' '))
    expectLines(raw)
    for (const line of latin(raw).split('\r\n\r\n')[0]?.split('\r\n') ?? [])
      expect(line.length).toBeLessThan(79)
  })

  it('has text and HTML as alternatives, with unchanged CSS and umlauts', async () => {
    const html = `<p style="font-family:'Über'">Größe 100&nbsp;€ 🦊</p>\n<table><tr><td>x</td></tr></table>${'ä'.repeat(2_000)}`
    const text = `Größe 100 € 🦊\nzwei\rdrei\r\n${'wort '.repeat(500)}`
    const raw = await compose({ html, text })

    const mail = await parse(raw)
    expect(mail.html?.replace(/\r?\n/g, '\n').trimEnd()).toBe(html)
    expect(mail.text?.replace(/\r?\n/g, '\n').trimEnd()).toBe(text.replace(/\r\n?/g, '\n').trimEnd())
    expect(fieldOf(raw, 'content-type')).toMatch(/^multipart\/alternative/)
    expectLines(raw)
  })

  it.each([
    ['ASCII without a break', 'a'.repeat(100_000)],
    ['umlauts without a break', 'ä'.repeat(100_000)],
    ['letters of other scripts', '王'.repeat(100_000)],
    ['carriage returns', 'aaaa\r'.repeat(10_000)],
    ['line feeds', 'a\n'.repeat(10_000)],
    ['blanks at the ends of lines', 'a   \r\n'.repeat(1_000)],
    ['dots', '.\r\n'.repeat(100)],
    ['nothing', ''],
  ])('no line of a body of %s is over 998 octets', async (_, text) => {
    const raw = await compose({ text, html: text })

    expectLines(raw)
    const normal = (written = '') => written.replace(/\r\n?/g, '\n').trimEnd()
    expect(normal((await parse(raw)).text)).toBe(normal(text))
  })

  it('has data: pictures as inline attachments, each picture once', async () => {
    const [one, other] = [randomBytes(5_000), randomBytes(100)]
    const shown = `<p>src="${pngOf(one)}"</p>`.replaceAll('"', '&quot;')
    const mail = await composed({
      html: `<img alt="a" src="${pngOf(one)}" /><img src="${pngOf(other)}" /><b>x</b><img src="${pngOf(one)}" width="9" />${shown}`,
      attachments: [{ filename: 'a.pdf', mime_type: 'application/pdf', bytes: one }],
    })

    const pictures = mail.attachments.filter(({ disposition }) => disposition === 'inline')
    expect(pictures.map(({ mimeType, filename }) => [mimeType, filename])).toEqual([
      ['image/png', 'bild-1.png'],
      ['image/png', 'bild-2.png'],
    ])
    expect(pictures.map(({ content }) => sha256(content as ArrayBuffer))).toEqual([
      sha256(one),
      sha256(other),
    ])
    const [first = '', second = ''] = pictures.map(({ contentId = '' }) => `cid:${contentId.slice(1, -1)}`)
    expect(mail.html?.replace(/\r?\n/g, '').trim()).toBe(
      `<img alt="a" src="${first}" /><img src="${second}" /><b>x</b><img src="${first}" width="9" />${shown}`,
    )
    expect(mail.attachments).toHaveLength(3)
  })

  it.each([
    'Klageerwiderung – Müller ./. Größe (Entwurf 2).pdf',
    `${'Sehr langer Name '.repeat(14)}.pdf`,
    `${'ä'.repeat(250)}.pdf`,
    `${'a'.repeat(490)}.pdf`,
    '"; filename="böse.exe',
    "a'b%20c*d.pdf",
    '👩‍⚖️ 证据.pdf',
    '-a; b=c,d.pdf',
  ])('has the attachment %s after parsing, with its bytes and its name', async (filename) => {
    const bytes = randomBytes(200_001)
    const raw = await compose({ attachments: [{ filename, mime_type: 'application/pdf', bytes }] })

    const [attachment] = (await parse(raw)).attachments
    expect(attachment).toMatchObject({ filename, mimeType: 'application/pdf', disposition: 'attachment' })
    expect(sha256(attachment?.content as ArrayBuffer)).toBe(sha256(bytes))
    expectLines(raw)
  })

  it.each([
    0,
    1,
    2,
    3,
    56,
    57,
    58,
    57 * 1024 - 1,
    57 * 1024,
    57 * 1024 + 1,
    3 * 57 * 1024,
  ])('an attachment of %i bytes is whole, a view into other bytes too', async (length) => {
    const bytes = new Uint8Array(randomBytes(length + 20)).subarray(10, 10 + length)
    const { attachments } = await composed({
      attachments: [
        { filename: 'a.bin', mime_type: 'application/octet-stream', bytes },
        { filename: 'b.bin', mime_type: 'application/octet-stream', bytes },
      ],
    })

    expect(attachments.map(({ content }) => sha256(content as ArrayBuffer))).toEqual(
      [bytes, bytes].map(sha256),
    )
  })

  it.each([
    'message/rfc822',
    'multipart/mixed; boundary=x',
    'text/plain\r\nBcc: c@d.de',
    'pdf',
    '',
    'image/svg+xml',
    'text/html',
  ])('an attachment of the type %j is an attachment, byte for byte', async (mime_type) => {
    const bytes = Buffer.from('From: a@b.de\nSubject: ü\n\n--x\r\n<script>\n')
    const raw = await compose({ attachments: [{ filename: 'a.eml', mime_type, bytes }] })

    const [attachment] = (await parse(raw)).attachments
    expect(attachment?.disposition).toBe('attachment')
    expect(sha256(attachment?.content as ArrayBuffer)).toBe(sha256(bytes))
    expect(latin(raw)).not.toContain('Bcc')
    expectLines(raw)
  })

  it('reads no file and fetches no address to which the mail refers', async () => {
    const raw = await compose({
      html: '<img src="file:///etc/passwd" /><img src="https://x.example/y" />',
      text: 'file:///etc/passwd',
      attachments: [{ filename: '/etc/passwd', mime_type: 'text/plain', bytes: Buffer.from('mine') }],
    })

    expect(latin(raw)).not.toContain('root:')
  })

  it('is refused if SES would not accept it', async () => {
    const attachments = [
      { filename: 'a.bin', mime_type: 'application/pdf', bytes: Buffer.alloc(6 * 1024 * 1024) },
    ]

    expect((await compose({ attachments })).length).toBeLessThan(9 * 1024 * 1024)
    const error = await compose({ attachments, html: '王'.repeat(600_000) }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Failure)
    expect(error).toMatchObject({ kind: 'too_large', code: 'ATTACHMENT_TOO_LARGE' })
  })

  it('has no header field that a name, subject, id, type or file name injects', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, hostile, hostile, async (name, subject, id, file, type) => {
        const raw = await compose({
          from: { name, email: 'a@b.de' },
          to: [{ name, email: 'a@b.de' }],
          cc: [{ name: subject, email: 'a@b.de' }],
          subject,
          in_reply_to: id,
          references: [id, `<${id}>`],
          attachments: [{ filename: file, mime_type: type, bytes: Buffer.from('x') }],
        })

        expectLines(raw)
        const optional = ['in-reply-to', 'references', 'subject']
        const mandatory = usual.filter((one) => !optional.includes(one))
        expect(
          namesOf(raw)
            .filter((one) => !optional.includes(one))
            .toSorted(),
        ).toEqual(mandatory)
        expect(new Set(namesOf(raw)).size).toBe(namesOf(raw).length)
        expect(namesOf(raw)).not.toContain('bcc')
        const mail = await parse(raw)
        expect(mail.to).toHaveLength(1)
        expect(mail.attachments.filter(({ disposition }) => disposition === 'attachment')).toHaveLength(1)
        expect(mail.text?.trim()).toBe(plain.text)
      }),
      { numRuns: 300 },
    )
  })

  it('has no header field that an address injects: an invalid address is refused', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom('from', 'to', 'cc'), async (part, field) => {
        for (const email of [`x${part}@b.de`, `a@b${part}.de`, part]) {
          const address = { name: null, email }
          const raw = await compose({ [field]: field === 'from' ? address : [address] }).catch(
            () => undefined,
          )
          if (raw === undefined) continue

          expectLines(raw)
          expect(
            namesOf(raw)
              .filter((name) => name !== 'cc')
              .toSorted(),
          ).toEqual(usual.filter((name) => name !== 'cc'))
          expect(fieldOf(raw, field)).toMatch(/^[^\s<>,;:@]+@[a-z0-9.-]+$/i)
        }
      }),
      { numRuns: 300 },
    )
    await expect(compose({ to: [{ name: null, email: 'a@b.de\r\nBcc: c@d.de' }] })).rejects.toThrow()
  })

  it('has the same names and subjects after parsing', async () => {
    await fc.assert(
      fc.asyncProperty(words, words, async (name, subject) => {
        const raw = await compose({ subject, to: [{ name, email: 'a@b.de' }] })

        expectLines(raw)
        const mail = await parse(raw)
        expect([mail.subject, mail.to]).toEqual([subject, [{ name, address: 'a@b.de' }]])
      }),
      { numRuns: 300 },
    )
  })
})

const python = spawnSync('python3', ['-c', 'import email.policy']).status === 0

describe.skipIf(!python)("Python's email reads", () => {
  const script = `
import email, email.policy, hashlib, json, sys
message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
parts = list(message.walk())
print(json.dumps({
  'subject': message['subject'], 'to': [[a.display_name, a.addr_spec] for a in message['to'].addresses],
  'from': [[a.display_name, a.addr_spec] for a in message['from'].addresses],
  'references': message['references'], 'date': message['date'].datetime.isoformat(),
  'text': message.get_body(('plain',)).get_content(), 'html': message.get_body(('html',)).get_content(),
  'structure': [part.get_content_type() for part in parts],
  'defects': [str(defect) for part in parts for defect in part.defects],
  'files': [[part.get_filename(), part.get_content_disposition(), part['content-id'],
    hashlib.sha256(part.get_payload(decode=True)).hexdigest()] for part in parts if part.get_filename()],
}))`
  const read = (raw: Uint8Array) => {
    const { stdout, stderr } = spawnSync('python3', ['-c', script], {
      input: raw,
      maxBuffer: 64 * 1024 * 1024,
    })
    if (stdout.length === 0) throw new Error(stderr.toString())
    return JSON.parse(stdout.toString())
  }

  it('a mail with all its content unchanged', async () => {
    const [picture, file] = [randomBytes(10_000), randomBytes(1_000_000)]
    const subject = 'Müller ./. Größe: Fristverlängerung – „Eilt!“ 🦊 '.repeat(18).trim()
    const filename = `${'Klageerwiderung Größe '.repeat(10)}=?utf-8?Q?x?= (2).pdf`
    const raw = await compose({
      subject,
      to: [
        { name: 'Meier, Dr. Jürgen', email: 'j@kanzlei-groß.de' },
        { name: '王五 🦊', email: 'c@d.de' },
      ],
      references: ['<1@b.de>', '<2@b.de>', '<3@b.de>'],
      html: `<p style="color:red">Größe</p><img src="${pngOf(picture)}" />`,
      text: 'Größe\n> Zitat',
      attachments: [{ filename, mime_type: 'application/pdf', bytes: file }],
    })

    const mail = read(raw)

    expect(mail).toMatchObject({
      subject,
      to: [
        ['Meier, Dr. Jürgen', 'j@xn--kanzlei-gro-56a.de'],
        ['王五 🦊', 'c@d.de'],
      ],
      from: [['Dr. Anna Groß', 'vogt@mail.example.de']],
      references: '<1@b.de> <2@b.de> <3@b.de>',
      date: '2026-11-20T13:03:07+00:00',
      defects: [],
      structure: [
        ...['multipart/mixed', 'multipart/alternative', 'text/plain', 'multipart/related', 'text/html'],
        ...['image/png', 'application/pdf'],
      ],
    })
    expect(mail.text.trim().replaceAll('\r', '')).toBe('Größe\n> Zitat')
    const [[, , contentId], attached] = mail.files
    expect(mail.html).toContain(`<p style="color:red">Größe</p><img src="cid:${contentId.slice(1, -1)}" />`)
    expect(mail.files[0]).toEqual(['bild-1.png', 'inline', contentId, sha256(picture)])
    expect(attached).toEqual([filename, 'attachment', null, sha256(file)])
  })

  it.each([
    'a'.repeat(998),
    'ß'.repeat(998),
    '🦊'.repeat(998),
    '=?utf-8?Q?x?= =?',
    'Re: a  b',
    `a${' '.repeat(100)}b`,
  ])('the subject %s as it was', async (subject) => {
    expect(read(await compose({ subject })).subject).toBe(subject)
  })
})

describe('the libraries', () => {
  it('are loaded when a mail is composed or cleaned, not before', () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve: (name, context, next) => { loaded.push(name); return next(name, context) } })
      const { composeMail } = await import('#mail/compose.ts')
      const { mailHtml } = await import('#mail/mail-html.ts')
      const libraries = () => ['nodemailer', 'sanitize-html', 'html-to-text'].filter((library) =>
        loaded.some((name) => name.split('/')[0] === library))
      const before = libraries()
      await mailHtml.textOf(await mailHtml.clean('<p>a</p>'))
      await composeMail({ from: {}, to: [], cc: [], subject: '', html: '', text: '', references: [], attachments: [],
        in_reply_to: null, date: new Date(0), message_id: '<a@b>', from: { name: null, email: 'a@b.de' } })
      console.log(JSON.stringify([before, libraries()]))`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })

    expect(stdout === '' ? stderr : JSON.parse(stdout)).toEqual([
      [],
      ['nodemailer', 'sanitize-html', 'html-to-text'],
    ])
  })
})

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\r\n\r\n',
        '\r\nBcc: c@d.de\r\n',
        '\nX-Evil: 1',
        '\0',
        '\v',
        '\x85',
        '\u2028',
      ),
      fc.constantFrom(
        '"',
        '\\',
        '<',
        '>',
        '(',
        ')',
        ',',
        ';',
        ':',
        '@',
        '=?utf-8?Q?=0D=0ABcc:_x?=',
        '=?',
        '?=',
        '%0d%0a',
      ),
      fc.constantFrom(
        ' ',
        '\t',
        'ä',
        '🦊',
        '\ud83d',
        'a',
        'x'.repeat(80),
        ' '.repeat(90),
        '; filename=x',
        '; boundary=y',
      ),
      fc.string({ unit: 'binary', maxLength: 10 }),
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''))

/** One line that the schemas accept: trimmed, without double spaces and control characters. */
const words = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      fc.constantFrom(
        'Groß',
        '"',
        '\\',
        ',',
        ';',
        ':',
        '@',
        '<',
        '>',
        '(',
        ')',
        '🦊',
        "d'Or",
        'Dr.',
        '-',
        '_',
        '?',
        '=',
      ),
    ),
    { minLength: 1, maxLength: 20 },
  )
  .map((parts) =>
    parts
      .join(' ')
      .replace(/[\p{Cc}\p{Z}\ufeff]+/gu, ' ')
      .replaceAll('=?', '')
      .trim(),
  )
  .filter((text) => text !== '' && text.isWellFormed())
