import type { CellRichTextValue, Style } from 'exceljs'
import type { Cell, FieldType } from '#exports/table-schema.ts'
import { cellValue, germanDay, germanMoment, withinExcelCell } from './cell-values.ts'

/** The value and the style of a cell for exceljs. */
export type XlsxCell = { value: string | number | boolean | CellRichTextValue; style: Partial<Style> }

/** The cell of a value; undefined if it is empty. */
export function xlsxCell(cell: Cell | undefined, type: FieldType, timeZone: string): XlsxCell | undefined {
  const value = cellValue(cell, type, timeZone)
  switch (value.is) {
    case 'nothing':
      return undefined
    case 'text':
      return textCell(value.text)
    case 'boolean':
      return { value: value.value, style: styles.boolean }
    case 'decimal':
      return isExactInExcel(value.digits)
        ? { value: Number(value.digits), style: styles[type] }
        : textCell(value.digits)
    case 'day':
      return value.date < firstDayOfExcel
        ? textCell(germanDay(value.date))
        : { value: serialOf(value.date), style: styles.date }
    case 'moment':
      return value.date < firstDayOfExcel
        ? textCell(germanMoment(value.date))
        : { value: serialOf(value.date), style: styles.timestamp }
  }
}

/** A cell of the header. */
export function headerCell(label: string): XlsxCell {
  return { value: textCell(label).value, style: headerStyle }
}

/**
 * A cell of text, never a formula. Its number format is "Text" (`@`), so it stays text when somebody edits it in Excel.
 * Characters that XML forbids become U+FFFD.
 */
function textCell(text: string): XlsxCell {
  const shortened = withinExcelCell(text)
  const escaped = escapedText(shortened)
  // In a plain value Excel drops white space at the ends and LibreOffice leaves escapes as they are.
  const isPlain = escaped === shortened && !/^\s|\s$/.test(escaped)
  return { value: isPlain ? escaped : { richText: [{ text: escaped }] }, style: styles.text }
}

/**
 * The text with the escapes of ECMA-376 part 1, 22.9.2.19 (ST_Xstring). `_x000D_` is a carriage return, which XML
 * readers would turn into a line feed. `_x005F_` is the underscore of a text that only looks like such an escape.
 */
function escapedText(text: string): string {
  if (!unusual.test(text)) return text
  return text
    .replace(forbiddenInXml, '\uFFFD')
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replaceAll('\r', '_x000D_')
    .replaceAll('\x7F', '_x007F_')
}

/** Finds a text that may need one of these replacements. */
const unusual = /[^\t\n\x20-\x7E\xA0-\uD7FF\uE000-\uFFFD]|_x/i

/** All characters that XML 1.0 does not allow (production 2). With the flag `u`, it also matches a lone surrogate. */
const forbiddenInXml = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** Numbers in Excel have 15 significant digits. */
function isExactInExcel(digits: string): boolean {
  return digits.length <= 15 || digits.replace(/^-?0*\.?0*|\./g, '').length <= 15
}

/** Excel counts a 29 February 1900, which did not exist. Programs agree on the numbers of later days only. */
const firstDayOfExcel = new Date('1900-03-01')

/** Days since 30 December 1899, with the time as a fraction. Fractions of seconds are cut off, not rounded. */
function serialOf(date: Date): number {
  return Math.floor(date.getTime() / 1_000) / 86_400 + 25_569
}

const styles: Record<FieldType, Partial<Style>> = {
  text: { numFmt: '@' },
  number: { numFmt: '0' },
  decimal: { numFmt: '#,##0.00##' },
  amount: { numFmt: '#,##0.00' },
  boolean: {},
  date: { numFmt: 'dd.mm.yyyy' },
  timestamp: { numFmt: 'dd.mm.yyyy hh:mm:ss' },
}

const headerStyle: Partial<Style> = {
  numFmt: '@',
  font: { bold: true, size: 11, name: 'Calibri', family: 2, scheme: 'minor' },
}
