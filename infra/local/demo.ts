import { type Scope, scopes } from '#kernel/scope.ts'
import type { admin } from '../tools/admin/index.ts'
import type { Credentials } from './credentials.ts'
import { billingSettings, invoice, timeEntries } from './demo-billing.ts'
import { cases, links, otherCases, parties } from './demo-cases.ts'
import { deadlines } from './demo-deadlines.ts'

/** The use cases of the admin command (W7). */
type Admin = ReturnType<typeof admin>

/** Mail to the demo firms stays on this machine, for which this name is reserved (RFC 6761). */
const inbound_domain = 'inbound.localhost'

type Workspaces = Credentials['workspaces']

/**
 * Creates two firms with their users and keys like the admin command.
 *
 * @returns the workspaces for `credentials.json`. The first: an owner with every scope, a colleague with every
 *   scope but `workspace:admin`, a reader with the `:read` scopes. The second: one user with every scope.
 */
export async function makeFirms(admin: Admin): Promise<Workspaces> {
  const first = await makeWorkspace(
    admin,
    { name: 'Kanzlei Lindner & Partner', holiday_region: 'DE-BY', inbound_domain },
    [
      { name: 'Dr. Katharina Lindner', email: 'lindner@kanzlei-lindner.example', scopes: [...scopes] },
      {
        name: 'Jonas Petersen',
        email: 'petersen@kanzlei-lindner.example',
        scopes: scopes.filter((scope) => scope !== 'workspace:admin'),
      },
      {
        name: 'Miriam Vogel',
        email: 'vogel@kanzlei-lindner.example',
        scopes: scopes.filter((scope) => scope.endsWith(':read')),
      },
    ],
  )
  const second = await makeWorkspace(
    admin,
    { name: 'Rechtsanwältin Aylin Demir', holiday_region: 'DE-BE', inbound_domain },
    [{ name: 'Aylin Demir', email: 'kanzlei@ra-demir.example', scopes: [...scopes] }],
  )
  return [first, second]
}

/** Creates the parties and cases of the firms over HTTP through the gateway at `baseUrl`, like any client. */
export async function fillFirms(baseUrl: string, [first, second]: Workspaces): Promise<void> {
  if (first === undefined || second === undefined) throw new Error('The demo has two firms.')
  const clients = [clientOf(baseUrl, first), clientOf(baseUrl, first, 1)] as const
  await Promise.all([fillFirst(clients, first), fillSecond(clientOf(baseUrl, second))])
}

type NewUser = { name: string; email: string; scopes: Scope[] }

async function makeWorkspace(
  admin: Admin,
  newWorkspace: Parameters<Admin['createWorkspace']>[0],
  newUsers: NewUser[],
): Promise<Workspaces[number]> {
  const { name } = newWorkspace
  const { id, webhook_token, inbound_address } = await admin.createWorkspace(newWorkspace)
  const users: Workspaces[number]['users'] = []
  for (const { name, email, scopes } of newUsers) {
    const user = await admin.createUser(id, { name, email })
    const { key } = await admin.createKey(id, { user_id: user.id, name: 'Demo', scopes })
    users.push({ id: user.id, name, email, api_key: key, scopes })
  }
  return { id, name, webhook_token, inbound_address, users }
}

async function fillFirst(
  [client, colleagueClient]: readonly [owner: Client, colleague: Client],
  workspace: Workspaces[number],
): Promise<void> {
  const [owner = '', colleague = '', reader = ''] = workspace.users.map((user) => user.id)
  const staffIds = { owner, colleague, reader }
  const partyIds = new Map<string, string>()
  await aFewAtOnce(Object.entries(parties), async ([key, party]) => {
    partyIds.set(key, (await client('POST', '/parties', party)).id)
  })

  // One after the other, so that the file numbers have the order of the list.
  const caseIds: string[] = []
  for (const { name, file_number, type, dezernat, description } of cases) {
    const { id } = await client('POST', '/cases', { name, file_number, type, dezernat, description })
    caseIds.push(id)
  }
  await aFewAtOnce([...cases.entries()], async ([at, { parties, staff, status }]) => {
    const path = `/cases/${caseIds[at]}`
    await client('POST', `${path}/parties`, {
      parties: parties.map(([key, role]) => ({ id: partyIds.get(key), role })),
    })
    await client('POST', `${path}/staff`, {
      staff: staff.map(([who, role]) => ({ id: staffIds[who], role })),
    })
    if (status !== undefined) await client('PUT', path, { status })
  })
  for (const { from, to, type, note } of links) {
    await client('POST', `/cases/${caseIds[from]}/links`, { case_id: caseIds[to], type, note })
  }
  await bill(client, { caseIds, partyIds, staffIds })
  await enterDeadlines(client, colleagueClient, caseIds)
}

/** Enters the deadlines as the owner, and verifies some of them as the colleague. */
async function enterDeadlines(owner: Client, colleague: Client, caseIds: string[]): Promise<void> {
  for (const { case: at, servedDaysAgo, preset, isVerified, ...fields } of deadlines) {
    const { id } = await owner('POST', '/deadlines', {
      ...fields,
      case_id: caseIds[at],
      calculation: { event_date: daysFromNow(-servedDaysAgo), preset },
    })
    if (isVerified) await colleague('POST', `/deadlines/${id}/verify`, {})
  }
}

/** Records the time of the first workspace and issues its invoice. */
async function bill(
  client: Client,
  ids: { caseIds: string[]; partyIds: Map<string, string>; staffIds: Record<string, string> },
): Promise<void> {
  await client('PATCH', '/workspace', billingSettings)
  const billed: string[] = []
  for (const { case: at, staff, daysAgo, ...time } of timeEntries) {
    const { id } = await client('POST', '/time-entries', {
      ...time,
      case_id: ids.caseIds[at],
      user_id: ids.staffIds[staff],
      date: daysFromNow(-daysAgo),
    })
    if (at === invoice.case && time.billable !== false) billed.push(id)
  }
  const { case: at, party, dueInDays, expenses, ...fields } = invoice
  const { id } = await client('POST', '/invoices', {
    ...fields,
    case_id: ids.caseIds[at],
    party_id: ids.partyIds.get(party),
    due_date: daysFromNow(dueInDays),
    lines: [...billed.map((time_entry_id) => ({ time_entry_id })), expenses],
  })
  await client('POST', `/invoices/${id}/issue`, {})
}

function daysFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

async function fillSecond(client: Client): Promise<void> {
  for (const created of otherCases) await client('POST', '/cases', created)
}

/** Sends JSON to a path below `/api/v1` with the key of a user, the owner by default, and gives the answer's. */
type Client = (method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown) => Promise<{ id: string }>

function clientOf(baseUrl: string, workspace: Workspaces[number], user = 0): Client {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${workspace.users[user]?.api_key}`,
  }
  return async (method, path, body) => {
    const answer = await fetch(`${baseUrl}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok)
      throw new Error(`The demo data was refused: ${method} ${path} answered ${answer.status} ${text}`)
    return JSON.parse(text)
  }
}

const atOnce = 4

async function aFewAtOnce<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
