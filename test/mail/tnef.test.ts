import { describe, expect, it } from 'vitest'
import { FormatFault } from '#formats/format-fault.ts'
import { readTnef } from '#formats/tnef.ts'
import { readMail } from '#mail/read-mail.ts'

const u16 = (value: number) => Buffer.from([value & 255, value >> 8])
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
const attribute = (id: number, value: Buffer, level = 1) =>
  Buffer.concat([Buffer.from([level]), u32(id), u32(value.length), value, u16(0)])
const streamOf = (...attributes: Buffer[]) => Buffer.concat([u32(0x223e9f78), u16(1), ...attributes])
const padded = (value: Buffer) => Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)])
const variable = (type: number, id: number, value: Buffer) =>
  Buffer.concat([u16(type), u16(id), u32(1), u32(value.length), padded(value)])
const propertiesOf = (...all: Buffer[]) => Buffer.concat([u32(all.length), ...all])

const integer = (id: number, value: number) => Buffer.concat([u16(3), u16(id), u32(value)])
const fixed = integer(0x0e07, 5)
const named = Buffer.concat([
  u16(3),
  u16(0x8001),
  Buffer.alloc(16),
  u32(1),
  u32(6),
  padded(Buffer.from('abcdef')),
  u32(7),
])
const pdf = Buffer.from('%PDF-1.7 \u0000\u00ff', 'latin1')
const stream = streamOf(
  attribute(0x00069007, Buffer.concat([u32(1252), u32(0)])),
  attribute(0x0002800c, Buffer.from('Gr\xfc\xdfe zu 0010/26\0', 'latin1')),
  attribute(0x00069002, Buffer.alloc(14), 2),
  attribute(0x00018010, Buffer.from('VERFUE~1.PDF\0'), 2),
  attribute(0x0006800f, pdf, 2),
  attribute(
    0x00069005,
    propertiesOf(
      fixed,
      named,
      variable(31, 0x3707, Buffer.from('Verfügung.pdf\0', 'utf16le')),
      variable(30, 0x370e, Buffer.from('application/pdf\0')),
    ),
    2,
  ),
)

describe('winmail.dat', () => {
  it('gives its text and its attachments under their long names', () => {
    const { text, attachments } = readTnef(stream)

    expect(text).toBe('Grüße zu 0010/26')
    expect(attachments).toMatchObject([{ filename: 'Verfügung.pdf', mime_type: 'application/pdf' }])
    expect(Buffer.from(attachments[0]?.bytes ?? [])).toEqual(pdf)
  })

  it('gives an attachment whose bytes are a property, as Exchange writes it, but no message inside', () => {
    const attachment = (type: number, name: string) => [
      attribute(0x00069002, Buffer.alloc(14), 2),
      attribute(
        0x00069005,
        propertiesOf(variable(type, 0x3701, pdf), variable(30, 0x3707, Buffer.from(`${name}\0`))),
        2,
      ),
    ]
    const [bytesType, objectType] = [258, 13]

    const { attachments } = readTnef(
      streamOf(...attachment(bytesType, 'Urteil.pdf'), ...attachment(objectType, 'Nachricht')),
    )

    expect(attachments).toEqual([{ filename: 'Urteil.pdf', mime_type: null, bytes: pdf }])
  })

  it('gives its HTML', () => {
    const html = variable(258, 0x1013, Buffer.from('<p>Ja</p>'))

    expect(readTnef(streamOf(attribute(0x00069003, propertiesOf(fixed, html)))).html).toBe('<p>Ja</p>')
  })

  describe('reads text in the charset of its code page:', () => {
    const text = 'Frist für die Klagebegründung: § 520 ZPO'
    const utf8 = Buffer.from(text)
    const latin1 = Buffer.from(text, 'latin1')
    const html = (type: number, value: Buffer) => variable(type, 0x1013, value)
    const read = (codepage: Buffer, ...all: Buffer[]) =>
      readTnef(streamOf(attribute(0x00069007, codepage), attribute(0x00069003, propertiesOf(...all))))

    it.each([
      ['UTF-8', integer(0x3fde, 65001), utf8],
      ['ISO 8859-1', integer(0x3fde, 28591), latin1],
      ['Windows-1252', integer(0x3fde, 1252), latin1],
      ['an unknown one', integer(0x3fde, 4711), latin1],
      ['half a code page', variable(258, 0x3fde, Buffer.from([1, 2])), latin1],
    ])('HTML in %s', (_, codepage, value) => {
      expect(read(u32(1252), html(258, value), codepage).html).toBe(text)
      expect(read(u32(1252), codepage, html(258, value)).html).toBe(text)
    })

    it('HTML as a string has the code page of the strings', () => {
      expect(read(u32(1252), html(30, latin1), integer(0x3fde, 65001)).html).toBe(text)
      expect(read(u32(65001), html(30, utf8), integer(0x3fde, 1252)).html).toBe(text)
      expect(read(u32(1252), html(31, Buffer.from(text, 'utf16le')), integer(0x3fde, 65001)).html).toBe(text)
    })

    it('a body in UTF-8', () => {
      const stream = streamOf(attribute(0x00069007, u32(65001)), attribute(0x0002800c, utf8))

      expect(readTnef(stream).text).toBe(text)
    })
  })

  it('in a message is kept, followed by its content; its text is used if there is no other', async () => {
    const raw = [
      'From: a@b.example',
      'Content-Type: application/ms-tnef; name="winmail.dat"',
      'Content-Transfer-Encoding: base64',
      '',
      stream.toString('base64'),
    ].join('\r\n')
    const { text, attachments } = await readMail(Buffer.from(raw))

    expect(text).toBe('Grüße zu 0010/26')
    expect(attachments.map(({ filename }) => filename)).toEqual(['winmail.dat', 'Verfügung.pdf'])
    expect(Buffer.from(attachments[0]?.bytes ?? [])).toEqual(stream)
  })

  it('that is cut off at any position, or has wrong lengths, is read as far as possible', () => {
    for (let end = 6; end < stream.length; end += 1) expect(readTnef(stream.subarray(0, end))).toBeDefined()
    for (let at = 6; at < stream.length; at += 1) {
      const damaged = Buffer.from(stream)
      damaged[at] = 255
      expect(readTnef(damaged)).toBeDefined()
    }
  })

  it('that is something else is corrupt', () => {
    expect(() => readTnef(Buffer.from('Guten Tag'))).toThrow(FormatFault)
  })
})
