/** A number as offices write file numbers, in a line: from `start` to before `end`. */
type FoundNumber = {
  key: string
  suffix: string | null
  /** `0010/26`: it begins with 0 and has all digits of the office's form. Hardly anything else looks like this. */
  isWrittenInFull: boolean
  /** `10/26`: this may also be a month, an issue or a share. */
  isShort: boolean
  start: number
  end: number
}

/**
 * The form in which file numbers are compared and stored: number and year with two digits, so that `0010/26`, `10/26`,
 * `10-2026` and `0010/26 AL` are all `10/26`. `form` is any file number of the office. If it begins with the year, as
 * `2026/0010`, the two are read the other way round.
 *
 * @returns null if it is not made of a number and a year
 */
export function fileNumberKey(written: string, form: string): string | null {
  return findFileNumbers(written, form)[0]?.key ?? null
}

/** The key of a case's own file number. The form in which it is written is read from the number itself. */
export function caseNumberKey(fileNumber: string): string | null {
  return fileNumberKey(fileNumber, fileNumber)
}

/** The file numbers in a line. Numbers that continue with more digits or slashes, such as dates and phone numbers, do not count. */
export function findFileNumbers(line: string, form: string): FoundNumber[] {
  const { pattern, isYearFirst, digits } = formOf(form)
  const found: FoundNumber[] = []
  for (const match of line.matchAll(pattern)) {
    const [written, first = '', separator = '', second = '', suffix = null] = match
    const [number, year] = isYearFirst ? [second, first] : [first, second]
    if (Number(number) === 0) continue
    found.push({
      key: `${Number(number)}/${year.slice(-2)}`,
      suffix,
      isWrittenInFull: number.length >= digits && number.startsWith('0'),
      isShort: separator !== '/' || Number(number) <= 12,
      start: match.index,
      end: match.index + written.length,
    })
  }
  return found
}

const year = '((?:19|20)\\d\\d|\\d\\d)'
const before = '(?<![\\d/,+-])(?<!\\d[. ])'
const after = '(?! ?\\d|\\/\\d|\\/\\/)(?:[ /-]?([A-ZÄÖÜ]{2,3})(?![\\p{L}\\p{N}]))?'
const numberFirst = new RegExp(`${before}(\\d{1,6}) ?([/-]) ?${year}${after}`, 'gu')
const yearFirst = new RegExp(`${before}${year} ?([/-]) ?(\\d{1,6})${after}`, 'gu')

type Form = { pattern: RegExp; isYearFirst: boolean; digits: number }

function formOf(form: string): Form {
  const [, first = '', second = ''] = /(\d{1,6}) ?[/.-] ?(\d{1,6})/.exec(form) ?? []
  const isYear = (part: string) => /^(19|20)\d\d$/.test(part)
  // `2000/26` is the number 2000 of a year: an office that writes the year first pads the number.
  const isYearFirst =
    (isYear(first) && second.length !== 2) || (first.length === 2 && second.length > 2 && !isYear(second))
  return {
    pattern: isYearFirst ? yearFirst : numberFirst,
    isYearFirst,
    digits: Math.max((isYearFirst ? second : first).length, 3),
  }
}
