import { rareSurname } from './case-names.ts'
import type { Part, Row, Target } from './report.ts'
import { ask, type Handler, type Request } from './requests.ts'
import type { Firm } from './seed.ts'
import { type StoreCalls, unitsOf } from './store-calls.ts'
import { insurer } from './triage-seed.ts'

const maxReadUnits = 100

/** One name of each kind. */
const names: { what: string; name: string }[] = [
  { what: 'a frequent name', name: 'Thomas Müller' },
  { what: 'a frequent family name alone', name: 'Müller' },
  { what: 'an initial and a frequent family name', name: 'T. Müller' },
  { what: 'another spelling of a frequent name', name: 'Dr. Tomas Mueller' },
  { what: 'a rare name', name: `Anna ${rareSurname}` },
  { what: 'a firm', name: 'Becker Bau GmbH' },
  { what: 'a name that nobody has', name: 'Quirin Quitzdorf' },
  { what: 'the insurer of every case', name: insurer.name },
]

/** Measures what the table charges for a conflict check of one name (C10), by the number of parties. */
export async function measureConflictCheck(
  firms: Firm[],
  handler: Handler,
  storeCalls: StoreCalls,
): Promise<Part> {
  const rows: Row[] = []
  const targets: Target[] = []
  const largest = firms.at(-1)
  for (const firm of firms) await ask(handler, checking(firm, 'Niemand'))
  for (const { what, name } of names) {
    const row: Row = { name: `${what}: ${name}` }
    for (const firm of firms) {
      const { result, calls } = await storeCalls.record(() => ask(handler, checking(firm, name)))
      const { read } = unitsOf(calls)
      row[`at ${firm.parties}`] = `${read} R in ${calls.length}, ${JSON.parse(result.body).data.length} found`
      if (firm !== largest) continue
      targets.push({
        name: `conflict check of ${what} among ${firm.parties} parties`,
        measured: read,
        unit: 'R',
        max: maxReadUnits,
      })
    }
    rows.push(row)
  }
  return {
    title: 'Conflict check of one name: DynamoDB read units, by number of parties',
    method:
      'R read units as the table reports them, and the number of calls, with the look-up of the API key. Each party is named by a case, the insurer by all.',
    rows,
    targets,
  }
}

function checking({ key }: Firm, name: string): Request {
  return { method: 'POST', resource: '/api/v1/conflict-check', body: { names: [name] }, key }
}
