import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { timestamp } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { runDisposals } from '#retention/disposing.ts'
import { goneSummary } from '#store/retention/redacted-entries.ts'
import { aReport } from '#test/support/access-reports.ts'
import { api } from '#test/support/api.ts'
import { corpus, form, settled, upload } from '#test/support/documents.ts'
import { closeLongAgo, makeDueCase } from '#test/support/due-case.ts'
import { only } from '#test/support/due-index.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { disposeOf } from '#test/support/run-disposals.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { startToyCaldav, type ToyCaldav } from '#test/support/toy-caldav.ts'

/** Traces of a case outside of it, which must not stay behind when the case is disposed of (R3). */

let firm: Firm
let calendar: ToyCaldav
let removed: Awaited<ReturnType<typeof disposedCase>>
beforeAll(async () => {
  ;[firm, calendar] = [await newFirm(), await startToyCaldav()]
  removed = await disposedCase()
})
afterAll(() => calendar.stop())

const post = async (path: string, body: object = {}, headers: Record<string, string> = {}) => {
  const answer = await firm.owner('POST', path, { body, headers })
  expect([path, answer.status < 300]).toEqual([path, true])
  return answer.body
}

/** The removal of cases, without its worker. */
async function removalOf() {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { disposalFoundation } = await import('#foundation/disposals.ts')
  return disposalFoundation(foundation('disposals'))
}

/** The items of a partition of the firm. */
async function itemsIn(partition: string) {
  const { itemsOf } = await import('#store/pages-of.ts')
  const items = []
  for await (const page of itemsOf(await sharedTable(), `${firm.workspace.id}#${partition}`))
    items.push(...page)
  return items
}

const isPushed = (id: string) => calendar.objects.has(`/calendar/${id}.ics`)

async function disposedCase() {
  const party = await post('/api/v1/parties', { name: 'Anna Meier' })
  const named = await post('/api/v1/parties', { name: 'Zeuge Kunze' })
  const stranger = await post('/api/v1/parties', { name: 'Erika Fremd', email: 'fremd@example.de' })
  const [{ id }, other, held] = [
    await post('/api/v1/cases', { name: 'Quittenmarmelade' }),
    await post('/api/v1/cases', { name: 'Nachbarsache' }),
    await post('/api/v1/cases', { name: 'Regress' }),
  ]
  await post(`/api/v1/cases/${id}/parties`, { parties: [{ id: party.id, role: 'client' }] })
  for (const { id: case_id } of [other, held]) {
    const link = await post(`/api/v1/cases/${id}/links`, { case_id })
    await firm.owner('DELETE', `/api/v1/cases/${id}/links/${link.id}`)
  }
  const document = (
    await upload(
      firm.owner,
      { bytes: 'Quittenmarmelade', filename: 'Vertrag.txt' },
      { case_id: id, party_ids: named.id },
    )
  ).body
  await settled(firm.owner, document.id)
  for (const { id: case_id } of [other, held]) {
    const file = { bytes: `Nachtrag ${case_id}`, filename: 'Nachtrag Quittenmarmelade.txt' }
    const moved = (await upload(firm.owner, file, { case_id })).body
    await firm.owner('POST', `/api/v1/documents/${moved.id}/assign`, { body: { case_id: id } })
    await settled(firm.owner, moved.id)
  }
  await post(`/api/v1/cases/${held.id}/holds`, { reason: 'Regress' })
  const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z' }
  const event = await post('/api/v1/events', { title: 'Termin', case_id: id, ...times, allow_conflict: true })
  const deadline = await post('/api/v1/deadlines', { title: 'Frist', case_id: id, due_at: '2020-04-16' })
  const account = { provider: 'caldav', url: calendar.url, username: 'vogt', password: 'geheim' }
  await post('/api/v1/calendar/sync/accounts', account)
  for (const one of [event, deadline]) await post(`/api/v1/calendar/sync/events/${one.id}/push`)
  const pushed = [isPushed(event.id), isPushed(deadline.id)]
  const work = { case_id: id, date: '2026-03-01', minutes: 30, activity: 'Quittenmarmelade' }
  const repeated = { body: work, headers: { 'Idempotency-Key': crypto.randomUUID() } }
  await post('/api/v1/time-entries', repeated.body, repeated.headers)
  const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100.00', tax_rate: '19' }]
  const invoices: { id: string }[] = []
  for (const _ of ['paid', 'cancelled']) {
    const invoice = await post('/api/v1/invoices', { case_id: id, party_id: party.id, lines })
    await post(`/api/v1/invoices/${invoice.id}/issue`)
    invoices.push(invoice)
  }
  const reported = [party, named, stranger]
  const reports = await Promise.all(reported.map((one) => aReport(firm, one.id)))
  await closeLongAgo(firm, id)
  const [told, toldOfHeld] = [await itemsIn(`timeline#${other.id}`), await itemsIn(`timeline#${held.id}`)]
  const disposal = await disposeOf(firm, id)
  return {
    id,
    other,
    held,
    reported,
    document,
    event,
    deadline,
    pushed,
    repeated,
    invoices,
    reports,
    told,
    toldOfHeld,
    disposal,
  }
}

it('events and deadlines are removed from the calendars that they were pushed to', async () => {
  const { event, deadline, pushed } = removed
  const { handler } = await import('#functions/workers/calendar-withdrawals/index.ts')

  await vi.waitFor(
    async () => {
      await handler({}, { getRemainingTimeInMillis: () => 60_000 })
      expect([isPushed(event.id), isPushed(deadline.id)]).toEqual([false, false])
    },
    { timeout: 60_000, interval: 500 },
  )

  expect(pushed).toEqual([true, true])
})

it('a request that is repeated after the disposal gets no stored answer about the case', async () => {
  const again = await firm.owner('POST', '/api/v1/time-entries', removed.repeated)

  expect([again.status, again.body.error?.code]).toEqual([404, 'CASE_NOT_FOUND'])
})

it('the timeline of a case with a hold is not changed', async () => {
  const entries = await itemsIn(`timeline#${removed.held.id}`)

  expect(JSON.stringify(entries)).toContain('Quittenmarmelade')
  expect(entries).toEqual(removed.toldOfHeld)
})

it('entries of other cases about links and moved documents stay without their texts', async () => {
  const entries = await itemsIn(`timeline#${removed.other.id}`)

  const typesOf = (timeline: typeof entries) => timeline.map(({ id, type }) => `${id} ${type}`)
  const gone = entries.filter(({ summary }) => summary === goneSummary)
  expect(JSON.stringify(removed.told)).toContain('Quittenmarmelade')
  expect(JSON.stringify(entries)).not.toContain('Quittenmarmelade')
  expect(typesOf(entries)).toEqual(typesOf(removed.told))
  expect(gone.map(({ type }) => type)).toEqual([
    'link.created',
    'link.removed',
    'document.created',
    'document.unassigned',
  ])
})

it('reports on all parties are removed with their files', async () => {
  const { reported, reports } = removed

  const answers = await Promise.all(
    reported.map(async ({ id }, at) => {
      const path = `/api/v1/parties/${id}/access-reports/${reports[at]?.id}`
      return (await firm.owner('GET', path)).status
    }),
  )

  const { firmObjects } = await import('#files/firm-objects.ts')
  const stored: string[] = []
  const bucket = process.env.BUCKET_NAME ?? ''
  for await (const { key } of firmObjects(bucket, { keepsVersions: false }).all(firm.workspace.id))
    stored.push(key)
  expect(reports.map(({ status }) => status)).toEqual(Array(3).fill('succeeded'))
  expect(answers).toEqual([404, 404, 404])
  expect(stored.filter((key) => key.startsWith('reports/'))).toEqual([])
})

it('when the disposal is done, the index of texts has no texts of the case', async () => {
  const { isIndexClean } = await import('#store/text-search/is-index-clean.ts')
  const { namesOf } = await import('#store/retention/forget-answers.ts')

  const isClean = await isIndexClean(await sharedTable(), firm.workspace.id, namesOf([removed.document.id]))

  expect(isClean).toBe(true)
})

it('of unsent drafts, only those of a deactivated user are removed with their case', async () => {
  const own = await newFirm()
  const leaver = await own.colleague()
  const [id, other] = [await makeDueCase(own), await makeDueCase(own)]
  const path = '/api/v1/email/outbound/drafts'
  const draftIn = async (case_id: string): Promise<string> =>
    (await leaver.api('POST', path, { body: { subject: 'Abschluss', case_id } })).body.id
  const [draft, kept] = [await draftIn(id), await draftIn(other)]
  const activate = (active: boolean) =>
    own.owner('PATCH', `/api/v1/users/${leaver.user.id}`, { body: { active } })
  await activate(false)

  const { cases } = await disposeOf(own, id)

  await activate(true)
  expect(cases).toMatchObject([{ case_id: id, state: 'done' }])
  expect((await leaver.api('GET', `${path}/${draft}`)).status).toBe(404)
  expect((await leaver.api('GET', path)).body.data.map((one: { id: string }) => one.id)).toEqual([kept])
})

it('an object that a late worker stores is erased before the disposal is done', async () => {
  const { removal, cases } = await removalOf()
  const { bucketFiles } = await import('#files/bucket.ts')
  const { id } = await post('/api/v1/cases', { name: 'Spät' })
  const document = (await upload(firm.owner, { bytes: 'Spät', filename: 'Spät.txt' }, { case_id: id })).body
  await settled(firm.owner, document.id)
  await closeLongAgo(firm, id)
  const [workspaceId, disposalId, endless] = [firm.workspace.id, `dsp_${crypto.randomUUID()}`, () => false]
  const [found] = await cases.findAll(workspaceId, [id])
  if (found === undefined) throw new Error('There is no such case.')
  await removal.begin(workspaceId, found, disposalId, '2026-11-27T09:00:00.000Z')
  await removal.list(workspaceId, id, disposalId, '2026-11-27', endless)
  await removal.remove(workspaceId, id, disposalId, endless)
  const late = `texts/${workspaceId}/${document.id}/late.json`
  const bytes = Buffer.from('Spät')
  await bucketFiles().put(late, bytes, { mimeType: 'application/json', sha256: hexDigest(bytes) })

  await vi.waitFor(
    async () => expect(await removal.forget(workspaceId, disposalId, timestamp(), endless)).toBeDefined(),
    {
      timeout: 60_000,
      interval: 300,
    },
  )

  expect(await removal.clean(workspaceId, disposalId, endless)).toBe(true)
  await expect(bucketFiles().read(late)).rejects.toThrow()
})

it('late objects of many records are erased in steps, and the next run continues', async () => {
  const { removal } = await removalOf()
  const { disposalPart } = await import('#store/retention/disposal-part-entity.ts')
  const { writeAll } = await import('#store/batch.ts')
  const db = await sharedTable()
  const [workspace_id, disposal_id] = [firm.workspace.id, `dsp_${crypto.randomUUID()}`]
  const part = { workspace_id, disposal_id, case_id: removed.id, kind: 'document' }
  const parts = Array.from({ length: 120 }, () => ({ ...part, id: `doc_${crypto.randomUUID()}` }))
  await writeAll(
    db,
    parts.map((one) => disposalPart(db).put(one)),
  )
  const left = async () => (await itemsIn(`disposal_parts#${disposal_id}`)).length
  let looked = 0

  const first = await removal.clean(workspace_id, disposal_id, () => ++looked > 1)
  const between = await left()
  const second = await removal.clean(workspace_id, disposal_id, () => false)

  expect([first, second, await left()]).toEqual([false, true, 0])
  expect([between > 0, between < parts.length]).toEqual([true, true])
})

describe('an issued invoice that is kept longer than its case', () => {
  it('can be paid and cancelled without traces of the case, and is removed after its own period', async () => {
    const [paid, cancelled] = removed.invoices
    const deps = await removalOf()
    const statusOf = async (id: unknown) => (await firm.owner('GET', `/api/v1/invoices/${id}`)).status

    await post(`/api/v1/invoices/${paid?.id}/pay`)
    const { cancelled_by } = await post(`/api/v1/invoices/${cancelled?.id}/cancel`)
    const timeline = await itemsIn(`timeline#${removed.id}`)
    const all = [paid?.id, cancelled?.id, cancelled_by]
    const { keptPart } = await import('#store/retention/disposal-part-entity.ts')
    const listed = { workspace_id: firm.workspace.id, disposal_id: removed.disposal.id }
    const ofOlder = { ...listed, kept_until: '2029-12-31', kind: 'invoice' as const, id: String(paid?.id) }
    const parts = keptPart(await sharedTable())
    const { data: rightly } = await parts.query.soonest(listed).go()
    await parts.put(ofOlder).go()
    const before = await Promise.all(all.map(statusOf))
    const { id: disposalId } = removed.disposal
    /** Runs the worker for the disposal on this day. @returns the last day of what is kept after it */
    const removeKept = async (day: string) => {
      const now = new Date(`${day}T09:00:00.000Z`)
      const due = { ...deps.due, ...only(deps.due, ({ id }) => id === disposalId) }
      const { failed } = await runDisposals({ ...deps, due, clock: { now: () => now } }, now, {
        milliseconds: 60_000,
      })
      expect(failed).toBe(0)
      return (await deps.disposals.find(firm.workspace.id, disposalId))?.kept_until
    }
    const timesDone = async () => {
      const { data } = (await firm.owner('GET', '/api/v1/audit?action=disposal.done&limit=100')).body
      return data.filter(({ ref }: { ref: { id: string } }) => ref.id === disposalId).length
    }
    const deleteLater = { ...deps.removal, removeKept: () => Promise.reject(new Error('S3 is away')) }
    const failing = new Date('2098-12-31T09:00:00.000Z')
    const due = { ...deps.due, ...only(deps.due, ({ id }) => id === disposalId) }
    const fault = await runDisposals({ ...deps, due, removal: deleteLater }, failing, {
      milliseconds: 60_000,
    })
    const claim = (await deps.disposals.find(firm.workspace.id, disposalId))?.claimed_until
    const tooEarly = [await removeKept('2030-01-01'), await timesDone()]
    const [workspaceId, never] = [firm.workspace.id, () => false]
    const early = await deps.removal.removeKept(workspaceId, disposalId, '2030-01-01', never)
    const { data: relisted } = await parts.query.soonest(listed).go()
    const first = await removeKept('2099-01-01')
    const between = await Promise.all(all.map(statusOf))
    const deleteParty = async () =>
      (await firm.owner('DELETE', `/api/v1/parties/${removed.reported[0]?.id}`)).status
    const whileNamed = await deleteParty()
    const last = await removeKept('2099-01-02')
    const after = [await removeKept('2099-01-03'), await timesDone()]

    expect([fault.failed, claim]).toEqual([1, null])
    expect([early.isRemoved, relisted]).toEqual([false, rightly])
    expect([timeline, before]).toEqual([[], [200, 200, 200]])
    expect([between, await statusOf(cancelled_by)]).toEqual([[404, 404, 200], 404])
    expect([first === null, last]).toEqual([false, null])
    expect([whileNamed, await deleteParty()]).toEqual([409, 204])
    expect(tooEarly).toEqual([expect.any(String), 1])
    expect(after).toEqual([null, 3])
  })
})

it('a document that was moved to another case stays in the list of changes', async () => {
  const [{ id: old }, { id: other }] = [
    await post('/api/v1/cases', { name: 'Alte Sache' }),
    await post('/api/v1/cases', { name: 'Neue Sache' }),
  ]
  const since = timestamp()
  const { id } = (await upload(firm.owner, { bytes: 'Brief', filename: 'Brief.txt' }, { case_id: old })).body
  await settled(firm.owner, id)
  await post(`/api/v1/documents/${id}/assign`, { case_id: other })
  await closeLongAgo(firm, old)

  await disposeOf(firm, old)

  const { body } = await firm.owner('GET', `/api/v1/documents?case_id=${other}&updated_since=${since}`)
  expect(body.data).toEqual([expect.objectContaining({ id, case_id: other })])
  const changes = JSON.stringify(await itemsIn('changes#documents'))
  expect([changes.includes(id), changes.includes(old)]).toEqual([true, false])
})

describe('a folder of a disposed case', () => {
  it('releases what is not of the case: folders to the top level, documents to no folder or the inbox', async () => {
    const [{ id }, other] = [
      await post('/api/v1/cases', { name: 'Ordner' }),
      await post('/api/v1/cases', { name: 'Lebt ./. Noch' }),
    ]
    const top = await post('/api/v1/folders', { name: 'Akte', case_id: id })
    const inner = await post('/api/v1/folders', { name: 'Gegenseite', parent_id: top.id })
    const ofOther = await post('/api/v1/folders', { name: 'Andere', parent_id: top.id, case_id: other.id })
    const document = (await upload(firm.owner, {}, { folder_id: top.id })).body.id
    const filed = (await upload(firm.owner, {}, { folder_id: top.id, case_id: other.id })).body.id
    const { id: tenant, webhook_token } = firm.workspace
    const pushed = await api(firm.baseUrl, undefined)('POST', `/webhooks/inbox/${tenant}`, {
      headers: { 'X-Service-Token': webhook_token },
      raw: form({ file: { bytes: corpus('schriftsatz.pdf'), filename: 'Scan.pdf' } }, { folder_id: top.id }),
    })
    expect(pushed).toMatchObject({ status: 200 })
    const scan = `doc_${pushed.body.document_id}`
    await closeLongAgo(firm, id)

    await disposeOf(firm, id)

    const listed = (await firm.owner('GET', '/api/v1/folders?limit=100')).body.data
    const parents = listed.map((one: { id: string; parent_id: string | null }) => [one.id, one.parent_id])
    expect(new Map(parents)).toEqual(
      new Map([
        [inner.id, null],
        [ofOther.id, null],
      ]),
    )
    const placeOf = async (one: string) => {
      const { case_id, folder_id } = (await firm.owner('GET', `/api/v1/documents/${one}`)).body
      return { case_id, folder_id }
    }
    expect(await placeOf(document)).toEqual({ case_id: null, folder_id: null })
    expect(await placeOf(filed)).toEqual({ case_id: other.id, folder_id: null })
    expect(await placeOf(scan)).toEqual({ case_id: null, folder_id: null })
    const inbox = (await firm.owner('GET', '/api/v1/inbox')).body.data.map((one: { id: string }) => one.id)
    expect([inbox.includes(document), inbox.includes(scan)]).toEqual([false, true])
    await post('/api/v1/folders', { name: 'Neu', parent_id: inner.id })
  })
})
