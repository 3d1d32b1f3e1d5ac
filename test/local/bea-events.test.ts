import { afterAll, beforeAll, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { systemClock } from '#kernel/clock.ts'
import { type Api, api } from '#test/support/api.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { until } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { shownEvents } from '#test/support/webhook-events.ts'

/** The events of beA (E1, E10) over HTTP, with the simulated network. */

let service: Service
let owner: Api
let account_id: string
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'], bea: true })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
  const lindner = service.credentials.bea?.find(({ safe_id }) => safe_id === safeIds.lindner)
  const body = { ...lindner, label: 'Postfach' }
  account_id = (await post('/api/v1/bea/accounts', body)).id
  await post('/api/v1/bea/auth/login', { account_id })
})
afterAll(() => service.stop())

const post = async (path: string, body: object = {}) => {
  const answer = await owner('POST', path, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

/** Makes something happen in the network, without the gateway. */
const control = (command: object) =>
  fetch(new URL('control', service.environment.BEA_GATEWAY_URL ?? ''), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
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
  expect((await shownEvents(owner, 'type=bea_message.sent')).map(({ data }) => data)).toEqual([])
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
