/**
 * Whether a log line matches the filter pattern of a metric. It supports the part of CloudWatch's patterns for JSON
 * that the stacks use: conditions joined by `&&`; a text is equal, or a field does not exist.
 *
 * @throws Error for a pattern that CloudWatch may know and this function does not
 */
export function matchesPattern(pattern: string, line: string): boolean {
  const [, conditions] = /^\{ (.+) \}$/.exec(pattern) ?? []
  if (conditions === undefined) throw new Error(`Unknown pattern: ${pattern}`)
  const fields: Record<string, unknown> = JSON.parse(line)
  return conditions.split(' && ').every((condition) => {
    const [, name = '', text, isAbsent] =
      /^\(?\$\.(\w+) (?:= "([^"]*)"|(NOT EXISTS))\)?$/.exec(condition) ?? []
    if (text !== undefined) return fields[name] === text
    if (isAbsent !== undefined) return fields[name] === undefined
    throw new Error(`Unknown condition: ${condition}`)
  })
}

/** The value that the metric of a filter gets from a line: a fixed number, or the number in a field. */
export function metricValueOf(metricValue: string, line: string): number {
  const [, field] = /^\$\.(\w+)$/.exec(metricValue) ?? []
  return Number(field === undefined ? metricValue : JSON.parse(line)[field])
}
