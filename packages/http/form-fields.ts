import { attempted } from '#kernel/attempted.ts'
import { invalid, invalidAt } from '#kernel/failure.ts'

export type FormLimits = {
  /** The maximum number of fields; each repetition counts. Default: 250. */
  fields?: number
  /** The maximum length of a field's value, in bytes of UTF-8. Default: 65 536. */
  fieldBytes?: number
  /** Whether fields that are not UTF-8 are read as Windows-1252. Otherwise each wrong byte becomes U+FFFD. */
  orWindows1252?: boolean
}

/** The fields of a form by name: a list if a name is repeated. */
export type FormFields = Record<string, string | string[]>

/**
 * The maximum size of a form, in bytes. Lambda gets a request as JSON of at most 6 MB, in which the body is base64, which
 * is a third longer (D3).
 */
export const maxFormBytes = Math.floor(4.4 * 1024 * 1024)

/** The limits of a form if its endpoint declares no others. */
export const defaultLimits = {
  fields: 250,
  fieldBytes: 64 * 1024,
  orWindows1252: false,
} as const satisfies Required<FormLimits>

/**
 * Groups the fields of a form by name. `[]` at the end of a name marks a list and is removed. The result is built from
 * entries, so that `__proto__` is an ordinary name.
 *
 * @throws Failure 400 for more or longer fields than the limits allow.
 */
export function groupFields(
  pairs: readonly (readonly [name: string, value: string])[],
  limits: Required<FormLimits>,
): FormFields {
  if (pairs.length > limits.fields) throw tooMany(limits.fields)
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) {
    if (Buffer.byteLength(value) > limits.fieldBytes) throw tooLong(name, limits.fieldBytes)
    const plain = plainName(name)
    values.set(plain, [...(values.get(plain) ?? []), value])
  }
  return Object.fromEntries(
    [...values].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]),
  )
}

/** The text of bytes in UTF-8. Bytes that are not UTF-8 are read as Windows-1252. */
export function utf8OrWindows1252(bytes: Uint8Array): string {
  return (
    attempted(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) ??
    new TextDecoder('windows-1252').decode(bytes)
  )
}

/** The name without the `[]` that marks a list. */
export function plainName(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name
}

export function tooMany(maxFields: number) {
  return invalidAt('body', `A form has at most ${maxFields} fields.`)
}

function tooLong(name: string, maxBytes: number) {
  const message = `A field has at most ${maxBytes} bytes.`
  return invalid(message, [{ path: `body.${name.slice(0, 100)}`, message }])
}
