import { createCipheriv, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readAnswer } from '#bea-gateway/answer-text.ts'
import { decryptCbc, decryptGcm, encryptGcm } from '#bea-gateway/envelope.ts'
import { optionalTime, UnreadableAnswer } from '#bea-gateway/fields.ts'
import { formBody, LargeText } from '#bea-gateway/form.ts'
import { LongText } from '#bea-gateway/long-text.ts'
import { rightsOf } from '#bea-gateway/rights.ts'
import fc from '#test/support/properties.ts'
import { cbc, gcm } from './sealed.ts'

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((it) => Buffer.from(it))
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((it) => Buffer.from(it))
const joined = ({ pieces }: LargeText) => [...pieces()].join('')
/** A text as it arrives in an answer with a long text: in pieces of `pieceBytes`. */
const longText = (text: string, pieceBytes: number) => {
  const all = Buffer.from(text)
  const long = new LongText()
  for (let at = 0; at < all.length; at += pieceBytes) long.add(all.subarray(at, at + pieceBytes))
  return long
}
/** The ways in which base64 may be written in JSON. */
const writtenForms = (data: string, line: number) => [
  data,
  data.replaceAll('/', '\\/'),
  data.replaceAll('/', '\\/').replaceAll('+', '\\u002B'),
  data.replace(new RegExp(`.{${line}}`, 'g'), '$&\\r\\n'),
  data.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
]

describe('the envelope encryption', () => {
  it('decrypts its own data and the data of the gateway, of every length', () => {
    fc.assert(
      fc.property(bytes(200_000), key, (plain, aes) => {
        const iv = randomBytes(16)
        const { data, tag } = encryptGcm(plain, aes, iv)
        const sent = { iv: iv.toString('base64'), data: joined(data), tag: joined(tag) }

        expect(sent).toEqual(gcm(plain, aes, iv))
        expect([data.bytes, tag.bytes]).toEqual([sent.data.length, sent.tag.length])
        expect(decryptGcm(sent, aes).equals(plain)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('decrypts data in pieces of any length, with escapes, line breaks, URL-safe letters, and without padding', () => {
    fc.assert(
      fc.property(
        bytes(5_000),
        key,
        fc.integer({ min: 1, max: 997 }),
        fc.integer({ min: 1, max: 90 }),
        (plain, aes, size, line) => {
          const { iv, tag, data } = gcm(plain, aes)
          for (const one of writtenForms(data, line))
            expect(decryptGcm({ iv, tag, data: longText(one, size) }, aes).equals(plain)).toBe(true)
        },
      ),
      { numRuns: 60 },
    )
  })

  // Texts of this length are decoded while they arrive, as far as possible.
  it.each([
    1_999_999, 2_000_000, 2_000_001,
  ])('decrypts %i bytes while they arrive, however they are written', (size) => {
    const plain = randomBytes(size)
    const aes = randomBytes(32)
    const { iv, tag, data } = gcm(plain, aes)
    const { iv: cbcIv, data: cbcData } = cbc(plain, aes)
    const leading = Buffer.concat([cbcIv, cbcData]).toString('base64')
    for (const pieceBytes of [65_536, 100_001, 1_500_000, 9_000_000]) {
      for (const one of writtenForms(data, 76)) {
        expect(longText(one, pieceBytes).text()).toBe(JSON.parse(`"${one}"`))
        expect(decryptGcm({ iv, tag, data: longText(one, pieceBytes) }, aes).equals(plain)).toBe(true)
      }
      for (const one of writtenForms(leading, 76))
        expect(decryptCbc({ iv: '', data: longText(one, pieceBytes) }, aes).equals(plain)).toBe(true)
    }
  })

  it('refuses long data with a letter that is not base64, or with a changed byte', () => {
    const plain = randomBytes(3_000_000)
    const aes = randomBytes(32)
    const { iv, tag, data } = gcm(plain, aes)
    for (const at of [5, 1_400_001, 2_800_002, data.length - 5]) {
      const other = data[at] === 'A' ? 'B' : 'A'
      for (const one of ['?', '=', other, '\\x', 'ü']) {
        const changed = data.slice(0, at) + one + data.slice(at + 1)
        expect(() => decryptGcm({ iv, tag, data: longText(changed, 70_000) }, aes)).toThrow(UnreadableAnswer)
      }
    }
  })

  it('decrypts CBC with arbitrary padding bytes, with the IV before the data or separate from it', () => {
    fc.assert(
      fc.property(bytes(3_000), key, fc.integer({ min: 1, max: 400 }), (plain, aes, size) => {
        const { iv, data } = cbc(plain, aes)
        const leading = Buffer.concat([iv, data]).toString('base64')

        expect(
          decryptCbc({ iv: iv.toString('base64'), data: data.toString('base64') }, aes).equals(plain),
        ).toBe(true)
        expect(decryptCbc({ iv: '', data: longText(leading, size) }, aes).equals(plain)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    0, 17, 255,
  ])('refuses CBC whose last byte is %i, which cannot be the number of padding bytes', (last) => {
    const aes = randomBytes(32)
    const cipher = createCipheriv('aes-256-cbc', aes, Buffer.alloc(16)).setAutoPadding(false)
    const data = cipher.update(Buffer.concat([Buffer.alloc(31), Buffer.from([last])])).toString('base64')

    expect(() => decryptCbc({ iv: Buffer.alloc(16).toString('base64'), data }, aes)).toThrow(UnreadableAnswer)
  })

  it('refuses every change of a single bit', () => {
    fc.assert(
      fc.property(
        bytes(300),
        key,
        fc.constantFrom('iv', 'tag', 'data'),
        fc.nat(),
        (plain, aes, member, nat) => {
          const sealed = gcm(plain, aes)
          const changed = Buffer.from(sealed[member], 'base64')
          fc.pre(changed.length > 0)
          const bit = nat % (changed.length * 8)
          changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)

          expect(() => decryptGcm({ ...sealed, [member]: changed.toString('base64') }, aes)).toThrow(
            UnreadableAnswer,
          )
        },
      ),
      { numRuns: 300 },
    )
  })

  it('throws only UnreadableAnswer, whatever the members are', () => {
    const anything = fc.oneof(fc.anything(), fc.base64String(), fc.string())
    fc.assert(
      fc.property(anything, anything, anything, (iv, tag, data) => {
        for (const decrypt of [decryptGcm, decryptCbc]) {
          try {
            decrypt({ iv, tag, data }, Buffer.alloc(32))
          } catch (error) {
            expect(error).toBeInstanceOf(UnreadableAnswer)
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('an answer', () => {
  const json = fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.dictionary(fc.string(), fc.string({ minLength: 4_000, maxLength: 4_200, unit: 'binary' })),
  )

  it('is read as JSON.parse would, however it is divided, also with long texts', async () => {
    await fc.assert(
      fc.asyncProperty(
        json,
        fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 }),
        async (value, cuts) => {
          const all = Buffer.from(JSON.stringify(value))
          const chunks = async function* () {
            for (let at = 0, cut = 0; at < all.length; cut += 1) {
              const end = at + (cuts[cut % cuts.length] ?? 1)
              yield all.subarray(at, end)
              at = end
            }
          }

          const answer = await readAnswer(chunks(), 10_000_000)

          const inline = (_: string, member: unknown) => (member instanceof LongText ? member.text() : member)
          expect(JSON.stringify(answer, inline)).toBe(JSON.stringify(JSON.parse(all.toString())))
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('a form', () => {
  it('is the base64url of the JSON and has the stated length, wherever large texts are', () => {
    const text = fc.base64String({ maxLength: 500 })
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), text)), (members) => {
        const large = members.map(([name, data]) => ({
          name,
          data: new LargeText(data.length, () => data.match(/.{1,7}/g) ?? []),
        }))
        const { bytes: length, pieces } = formBody({ members: large, last: 'ü' })

        const form = Buffer.concat([...pieces]).toString('latin1')

        expect(form).toHaveLength(length)
        expect(form).toMatch(/^j=[\w-]+$/)
        expect(JSON.parse(Buffer.from(form.slice(2), 'base64url').toString())).toEqual({
          members: members.map(([name, data]) => ({ name, data })),
          last: 'ü',
        })
      }),
    )
  })
})

describe('a time', () => {
  it.each([
    ['2026-03-09T08:15:00Z', '2026-03-09T08:15:00.000Z'],
    ['2026-03-09T08:15:00.5+0100', '2026-03-09T07:15:00.500Z'],
    ['2026-03-09T08:15:00+01:00[Europe/Berlin]', '2026-03-09T07:15:00.000Z'],
    ['2026-07-09 08:15', '2026-07-09T06:15:00.000Z'],
    ['2026-03-09T08:15:00.123456789', '2026-03-09T07:15:00.123Z'],
    ['09.07.2026 08:15:30', '2026-07-09T06:15:30.000Z'],
    ['09.07.2026, 08:15', '2026-07-09T06:15:00.000Z'],
    [1_773_044_100_000, '2026-03-09T08:15:00.000Z'],
    ['1773044100000', '2026-03-09T08:15:00.000Z'],
    ['999999999999', '2001-09-09T01:46:39.999Z'],
    ['20261129085430', '2026-11-29T07:54:30.000Z'],
    [20_260_709_081_500, '2026-07-09T06:15:00.000Z'],
    ['20260709T081500Z', '2026-07-09T08:15:00.000Z'],
    ['20260709081500.5+0100', '2026-07-09T07:15:00.500Z'],
  ])('%s is %s', (value, expected) => {
    expect(optionalTime(value, 'Europe/Berlin')).toBe(expected)
  })

  it.each([
    null,
    undefined,
    '',
    'gestern',
    '2026-13-09T08:15:00Z',
    '2026-03-09',
    '99.99.2026 08:15',
    12,
    {},
    '2026-02-30T99:00:00',
    '30.02.2026 08:15',
    '20260230081500',
    '20261309081500',
    '99999999999999',
    '202607090815',
    '20260709081500123',
    -1,
    1e30,
    1_773_044_100_000.5,
  ])('%s is not a time', (value) => {
    expect(optionalTime(value, 'Europe/Berlin')).toBeNull()
  })

  it('never fails', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string()), (value) => void optionalTime(value, 'Europe/Berlin')),
    )
  })
})

describe('rights', () => {
  const holder = { safeId: 'DE.BRAK.x', firstname: 'Änne', surname: 'Müller' }
  const shown = { safe_id: 'DE.BRAK.x', name: 'Änne Müller', firm: null, city: null, is_active: null }

  it.each([
    [
      'beside their holder',
      { rights: [{ postboxSafeId: 'P', ...holder, right: ['06', '1'], validUntil: '2026-12-31' }] },
    ],
    [
      'below a postbox',
      {
        postboxes: [
          {
            postboxSafeId: 'P',
            users: [
              { identity: holder, rights: [{ code: 6 }, { code: '01' }], validTo: '2026-12-31T23:59:59' },
            ],
          },
        ],
      },
    ],
    [
      'with their names',
      {
        accessrights: {
          postboxSafeId: 'P',
          user: holder,
          gueltigBis: '31.12.2026 23:59:59',
          list: ['01 - Übersicht', '06 Nachricht öffnen', '06 Nachricht öffnen'],
        },
      },
    ],
  ])('%s are found', (_, answer) => {
    expect(rightsOf({ token: 't', ...answer }, 'Europe/Berlin')).toEqual([
      { postbox_safe_id: 'P', holder: shown, rights: ['01', '06'], valid_until: '2026-12-31T22:59:59.000Z' },
    ])
  })

  it.each([
    ['no numbers', { rights: ['read', 'write'] }],
    ['numbers that are no rights', { rights: ['31', 0] }],
    ['postcodes', { list: ['80331'] }],
    ['nothing', {}],
  ])('are not guessed from %s', (_, answer) => {
    expect(rightsOf(answer, 'UTC')).toEqual([])
  })

  it('are read from any answer without an error', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.anything({ maxDepth: 10 })),
        (answer) => void rightsOf(answer, 'UTC'),
      ),
    )
  })
})
