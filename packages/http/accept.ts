/**
 * Which of these media types an `Accept` header prefers (RFC 9110, 12.5.1): the one with the greatest weight, of
 * several the first of `types`. Undefined where it takes none of them; without the header it takes all.
 */
export function preferredType(accept: string | undefined, types: readonly string[]): string | undefined {
  const ranges = (accept?.trim() || '*/*').split(',').map(readRange)
  const weighed = types.map((type) => ({ type, weight: weightOf(type, ranges) }))
  const best = weighed.reduce((one, other) => (other.weight > one.weight ? other : one))
  return best.weight > 0 ? best.type : undefined
}

type Range = { name: string; weight: number }

function readRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const number = weight === undefined ? 1 : Number(weight)
  return { name, weight: number >= 0 && number <= 1 ? number : 0 }
}

/** The weight of the most specific range that fits. */
function weightOf(type: string, ranges: Range[]): number {
  const fitting = [type, `${type.split('/')[0]}/*`, '*/*']
  return fitting.flatMap((name) => ranges.filter((range) => range.name === name))[0]?.weight ?? 0
}
