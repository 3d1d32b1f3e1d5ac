import { setTimeout as sleep } from 'node:timers/promises'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { createClient } from '#store/client.ts'
import { type Api, api } from '#test/support/api.ts'
import { upload } from '#test/support/documents.ts'
import { type Service, startService } from '#test/support/service.ts'

/** A day of a law firm with beA, over HTTP: from the service of a judgment to the deadline that is completed. */

let service: Service
let owner: Api
let gateway: string

beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'], bea: true })
  const [user] = service.credentials.workspaces[0]?.users ?? []
  owner = api(service.baseUrl, user?.api_key)
  gateway = service.environment.BEA_GATEWAY_URL ?? ''
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
})
afterAll(() => service.stop())

/** Returns once a worker has noted whose messages are filed in the case, which no answer of the service shows. */
async function learntBy(caseId: string): Promise<void> {
  const client = createClient()
  const lessons = new ScanCommand({
    TableName: service.environment.TABLE_NAME,
    ConsistentRead: true,
    FilterExpression: 'case_id = :case AND #entity = :lesson',
    ExpressionAttributeNames: { '#entity': '__edb_e__' },
    ExpressionAttributeValues: { ':case': caseId, ':lesson': 'learntsender' },
  })
  await vi.waitUntil(async () => (await client.send(lessons)).Count, { timeout: 90_000, interval: 250 })
}

/** Makes something happen in the network, without the gateway. */
async function control(command: object) {
  const answer = await fetch(new URL('control', gateway), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

/** The answer once it is as expected. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
async function until(path: string, isDone: (body: any) => boolean, seconds = 90): Promise<any> {
  for (const end = epochMilliseconds() + seconds * 1_000; ; await sleep(250)) {
    const { body } = await owner('GET', path)
    if (isDone(body)) return body
    if (epochMilliseconds() > end) throw new Error(`${path} is ${JSON.stringify(body)}`)
  }
}

const post = async (path: string, body: object) => {
  const answer = await owner('POST', path, { body })
  expect([200, 201, 202], JSON.stringify(answer.body)).toContain(answer.status)
  return answer.body
}

it('court sends, we import, file, give the receipt, answer, and complete the deadline with the acknowledgement', async () => {
  // Prepare
  const lindner = service.credentials.bea?.find(({ safe_id }) => safe_id === safeIds.lindner)
  const account = await post('/api/v1/bea/accounts', {
    certificate_base64: lindner?.certificate_base64,
    passphrase: lindner?.passphrase,
    label: 'Postfach',
  })
  await post('/api/v1/bea/auth/login', { account_id: account.id })
  const caseOf = await post('/api/v1/cases', { name: 'Meier ./. Schulze', type: 'litigation' })
  /** Synchronises until the message is there: one that the schedule began may have read the folder before it came. */
  const imported = async (subject: string): Promise<{ id: string }> => {
    for (const end = epochMilliseconds() + 90_000; ; await sleep(250)) {
      await post(`/api/v1/bea/accounts/${account.id}/sync`, {})
      const { data } = (await owner('GET', '/api/v1/bea/messages')).body
      const found = data.find((one: { subject: string }) => one.subject === subject)
      if (found !== undefined) return found
      if (epochMilliseconds() > end) throw new Error(`${subject} is not imported.`)
    }
  }
  const court = { from: safeIds.landgericht, to: safeIds.lindner }

  // The court has written before: the case knows its mailbox.
  await control({ seed: { ...court, subject: 'Eingangsverfügung', reference_justice: '3 O 45/26' } })
  const { id: firstId } = await imported('Eingangsverfügung')
  await post(`/api/v1/bea/messages/${firstId}/assign`, { case_id: caseOf.id })
  await learntBy(caseOf.id)

  // The court serves a judgment and asks for a receipt; the triage files it by our file number.
  await control({
    seed: {
      ...court,
      subject: 'Zustellung Urteil',
      body: 'Anbei das Urteil.',
      reference_number: '3 O 45/26',
      reference_justice: caseOf.file_number,
      xjustiz: true,
      eeb_requested: true,
      attachments: [{ name: 'Urteil.pdf', text: 'Im Namen des Volkes' }],
    },
  })
  const judgment = await imported('Zustellung Urteil')
  const path = `/api/v1/bea/messages/${judgment.id}`
  const filed = await until(path, ({ case_id }) => case_id !== null)

  // The deadline is noted, then the receipt is given.
  const today = systemClock.now().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
  const due = await post('/api/v1/deadlines', { title: 'Berufung', case_id: caseOf.id, due_at: '2031-04-16' })
  await post(`${path}/eeb`, { action: 'confirm', date: today, deadline_id: due.id })
  const confirmed = await until(path, ({ eeb }) => eeb.status === 'confirmed')

  // The answer is written from the case and sent to the court.
  const bytes = new TextEncoder().encode('%PDF-1.7\n% Berufung')
  const document = (await upload(owner, { bytes, filename: 'Berufung Meier.pdf' }, { case_id: caseOf.id }))
    .body
  const draft = await post('/api/v1/bea/drafts', {
    account_id: account.id,
    to: [{ name: 'Landgericht', bea_id: safeIds.landgericht }],
    subject: 'Berufung',
    body: 'Anbei die Berufung.',
    attachments: [document.id],
    reference_sender: caseOf.file_number,
    reference_recipient: '3 O 45/26',
    case_id: caseOf.id,
  })
  await post(`/api/v1/bea/drafts/${draft.id}/send`, { rename: true })
  const sent = await until(`/api/v1/bea/drafts/${draft.id}`, ({ message_id }) => message_id !== null)
  const message = (await owner('GET', `/api/v1/bea/messages/${sent.message_id}`)).body

  // Act
  const done = await post(`/api/v1/deadlines/${due.id}/complete`, {
    evidence: { type: 'bea_receipt', message_id: sent.message_id },
  })

  // Assess
  expect(filed.case_id).toBe(caseOf.id)
  expect(confirmed.eeb).toEqual({ status: 'confirmed', date: today })
  expect(sent).toMatchObject({ status: 'sent', error: null })
  expect(message).toMatchObject({ direction: 'outbound', case_id: caseOf.id })
  expect(done).toMatchObject({ status: 'completed', evidence: { message_id: sent.message_id } })

  const { folders } = (await control({ postbox: safeIds.landgericht })) as {
    folders: { type: string; messages: { subject: string }[] }[]
  }
  const inbox = folders.find(({ type }) => type === 'INBOX')
  const subjects = (inbox?.messages ?? []).map(({ subject }) => subject)
  expect(subjects.filter((subject) => subject === 'Berufung')).toHaveLength(1)
  expect(subjects.filter((subject) => subject.startsWith('Empfangsbekenntnis'))).toHaveLength(1)

  const history = (await owner('GET', `/api/v1/deadlines/${due.id}/history`)).body
  expect(history.intact).toBe(true)
  expect(history.data.map(({ action }: { action: string }) => action)).toEqual([
    'created',
    'receipt_given',
    'completed',
  ])
  const register = (await owner('GET', '/api/v1/deadlines/register')).body
  expect(
    register.entries
      .filter(({ deadline }: { deadline: { id: string } }) => deadline.id === due.id)
      .map(({ action }: { action: string }) => action),
  ).toEqual(['created', 'receipt_given', 'completed'])
  const page = await owner('GET', '/api/v1/deadlines/register', { headers: { Accept: 'text/html' } })
  const [, total, counts = ''] =
    /<p class="totals">(\d+) Vorg(?:ang|änge): ([^<]*)/.exec(String(page.body)) ?? []
  expect(counts).toContain('1 Empfangsbekenntnis abgegeben')
  expect(counts.split(' · ').reduce((sum, count) => sum + Number.parseInt(count, 10), 0)).toBe(Number(total))
  const timeline = (await owner('GET', `/api/v1/cases/${caseOf.id}/timeline`)).body.data
  const types = timeline.map(({ type }: { type: string }) => type)
  for (const type of ['bea.filed', 'bea.eeb_confirmed', 'bea.sent', 'deadline.completed'])
    expect(types).toContain(type)
  expect(types.filter((type: string) => type === 'bea.sent')).toHaveLength(1)
})
