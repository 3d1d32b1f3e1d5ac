import { createHmac, randomUUID } from 'node:crypto'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { makePdf } from '#bea-simulator/messages/make-pdf.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { type Scope, scopes } from '#kernel/scope.ts'
import type { admin } from '../tools/admin/index.ts'
import type { Credentials } from './credentials.ts'
import { billingSettings, draftInvoice, invoice, timeEntries } from './demo-billing.ts'
import { cases, type DemoCase, links, otherCases, parties } from './demo-cases.ts'
import { type Client, clientOf } from './demo-client.ts'
import { beaDraft, type DemoMail, draft, receivedMails, sentMail } from './demo-correspondence.ts'
import { deadlines } from './demo-deadlines.ts'
import {
  type DemoDocument,
  type DocumentKey,
  documents,
  envelope,
  exportConfigs,
  folders,
  otherDocument,
  scanned,
} from './demo-documents.ts'
import { events } from './demo-events.ts'

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

/**
 * Fills the firms over HTTP through the gateway at `baseUrl`, like any client. Work that a request leaves to a queue
 * runs when the queues are read: texts of documents, triage, invitations to sign, beA messages.
 *
 * @param credentials of this run; with `bea`, the second firm connects its postbox
 */
export async function fillFirms(
  credentials: Pick<Credentials, 'base_url' | 'mail_signing_key' | 'bea' | 'workspaces'>,
): Promise<void> {
  const { base_url: baseUrl, workspaces } = credentials
  const [first, second] = workspaces
  if (first === undefined || second === undefined) throw new Error('The demo has two firms.')
  const ofUser = (workspace: Workspaces[number], at = 0) => clientOf(baseUrl, workspace.users[at]?.api_key)
  await Promise.all([
    fillFirst([ofUser(first), ofUser(first, 1)], first),
    fillSecond(ofUser(second), credentials.bea),
    receiveMails(clientOf(baseUrl), first.inbound_address, credentials.mail_signing_key),
  ])
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
  const caseIds: string[] = []
  await Promise.all([
    inParallel(Object.entries(parties), async ([key, party]) => {
      partyIds.set(key, (await client('POST', '/parties', party)).id)
    }),
    openCases(client, cases, caseIds),
  ])
  await inParallel([...cases.entries()], async ([at, { parties, staff, status }]) => {
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
  const made = { caseIds, partyIds, staffIds }
  await Promise.all([
    bill(client, made),
    enterDeadlines(client, colleagueClient, caseIds),
    enterEvents(client, made),
    // The token is not shown to anybody: it is in the list so that its owner can revoke it.
    client('POST', '/calendar/ical-tokens', {}),
    fileDocuments(client, made).then((documentIds) => writeMails(client, { caseIds, documentIds })),
    configureExports(client),
  ])
}

/** Opens the cases one after the other, so that their file numbers have the order of the list. */
async function openCases(
  client: Client,
  toOpen: readonly Pick<DemoCase, 'name' | 'file_number' | 'type' | 'dezernat' | 'description'>[],
  caseIds: string[],
): Promise<void> {
  for (const { name, file_number, type, dezernat, description } of toOpen)
    caseIds.push((await client('POST', '/cases', { name, file_number, type, dezernat, description })).id)
}

/** The ids of records in the first workspace, by the index or the key of the demo data. */
type Made = {
  caseIds: readonly string[]
  partyIds: ReadonlyMap<string, string>
  staffIds: Record<'owner' | 'colleague' | 'reader', string>
}

async function enterEvents(client: Client, { caseIds, staffIds }: Made): Promise<void> {
  for (const { case: at, attendees, on, from, to, ...fields } of events) {
    await client('POST', '/events', {
      ...fields,
      ...(at !== undefined && { case_id: caseIds[at] }),
      attendees: attendees.map((who) => staffIds[who]),
      start: `${dateOf(on)}T${from}:00Z`,
      end: `${dateOf(on)}T${to}:00Z`,
    })
  }
}

async function configureExports(client: Client): Promise<void> {
  for (const config of exportConfigs) await client('POST', '/exports/configs', config)
}

/** Uploads the documents into their folders and cases and sends the envelope. Returns the ids of the documents. */
async function fileDocuments(
  client: Client,
  { caseIds, partyIds }: Made,
): Promise<ReadonlyMap<string, string>> {
  const folderIds = new Map<string, string>()
  for (const [key, folder] of Object.entries(folders)) {
    const inCase = 'case' in folder && { case_id: caseIds[folder.case] }
    folderIds.set(key, (await client('POST', '/folders', { name: folder.name, ...inCase })).id)
  }
  const documentIds = new Map<string, string>()
  await inParallel(Object.entries<DemoDocument>(documents), async ([key, document]) => {
    const form = await formOf('file', document)
    if (document.case !== undefined) form.append('case_id', caseIds[document.case] ?? '')
    if (document.folder !== undefined) form.append('folder_id', folderIds.get(document.folder) ?? '')
    for (const party of document.parties ?? []) form.append('party_ids', partyIds.get(party) ?? '')
    documentIds.set(key, (await client('POST', '/documents', form)).id)
  })
  await client('POST', '/inbox/upload', await formOf('files', scanned))

  const { case: at, documents: inside, ...fields } = envelope
  await client('POST', `/cases/${caseIds[at]}/signing-envelopes`, {
    ...fields,
    document_ids: inside.map((key) => documentIds.get(key)),
    send_emails: true,
  })
  return documentIds
}

/** A form with a PDF that contains this text. */
async function formOf(
  field: string,
  { filename, text }: { filename: string; text: string },
): Promise<FormData> {
  const form = new FormData()
  const bytes = new Uint8Array(await makePdf(filename, text))
  form.append(field, new Blob([bytes], { type: 'application/pdf' }), filename)
  return form
}

async function writeMails(
  client: Client,
  { caseIds, documentIds }: { caseIds: readonly string[]; documentIds: ReadonlyMap<string, string> },
): Promise<void> {
  const written = ({ case: at, attachments, ...mail }: DemoMail) => ({
    ...mail,
    case_id: caseIds[at],
    attachments: attachments.map((key: DocumentKey) => documentIds.get(key)),
  })
  await client('POST', '/email/outbound/send', written(sentMail))
  await client('POST', '/email/outbound/drafts', written(draft))
}

/** Reports mail to the first workspace as the mail service does, which signs each call. */
async function receiveMails(client: Client, recipient: string, signingKey: string): Promise<void> {
  for (const mail of receivedMails) {
    const timestamp = String(Math.floor(epochMilliseconds() / 1_000))
    const token = randomUUID()
    const signature = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex')
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...mail, recipient, timestamp, token, signature }))
      form.append(name, value)
    await client('POST', '/email/inbound', form)
  }
}

/** Enters each deadline as one of the two users, and verifies some of them as the other. */
async function enterDeadlines(owner: Client, colleague: Client, caseIds: readonly string[]): Promise<void> {
  for (const { case: at, servedDaysAgo, preset, isOfColleague, isVerified, ...fields } of deadlines) {
    const [author, other] = isOfColleague ? [colleague, owner] : [owner, colleague]
    const { id } = await author('POST', '/deadlines', {
      ...fields,
      case_id: caseIds[at],
      calculation: { event_date: daysFromNow(-servedDaysAgo), preset },
    })
    if (isVerified) await other('POST', `/deadlines/${id}/verify`, {})
  }
}

/** Records time entries of the first workspace, issues an invoice for them, and drafts another one. */
async function bill(client: Client, ids: Made): Promise<void> {
  await client('PATCH', '/workspace', billingSettings)
  const billed: string[] = []
  for (const { case: at, staff, on, ...time } of timeEntries) {
    const { id } = await client('POST', '/time-entries', {
      ...time,
      case_id: ids.caseIds[at],
      user_id: ids.staffIds[staff],
      date: dateOf(typeof on === 'number' ? -on : on),
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

  const { case: draftCase, party: draftParty, dueInDays: draftDays, ...draft } = draftInvoice
  await client('POST', '/invoices', {
    ...draft,
    case_id: ids.caseIds[draftCase],
    party_id: ids.partyIds.get(draftParty),
    due_date: daysFromNow(draftDays),
  })
}

function dateOf(on: string | number): string {
  return typeof on === 'string' ? on : daysFromNow(on)
}

function daysFromNow(days: number): string {
  return new Date(epochMilliseconds() + days * 86_400_000).toISOString().slice(0, 10)
}

async function fillSecond(client: Client, certificates: Credentials['bea']): Promise<void> {
  const caseIds: string[] = []
  await openCases(client, otherCases, caseIds)
  await client('POST', '/documents', await formOf('file', otherDocument))
  const certificate = certificates?.find(({ safe_id }) => safe_id === safeIds.demir)
  if (certificate === undefined) return
  const { label, certificate_base64, passphrase } = certificate
  const { id: account_id } = await client('POST', '/bea/accounts', { label, certificate_base64, passphrase })
  await client('POST', '/bea/auth/login', { account_id })
  await client('POST', `/bea/accounts/${account_id}/sync`, {})
  const to = [{ name: 'Kanzlei Falkenberg', bea_id: safeIds.falkenberg }]
  await client('POST', '/bea/drafts', { ...beaDraft, account_id, to, case_id: caseIds[0] })
}
