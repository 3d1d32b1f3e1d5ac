/** One line of a table: columns by their heading. */
export type Row = Record<string, string | number>

/** A target and the measured value. */
export type Target = { name: string; measured: number; unit: string } & ({ max: number } | { min: number })

/** The results of one part of the bench. */
export type Part = {
  title: string
  /** How it was measured, in a sentence or two. */
  method: string
  rows: Row[]
  targets: Target[]
}

/** Whether a target is met. */
export function isMet(target: Target): boolean {
  return 'max' in target ? target.measured <= target.max : target.measured >= target.min
}

/** The parts as text for people. */
export function render(parts: Part[]): string {
  const tables = parts.map(({ title, method, rows }) => `${title}\n${method}\n\n${table(rows)}\n`)
  const verdicts = parts
    .flatMap((part) => part.targets)
    .map((target) => ({
      target: target.name,
      measured: `${round(target.measured)} ${target.unit}`.trim(),
      demanded: 'max' in target ? `≤ ${target.max}` : `≥ ${target.min}`,
      '': isMet(target) ? 'met' : 'MISSED',
    }))
  return [...tables, `Targets\n\n${table(verdicts)}`].join('\n')
}

function table(rows: Row[]): string {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [headings, ...rows.map((row) => headings.map((heading) => String(row[heading] ?? '')))]
  const isNumeric = headings.map((heading) =>
    rows.every((row) => /^(-?[\d.]+.*)?$/.test(String(row[heading] ?? ''))),
  )
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) =>
          isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `  ${line}`)
    .join('\n')
}

/** The median; of an even number of values, the mean of the two in the middle. */
export function median(values: number[]): number {
  return percentile(values, 0.5)
}

/** A quantile of the values, interpolated. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (sorted.length - 1) * share
  const [below = 0, above = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]]
  return below + (above - below) * (at - Math.floor(at))
}

/** Rounds to two decimals, and values of a hundred or more to none. */
export function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100
}
