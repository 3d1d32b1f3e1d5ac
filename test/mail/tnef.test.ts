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

const fixed = Buffer.concat([u16(3), u16(0x0e07), u32(5)])
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

  it('gives its HTML', () => {
    const html = variable(258, 0x1013, Buffer.from('<p>Ja</p>'))

    expect(readTnef(streamOf(attribute(0x00069003, propertiesOf(fixed, html)))).html).toBe('<p>Ja</p>')
  })

  it('in a message is kept, with what it holds behind it; its text is the text where there is no other', async () => {
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

  it('that is cut off anywhere, or says wrong lengths, is read as far as it goes', () => {
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
