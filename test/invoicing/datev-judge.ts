/**
 * Checks a DATEV batch of bookings field by field against the published format: DATEV developer portal, DATEV-Format,
 * "Einstieg" (structure of the file), "Header" and "Buchungsstapel" (format version 13). It shares no code with the
 * writer.
 *
 * @returns the faults with line and field; empty if the file is correct
 */
export function faultsOfBatch(file: Uint8Array): string[] {
  if (!textOf(file).endsWith('\r\n')) return ['the file does not end with CR LF']
  const lines = linesOf(file)
  const controls = lines.flatMap((line, at) =>
    /\p{Cc}/u.test(line) ? [`line ${at + 1}: a control character`] : [],
  )
  const [header = '', heading = '', ...bookings] = lines
  return [
    ...controls,
    ...faultsOfLine(header, headerFields, 'header'),
    ...(heading.split(';').length === bookingFields.length ? [] : ['heading: number of columns']),
    ...bookings.flatMap((line, at) => [
      ...faultsOfLine(line, bookingFields, `booking ${at + 1}`),
      ...faultsOfDay(line, header).map((fault) => `booking ${at + 1}: ${fault}`),
    ]),
  ]
}

/** The lines of a file: header, heading, bookings. */
export function linesOf(file: Uint8Array): string[] {
  return textOf(file).split('\r\n').slice(0, -1)
}

/** The bookings of a file. The numbers are the columns of the published format. */
export function bookingsOf(file: Uint8Array) {
  return linesOf(file)
    .slice(2)
    .map((line) => {
      const field = (place: number) => contentOf(fieldsOf(line)[place - 1])
      return {
        amount: field(1),
        side: field(2),
        account: field(7),
        contra: field(8),
        key: field(9),
        day: field(10),
        number: field(11),
        text: field(14),
        vatId: field(40),
        finalized: field(114),
        due: field(117),
      }
    })
}

function textOf(file: Uint8Array): string {
  return new TextDecoder('windows-1252').decode(file)
}

/** The fields of a line, with their quotes. */
function fieldsOf(line: string): string[] {
  return line.match(/(?<=^|;)("(?:[^"]|"")*"|[^;"]*)(?=;|$)/g) ?? []
}

/** The content of a field, without its quotes. */
function contentOf(field: string | undefined): string {
  return (field ?? '').replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')
}

function faultsOfLine(line: string, forms: RegExp[], where: string): string[] {
  const fields = fieldsOf(line)
  if (fields.join(';') !== line) return [`${where}: quotes`]
  if (fields.length !== forms.length) return [`${where}: ${fields.length} instead of ${forms.length} fields`]
  return forms.flatMap((form, at) =>
    form.test(fields[at] ?? '') ? [] : [`${where}: field ${at + 1}, ${fields[at]}`],
  )
}

/** The date of a booking has no year. It must be in the period of the header. */
function faultsOfDay(line: string, header: string): string[] {
  const ofHeader = fieldsOf(header)
  const [year = '', from = '', to = ''] = [ofHeader[12]?.slice(0, 4), ofHeader[14], ofHeader[15]]
  const day = fieldsOf(line)[9] ?? ''
  const date = `${year}${day.slice(2)}${day.slice(0, 2)}`
  return from <= date && date <= to ? [] : [`${day} is not in the period`]
}

const empty = /^$/
const emptyText = /^""$/
const text = (length: number) => new RegExp(`^"(?:[^"]|""){0,${length}}"$`)
const digits = (least: number, most: number) => new RegExp(`^\\d{${least},${most}}$`)
const optional = ({ source }: RegExp) => new RegExp(`^$|${source}`)
const optionalText = ({ source }: RegExp) => new RegExp(`^""$|${source}`)
const day = /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/
const germanDay = /^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])20\d{2}$/
const amount = /^(?!0+,00$)\d{1,10},\d{2}$/
const account = /^(?!0+$)\d{1,9}$/
const documentNumber = (length: number) => new RegExp(`^"[\\w$&%*+\\-/]{0,${length}}"$`)
const repeated = <Item>(count: number, ...items: Item[]): Item[] =>
  Array.from({ length: count }, () => items).flat()

const headerFields = [
  /^"EXTF"$/,
  /^700$/,
  /^21$/,
  /^"Buchungsstapel"$/,
  /^13$/,
  /^20\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d[0-5]\d\d{3}$/,
  empty,
  /^"\w{2}"$/,
  text(25),
  emptyText,
  /^(100[1-9]|10[1-9]\d|1[1-9]\d{2}|[2-9]\d{3}|[1-9]\d{4,6})$/,
  /^[1-9]\d{0,4}$/,
  day,
  /^[4-8]$/,
  day,
  day,
  text(30),
  /^"([A-Z]{2})?"$/,
  /^[12]$/,
  /^(0|30|40|50|64)$/,
  /^[01]$/,
  /^"[A-Z]{3}"$/,
  empty,
  emptyText,
  empty,
  empty,
  /^"(\d{2})?"$/,
  /^\d{0,4}$/,
  empty,
  emptyText,
  text(16),
]

const bookingFields = [
  amount,
  /^"[SH]"$/,
  optionalText(/^"[A-Z]{3}"$/),
  optional(/^[1-9]\d{0,3},\d{2,6}$/),
  optional(amount),
  optionalText(/^"[A-Z]{3}"$/),
  account,
  account,
  optionalText(/^"\d{1,4}"$/),
  /^(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])$/,
  documentNumber(36),
  documentNumber(12),
  optional(/^[1-9]\d{0,7},\d{2}$/),
  text(60),
  optional(/^[01]$/),
  text(9),
  optional(digits(3, 3)),
  optional(digits(2, 2)),
  optional(/^[01]$/),
  text(210),
  ...repeated(8, text(20), text(210)),
  text(36),
  text(36),
  optional(/^\d{1,12},\d{4}$/),
  text(15),
  optional(/^\d{2},\d{2}$/),
  optionalText(/^"[IKPS]"$/),
  digits(0, 3),
  digits(0, 3),
  digits(0, 1),
  digits(0, 2),
  digits(0, 3),
  ...repeated(20, text(20), text(210)),
  digits(0, 8),
  optional(/^\d{1,8},\d{2}$/),
  digits(0, 2),
  text(10),
  optional(/^20\d{2}$/),
  optional(germanDay),
  digits(0, 1),
  text(30),
  optionalText(/^"[A-Z]{2}"$/),
  digits(0, 2),
  optionalText(/^"[A-Z]{2}"$/),
  digits(0, 3),
  optional(/^\d{1,2},\d{2}$/),
  optional(digits(4, 8)),
  optionalText(/^"[A-Z]{2}"$/),
  text(36),
  optional(germanDay),
  text(35),
  optional(/^[01]$/),
  text(76),
  optional(digits(4, 4)),
  text(11),
  text(20),
  optional(germanDay),
  text(30),
  digits(0, 2),
  optional(/^[01]$/),
  optional(germanDay),
  optional(germanDay),
  optional(germanDay),
  optionalText(/^"[01G]"$/),
  optional(/^\d{1,2},\d{2}$/),
  optionalText(/^"[A-Z]{2}"$/),
  text(50),
  optional(/^[1-5]$/),
  text(15),
  optional(/^\d{2},\d{2}$/),
  optional(account),
]
