import { describe, expect, it } from 'vitest'
import { decodeBase64, decodeQuotedPrintable } from '#mail/transfer-encodings.ts'
import { cpuMilliseconds } from '#test/support/cpu-time.ts'
import fc from '#test/support/properties.ts'

describe('base64', () => {
  it('decodes lines of any length, with any padding and invalid characters between them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }),
        fc.constantFrom('\r\n', '\n', ' \r\n', '\r\n\r\n', '!\t'),
        fc.integer({ min: 1, max: 80 }),
        (pieces, between, lineLength) => {
          // Each piece ends with its padding, as some programs write each line.
          const written = pieces
            .map((piece) => Buffer.from(piece).toString('base64'))
            .map((unit) => unit.replace(new RegExp(`.{${lineLength}}`, 'g'), `$&${between}`))
            .join(between)

          const decoded = decodeBase64(Buffer.from(written))

          expect(decoded.equals(Buffer.concat(pieces))).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('decodes a megabyte in lines of any length', () => {
    const bytes = Buffer.from(Array.from({ length: 1024 * 1024 + 1 }, (_, at) => (at * 7919) % 256))
    const written = bytes.toString('base64')
    const inLines = [75, 76, 998].map((length) => written.replace(new RegExp(`.{${length}}`, 'g'), '$&\r\n'))

    for (const one of [written, ...inLines]) expect(decodeBase64(Buffer.from(one)).equals(bytes)).toBe(true)
  })

  it('of nothing, of invalid characters and of half a unit throws no error', () => {
    expect(['', '====', '!!!', 'Q'].map((written) => decodeBase64(Buffer.from(written)).length)).toEqual([
      0, 0, 0, 0,
    ])
    expect(decodeBase64(Buffer.from('QUJD\r\nREU')).toString()).toBe('ABCDE')
  })
})

/** The rules of RFC 2045, 6.7 as replacements in text. */
function reference(written: string): Buffer {
  const decoded = written
    .replace(/[ \t]+(?=\r?\n)/g, '')
    .replace(/=(?:\r?\n|([0-9A-Fa-f]{2}))/g, (_, code?: string) =>
      code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16)),
    )
  return Buffer.from(decoded, 'latin1')
}

describe('quoted-printable', () => {
  it.each([
    ['M=FCller', 'M\xfcller'],
    ['M=fcller', 'M\xfcller'],
    ['eine Zeile =\r\nund ihr Ende  \r\nzwei=\nZeilen\t\n', 'eine Zeile und ihr Ende\r\nzweiZeilen\n'],
    ['weich mit Leerzeichen=  \r\ndanach', 'weich mit Leerzeichendanach'],
    ['a=b =G0 100 % = c=', 'a=b =G0 100 % = c='],
    ['', ''],
  ])('%j is %j', (written, meant) => {
    expect(decodeQuotedPrintable(Buffer.from(written, 'latin1')).toString('latin1')).toBe(meant)
  })

  it('decodes any text by the rules', () => {
    const text = fc
      .array(fc.constantFrom('=', ' ', '\t', '\n', '\r\n', '=\r\n', '=41', '=c3', 'A', 'g', '\xe4'), {
        maxLength: 40,
      })
      .map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (written) => {
        expect(decodeQuotedPrintable(Buffer.from(written, 'latin1')).toString('latin1')).toBe(
          reference(written).toString('latin1'),
        )
      }),
      { numRuns: 2_000 },
    )
  })

  it('of 20 MB of spaces takes no time', () => {
    const written = Buffer.alloc(20 * 1024 * 1024, ' ')
    const begun = cpuMilliseconds()

    expect(decodeQuotedPrintable(written)).toHaveLength(written.length)
    expect(cpuMilliseconds() - begun).toBeLessThan(5_000)
  })
})
