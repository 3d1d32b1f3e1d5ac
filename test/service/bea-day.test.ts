import { setTimeout as sleep } from 'node:timers/promises'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { createClient } from '#store/client.ts'
import { type Api, api } from '#test/support/api.ts'
import { form, upload } from '#test/support/documents.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { shownEvents } from '#test/support/webhook-events.ts'

/**
 * A day of a law firm with beA, over HTTP: from the service of a judgment to the deadline that is completed; then the
 * events of beA (E1, E10); and at last, what the log of all this must not hold.
 */

let service: Service
let owner: Api
let account_id: string

beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'], environment: { LOG_LEVEL: 'INFO' }, bea: true })
  for (const [name, value] of Object.entries(service.environment)) vi.stubEnv(name, value)
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
  const lindner = service.credentials.bea?.find(({ safe_id }) => safe_id === safeIds.lindner)
  account_id = (await post('/api/v1/bea/accounts', { ...lindner, label: 'Postfach' })).id
  await post('/api/v1/bea/auth/login', { account_id })
})
afterAll(() => service.stop())

const post = async (path: string, body: object = {}) => {
  const answer = await owner('POST', path, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

/** Makes something happen in the network, without the gateway. */
async function control(command: object) {
  const answer = await fetch(new URL('control', service.environment.BEA_GATEWAY_URL ?? ''), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

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

it('court sends, we import, file, give the receipt, answer, and complete the deadline with the acknowledgement', async () => {
  // Prepare
  const caseOf = await post('/api/v1/cases', { name: 'Meier ./. Schulze', type: 'litigation' })
  /** Synchronises until the message is there: one that the schedule began may have read the folder before it came. */
  const imported = async (subject: string): Promise<{ id: string }> => {
    for (const end = epochMilliseconds() + 90_000; ; await sleep(250)) {
      await post(`/api/v1/bea/accounts/${account_id}/sync`)
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
  const filed = await until(owner, path, ({ case_id }) => case_id !== null)

  // The deadline is noted, then the receipt is given.
  const today = systemClock.now().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
  const due = await post('/api/v1/deadlines', { title: 'Berufung', case_id: caseOf.id, due_at: '2031-04-16' })
  await post(`${path}/eeb`, { action: 'confirm', date: today, deadline_id: due.id })
  const confirmed = await until(owner, path, ({ eeb }) => eeb.status === 'confirmed')

  // The answer is written from the case and sent to the court.
  const bytes = new TextEncoder().encode('%PDF-1.7\n% Berufung')
  const document = (await upload(owner, { bytes, filename: 'Berufung Meier.pdf' }, { case_id: caseOf.id }))
    .body
  const draft = await post('/api/v1/bea/drafts', {
    account_id,
    to: [{ name: 'Landgericht', bea_id: safeIds.landgericht }],
    subject: 'Berufung',
    body: 'Anbei die Berufung.',
    attachments: [document.id],
    reference_sender: caseOf.file_number,
    reference_recipient: '3 O 45/26',
    case_id: caseOf.id,
  })
  await post(`/api/v1/bea/drafts/${draft.id}/send`, { rename: true })
  const sent = await until(owner, `/api/v1/bea/drafts/${draft.id}`, ({ message_id }) => message_id !== null)
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

const openCase = async (): Promise<string> => (await post('/api/v1/cases', { name: 'Akte' })).id

/** A message of a court, imported by a synchronisation. */
async function received(subject: string, more: object = {}): Promise<string> {
  await control({ seed: { from: safeIds.landgericht, to: safeIds.lindner, subject, ...more } })
  await post(`/api/v1/bea/accounts/${account_id}/sync`)
  const isIt = (message: { subject: string }) => message.subject === subject
  const { data } = await until(owner, '/api/v1/bea/messages', (body) => body.data.some(isIt))
  const { id } = data.find(isIt)
  await moveClock(service, 'PT0S')
  return id
}

/** Everything that the log says of these, and of nothing before. */
const eventsOf = async (...ids: string[]) => {
  await moveClock(service, 'PT3S')
  const events = await shownEvents(owner, 'type=bea_message.*&type=eeb.*')
  expect(JSON.stringify(events)).not.toContain('needs')
  expect(JSON.stringify(events)).not.toContain(account_id)
  return events
    .filter(({ data }) => ids.includes(data.id) || ids.includes(data.draft_id ?? ''))
    .map(({ type, data }) => [type, data])
}

const sentMessages = async () => (await shownEvents(owner, 'type=bea_message.sent')).map(({ data }) => data)

it('a message is received, filed, and taken into another case', async () => {
  const id = await received('Verfügung')
  const [first, second] = [await openCase(), await openCase()]
  for (const case_id of [first, second, second]) await post(`/api/v1/bea/messages/${id}/assign`, { case_id })

  const events = await eventsOf(id)

  expect(events).toEqual([
    ['bea_message.received', { id, case_id: null }],
    ['bea_message.filed', { id, case_id: first }],
    ['bea_message.filed', { id, case_id: second }],
  ])
})

it.each([
  ['confirmed', { action: 'confirm', override_reason: 'Keine Frist' }],
  ['rejected', { action: 'reject', code: 'not_party', reason: 'Wir sind nicht beteiligt' }],
])('a receipt is requested and %s, which is no sent message of its own', async (status, answer) => {
  const id = await received(`Zustellung ${status}`, { eeb_requested: true, xjustiz: true })
  const sent = await sentMessages()
  const date = systemClock.now().toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' })
  await post(`/api/v1/bea/messages/${id}/eeb`, { ...answer, ...(status === 'confirmed' && { date }) })
  await until(owner, `/api/v1/bea/messages/${id}`, ({ eeb }) => eeb.status === status)
  await moveClock(service, 'PT10M')

  const events = await eventsOf(id)

  expect(events).toEqual([
    ['bea_message.received', { id, case_id: null }],
    ['eeb.requested', { id, case_id: null }],
    ['eeb.answered', { id, case_id: null, status }],
  ])
  expect(await sentMessages()).toEqual(sent)
})

const draftIn = async (case_id: string) =>
  (
    await post('/api/v1/bea/drafts', {
      account_id,
      to: [{ name: 'Berger', bea_id: safeIds.demir }],
      subject: 'Stellungnahme',
      body: 'Anbei.',
      case_id,
    })
  ).id

it('a draft is sent: its message is named once it is imported, with the draft', async () => {
  const case_id = await openCase()
  const draft_id = await draftIn(case_id)
  await post(`/api/v1/bea/drafts/${draft_id}/send`)
  const { message_id: id } = await until(
    owner,
    `/api/v1/bea/drafts/${draft_id}`,
    ({ message_id }) => message_id !== null,
  )
  await post(`/api/v1/bea/accounts/${account_id}/sync`)
  await moveClock(service, 'PT1H')

  const events = await eventsOf(id, draft_id)

  expect(events).toEqual([['bea_message.sent', { id, case_id, draft_id }]])
})

it('a draft fails, and is sent with the second attempt', async () => {
  const case_id = await openCase()
  const draft_id = await draftIn(case_id)
  await control({ function: 'bea_send_message', fault: 'error_object', times: 1 })
  await post(`/api/v1/bea/drafts/${draft_id}/send`)
  const draft = `/api/v1/bea/drafts/${draft_id}`
  await until(owner, draft, ({ status }) => status === 'failed')
  await post(`${draft}/send`)
  const { message_id: id } = await until(owner, draft, ({ message_id }) => message_id !== null)

  const events = await eventsOf(id, draft_id)

  expect(events).toEqual([
    ['bea_message.failed', { id: draft_id, case_id }],
    ['bea_message.sent', { id, case_id, draft_id }],
  ])
})

it('no key, passphrase, certificate file or session is in an answer or in the log of a whole run (B2)', async () => {
  // Prepare
  const accounts = '/api/v1/bea/accounts'
  const [lawyer] = service.credentials.bea ?? []
  if (lawyer === undefined) throw new Error('The demo network has no lawyer.')
  const { certificate_base64, passphrase, label, safe_id } = lawyer
  const bytes = Buffer.from(certificate_base64, 'base64')
  const answers: unknown[] = []
  const other = api(service.baseUrl, service.credentials.workspaces[1]?.users[0]?.api_key)
  const call = async (...request: Parameters<Api>) => {
    const answer = await other(...request)
    answers.push(answer.body)
    return answer
  }

  // Act
  const wrong = { certificate_base64, passphrase: `${passphrase}-falsch`, label }
  const refused = await call('POST', accounts, { body: wrong })
  const connected = await call('POST', `${accounts}/upload`, {
    raw: form({ file: { bytes } }, { passphrase, label }),
  })
  const again = await call('POST', accounts, { body: { certificate_base64, passphrase, label } })
  const { id: account_id } = connected.body
  const path = `${accounts}/${account_id}`
  const session = await call('POST', '/api/v1/bea/auth/login', { body: { account_id } })
  const relayed = await call('POST', '/api/v1/bea/auth/local-login', { body: { account_id } })
  const { login_id } = relayed.body
  const signatures = [{ id: 'challengeVal', data: 'ZmFsc2No' }]
  const unsigned = await call('POST', '/api/v1/bea/auth/local-login', { body: { login_id, signatures } })
  const folders = await call('GET', `${path}/folders`)
  await call('GET', `${path}/administered-postboxes`)
  await call('GET', `${path}/permissions`)
  await call('GET', '/api/v1/bea/directory/search?q=fehler')
  await call('GET', path)
  await call('GET', accounts)
  await call('POST', `/api/v1/bea/auth/logout/${account_id}`)
  await call('DELETE', path)

  // Assess
  expect(
    [refused, connected, again, session, relayed, unsigned, folders].map(({ status }) => status),
  ).toEqual([422, 201, 409, 200, 200, 422, 200])
  expect(connected.body.safe_id).toBe(safe_id)
  const lines = service.output().split('\n')
  const log = lines.filter((line) => line.startsWith('{')).join('\n')
  expect(log).toContain('"resource":"/api/v1/bea/auth/login"')
  const secrets = [
    passphrase,
    certificate_base64.slice(100, 140),
    'PRIVATE KEY',
    'session_key',
    'sealed',
    'tokenPAOS',
    'bex-ident',
  ]
  // The demo passphrase also stands in names of the demo network.
  const { subject, issuer } = connected.body.certificate
  for (const text of [log, JSON.stringify(answers)]) {
    const told = [subject, issuer, label].reduce((rest, name) => rest.replaceAll(name, ''), text)
    for (const secret of secrets) expect(told.includes(secret), secret).toBe(false)
  }
  // Whatever a token or a key looks like: nothing as long and random stands in the log.
  const suspicious = log.match(/[A-Za-z0-9+/_-]{60,}/g) ?? []
  expect(suspicious.filter((text) => !/^[0-9a-f-]+$|\//.test(text))).toEqual([])
})
