/**
 * Whether spreadsheet programs may run a text that begins like this as a formula: it begins with `=`, `+`, `-`, `@`, tab
 * or a line break (X3). Full-width and small forms count as well, because programs with an East Asian setting read them
 * like the usual ones (Unicode compatibility, NFKC). Only the first character is checked.
 */
export function beginsFormula(text: string): boolean {
  const [first = ''] = text
  return /^[=+\-@\t\r\n]/.test(first.normalize('NFKC'))
}
