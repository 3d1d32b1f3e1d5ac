import { expect, test } from 'vitest'
import { germanPeriod } from '#deadlines/counting.ts'
import { type Area, areas, type Preset } from '#deadlines/preset.ts'
import { presets } from '#deadlines/presets.ts'

/** A line of the table that a lawyer reads: what, from when, how long, by which provision, and what is special. */
function line({ key, name, event, period, statute, ...more }: Preset): string {
  const { notfrist, extension, absolute, delivery, court, shift, checked_until } = more
  return [
    key,
    name,
    event,
    germanPeriod(period),
    statute,
    notfrist ? 'Notfrist' : extension ? 'verlängerbar' : '',
    absolute
      ? `${absolute.kind === 'start' ? 'beginnt' : 'endet'} spätestens mit Ablauf von ${germanPeriod(absolute.period)} nach ${absolute.field} (${absolute.statute})`
      : '',
    delivery ? `vermuteter Zugang: ${delivery}` : '',
    court ? `${court.seat} (${court.region})` : '',
    shift === 'none' ? 'ohne Verschiebung' : '',
    checked_until,
  ].join(' | ')
}

test('the table of all presets, by code, is the one that was read against the statutes', async () => {
  const of = (area: Area) => presets.filter((preset) => preset.area === area).map(line)
  const table = areas.map((area) => `## ${area}\n\n${of(area).join('\n')}\n`).join('\n')

  await expect(table).toMatchFileSnapshot('./preset-table.txt')
  expect(presets.length).toBeGreaterThan(130)
})
