import { describe, expect, it } from 'vitest'
import type { Cell, FieldType } from '#exports/table-schema.ts'
import { type CsvDialect, csvTables } from '#tables/csv-table.ts'
import fc from '#test/support/properties.ts'
import { hasPython, readCsv } from './other-programs.ts'
import { columnsOf, columnsOfAllTypes, written } from './tables.ts'

/** Tables as CSV (X3). */

/** How the one cell of a column of this type is written, without the header. */
async function cellOf(dialect: CsvDialect, type: FieldType, cell: Cell): Promise<string> {
  const columns = [...columnsOf(type, 'cell'), ...columnsOf('text', 'last')]
  const file = (await written(csvTables[dialect], columns, [{ cell, last: 'z' }])).toString()
  const separator = dialect === 'rfc4180' ? ',' : ';'
  const [, line] = /^\uFEFF?cell[,;]last\r\n([\s\S]*)\r\n$/.exec(file) ?? []
  expect(line?.slice(-2)).toBe(`${separator}z`)
  return line?.slice(0, -2) ?? ''
}

const row = {
  text: 'Müller; Söhne, "GmbH"',
  number: -5,
  decimal: '1.5',
  amount: '-1234.50',
  boolean: true,
  date: '2026-11-20',
  timestamp: '2026-11-20T09:30:59.999Z',
}

describe('CSV by RFC 4180', () => {
  it('has a header of labels, CRLF after each line, quotes if needed, and cells as in JSON', async () => {
    const file = await written(csvTables.rfc4180, columnsOfAllTypes, [row, {}])

    expect(file.toString()).toBe(
      [
        'Feld text,Feld number,Feld decimal,Feld amount,Feld boolean,Feld date,Feld timestamp\r\n',
        '"Müller; Söhne, ""GmbH""",-5,1.5,-1234.50,true,2026-11-20,2026-11-20T09:30:59.999Z\r\n',
        ',,,,,,\r\n',
      ].join(''),
    )
  })

  it('has no byte order mark, and cuts no text', async () => {
    const long = 'x'.repeat(100_000)

    expect(await cellOf('rfc4180', 'text', long)).toBe(long)
  })
})

describe('CSV for German Excel', () => {
  it('has a byte order mark, semicolons, decimal commas, German days and local times, ja and nein', async () => {
    const file = await written(csvTables['excel-de'], columnsOfAllTypes, [
      row,
      { ...row, boolean: false, number: 0, timestamp: '2026-07-01T22:00:00.000Z', date: '1899-12-31' },
    ])

    expect(file.toString()).toBe(
      [
        '\uFEFFFeld text;Feld number;Feld decimal;Feld amount;Feld boolean;Feld date;Feld timestamp\r\n',
        '"Müller; Söhne, ""GmbH""";-5;1,5;-1234,50;ja;20.11.2026;20.11.2026 10:30:59\r\n',
        '"Müller; Söhne, ""GmbH""";0;1,5;-1234,50;nein;31.12.1899;02.07.2026 00:00:00\r\n',
      ].join(''),
    )
  })

  it.each([
    ['2026-03-29T00:59:59.000Z', '29.03.2026 01:59:59'],
    ['2026-03-29T01:00:00.000Z', '29.03.2026 03:00:00'],
    ['2026-10-25T00:59:59.000Z', '25.10.2026 02:59:59'],
    ['2026-10-25T01:00:00.000Z', '25.10.2026 02:00:00'],
    ['9999-12-31T23:30:00.000Z', '9999-12-31T23:30:00.000Z'],
    ['2026-02-30T10:00:00.000Z', '2026-02-30T10:00:00.000Z'],
  ])('shows the moment %s as %s', async (moment, expected) => {
    expect(await cellOf('excel-de', 'timestamp', moment)).toBe(expected)
  })

  it('writes a day that does not exist unchanged', async () => {
    expect(await cellOf('excel-de', 'date', '2026-02-30')).toBe('2026-02-30')
  })

  it('keeps a text of 32 767 characters', async () => {
    expect(await cellOf('excel-de', 'text', 'x'.repeat(32_767))).toBe('x'.repeat(32_767))
  })

  it.each([
    ['beyond the limit', 'x'.repeat(32_768), `${'x'.repeat(32_756)}… [gekürzt]`],
    [
      'with a surrogate pair at the cut',
      `${'x'.repeat(32_755)}😀${'y'.repeat(99)}`,
      `${'x'.repeat(32_755)}… [gekürzt]`,
    ],
    [
      'that only the apostrophe makes too long',
      `=${'x'.repeat(32_766)}`,
      `'=${'x'.repeat(32_754)}… [gekürzt]`,
    ],
  ])('cuts a text %s and adds a mark', async (_, text, expected) => {
    expect(await cellOf('excel-de', 'text', text)).toBe(expected)
  })
})

describe.each(['rfc4180', 'excel-de'] as const)('CSV, dialect %s', (dialect) => {
  const delimiter = dialect === 'rfc4180' ? ',' : ';'

  it.each([
    '=1+1',
    '+49 89 1234',
    '-5',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\nx',
    '＝1+1',
    '＋49 89 1234',
    '－5',
    '＠SUM(A1)',
    '﹦1+1',
    '﹣5',
    '⁺1',
  ])('the text %j is never a formula', async (text) => {
    const cell = await cellOf(dialect, 'text', text)

    expect(cell).toBe(/[\r\n]/.test(text) ? `"'${text}"` : `'${text}`)
  })

  it('a label is never a formula', async () => {
    const file = await written(csvTables[dialect], [
      { field: 'a', label: '=cmd', type: 'text' },
      { field: 'b', label: '-1', type: 'amount' },
    ])

    expect(file.toString().replace('\uFEFF', '')).toBe(`'=cmd${delimiter}'-1\r\n`)
  })

  it.each([
    ['number', -5],
    ['amount', '-12.00'],
    ['decimal', '-0.0001'],
  ] as const)('a negative %s stays a number', async (type, cell) => {
    expect(await cellOf(dialect, type, cell)).toBe(
      dialect === 'rfc4180' ? String(cell) : String(cell).replace('.', ','),
    )
  })

  it.each([
    'number',
    'amount',
    'decimal',
    'boolean',
    'date',
    'timestamp',
  ] as const)('text in a column of type %s is protected like text elsewhere', async (type) => {
    expect(await cellOf(dialect, type, '-1+2')).toBe("'-1+2")
  })

  it.each([
    '00123',
    '1E5',
    '1.5',
    'true',
    '2026-11-20',
    "'x",
    ' x ',
    'ä😀',
    '\uFFFE',
  ])('the text %j stays unchanged', async (text) => {
    expect(await cellOf(dialect, 'text', text)).toBe(text)
  })

  it('NUL and lone surrogates become U+FFFD', async () => {
    expect(await cellOf(dialect, 'text', 'a\0b\uD800c')).toBe('a\uFFFDb\uFFFDc')
  })

  it('a row of one empty cell is still a row', async () => {
    const file = await written(csvTables[dialect], columnsOf('text', 'a'), [
      { a: '' },
      { a: null },
      { a: 'x' },
    ])

    expect(file.toString().replace('\uFEFF', '')).toBe('a\r\n""\r\n""\r\nx\r\n')
  })

  it.runIf(hasPython)('Python’s csv reads random texts, with the apostrophe and U+FFFD for NUL', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'=+-@\t\r\n";,\' \0a', '\r\n', '😀') }),
    )
    const columns = columnsOf('text', 'a', 'b')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyText, anyText), { maxLength: 50 }), async (cells) => {
        const file = await written(
          csvTables[dialect],
          columns,
          cells.map(([a, b]) => ({ a, b })),
        )
        const [, ...lines] = readCsv(file, delimiter)

        expect(lines).toEqual(cells.map((line) => line.map(asPromised)))
      }),
      { numRuns: 20 },
    )
  })
})

/** A text in CSV: with an apostrophe where a formula could begin. */
function asPromised(text: string): string {
  const mark = /^[=+\-@\t\r\n＝＋－＠﹦﹢﹣﹫⁼⁺₌₊﬩]/.test(text) ? "'" : ''
  return mark + text.split('\0').join('\uFFFD')
}
