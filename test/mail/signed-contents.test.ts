import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FormatFault } from '#formats/format-fault.ts'
import { readOpaqueCms } from '#formats/opaque-cms.ts'
import { readMail } from '#mail/read-mail.ts'
import { opensslSmime } from '#test/support/openssl-smime.ts'

const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const pdf = readFileSync(join(import.meta.dirname, '../corpus/vertrag.pdf'))
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n')
const inner = crlf(`Content-Type: multipart/mixed; boundary="innen"
From: Fremd <fremd@anders.example>

--innen
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Grüße zu 0010/26, Müller
--innen
Content-Type: application/pdf; name="Verfügung.pdf"
Content-Disposition: attachment; filename="Verfügung.pdf"
Content-Transfer-Encoding: base64

${base64(pdf)}
--innen--
`)

const header = 'From: Anna <anna@b.example>\r\nSubject: Post\r\nIn-Reply-To: <1@b.example>\r\n'
const signing = {
  'smime -nodetach': ['smime', '-sign', '-nodetach'],
  'cms -stream': ['cms', '-sign', '-nodetach', '-stream'],
}
const der = (part: string | Buffer, options: readonly string[] = signing['cms -stream']) =>
  opensslSmime(part, [...options, '-binary', '-outform', 'DER'])
const smime = 'application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"'
const partOf = (cms: Buffer, type = smime, disposition = 'attachment; filename="smime.p7m"') =>
  `Content-Type: ${type}\r\nContent-Disposition: ${disposition}\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(cms)}\r\n`
const binary = (cms: Buffer, head = header) =>
  Buffer.concat([
    Buffer.from(`${head}Content-Type: ${smime}\r\nContent-Transfer-Encoding: binary\r\n\r\n`),
    cms,
  ])
const read = (message: string | Buffer) => readMail(Buffer.from(message))
const names = ({ attachments }: Awaited<ReturnType<typeof readMail>>) =>
  attachments.map(({ filename }) => filename)

describe('an opaque S/MIME signature', () => {
  it.each([
    ['smime -nodetach', 'base64'],
    ['smime -nodetach', 'binary'],
    ['cms -stream', 'base64'],
    ['cms -stream', 'binary'],
  ] as const)('of openssl %s in %s gives its text and its files; the signature follows', async (how, encoding) => {
    const cms = der(inner, signing[how])
    const raw = encoding === 'binary' ? binary(cms) : Buffer.from(header + partOf(cms))
    const before = Buffer.from(raw)
    const mail = await read(raw)

    expect(mail.text.trim()).toBe('Grüße zu 0010/26, Müller')
    expect(names(mail)).toEqual(['Verfügung.pdf', 'smime.p7m'])
    expect(Buffer.from(mail.attachments[0]?.bytes ?? [])).toEqual(pdf)
    expect(Buffer.from(mail.attachments[1]?.bytes ?? [])).toEqual(cms)
    expect(mail.protection).toBe('signed')
    expect(raw).toEqual(before)
  })

  it('is read as OpenSSL writes the whole message', async () => {
    const written = opensslSmime(inner, [
      ...signing['cms -stream'],
      '-subject',
      'Post',
      '-from',
      'a@b.example',
    ])

    expect(await read(written)).toMatchObject({
      text: expect.stringContaining('Grüße zu 0010/26'),
      attachments: [{ filename: 'Verfügung.pdf' }, { mime_type: 'application/pkcs7-mime' }],
    })
  })

  it('does not change the header of the message', async () => {
    const cms = der(inner)
    const [plain, signed] = [await read(`${header}\r\nText`), await read(header + partOf(cms))]
    const { text, attachments, protection, ...same } = plain

    expect(signed).toMatchObject(same)
    expect(signed.from).toEqual({ name: 'Anna', email: 'anna@b.example' })
  })

  it.each([
    ['application/pkcs7-mime', 'inline'],
    ['application/x-pkcs7-mime; name=smime.p7m', 'attachment'],
    ['application/octet-stream; name="smime.p7m"', 'attachment'],
    ['application/octet-stream', 'attachment; filename=smime.p7m'],
  ])('is known by its content: %s, %s', async (type, disposition) => {
    const { text, protection } = await read(header + partOf(der(inner), type, disposition))

    expect(text).toContain('Grüße zu 0010/26')
    expect(protection).toBe('signed')
  })

  it('in the message of a mailing list has the footer after its text', async () => {
    const cms = der(inner)
    const mail = await read(
      `${header}Content-Type: multipart/mixed; boundary=liste\r\n\r\n--liste\r\n${partOf(cms)}\r\n--liste\r\nContent-Type: text/plain\r\n\r\nAbmelden: liste@b.example\r\n--liste--\r\n`,
    )

    expect(mail.text).toMatch(/^Grüße zu 0010\/26, Müller\s+Abmelden: liste@b\.example\s*$/)
    expect(names(mail)).toEqual(['Verfügung.pdf', 'smime.p7m'])
    expect(Buffer.from(mail.attachments[1]?.bytes ?? [])).toEqual(cms)
    expect(mail.protection).toBe('signed')
  })

  it.each([
    [
      'smime.p7m',
      'application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"',
      ['-aes256'],
      'encrypted',
    ],
    ['smime.p7m', 'application/pkcs7-mime; name="smime.p7m"', ['-aes-256-gcm'], 'encrypted'],
    ['smime.p7m', 'application/octet-stream; name="smime.p7m"', ['-aes256'], 'encrypted'],
    ['Vertrag.pdf.p7m', 'application/pkcs7-mime; name="Vertrag.pdf.p7m"', ['-aes256'], 'none'],
  ])('%s as %s, encrypted by %j, beside the footer of a list: %s', async (name, type, cipher, protection) => {
    const cms = opensslSmime(inner, ['cms', '-encrypt', ...cipher, '-outform', 'DER'])
    const mail = await read(
      `${header}Content-Type: multipart/mixed; boundary=liste\r\n\r\n--liste\r\n${partOf(cms, type, `attachment; filename="${name}"`)}\r\n--liste\r\nContent-Type: text/plain\r\n\r\nAbmelden: liste@b.example\r\n--liste--\r\n`,
    )

    expect(mail).toMatchObject({ protection, attachments: [{ filename: name }] })
  })

  it('that is encrypted and attached to a readable text does not make the message encrypted', async () => {
    const cms = opensslSmime(inner, ['cms', '-encrypt', '-aes256', '-outform', 'DER'])
    const mail = await read(
      `${header}Content-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\nContent-Type: text/plain\r\n\r\nDas kann ich nicht lesen.\r\n--m\r\n${partOf(cms)}\r\n--m--\r\n`,
    )

    expect(mail).toMatchObject({ protection: 'none', attachments: [{ filename: 'smime.p7m' }] })
  })

  it('gives HTML with its pictures', async () => {
    const part = crlf(`Content-Type: multipart/related; boundary=r

--r
Content-Type: text/html; charset=utf-8

<p>Grüße <img src="cid:logo"></p>
--r
Content-Type: image/png
Content-ID: <logo>

png
--r--
`)
    const { html, attachments } = await read(header + partOf(der(part)))

    expect(html).toContain('<p>Grüße <img src="cid:logo"></p>')
    expect(attachments).toMatchObject([{ content_id: 'logo', is_related: true }, { filename: 'smime.p7m' }])
  })

  it('in a signature is read, but not twenty deep', async () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'Content-Type: text/plain\r\n\r\nGanz innen' : partOf(derOf(nested(depth - 1)))
    const [three, twenty] = [await read(header + nested(3)), await read(header + nested(20))]

    expect(three.text.trim()).toBe('Ganz innen')
    expect(three.attachments).toHaveLength(3)
    expect(twenty.text).toBe('')
    expect(twenty.attachments).toHaveLength(11)
  })

  it.each([
    ['a PDF', () => der(pdf)],
    ['text without a header', () => der('Guten Tag\r\n\r\nContent-Type: x\r\n')],
    ['nothing', () => opensslSmime(inner, ['cms', '-sign', '-binary', '-outform', 'DER'])],
    ['an encrypted message', () => opensslSmime(inner, ['cms', '-encrypt', '-aes256', '-outform', 'DER'])],
    ['a broken one', () => der(inner).subarray(0, 2_000)],
  ])('around %s stays a file', async (_, file) => {
    const cms = file()
    const mail = await read(header + partOf(cms))

    expect(mail.text).toBe('')
    expect(mail.attachments).toMatchObject([{ filename: 'smime.p7m' }])
    expect(Buffer.from(mail.attachments[0]?.bytes ?? [])).toEqual(cms)
  })

  it('around an encrypted message leaves that a file, and the message is encrypted', async () => {
    const encrypted = opensslSmime(inner, ['cms', '-encrypt', '-aes256'])

    expect(await read(header + partOf(der(encrypted)))).toMatchObject({
      text: '',
      attachments: [{ mime_type: 'application/pkcs7-mime' }, { filename: 'smime.p7m' }],
      protection: 'encrypted',
    })
  })

  it('whose content has too many lines or parts stays a file', async () => {
    const part = (body: string) => derOf(`Content-Type: multipart/mixed; boundary=x\r\n\r\n${body}`)

    for (const body of ['\n'.repeat(1_000_000), '\n--x'.repeat(20_000)])
      expect(names(await read(header + partOf(part(body))))).toEqual(['smime.p7m'])
  })
})

const element = (tag: number, ...content: Buffer[]) => {
  const value = Buffer.concat(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(value.length)
  return Buffer.concat([Buffer.from([tag, 0x84]), length, value])
}
const open = (tag: number, ...content: Buffer[]) =>
  Buffer.concat([Buffer.from([tag, 0x80]), ...content, Buffer.from([0, 0])])
const octets = (text: string) => element(4, Buffer.from(text))
const oid = (last: number) =>
  element(6, Buffer.from(`2a864886f70d0107${last.toString(16).padStart(2, '0')}`, 'hex'))

/** A signature around an OCTET STRING, without certificates and signers. */
const around = (string: Buffer, enclose = element, type = 1) =>
  enclose(
    0x30,
    oid(2),
    enclose(
      0xa0,
      enclose(
        0x30,
        element(2, Buffer.from([1])),
        enclose(0x31, enclose(0x30, oid(1))),
        enclose(0x30, oid(type), enclose(0xa0, string)),
      ),
    ),
  )
const derOf = (part: string) => around(octets(part))

describe('the CMS of an opaque signature', () => {
  it.each([
    ['in one string', octets('Guten Tag')],
    ['in strings', element(0x24, octets('Guten'), octets(''), octets(' Tag'))],
    ['in strings of indefinite length', open(0x24, octets('Guten'), octets(' Tag'))],
    [
      'in strings of strings',
      open(0x24, element(0x24, octets('Gu'), octets('ten')), open(0x24, octets(' Tag'))),
    ],
  ])('may have its content %s', (_, string) => {
    expect(readOpaqueCms(around(string)).toString()).toBe('Guten Tag')
    expect(readOpaqueCms(around(string, open)).toString()).toBe('Guten Tag')
  })

  it.each([
    ['other bytes', Buffer.from('Guten Tag')],
    ['nothing', Buffer.alloc(0)],
    ['another type of content', around(octets('x'), element, 9)],
    ['a number as its content', around(element(2, Buffer.from([1])))],
    ['a number in its content', around(open(0x24, octets('x'), element(2, Buffer.from([1]))))],
    ['no end of its content', around(Buffer.from([0x24, 0x80, 4, 1, 65]))],
    ['strings without end', around(Buffer.alloc(100_000, Buffer.from([0x24, 0x80])))],
    ['a length beyond its end', around(Buffer.from([4, 0x86, 255, 255, 255, 255, 255, 255]))],
    ['a length without end', around(Buffer.from([4, 0x80, 65, 0, 0]))],
  ])('with %s is corrupt', (_, bytes) => {
    expect(() => readOpaqueCms(bytes)).toThrow(FormatFault)
  })

  it('that is cut off or damaged at any position is read or corrupt', () => {
    const cms = der('Content-Type: text/plain\r\n\r\nText')
    for (let at = 0; at < cms.length; at += 1) {
      const damaged = Buffer.from(cms)
      damaged[at] = 255
      for (const bytes of [damaged, cms.subarray(0, at)])
        try {
          expect(readOpaqueCms(bytes)).toBeDefined()
        } catch (error) {
          expect(error).toBeInstanceOf(FormatFault)
        }
    }
  })
})
