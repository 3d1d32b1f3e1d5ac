import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleAll } from '#infra/constructs/bundling.ts'
import { contextOf, eventOf, type Handler, type Request } from '#test/bench/requests.ts'
import { corpus, settled, upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/**
 * The bundles hold ElectroDB in another form than the source, and less of the SDK. Here they work on the table of
 * the running service, which has it all, and each sees what the other did.
 */
const folder = mkdtempSync(join(tmpdir(), 'bundles-'))
afterAll(() => rmSync(folder, { recursive: true }))

let firm: Firm
let key: string
const handlers: Record<string, Handler> = {}

beforeAll(async () => {
  firm = await newFirm()
  ;({ key } = await firm.colleague())
  Object.assign(process.env, sharedService().environment)
  const names = ['cases', 'parties', 'deadlines', 'calendar', 'documents', 'folders']
  const functions = names.map((name) => [name, `functions/${name}/index.ts`])
  await bundleAll(Object.fromEntries(functions), folder)
  for (const name of names)
    handlers[name] = (await import(pathToFileURL(join(folder, name, 'index.mjs')).href)).handler
})

// biome-ignore lint/suspicious/noExplicitAny: what a bundle answers is held against what the service answers
async function ask(name: string, request: Request): Promise<{ status: number; body: any }> {
  const answer = await handlers[name]?.(eventOf({ key, ...request }), contextOf(name))
  return { status: answer?.statusCode ?? 0, body: JSON.parse(answer?.body || 'null') }
}

test('the service reads what a bundle writes, and a bundle reads what the service writes', async () => {
  // A case with a party, by bundle: create, patch, query, transactions, the search index
  const opened = await ask('cases', {
    method: 'POST',
    resource: '/api/v1/cases',
    body: { name: 'Bündel ./. Quelle wegen Gleichheit', type: 'litigation' },
  })
  expect(opened.status).toBe(201)
  const params = { id: opened.body.id }
  const added = await ask('cases', {
    method: 'POST',
    resource: '/api/v1/cases/{id}/parties',
    params,
    body: { parties: [{ name: 'Änne Groß', role: 'client' }] },
  })
  expect(added.status).toBe(201)
  const changed = await ask('cases', {
    method: 'PUT',
    resource: '/api/v1/cases/{id}',
    params,
    body: { dezernat: 'Zivilrecht', type: null },
  })
  expect(changed.status).toBe(200)

  const read = await firm.owner('GET', `/api/v1/cases/${params.id}`)
  expect(read.body).toEqual(changed.body)
  expect(read.body).toMatchObject({ dezernat: 'Zivilrecht', type: null, parties: added.body.data })
  const found = await firm.owner('GET', '/api/v1/cases?search=gleichheit')
  expect(found.body.data).toMatchObject([{ id: params.id }])

  // A deadline, by the service; verified and listed by bundle
  const due = { title: 'Klageerwiderung', case_id: params.id, due_at: '2031-03-31', create_vorfrist: true }
  const entered = await firm.owner('POST', '/api/v1/deadlines', { body: due })
  expect(entered.status).toBe(201)
  const id = entered.body.id
  const shown = await ask('deadlines', { method: 'GET', resource: '/api/v1/deadlines/{id}', params: { id } })
  expect(shown.body).toEqual((await firm.owner('GET', `/api/v1/deadlines/${id}`)).body)
  const verified = await ask('deadlines', {
    method: 'POST',
    resource: '/api/v1/deadlines/{id}/verify',
    params: { id },
  })
  expect(verified.status).toBe(200)
  const list = await ask('deadlines', {
    method: 'GET',
    resource: '/api/v1/deadlines',
    query: { case_id: params.id },
  })
  expect(list.body).toEqual((await firm.owner('GET', `/api/v1/deadlines?case_id=${params.id}`)).body)
  expect(list.body.data).toHaveLength(2)

  const month = { from: '2031-03-01', to: '2031-03-31' }
  const events = await ask('calendar', { method: 'GET', resource: '/api/v1/events', query: month })
  expect(events.body).toEqual((await firm.owner('GET', '/api/v1/events?from=2031-03-01&to=2031-03-31')).body)
  expect(events.body.data).toHaveLength(2)
  const people = await ask('parties', {
    method: 'GET',
    resource: '/api/v1/parties',
    query: { search: 'groß' },
  })
  expect(people.body.data).toMatchObject([{ name: 'Änne Groß' }])

  const [groß] = people.body.data
  const renamed = await ask('parties', {
    method: 'PUT',
    resource: '/api/v1/parties/{id}',
    params: { id: groß.id },
    body: { name: 'Änne Klein', email: null },
  })
  expect(renamed.body).toEqual((await firm.owner('GET', `/api/v1/parties/${groß.id}`)).body)
  expect(renamed.body).toMatchObject({ name: 'Änne Klein', email: null })

  // A document in a folder, for the party
  const { body: document } = await upload(firm.owner)
  const folder = await ask('folders', {
    method: 'POST',
    resource: '/api/v1/folders',
    body: { name: 'Schriftsätze', case_id: params.id },
  })
  expect(folder.status).toBe(201)
  const assigned = await ask('documents', {
    method: 'POST',
    resource: '/api/v1/documents/{id}/assign',
    params: { id: document.id },
    body: { case_id: params.id, folder_id: folder.body.id, party_ids: [groß.id] },
  })
  expect(assigned.status).toBe(200)
  const moved = await ask('folders', {
    method: 'PATCH',
    resource: '/api/v1/folders/{id}',
    params: { id: folder.body.id },
    body: { name: 'Klage' },
  })
  expect(moved.body).toMatchObject({ name: 'Klage' })
  const kept = await firm.owner('GET', `/api/v1/documents?folder_id=${folder.body.id}`)
  expect(kept.body.data).toMatchObject([{ id: document.id, parties: [{ id: groß.id, name: 'Änne Klein' }] }])

  // A file in the bucket, whose client a bundle loads when it needs it
  const bytes = corpus('zwei-seiten.tif')
  const announced = await ask('documents', {
    method: 'POST',
    resource: '/api/v1/documents/uploads',
    body: { filename: 'Fax.tif', mime_type: 'image/tiff', size_bytes: bytes.length },
  })
  expect(announced.status).toBe(201)
  const { url, headers } = announced.body.upload
  expect((await fetch(url, { method: 'PUT', headers, body: bytes })).status).toBe(200)
  const completed = await ask('documents', {
    method: 'POST',
    resource: '/api/v1/documents/{id}/complete',
    params: { id: announced.body.document.id },
  })
  expect(completed.body).toMatchObject({ filename: 'Fax.tif', size_bytes: bytes.length })
  expect((await settled(firm.owner, completed.body.id)).status).toBe('processed')

  // A case that is removed is gone for both; the answer warns of its open deadlines
  const removed = await ask('cases', { method: 'DELETE', resource: '/api/v1/cases/{id}', params })
  expect(removed.status).toBe(200)
  expect((await firm.owner('GET', `/api/v1/cases/${params.id}`)).status).toBe(404)
})

test('a bundle refuses as the service does', async () => {
  const missing = { method: 'GET', resource: '/api/v1/cases/{id}', params: { id: 'nothing' } }
  expect(await ask('cases', missing)).toMatchObject({
    status: 404,
    body: { error: { code: 'CASE_NOT_FOUND' } },
  })
  const { file_number } = (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Erste' } })).body
  const taken = { method: 'POST', resource: '/api/v1/cases', body: { name: 'Zweite', file_number } }
  expect(await ask('cases', taken)).toMatchObject({
    status: 409,
    body: { error: { code: 'FILE_NUMBER_TAKEN' } },
  })
  const malformed = { method: 'POST', resource: '/api/v1/cases', body: { name: 7 } }
  const refused = await ask('cases', malformed)
  const { body } = await firm.owner('POST', '/api/v1/cases', { body: malformed.body })
  expect(refused.status).toBe(400)
  expect(refused.body.error.details).toEqual(body.error.details)
  expect(refused.body.error.details).toMatchObject([{ path: 'body.name' }])
})
