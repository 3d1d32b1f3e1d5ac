import { beforeEach, describe, expect, it, vi } from 'vitest'
import { assignDocuments, documentJobs } from '#documents/jobs.ts'
import { foundation } from '#foundation/foundation.ts'
import { erasureFoundation } from '#foundation/party-erasure.ts'
import { createParty, updateParty } from '#functions/parties/endpoints.ts'
import { jobRunner } from '#jobs/runner.ts'
import { sweepingOnly } from '#jobs/sweeping.ts'
import { epochMilliseconds, systemClock, timestamp } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { ErasureStep } from '#parties/erasure-ports.ts'
import { runErasures } from '#parties/erasure-run.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { dueShard } from '#store/due-index.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { transact } from '#store/transact.ts'
import { aReport } from '#test/support/access-reports.ts'
import type { Answer } from '#test/support/api.ts'
import { arrived, judged } from '#test/support/arriving-mail.ts'
import { upload } from '#test/support/documents.ts'
import { aConfig } from '#test/support/exports.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { markedBody } from '#test/support/marked-words.ts'
import { untilErased } from '#test/support/run-disposals.ts'
import { indexed } from '#test/support/search.ts'
import { everythingOf, placesOf } from '#test/support/stored-data.ts'
import { sharedTable } from '#test/support/table.ts'

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

const add = async (path: string, body: unknown, { owner } = firm) =>
  (await owner('POST', `/api/v1/${path}`, { body })).body
const erase = (id: string, { owner } = firm) => owner('POST', `/api/v1/parties/${id}/erase`)

/** Erases a party and waits until nothing is left to do. */
async function erased(id: string, where = firm) {
  const answer = await erase(id, where)
  expect(answer.status).toBe(200)
  await untilErased(where, id)
  return answer
}

/** A case that names these parties. `closed`: when it was closed; open if it is undefined. */
async function aCase(
  parties: object[],
  closed?: string,
  { owner, workspace } = firm,
): Promise<{ id: string; file_number: string }> {
  const { body } = await owner('POST', '/api/v1/cases', { body: { name: 'Kaufpreis' } })
  await owner('POST', `/api/v1/cases/${body.id}/parties`, { body: parties })
  if (closed === undefined) return body
  await owner('PUT', `/api/v1/cases/${body.id}`, { body: { status: 'closed' } })
  const key = { workspace_id: workspace.id, id: body.id }
  await caseEntity(await sharedTable())
    .patch(key)
    .set({ closed_at: closed })
    .go()
  return body
}

/** The steps of an erasure in their order. */
const steps = [
  ...['jobs', 'cases', 'documents', 'invoices', 'mails', 'drafts', 'bea'],
  ...['exports', 'index', 'traces', 'index_files'],
] as const

/** Runs the worker for a party until a step, in which it fails. */
async function failAt(failing: string, partyId: string): Promise<void> {
  await sharedTable()
  const base = foundation('test')
  const deps = erasureFoundation(base)
  const run: ErasureStep = () => {
    throw new Error('The process has died.')
  }
  const steps = deps.steps.map((step) => (step.name === failing ? { ...step, run } : step))
  await sweepingOnly(new Set([`erasures#due#${dueShard(partyId)}`]), () =>
    runErasures({ ...deps, steps }, base.clock.now(), { milliseconds: 20_000 }),
  )
}

const longAgo = '2015-06-01T10:00:00.000Z'

describe('the erasure of a party', () => {
  it('begins only in the state of the party that If-Match names', async () => {
    const made = await firm.owner('POST', '/api/v1/parties', { body: { name: 'Verwechselt' } })
    const one = `/api/v1/parties/${made.body.id}`
    const changed = await firm.owner('PUT', one, { body: { name: 'Richtig' } })
    const eraseSeen = ({ headers }: Answer) =>
      firm.owner('POST', `${one}/erase`, { headers: { 'If-Match': headers.get('etag') ?? '' } })

    const late = await eraseSeen(made)
    const there = await firm.owner('GET', one)
    const fitting = await eraseSeen(changed)

    expect([late.status, there.status, fitting.status]).toEqual([412, 200, 200])
  })

  it('is refused while a case is open or its time runs, and names these cases', async () => {
    const party = await add('parties', { name: 'Beständig' })
    const open = await aCase([{ id: party.id, role: 'Mandant' }])
    const running = await aCase([{ id: party.id, role: 'Gegner' }], systemClock.now().toISOString())
    await aCase([{ id: party.id, role: 'Mandant' }], longAgo)

    const { status, body } = await erase(party.id)

    expect([status, body.error.code]).toEqual([409, 'RETENTION_APPLIES'])
    const named = body.error.details.map(({ message }: { message: string }) => message).join('\n')
    expect(body.error.details).toHaveLength(2)
    expect(named).toContain(open.file_number)
    expect(named).toContain(running.id)
    expect((await firm.owner('GET', `/api/v1/parties/${party.id}`)).status).toBe(200)
  })

  it('is refused while a hold stands on a case past its time', async () => {
    const party = await add('parties', { name: 'Gesperrt' })
    const held = await aCase([{ id: party.id, role: 'Mandant' }], longAgo)
    const hold = await add(`cases/${held.id}/holds`, { reason: 'Regress' })

    const refused = await erase(party.id)
    await firm.owner('DELETE', `/api/v1/cases/${held.id}/holds/${hold.id}`, { body: { reason: 'Erledigt' } })
    const erased = await erase(party.id)

    expect([refused.status, refused.body.error.code, erased.status]).toEqual([409, 'LEGAL_HOLD', 200])
    expect(refused.body.error.details[0].message).toContain(held.file_number)
  })

  it('needs the scope of an administrator, and is not for a party of another firm', async () => {
    const party = await add('parties', { name: 'Fremd' })
    const writer = await firm.withScopes('contacts:write')
    const stranger = await newFirm()

    const refused = await writer('POST', `/api/v1/parties/${party.id}/erase`)
    const unknown = await erase(party.id, stranger)

    expect([refused.status, unknown.status, unknown.body.error.code]).toEqual([403, 404, 'PARTY_NOT_FOUND'])
  })

  it('erases a party that was deleted before, once', async () => {
    const party = await add('parties', { name: 'Zwxdeleted Qvmarke' })
    await firm.owner('DELETE', `/api/v1/parties/${party.id}`)

    const statuses = [(await erase(party.id)).status, (await erase(party.id)).status]

    expect(statuses).toEqual([200, 404])
    await untilErased(firm, party.id)
    expect(await placesOf(firm.workspace.id, ['Zwxdeleted'])).toEqual([])
  })

  it('is done once if two ask for it at once, and the audit has it without a name', async () => {
    const party = await add('parties', { name: 'Doppelt' })

    const answers = await Promise.all([erase(party.id), erase(party.id)])

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    await untilErased(firm, party.id)
    const { data } = (await firm.owner('GET', '/api/v1/audit?action=party.erased')).body
    const ofParty = data.filter(({ ref }: { ref: { id: string } }) => ref.id === party.id)
    expect(ofParty).toHaveLength(1)
    expect(JSON.stringify(ofParty)).not.toContain('Doppelt')
  })

  it('goes on if the worker dies at every step', async () => {
    const name = 'Zwxcrash Qvabbruch'
    const party = await add('parties', { name, email: 'anna@zwxcrash.example' })
    const closed = await aCase([{ id: party.id, role: 'Mandantin' }], longAgo)
    const document = (await upload(firm.owner, { filename: `Brief an ${name}.txt` }, { case_id: closed.id }))
      .body
    await firm.owner('POST', `/api/v1/documents/${document.id}/assign`, { body: { party_ids: [party.id] } })
    await add('email/outbound/drafts', { to: [`${name} <anna@zwxcrash.example>`], subject: name })
    expect([(await erase(party.id)).status, (await erase(party.id)).status]).toEqual([200, 404])

    for (const step of steps) await failAt(step, party.id)
    await untilErased(firm, party.id)

    expect(await placesOf(firm.workspace.id, ['Zwxcrash', 'Qvabbruch'])).toEqual([])
  })

  it('is not undone by a job that waited: none brings the name back into records that have lost it', async () => {
    const party = await add('parties', { name: 'Zwxrückkehr Qvjob' })
    const document = (await upload(firm.owner, { filename: 'Brief.txt' })).body
    const base = foundation('test')
    const documents = documentStore({ ...base, requireUnused: async () => [] })
    const runner = jobRunner(...documentJobs({ documents, files: { remove: async () => {} } }))
    const jobs = jobStore(await sharedTable())
    const assigning = assignDocuments.of({
      ...{ workspace_id: firm.workspace.id, document_ids: [document.id], at: timestamp() },
      ...{ assignment: { party_ids: [party.id] }, party_names: { [party.id]: party.name } },
      actor: { type: 'user', id: newId('user'), name: 'Dr. Vogt' },
    })
    // The sweeper leaves it alone until then.
    const { job, action } = jobs.addition(assigning, new Date(epochMilliseconds() + 3_600_000))
    await transact(await sharedTable(), [action])
    expect((await erase(party.id)).status).toBe(200)

    await failAt('traces', party.id)
    const stored = (await jobs.list()).waiting.filter(({ id }) => id === job.id)
    for (const one of stored) await runner.run(one)
    await untilErased(firm, party.id)

    expect(stored).toHaveLength(1)
    expect(await placesOf(firm.workspace.id, ['Zwxrückkehr', 'Qvjob'])).toEqual([])
    await jobs.finish(stored)
  })

  it('reaches the kept answer of a repeated request that has only the name, and leaves the others', async () => {
    const name = 'Zwxantwort Qvwiederholt'
    const party = await add('parties', { name })
    const closed = await aCase([{ id: party.id, role: 'Mandantin' }], longAgo)
    const work = { case_id: closed.id, date: '2026-11-27', minutes: 5 }
    const entries = [`Telefonat mit ${name}`, 'Telefonat mit Qvwiederholt-Meier'].map((activity) => ({
      body: { ...work, activity },
      headers: { 'Idempotency-Key': crypto.randomUUID() },
    }))
    for (const entry of entries)
      expect((await firm.owner('POST', '/api/v1/time-entries', entry)).status).toBe(201)

    await erased(party.id)

    const repeated = await Promise.all(
      entries.map((entry) => firm.owner('POST', '/api/v1/time-entries', entry)),
    )
    expect(repeated.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true'])
  })

  it('reaches every text field of a party, as the endpoints declare them', async () => {
    const wordOf = (path: string) => `zwxfeld${path.replaceAll(/\W/g, '')}`
    const created = markedBody(createParty as never, { name: 'Feld' }, wordOf)
    const changed = markedBody(updateParty as never, {}, (path) => `${wordOf(path)}neu`)
    const party = await add('parties', created.body)
    await firm.owner('PUT', `/api/v1/parties/${party.id}`, { body: changed.body })
    const words = [...created.words, ...changed.words]

    const before = await placesOf(firm.workspace.id, words)
    const { status } = await erased(party.id)

    expect(words.length).toBeGreaterThanOrEqual(8)
    for (const word of changed.words) expect(before.join('\n')).toContain(word)
    expect(status).toBe(200)
    expect(await placesOf(firm.workspace.id, words)).toEqual([])
  })

  it('leaves no word of the party, wherever it stood, and nothing of another firm changes', async () => {
    const words = ['Qvmarke', 'Zwxfamilie', 'zwxpost', '4930778899', 'Zwxgasse', 'Zwxstadt']
    const data = {
      name: 'Qvmarke Zwxfamilie',
      email: 'qvmarke@zwxpost.example',
      phone: '+49 4930778899',
      address: 'Zwxgasse 7\n10969 Zwxstadt',
    }
    const neighbour = await newFirm()
    const [ours, theirs] = [firm, neighbour]
    const party = await fill(ours, data)
    await fill(theirs, data)
    await Promise.all([indexed(ours.owner), indexed(theirs.owner)])
    const before = await atRest(theirs)
    const filled = (await placesOf(theirs.workspace.id, words)).join('\n')
    for (const place of usualPlaces) expect(filled).toContain(place)

    const { body } = await erased(party.id)

    expect([body.cases.length, body.documents]).toEqual([2, 1])
    expect(await placesOf(ours.workspace.id, words)).toEqual([])
    expect(await placesOf(theirs.workspace.id, words)).not.toEqual([])
    const after = await everythingOf(theirs.workspace.id)
    expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted())
    expect(Object.keys(after).filter((place) => after[place] !== before[place])).toEqual([])
    const get = async (path: string) => (await ours.owner('GET', `/api/v1/${path}`)).status
    expect(await get(`parties/${party.id}`)).toBe(404)
    const check = await add('conflict-check', { names: [data.name] })
    expect(check.data).toEqual([])
  })
})

/** Everything of a firm once no worker changes it: the delivery of its mail is reported, and its index is written. */
async function atRest({ workspace }: Firm): Promise<Record<string, string>> {
  let last: Record<string, string> = {}
  return vi.waitFor(
    async () => {
      const [before, now] = [last, await everythingOf(workspace.id)]
      last = now
      expect(Object.keys(now).filter((place) => place.includes('#search_lease'))).toEqual([])
      expect(now).toEqual(before)
      return now
    },
    { timeout: 90_000, interval: 1_000 },
  )
}

/** The places of the words before the erasure: otherwise nothing would prove that they are found. */
const usualPlaces = [
  '#party#',
  '#parties#has:',
  '#party_names#',
  '#changes#parties',
  '#case#',
  '#cases#has:',
  '#timeline#',
  '#document#',
  '#correspondence#',
  '#draft#',
  'body.json',
  'message.eml',
  'facts.json',
  '.html',
  '/reports/',
]

/** A party that stands wherever a firm writes it, client in one case past its time and opponent in another. */
async function fill(where: Firm, data: { name: string; email: string; phone: string; address: string }) {
  const { owner } = where
  const party = await add('parties', { ...data, name: 'Zwxfamilie, Qvmarke' }, where)
  const first = await aCase([{ id: party.id, role: 'Mandantin', side: 'client' }], longAgo, where)
  await aCase([{ id: party.id, role: 'Gegnerin', side: 'opponent' }], longAgo, where)
  await owner('PUT', `/api/v1/cases/${first.id}`, {
    body: { name: 'Zwxfamilie ./. Schulze', description: `Mandantin ist ${data.name}.` },
  })
  await owner('PUT', `/api/v1/parties/${party.id}`, { body: { name: data.name } })
  const document = (await upload(owner, { filename: `Vollmacht ${data.name}.txt`, bytes: 'Vollmacht.' })).body
  await owner('POST', `/api/v1/documents/${document.id}/assign`, { body: { party_ids: [party.id] } })
  await owner('POST', '/api/v1/email/outbound/send', {
    body: {
      to: [`${data.name} <${data.email}>`],
      subject: `An ${data.name}`,
      body_html: `<p>Guten Tag ${data.name}, wohnhaft Zwxgasse 7</p>`,
    },
  })
  await owner('POST', '/api/v1/email/outbound/drafts', {
    body: { to: [data.email], subject: `Entwurf an ${data.name}`, body_html: `<p>Liebe ${data.name}</p>` },
  })
  await judged(
    where,
    (await arrived(where, { from: `${data.name} <${data.email}>`, text: `Es grüßt ${data.name}` })).id,
  )
  await aReport(where, party.id)
  await aConfig(where, { source: 'parties', format: 'csv' })
  return party
}
