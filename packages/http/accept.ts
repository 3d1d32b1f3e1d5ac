/**
 * The media type that an `Accept` header prefers (RFC 9110, 12.5.1): the one with the greatest weight; if weights are
 * equal, the first in `types`. Undefined if the header accepts none of them. A missing header accepts all.
 */
export function preferredType(accept: string | undefined, types: readonly string[]): string | undefined {
  const ranges = readRanges(accept?.trim() || '*/*')
  return best(types, (type) => weightOf([type, `${type.split('/')[0]}/*`, '*/*'], ranges))
}

/**
 * The language that an `Accept-Language` header prefers (RFC 9110, 12.5.4). `de-AT` accepts `de`. The first of
 * `languages` if the header is missing or accepts none of them.
 */
export function preferredLanguage<Language extends string>(
  acceptLanguage: string | undefined,
  languages: readonly [Language, ...Language[]],
): Language {
  const ranges = readRanges(acceptLanguage?.trim() || '*')
  const weight = (language: string) => {
    const own = ranges.filter(({ name }) => name === language || name.startsWith(`${language}-`))
    return own.length > 0 ? Math.max(...own.map((range) => range.weight)) : weightOf(['*'], ranges)
  }
  return best(languages, weight) ?? languages[0]
}

type Range = { name: string; weight: number }

function readRanges(header: string): Range[] {
  return header.split(',').map(readRange)
}

function readRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const number = weight === undefined ? 1 : Number(weight)
  return { name, weight: number >= 0 && number <= 1 ? number : 0 }
}

/** The weight of the first of these names that the header has. `names` begins with the most specific name. */
function weightOf(names: string[], ranges: Range[]): number {
  return names.flatMap((name) => ranges.filter((range) => range.name === name))[0]?.weight ?? 0
}

/** The choice with the greatest weight, the first one if several have it; undefined if all weights are 0. */
function best<Choice>(choices: readonly Choice[], weight: (choice: Choice) => number): Choice | undefined {
  const weighed = choices.map((choice) => ({ choice, weight: weight(choice) }))
  const heaviest = weighed.reduce((one, other) => (other.weight > one.weight ? other : one))
  return heaviest.weight > 0 ? heaviest.choice : undefined
}
