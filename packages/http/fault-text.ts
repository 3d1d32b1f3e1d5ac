import type * as z from 'zod'

/** The message for an invalid value whose schema has no message of its own. */
export const faultText: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `This must be ${nounOf(issue.expected)}.`
    case 'invalid_value':
      return issue.values.length === 1
        ? `This must be ${String(issue.values[0])}.`
        : `This must be one of ${issue.values.map(String).join(', ')}.`
    case 'too_small':
      return `${issue.inclusive ? 'At least' : 'More than'} ${counted(issue.minimum, issue.origin)}.`
    case 'too_big':
      return `${issue.inclusive ? 'At most' : 'Less than'} ${counted(issue.maximum, issue.origin)}.`
    case 'invalid_format':
      return formats[issue.format] ?? 'This does not have the form that is documented.'
    case 'unrecognized_keys':
      return `These fields are unknown: ${issue.keys.join(', ').slice(0, 200)}.`
    case 'invalid_union':
      return Array.isArray(issue.options)
        ? `This must be one of ${issue.options.map(String).join(', ')}.`
        : 'This has none of the forms that are documented.'
    default:
      return 'This is not valid.'
  }
}

function nounOf(expected: string): string {
  return nouns[expected] ?? `of the type ${expected}`
}

const nouns: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formats: Record<string, string> = {
  base64: 'This is not Base64.',
  date: 'This is not a calendar date, as YYYY-MM-DD.',
  datetime: 'This is not an ISO 8601 timestamp with Z or an offset.',
  email: 'This is not an e-mail address.',
  url: 'This is not a URL.',
  uuid: 'This is not a UUID.',
}

function counted(limit: number | bigint, origin: string): string {
  const [one, many] = units[origin] ?? []
  if (one === undefined) return String(limit)
  return `${limit} ${Number(limit) === 1 ? one : many}`
}

const units: Record<string, readonly [one: string, many: string]> = {
  array: ['entry', 'entries'],
  string: ['character', 'characters'],
}
