import { describe, expect, it } from 'vitest'
import type { Cell, FieldType } from '#exports/table-schema.ts'
import { xlsxTable, xlsxTableOf } from '#tables/xlsx-table.ts'
import fc from '#test/support/properties.ts'
import { hasPython, type ReadCell, readXlsx } from './other-programs.ts'
import { columnsOf, columnsOfAllTypes, written } from './tables.ts'

/** Tables as XLSX (X3), read with Python's `zipfile` and XML parser. */

/** The cells that values of one type become. */
async function cellsOf(type: FieldType, ...values: Cell[]): Promise<(ReadCell | undefined)[]> {
  const file = await written(
    xlsxTable,
    columnsOf(type, 'cell'),
    values.map((cell) => ({ cell })),
  )
  const rows = readXlsx(file).sheets[0]?.rows ?? {}
  return values.map((_, at) => rows[at + 2]?.[`A${at + 2}`])
}

const text = (value: string) => ({ type: 'text', value, format: '@', bold: false })

describe.runIf(hasPython)('a table as XLSX', () => {
  it('has a bold header that stays visible, a filter over all columns, and columns that are wide enough', async () => {
    const labels = ['Aktenzeichen', 'Ein sehr langer Name einer Spalte, die kurz ist', '=1+1']
    const columns = labels.map((label, at) => ({ field: String(at), label, type: 'boolean' as const }))
    const [sheet] = readXlsx(await written(xlsxTable, columns, [{}, {}])).sheets

    expect(sheet?.name).toBe('Export')
    expect(sheet?.frozen_rows).toBe('1')
    expect(sheet?.filter).toBe('A1:C3')
    expect(Object.values(sheet?.rows[1] ?? {})).toEqual(labels.map((it) => ({ ...text(it), bold: true })))
    expect(sheet?.widths[1]).toBeGreaterThan(labels[1]?.length ?? 0)
  })

  it('names no person, and has no formula, macro, link, picture or shared text', async () => {
    const row = { text: 'https://example.de', number: 1 }
    const { people, parts, sheets } = readXlsx(await written(xlsxTable, columnsOfAllTypes, [row]))

    expect(people).toEqual(['Aktenlage', 'Aktenlage'])
    expect(parts.toSorted()).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'docProps/app.xml',
      'docProps/core.xml',
      'xl/_rels/workbook.xml.rels',
      'xl/styles.xml',
      'xl/theme/theme1.xml',
      'xl/workbook.xml',
      'xl/worksheets/sheet1.xml',
    ])
    expect(sheets[0]?.tags).not.toContain('f')
  })

  it('without rows has only a header', async () => {
    const [sheet] = readXlsx(await written(xlsxTable, columnsOf('text', 'a', 'b'))).sheets

    expect(sheet?.filter).toBe('A1:B1')
    expect(Object.keys(sheet?.rows ?? {})).toEqual(['1'])
  })

  it('has no cell for a missing value', async () => {
    const columns = columnsOf('text', 'a', 'b', 'c')
    const [sheet] = readXlsx(await written(xlsxTable, columns, [{ a: null, c: 'x' }, {}, { a: 'y' }])).sheets

    expect(Object.entries(sheet?.rows ?? {}).map(([row, cells]) => [row, ...Object.keys(cells)])).toEqual([
      ['1', 'A1', 'B1', 'C1'],
      ['2', 'C2'],
      ['4', 'A4'],
    ])
  })

  it('has numbers as numbers, with the format of their type', async () => {
    const number = (value: number, format: string) => ({ type: 'number', value, format, bold: false })

    expect(await cellsOf('number', -5, 0, 4_294_967_296)).toEqual(
      [-5, 0, 4_294_967_296].map((value) => number(value, '0')),
    )
    expect(await cellsOf('amount', '1234567.80', '-0.05', '0.00')).toEqual(
      [1_234_567.8, -0.05, 0].map((value) => number(value, '#,##0.00')),
    )
    expect(await cellsOf('decimal', '1.5', '-0.0001')).toEqual(
      [1.5, -0.0001].map((value) => number(value, '#,##0.00##')),
    )
  })

  it('has a number of more than 15 digits as text with all digits', async () => {
    expect(
      await cellsOf('amount', '9999999999999.99', '-12345678901234.56', '00000000000000000012.34'),
    ).toEqual([
      { type: 'number', value: 9_999_999_999_999.99, format: '#,##0.00', bold: false },
      text('-12345678901234.56'),
      { type: 'number', value: 12.34, format: '#,##0.00', bold: false },
    ])
    expect(await cellsOf('number', Number.MAX_SAFE_INTEGER)).toEqual([text('9007199254740991')])
  })

  it('has booleans', async () => {
    const cells = await cellsOf('boolean', true, false)

    expect(cells.map((cell) => [cell?.type, cell?.value])).toEqual([
      ['boolean', true],
      ['boolean', false],
    ])
  })

  it('has days as dates, or as text if Excel does not have the day', async () => {
    const cells = await cellsOf(
      'date',
      '1900-03-01',
      '2026-02-28',
      '9999-12-31',
      '1899-12-31',
      '1900-02-28',
      '2026-02-30',
    )

    expect(cells.slice(0, 3)).toEqual(
      ['1900-03-01', '2026-02-28', '9999-12-31'].map((day) => ({
        type: 'date',
        value: `${day}T00:00:00`,
        format: 'dd.mm.yyyy',
        bold: false,
      })),
    )
    expect(cells.slice(3)).toEqual(['31.12.1899', '28.02.1900', '2026-02-30'].map(text))
  })

  it('has moments in the local time of the workspace, also when summer time begins and ends', async () => {
    const expected = [
      ['2026-11-20T09:30:59.999Z', '2026-11-20T10:30:59'],
      ['2026-03-29T00:59:59.000Z', '2026-03-29T01:59:59'],
      ['2026-03-29T01:00:00.000Z', '2026-03-29T03:00:00'],
      ['2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00'],
      ['2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00'],
      ['2026-06-30T22:00:00.000Z', '2026-07-01T00:00:00'],
    ]
    const cells = await cellsOf('timestamp', ...expected.map(([moment = '']) => moment))

    expect(cells).toEqual(
      expected.map(([, value]) => ({ type: 'date', value, format: 'dd.mm.yyyy hh:mm:ss', bold: false })),
    )
  })

  it('has a moment as text if Excel does not have its day, or the day does not exist', async () => {
    const cells = await cellsOf(
      'timestamp',
      '1899-12-31T10:00:00.000Z',
      '9999-12-31T23:30:00.000Z',
      '2026-02-30T10:00:00.000Z',
    )

    expect(cells).toEqual(
      ['31.12.1899 11:00:00', '9999-12-31T23:30:00.000Z', '2026-02-30T10:00:00.000Z'].map(text),
    )
  })

  it('has every text in a cell of text, even if it looks like a number or a formula', async () => {
    const texts = [
      ...['=1+1', '+49 89', '-5', '@x', '\tx', '\rx', '00123', '1E5', '1.5', 'TRUE', '2026-11-20', '#REF!'],
      ...[
        'a"b',
        "'x",
        'a\nb',
        'a\r\nb',
        'a;b,c',
        '<a>&amp;',
        '😀',
        ' x ',
        '\n',
        '\u00A0x',
        '',
        '\x7F',
        '\x85',
      ],
      ...['_x0041_', '_x005F_', '_X000d_', '__x0041__', '_x005F_x0041_', '_x00', 'https://example.de'],
    ]

    expect(await cellsOf('text', ...texts)).toEqual(texts.map(text))
  })

  it('has U+FFFD for each character that XML forbids', async () => {
    expect(await cellsOf('text', 'a\0b\u0001c\u000Bd\uFFFEe\uFFFFf\uD800g\uDC00')).toEqual([
      text('a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg\uFFFD'),
    ])
  })

  it('cuts a text above Excel’s limit and adds a mark, never within a surrogate pair', async () => {
    const cells = await cellsOf(
      'text',
      'x'.repeat(32_767),
      'x'.repeat(32_768),
      `${'x'.repeat(32_755)}😀${'y'.repeat(99)}`,
      // Each is seven characters in the file, and one in the cell.
      '\r'.repeat(32_767),
    )

    expect(cells).toEqual(
      [
        'x'.repeat(32_767),
        `${'x'.repeat(32_756)}… [gekürzt]`,
        `${'x'.repeat(32_755)}… [gekürzt]`,
        '\r'.repeat(32_767),
      ].map(text),
    )
  })

  it.each([
    'number',
    'amount',
    'decimal',
    'boolean',
    'date',
    'timestamp',
  ] as const)('has a value that is not a %s as text in a column of this type', async (type) => {
    expect(await cellsOf(type, '=1+1', '1e5', '-')).toEqual(['=1+1', '1e5', '-'].map(text))
  })

  it('continues in a further sheet with its own header when one is full', async () => {
    const rows = Array.from({ length: 7 }, (_, at) => ({ a: `Zeile ${at}` }))
    const file = await written(
      xlsxTableOf({ rowsPerSheet: 3 }),
      columnsOf('text', 'a'),
      rows.slice(0, 4),
      rows.slice(4),
    )
    const { sheets } = readXlsx(file)

    expect(
      sheets.map(({ name, filter, rows: read }) => [
        name,
        filter,
        ...Object.values(read).map((cells) => Object.values(cells)[0]?.value),
      ]),
    ).toEqual([
      ['Export', 'A1:A4', 'a', 'Zeile 0', 'Zeile 1', 'Zeile 2'],
      ['Export 2', 'A1:A4', 'a', 'Zeile 3', 'Zeile 4', 'Zeile 5'],
      ['Export 3', 'A1:A2', 'a', 'Zeile 6'],
    ])
  })

  it('has a filter over columns after Z, too', async () => {
    const fields = Array.from({ length: 703 }, (_, at) => `f${at}`)
    const [sheet] = readXlsx(await written(xlsxTable, columnsOf('text', ...fields), [{ f702: 'x' }])).sheets

    expect(sheet?.filter).toBe('A1:AAA2')
    expect(Object.keys(sheet?.rows[2] ?? {})).toEqual(['AAA2'])
  })

  it('keeps random texts unchanged, except for characters that XML forbids', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(...'\t\r\n \0<&>"\'=', '_x0041_', '_x', '_', 'x000D_', '\uD83D', '😀'),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 50 }), async (texts) => {
        const cells = await cellsOf('text', ...texts)

        expect(cells.map((cell) => cell?.value)).toEqual(texts.map(asPromised))
      }),
      { numRuns: 25 },
    )
  })
})

/** A text with U+FFFD for every character that XML 1.0 does not allow. */
function asPromised(given: string): string {
  return Array.from(given, (character) =>
    isAllowed(character.codePointAt(0) ?? 0) ? character : '\uFFFD',
  ).join('')
}

function isAllowed(codePoint: number): boolean {
  if (codePoint < 0x20) return [0x09, 0x0a, 0x0d].includes(codePoint)
  return (codePoint < 0xd800 || codePoint > 0xdfff) && codePoint !== 0xfffe && codePoint !== 0xffff
}
