import { scopes } from '#kernel/scope.ts'
import type { Credentials } from './credentials.ts'
import { cases, type DemoCase, links, otherCases, type PartyKey, parties } from './demo-cases.ts'

/** What the project's admin commands do, as far as the demo needs it. */
export type Admin = {
  createWorkspace: (input: {
    name: string
  }) => Promise<{ id: string; webhook_token: string; inbound_address: string }>
  createUser: (
    workspaceId: string,
    input: { name: string; email: string },
  ) => Promise<{ id: string; name: string; email: string }>
  createKey: (
    workspaceId: string,
    input: { user_id: string; name: string; scopes: string[] },
  ) => Promise<{ id: string; key: string }>
}

type Workspaces = Credentials['workspaces']

/**
 * Makes two firms with their users and keys through the admin commands, and their cases over HTTP through the
 * gateway at `baseUrl`, as any client would.
 *
 * @returns the workspaces for `credentials.json`. The first: an owner with every scope, a colleague with every
 *   scope but `workspace:admin`, a reader with the `:read` scopes. The second: one user with every scope.
 */
export async function makeDemo(admin: Admin, baseUrl: string): Promise<Workspaces> {
  const first = await makeWorkspace(admin, 'Kanzlei Lindner & Partner', [
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
  ])
  const second = await makeWorkspace(admin, 'Rechtsanwältin Aylin Demir', [
    { name: 'Aylin Demir', email: 'kanzlei@ra-demir.example', scopes: [...scopes] },
  ])
  await fillFirst(clientOf(baseUrl, first), first)
  await fillSecond(clientOf(baseUrl, second))
  return [first, second]
}

type NewUser = { name: string; email: string; scopes: string[] }

async function makeWorkspace(admin: Admin, name: string, newUsers: NewUser[]): Promise<Workspaces[number]> {
  const { id, webhook_token, inbound_address } = await admin.createWorkspace({ name })
  const users: Workspaces[number]['users'] = []
  for (const { scopes, ...newUser } of newUsers) {
    const user = await admin.createUser(id, newUser)
    const { key } = await admin.createKey(id, { user_id: user.id, name: 'Demo', scopes })
    users.push({ id: user.id, ...newUser, api_key: key, scopes })
  }
  return { id, name, webhook_token, inbound_address, users }
}

async function fillFirst(client: Client, workspace: Workspaces[number]): Promise<void> {
  const [owner = '', colleague = '', reader = ''] = workspace.users.map((user) => user.id)
  const staffIds = { owner, colleague, reader }
  const partyIds = new Map<PartyKey, string>()
  for (const [key, party] of Object.entries(parties) as [PartyKey, (typeof parties)[PartyKey]][]) {
    partyIds.set(key, (await client('POST', '/parties', party)).id)
  }

  const caseIds: string[] = []
  for (const { parties, staff, status, ...created } of cases) {
    const { id } = await client('POST', '/cases', created)
    caseIds.push(id)
    await client('POST', `/cases/${id}/parties`, {
      parties: parties.map(([key, role]) => ({ id: partyIds.get(key), role })),
    })
    await client('POST', `/cases/${id}/staff`, {
      staff: staff.map(([who, role]) => ({ id: staffIds[who], role })),
    })
    if (status !== undefined) await client('PUT', `/cases/${id}`, { status } satisfies Partial<DemoCase>)
  }
  for (const { from, to, type, note } of links) {
    await client('POST', `/cases/${caseIds[from]}/links`, { case_id: caseIds[to], type, note })
  }
}

async function fillSecond(client: Client): Promise<void> {
  for (const created of otherCases) await client('POST', '/cases', created)
}

/** Sends JSON to a path below `/api/v1` with the owner's key, and gives the answer's. */
type Client = (method: 'POST' | 'PUT', path: string, body: unknown) => Promise<{ id: string }>

function clientOf(baseUrl: string, workspace: Workspaces[number]): Client {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${workspace.users[0]?.api_key}`,
  }
  return async (method, path, body) => {
    const answer = await fetch(`${baseUrl}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok)
      throw new Error(`The demo data was refused: ${method} ${path} answered ${answer.status} ${text}`)
    return JSON.parse(text)
  }
}
