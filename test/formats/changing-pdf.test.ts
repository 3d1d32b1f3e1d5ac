import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { changesOf } from '#formats/changing-pdf.ts'
import { beginningsIn, type PdfPlace } from '#formats/pdf-objects.ts'
import { openByReferences } from '#sealing/open-by-references.ts'
import { changingPdfs, lastingPdfs } from '#test/support/changing-pdfs.ts'

it.each(changingPdfs)('%s is found, and nothing else: %s', async (_, reason, make) => {
  expect(await changesOf(Buffer.from(make()))).toEqual([reason])
})

it.each(lastingPdfs)('%s says the same in every reader', async (_, make) => {
  expect(await changesOf(Buffer.from(make()))).toEqual([])
})

it('of bytes cut off anywhere, something is found or refused, and it ends', async () => {
  const [, , make] = changingPdfs[0] ?? []
  const file = Buffer.from(make?.() ?? [])

  for (let length = 0; length < file.length; length += 7) {
    const found = await changesOf(file.subarray(0, length)).catch((error: Error) => error.name)
    expect(Array.isArray(found) || found === 'FormatFault').toBe(true)
  }
})

const packed = (more: string, head: string, text: string) => {
  const data = deflateSync(Buffer.from(`${head}${text}`)).toString('latin1')
  return `9 0 obj<<${more}/First ${head.length}/Filter/FlateDecode>>stream\n${data}\nendstream endobj `
}
const widgets = (more: string) =>
  Array.from(
    { length: 3_000 },
    (_, at) => `${at + 20} 0 obj<</Subtype/Widget/F 4/Rect[0 0 1 1]${more}>>endobj `,
  ).join('')

it.each([
  ['strings in strings', () => '1 0 obj('.repeat(60_000) + ')'.repeat(60_000)],
  ['a comment', () => `${'1 0 obj%'.repeat(60_000)}\n<<>>`],
  ['a hexadecimal string', () => `${'1 0 obj<'.repeat(60_000)}>`],
  [
    'a stream that has one object often',
    () => packed('/N 300000', '1 0 '.repeat(300_000), `[${'1 '.repeat(1e6)}]`),
  ],
])('objects in %s are not read again and again', { timeout: 10_000 }, async (_, text) => {
  await expect(changesOf(Buffer.from(text(), 'latin1'))).rejects.toMatchObject({ kind: 'too_large' })
})

it.each([
  ['its number', (comments: string) => `1${comments}0 obj<</S/Launch>>endobj`],
  ['its generation', (comments: string) => `1 0${comments}obj<</S/Launch>>endobj`],
  ['what is no number', (comments: string) => `${comments}obj`],
])('a hundred thousand comments behind %s are refused', async (_, text) => {
  const comments = (count: number) => Buffer.from(text('\n%x\n'.repeat(count)))

  for (const count of [300, 100_000])
    await expect(changesOf(comments(count))).rejects.toMatchObject({ kind: 'too_large' })
})

it('fields that share what is large are compared within limits', { timeout: 20_000 }, async () => {
  const drawing = deflateSync(Buffer.from('(aaaaaaaa) Tj '.repeat(70_000))).toString('latin1')
  const files = [
    `2 0 obj<</Filter/FlateDecode>>stream\n${drawing}\nendstream endobj ${widgets('/FT/Tx/V(a)/AP<</N 2 0 R>>')}`,
    `2 0 obj<</FT/Ch/V(a)/Opt[${'[(a)(b)]'.repeat(30_000)}]>>endobj 3 0 obj<<>>stream\n(c) Tj\nendstream endobj ${widgets('/Parent 2 0 R/AP<</N 3 0 R>>')}`,
  ]

  for (const file of files) expect(await changesOf(Buffer.from(file, 'latin1'))).toEqual(['drawn_by_reader'])
})

/** So many that to look through something large for each of them would take minutes. */
const sharing = (object: string, more: string, type = 'Widget/FT/Btn') =>
  `2 0 obj${object}endobj 3 0 obj<<>>stream\n(a) Tj\nendstream endobj ${Array.from({ length: 20_000 }, (_, at) => `${at + 20} 0 obj<</Subtype/${type}/F 4/Rect[0 0 1 1]${more}>>endobj `).join('')}`
const names = Array.from({ length: 100_000 }, (_, at) => `/s${at} 3 0 R`).join('')

it.each([
  ['states', () => sharing(`<<${names}>>`, '/V/s1/AS/s1/AP<</N 2 0 R>>')],
  ['a caption', () => sharing(`(${'a'.repeat(500_000)})`, '/MK<</CA 2 0 R>>/AP<</N 3 0 R>>')],
  ['the style of a frame', () => sharing(`<<${names}/W 0>>`, '/Border[0 0 0]/BS 2 0 R', 'Link')],
  ['drawings', () => sharing(`<<${names}/N 3 0 R>>`, '/AP 2 0 R', 'Stamp')],
  ['a drawing that is named often', () => sharing(`<<${'/N 3 0 R'.repeat(100_000)}>>`, '/AP 2 0 R', 'Stamp')],
])(
  'annotations that share %s with very much in it are not compared for ever',
  { timeout: 10_000 },
  async (_, text) => {
    expect(await changesOf(Buffer.from(text(), 'latin1'))).toEqual(['drawn_by_reader'])
  },
)

it('a value in an object stream that replaces an older one is not the same in every reader', async () => {
  const widget = '7 0 obj<</Subtype/Widget/FT/Tx/F 4/Rect[0 0 9 9]/V(b)/AP<</N 8 0 R>>>>endobj '
  const drawn =
    '8 0 obj<</BBox[0 0 9 9]/Resources<</Font<</F<</Subtype/Type1/BaseFont/Helvetica>>>>>>>>stream\nBT /F 9 Tf 1 2 Td (b) Tj ET\nendstream endobj '
  const update = packed('/N 1', '7 0 ', '<</Subtype/Widget/FT/Tx/F 4/Rect[0 0 9 9]/V(b)/AP<</N 8 0 R>>>>')

  const [without, after] = await Promise.all(
    [widget + drawn, widget + drawn + update].map((file) => changesOf(Buffer.from(file, 'latin1'))),
  )

  expect([without, after]).toEqual([[], ['drawn_by_reader']])
})

it('object streams that share data, name no objects and break off are not inflated for ever', {
  timeout: 10_000,
}, async () => {
  // Each begins with a stored block that holds the head of the next one.
  const heads = Array.from({ length: 3_000 }, (_, at) =>
    Buffer.from(`\n${at + 1} 0 obj<</N -1/First 1/Filter/FlateDecode>>stream\n\x78\x01`, 'latin1'),
  )
  const stored = ({ length }: Buffer) =>
    Buffer.from([0, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255])
  const zeros = deflateRawSync(Buffer.alloc(31 * 2 ** 20), { finishFlush: constants.Z_FULL_FLUSH })
  const quoted = heads.slice(1).flatMap((head) => [stored(head), head])
  const file = Buffer.concat([heads[0] ?? Buffer.of(), ...quoted, zeros, Buffer.of(7, 255)])

  await expect(changesOf(file)).rejects.toMatchObject({ kind: 'corrupt' })
})

it('an object stream of which readers may find more is refused', async () => {
  const stream = packed('/N 0/N 1', '20 0 ', '<</S/Launch>>')

  await expect(changesOf(Buffer.from(stream, 'latin1'))).rejects.toMatchObject({ kind: 'corrupt' })
})

it.each([
  [
    'is too large',
    `<</Filter/FlateDecode>>stream\n${deflateSync(Buffer.alloc(2 ** 21)).toString('latin1')}\nendstream endobj `,
    0,
  ],
  ['has no end', '<<>>stream\n', 10_000_000],
])(
  'boxes that share a drawing that %s are not compared for ever',
  { timeout: 10_000 },
  async (_, drawing, more) => {
    const box = '<</Subtype/Widget/FT/Btn/F 4/Rect[0 0 1 1]/V/a/AS/a/AP<</N<</a 2 0 R>>>>>>'
    const boxes = Array.from({ length: 20_000 }, (_, at) => `${at + 20} 0 obj${box}endobj `).join('')
    const file = Buffer.from(`2 0 obj${drawing}${boxes}${' '.repeat(more)}`, 'latin1')

    expect(await changesOf(file)).toEqual(['drawn_by_reader'])
  },
)

/** The places of what looks like an object, in the order of the file. */
const placesIn = (file: Buffer): PdfPlace[] =>
  [...beginningsIn(file)].map(({ number = -1, body }) => ({ number, bytes: file, body }))

const bad = '<</Type/Annot/Subtype/Square/F 4/Rect[0 0 9 9]/AP 8 0 R>>'
const good = '<</Type/Annot/Subtype/Square/F 4/Rect[0 0 9 9]/AP<</N 9 0 R>>>>'
const drawing = '8 0 obj<</N null>>endobj 9 0 obj<<>>stream\nendstream endobj '

it.each([
  [
    'behind a comment that ends what has begun',
    '6 0 obj<</X[%]>>endobj\n<</OC<</Typ#65/OCG>>>>]>>endobj',
    ['layers'],
  ],
  ['behind an escaped parenthesis', '6 0 obj<</T(\\)(\\()>\\()/A<</S/Launch>>>>endobj', ['acts']],
  ['behind a name in a hexadecimal string', '6 0 obj[<2F /JS><</S/Hide>>]endobj', ['acts']],
  [
    'in a name of which each letter is written by its number',
    `6 0 obj<</S/${[...Buffer.from('SubmitForm')].map((byte) => `#${byte.toString(16)}`).join('')}>>endobj`,
    ['acts'],
  ],
  ['between braces, zero bytes and form feeds', '6 0 obj<<{/X}\0/S\f/ImportData\0>>endobj', ['acts']],
  ['behind a comment between a key and its value', '6 0 obj<</S%/GoTo\r/Launch>>endobj', ['acts']],
  ['as a name by itself', '6 0 obj %/Foo\n/JavaScript endobj', ['acts']],
  ['as the last byte of the file', '6 0 obj/Movie', ['media']],
  [
    'of an annotation that replaces a good one',
    `6 0 obj${good}endobj 6 0 obj${bad}endobj ${drawing}`,
    ['drawn_by_reader'],
  ],
  ['of an annotation that a good one replaces', `6 0 obj${bad}endobj 6 0 obj${good}endobj ${drawing}`, []],
  ['of an annotation that plain words replace', `6 0 obj${bad}endobj 6 0 obj[1 2 3]endobj ${drawing}`, []],
  [
    'of an action that a later object decides',
    '6 0 obj<</S/Thread/A 7 0 R>>endobj 7 0 obj<</S/Named>>endobj 7 0 obj[<</S/Trans>>]endobj',
    ['acts'],
  ],
])('a reason %s is found, whether or not the places of objects are known', async (_, text, reasons) => {
  const file = Buffer.from(text, 'latin1')

  const found = await Promise.all([
    changesOf(file),
    changesOf(placesIn(file)),
    changesOf(placesIn(file).values()),
  ])

  expect(found).toEqual([reasons, reasons, reasons])
})

it.each(
  changingPdfs,
)('%s is found too by the places that cross-references name: %s', async (_, reason, make) => {
  const opened = await openByReferences(make())

  if (opened !== undefined) expect(await changesOf(opened.places)).toEqual([reason])
})

it('an object that does not end is refused, also where its place is known', async () => {
  for (const text of ['6 0 obj<</X[1 2', '6 0 obj(a', '6 0 obj<</X<41', `6 0 obj${'['.repeat(600)}`]) {
    const file = Buffer.from(text)
    await expect(changesOf(file)).rejects.toMatchObject({ kind: 'corrupt' })
    await expect(changesOf(placesIn(file))).rejects.toMatchObject({ kind: 'corrupt' })
  }
})
