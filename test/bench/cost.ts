import { longCommonWord, rareSurname } from './case-names.ts'
import type { Part, Row, Target } from './report.ts'
import { ask, type Handler, type Request } from './requests.ts'
import type { Firm } from './seed.ts'
import { type StoreCalls, unitsOf } from './store-calls.ts'

export type Operation = { name: string; request: (firm: Firm) => Request; isHeldToTarget: boolean }

const maxGrowth = 1.2

/** Measures the units that the table charges for each operation of a function, in workspaces with many `things`. */
export async function measureCost(
  firms: Firm[],
  handler: Handler,
  storeCalls: StoreCalls,
  { things, first, operations } = ofCases(),
): Promise<Part> {
  const charges = new Map<string, Charge[]>()
  for (const firm of firms) {
    // Before the measurement, the first use of the key is noted and the secret of cursors is read.
    await ask(handler, first(firm))
    for (const { name, request } of operations) {
      const { result, calls } = await storeCalls.record(() => ask(handler, request(firm)))
      const page = JSON.parse(result.body).data
      const charge = { ...unitsOf(calls), found: Array.isArray(page) ? page.length : undefined }
      charges.set(name, [...(charges.get(name) ?? []), charge])
    }
  }

  const rows: Row[] = []
  const targets: Target[] = []
  for (const { name, isHeldToTarget } of operations) {
    const ofName = charges.get(name) ?? []
    const [smallest, largest] = [ofName[0], ofName.at(-1)].map(
      (charge) => (charge?.read ?? 0) + (charge?.write ?? 0),
    )
    const growth = (largest ?? 0) / (smallest ?? 1)
    rows.push({
      operation: name,
      ...Object.fromEntries(ofName.map((charge, at) => [`at ${firms[at]?.cases}`, describe(charge)])),
      growth: growth.toFixed(2),
    })
    if (isHeldToTarget) {
      targets.push({
        name: `cost of ${name}: growth from ${firms[0]?.cases} to ${firms.at(-1)?.cases} ${things}`,
        measured: growth,
        unit: '×',
        max: maxGrowth,
      })
    }
  }
  return {
    title: `Cost: DynamoDB units per operation, by number of ${things} in the workspace`,
    method:
      'R read and W write units as the table reports them, and the number of calls, with the look-up of the API key; pages of 50.',
    rows,
    targets,
  }
}

type Charge = { read: number; write: number; calls: number; found: number | undefined }

function describe({ read, write, calls, found }: Charge): string {
  const units = [read > 0 ? `${read} R` : '', write > 0 ? `${write} W` : '']
    .filter((part) => part !== '')
    .join(' + ')
  return `${units} in ${calls}${found === undefined ? '' : `, ${found} found`}`
}

/** The operations of a function. `first` is a list that is requested before anything is measured. */
export type Measured = { things: string; first: Operation['request']; operations: Operation[] }

function ofCases(): Measured {
  return { things: 'cases', first: listing({}).request, operations: caseOperations }
}

const cases = '/api/v1/cases'

/** The workspaces are filled by the bench itself, so all of them has changed since. */
const yesterday = new Date(Date.now() - 86_400_000).toISOString()

export const caseOperations: Operation[] = [
  { ...listing({}), name: 'list' },
  { ...listing({ status: 'closed' }), name: 'list by status' },
  { ...listing({ search: 'chmi' }), name: 'search, a full page' },
  { ...listing({ search: rareSurname }), name: 'search, three hits' },
  { ...listing({ search: 'gmbh miet' }), name: 'search, two words, a full page' },
  { ...listing({ search: 'gmbh wegen miet' }), name: 'search, three words, a full page' },
  // In both orders: the rarest term drives a search, whether or not it is the first or the longest.
  {
    ...listing({ search: `${rareSurname} ${longCommonWord}` }),
    name: 'search, a rare and a long common word',
  },
  {
    ...listing({ search: `${longCommonWord} ${rareSurname}` }),
    name: 'search, a long common and a rare word',
  },
  {
    ...listing({ search: `wegen ${longCommonWord} ${rareSurname}` }),
    name: 'search, two common words and a rare one',
  },
  // The same page in every workspace: three hits. A full page has few hits in a small workspace and more in a large one.
  {
    ...listing({ search: 'becker wagner', limit: '3' }),
    name: 'search, two words that seldom meet, three hits',
  },
  {
    ...listing({ search: 'becker wagner' }),
    name: 'search, two words that seldom meet',
    isHeldToTarget: false,
  },
  { ...listing({ search: 'becker wagner kaufpreis' }), name: 'search, three words that seldom meet' },
  // These pages end after a number of entries: in a large workspace they are empty and have a cursor.
  { ...listing({ search: 'werklohn kündigung' }), name: 'search, two common words that never meet' },
  { ...listing({ search: 'müller werklohn kündigung' }), name: 'search, three common words that never meet' },
  { ...listing({ search: 'xylophon quitzdorf' }), name: 'search, two words that no case has' },
  {
    ...listing({ status: 'closed', search: 'müller' }),
    name: 'search within a status',
    isHeldToTarget: false,
  },
  { ...listing({ updated_since: yesterday }), name: 'changes since a time, a full page' },
  {
    ...listing({ updated_since: yesterday, status: 'closed' }),
    name: 'changes since a time within a status, a full page',
  },
  { ...listing({ updated_since: yesterday, search: 'quitzdorf' }), name: 'changes since a time, none found' },
  {
    name: 'get',
    request: ({ key, oldestCaseId }) => ({
      method: 'GET',
      resource: `${cases}/{id}`,
      params: { id: oldestCaseId },
      key,
    }),
    isHeldToTarget: true,
  },
  {
    name: 'create',
    request: ({ key }) => ({
      method: 'POST',
      resource: cases,
      body: { name: 'Becker ./. Wagner wegen Kaufpreis', type: 'litigation' },
      key,
    }),
    isHeldToTarget: true,
  },
]

function listing(query: Record<string, string>): Omit<Operation, 'name'> {
  return { request: ({ key }) => ({ method: 'GET', resource: cases, query, key }), isHeldToTarget: true }
}
