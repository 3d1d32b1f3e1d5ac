import { beforeAll, describe, expect, it } from 'vitest'
import { timestamp } from '#kernel/clock.ts'
import { settled, upload } from '#test/support/documents.ts'
import { closeLongAgo, makeDueCase } from '#test/support/due-case.ts'
import { only } from '#test/support/due-index.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { approveForTest, disposeOf, untilDone } from '#test/support/run-disposals.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const post = async (path: string, body: object) => {
  const answer = await firm.owner('POST', path, { body })
  expect([path, answer.status]).toEqual([path, 201])
  return answer.body
}
const statusOf = async (path: string) => (await firm.owner('GET', path)).status

/** The removal of cases, without its worker. */
async function removalOf() {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { disposalFoundation } = await import('#foundation/disposals.ts')
  const { removal, cases } = disposalFoundation(foundation('disposals'))
  const begin = async (caseId: string, disposalId: string) => {
    const [found] = await cases.findAll(firm.workspace.id, [caseId])
    if (found === undefined) throw new Error('There is no such case.')
    return removal.begin(firm.workspace.id, found, disposalId, `${day}T09:00:00.000Z`)
  }
  return { removal, begin }
}

/** Moves a record, by its path, to another case. */
const move = (path: string, case_id: string) =>
  path.includes('/documents/')
    ? firm.owner('POST', `${path}/assign`, { body: { case_id } })
    : firm.owner('PATCH', path, { body: { case_id } })

/**
 * Approves a disposal, and runs the worker for it with some of its dependencies replaced. @returns how many of its
 * disposals failed
 */
async function approvedAndRunWith(id: string, change: (deps: Deps) => Partial<Deps>): Promise<number> {
  const { first } = await approveForTest(firm, id)
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { disposalFoundation } = await import('#foundation/disposals.ts')
  const { runDisposals } = await import('#retention/disposing.ts')
  const deps = disposalFoundation(foundation('disposals'))
  const due = { ...deps.due, ...only(deps.due, (one) => one.id === id) }
  const log = { error: () => {} }
  const { failed } = await runDisposals({ ...deps, ...change(deps), due, log }, first, {
    milliseconds: 60_000,
  })
  return failed
}
type Deps = ReturnType<typeof import('#foundation/disposals.ts')['disposalFoundation']>

const propose = async (...case_ids: string[]): Promise<string> =>
  (await post('/api/v1/disposals', { case_ids })).id
const disposalOf = async (id: string) => (await firm.owner('GET', `/api/v1/disposals/${id}`)).body

const day = '2026-11-27'
const endless = () => false

/** A document, an event and a time entry, which can be moved to another case, by their paths. */
async function movable(caseId: string): Promise<string[]> {
  const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z' }
  const document = (
    await upload(firm.owner, { bytes: 'Ein Vertrag.', filename: 'Vertrag.txt' }, { case_id: caseId })
  ).body
  await settled(firm.owner, document.id)
  const event = await post('/api/v1/events', {
    title: 'Termin',
    case_id: caseId,
    ...times,
    allow_conflict: true,
  })
  const work = { case_id: caseId, date: '2026-03-01', minutes: 30, activity: 'Prüfung' }
  const entry = await post('/api/v1/time-entries', work)
  return [
    `/api/v1/documents/${document.id}`,
    `/api/v1/events/${event.id}`,
    `/api/v1/time-entries/${entry.id}`,
  ]
}

it('when a removal has begun, nothing can be moved out of the case, and everything is removed', async () => {
  const { id } = await post('/api/v1/cases', { name: 'Geht' })
  const other = await post('/api/v1/cases', { name: 'Bleibt' })
  const paths = await movable(id)
  await closeLongAgo(firm, id)
  const { removal, begin } = await removalOf()
  const disposalId = `dsp_${crypto.randomUUID()}`
  await begin(id, disposalId)
  await removal.list(firm.workspace.id, id, disposalId, day, endless)

  const moved = await Promise.all(
    paths.map(async (path) => {
      const { status, body } = await move(path, other.id)
      return [path, status, body.error?.code]
    }),
  )
  await removal.remove(firm.workspace.id, id, disposalId, endless)

  expect(moved).toEqual(paths.map((path) => [path, 404, 'CASE_NOT_FOUND']))
  expect(await Promise.all(paths.map(statusOf))).toEqual(paths.map(() => 404))
  expect((await firm.owner('GET', `/api/v1/documents?case_id=${other.id}`)).body.data).toEqual([])
})

it('when a removal has begun, no extension of a deadline can be requested', async () => {
  const { id } = await post('/api/v1/cases', { name: 'Geht' })
  const { id: deadlineId } = await post('/api/v1/deadlines', {
    title: 'Stellungnahme',
    case_id: id,
    due_at: '2031-04-16',
  })
  await closeLongAgo(firm, id)
  const { removal, begin } = await removalOf()
  const disposalId = `dsp_${crypto.randomUUID()}`
  await begin(id, disposalId)
  await removal.list(firm.workspace.id, id, disposalId, day, endless)

  const { status, body } = await firm.owner('POST', `/api/v1/deadlines/${deadlineId}/extension`, {
    body: { requested_until: '2031-05-16' },
  })
  await removal.remove(firm.workspace.id, id, disposalId, endless)

  expect([status, body.error?.code]).toEqual([404, 'CASE_NOT_FOUND'])
  const left = itemsOf(firm.workspace.id).filter((item) => JSON.stringify(item).includes('Stellungnahme'))
  expect(left.map(({ pk }) => pk)).toEqual([])
})

it('an invoice that cancels an invoice of a case under removal is kept for its own period', async () => {
  const { id } = await post('/api/v1/cases', { name: 'Geht' })
  const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100.00' }]
  const invoice = await post('/api/v1/invoices', { case_id: id, lines, buyer: { name: 'Meier' } })
  await firm.owner('POST', `/api/v1/invoices/${invoice.id}/issue`)
  await closeLongAgo(firm, id)
  const { removal, begin } = await removalOf()
  const disposalId = `dsp_${crypto.randomUUID()}`
  await begin(id, disposalId)
  await removal.list(firm.workspace.id, id, disposalId, '2040-01-01', endless)

  const { status, body } = await firm.owner('POST', `/api/v1/invoices/${invoice.id}/cancel`)
  await removal.remove(firm.workspace.id, id, disposalId, endless)

  expect(status).toBe(200)
  expect(await statusOf(`/api/v1/invoices/${invoice.id}`)).toBe(404)
  expect(await statusOf(`/api/v1/invoices/${body.cancelled_by}`)).toBe(200)
  const kept = itemsOf(firm.workspace.id).filter(({ pk }) => String(pk).includes(`#kept_parts#${disposalId}`))
  expect(kept.map((item) => item.id)).toEqual([body.cancelled_by])
})

it('records that were moved to another case before the removal stay there', async () => {
  const { id } = await post('/api/v1/cases', { name: 'Geht' })
  const other = await post('/api/v1/cases', { name: 'Bleibt' })
  const paths = await movable(id)
  for (const path of paths) {
    const { status } = await move(path, other.id)
    expect([path, status]).toEqual([path, 200])
  }
  await closeLongAgo(firm, id)

  await disposeOf(firm, id)

  expect(await Promise.all(paths.map(statusOf))).toEqual(paths.map(() => 200))
})

it('a record that is listed but in another case stays, and is not counted', async () => {
  const [id, other] = [await makeDueCase(firm), await makeDueCase(firm)]
  const { removal, begin } = await removalOf()
  const work = { case_id: other, date: '2026-03-01', minutes: 30, activity: 'Prüfung' }
  const entry = await post('/api/v1/time-entries', work)
  const disposalId = `dsp_${crypto.randomUUID()}`
  await begin(id, disposalId)
  await removal.list(firm.workspace.id, id, disposalId, day, endless)
  const { disposalPart } = await import('#store/retention/disposal-part-entity.ts')
  const { sharedTable } = await import('#test/support/table.ts')
  const stale = { workspace_id: firm.workspace.id, disposal_id: disposalId, case_id: id }
  await disposalPart(await sharedTable())
    .put({ ...stale, kind: 'timeentry', id: entry.id })
    .go()

  await removal.remove(firm.workspace.id, id, disposalId, endless)

  const forgotten = await removal.forget(firm.workspace.id, disposalId, timestamp(), endless)
  expect(await statusOf(`/api/v1/time-entries/${entry.id}`)).toBe(200)
  expect(forgotten?.counts).toEqual({ case: 1 })
})

it('a case whose party has two roles is removed', async () => {
  const { id } = await post('/api/v1/cases', { name: 'Zwei Rollen' })
  const party = await post('/api/v1/parties', { name: 'Anna Meier' })
  await post(`/api/v1/cases/${id}/parties`, {
    parties: [
      { id: party.id, role: 'client' },
      { id: party.id, role: 'witness' },
    ],
  })
  await closeLongAgo(firm, id)

  const disposal = await disposeOf(firm, id)

  expect(disposal.cases).toMatchObject([{ case_id: id, state: 'done' }])
  expect((await firm.owner('GET', `/api/v1/parties/${party.id}/cases`)).body.data).toEqual([])
})

it('a record that is changed while it is removed is removed, too', async () => {
  const { id } = await post('/api/v1/cases', { name: 'Geht' })
  const work = { case_id: id, date: '2026-03-01', minutes: 30, activity: 'Prüfung' }
  const entries = await Promise.all(Array.from({ length: 20 }, () => post('/api/v1/time-entries', work)))
  const paths = entries.map((entry) => `/api/v1/time-entries/${entry.id}`)
  await closeLongAgo(firm, id)
  const { removal, begin } = await removalOf()
  const disposalId = `dsp_${crypto.randomUUID()}`
  await begin(id, disposalId)
  await removal.list(firm.workspace.id, id, disposalId, day, endless)

  await Promise.all([
    removal.remove(firm.workspace.id, id, disposalId, endless),
    ...paths.map((path) => firm.owner('PATCH', path, { body: { activity: 'Quarkkuchen' } })),
  ])

  const left = itemsOf(firm.workspace.id).filter((item) =>
    entries.some((entry) => item.sk === entry.id || String(item.sk).endsWith(`#${entry.id}`)),
  )
  expect(await Promise.all(paths.map(statusOf))).toEqual(paths.map(() => 404))
  expect(left.map(({ pk }) => String(pk).split('#')[1]).filter((kind) => kind !== 'disposal_parts')).toEqual(
    [],
  )
})

it('a case with work that begins just before its removal is kept unchanged', async () => {
  const [id, other] = [await makeDueCase(firm, 'Spät begonnen'), await makeDueCase(firm)]
  const before = (await firm.owner('GET', `/api/v1/cases/${id}`)).body
  const disposalId = await propose(id, other)

  await approvedAndRunWith(disposalId, ({ removal }) => ({
    removal: {
      ...removal,
      begin: async (...judged) => {
        if (judged[1].id === id)
          await post('/api/v1/email/outbound/drafts', { subject: 'Noch etwas', case_id: id })
        return removal.begin(...judged)
      },
    },
  }))

  const { cases } = await untilDone(firm, disposalId)
  const found = await firm.owner('GET', '/api/v1/cases?search=Spät')
  const due = await firm.owner('GET', '/api/v1/retention/due')
  expect(cases).toMatchObject([
    { case_id: id, state: 'kept', reason: 'open_work' },
    { case_id: other, state: 'done' },
  ])
  expect((await firm.owner('GET', `/api/v1/cases/${id}`)).body).toEqual(before)
  expect(found.body.data).toMatchObject([{ id }])
  expect(due.body.data.map((one: { case_id: string }) => one.case_id)).toContain(id)
})

it('a case in which a letter is filed just before its removal is kept', async () => {
  const id = await makeDueCase(firm)
  const disposalId = await propose(id)

  await approvedAndRunWith(disposalId, ({ removal }) => ({
    removal: {
      ...removal,
      begin: async (...judged) => {
        await upload(firm.owner, { bytes: 'Spät', filename: 'Brief.txt' }, { case_id: id })
        return removal.begin(...judged)
      },
    },
  }))

  expect((await untilDone(firm, disposalId)).cases).toMatchObject([{ state: 'kept', reason: 'changed' }])
  expect(await statusOf(`/api/v1/cases/${id}`)).toBe(200)
})

describe('a disposal that has begun to remove a case', () => {
  const begun = async (case_id: string) => {
    const { removal, begin } = await removalOf()
    const disposalId = `dsp_${crypto.randomUUID()}`
    await begin(case_id, disposalId)
    return { removal, of: [firm.workspace.id, case_id, disposalId] as const, disposalId }
  }

  it('prevents the sending of its envelopes', async () => {
    const { id } = await post('/api/v1/cases', { name: 'Mit Entwurf' })
    const { body: document } = await upload(
      firm.owner,
      { bytes: 'Ein Vertrag.', filename: 'Vertrag.txt' },
      { case_id: id },
    )
    const envelope = await post(`/api/v1/cases/${id}/signing-envelopes`, {
      title: 'Vollmacht',
      document_ids: [document.id],
      signers: [{ name: 'Anna Meier', email: 'anna@example.de' }],
    })
    await closeLongAgo(firm, id)
    const { removal, of } = await begun(id)
    const send = () =>
      firm.owner('POST', `/api/v1/signing/envelopes/${envelope.id}/send`, { body: { send_emails: false } })

    const refused = await send()
    await removal.release(...of)

    expect([refused.status, refused.body.error?.code]).toEqual([404, 'CASE_NOT_FOUND'])
    expect((await send()).status).toBe(200)
  })

  it('erases nothing of it, and keeps no list of it, if the removal is undone', async () => {
    const { id } = await post('/api/v1/cases', { name: 'Bleibt doch' })
    const [path = ''] = await movable(id)
    const party = await post('/api/v1/parties', { name: 'Anna Meier' })
    const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100.00', tax_rate: '19' }]
    const invoice = await post('/api/v1/invoices', { case_id: id, party_id: party.id, lines })
    await firm.owner('POST', `/api/v1/invoices/${invoice.id}/issue`)
    await closeLongAgo(firm, id)
    const { removal, of, disposalId } = await begun(id)
    await removal.list(...of, day, endless)

    await removal.release(...of)

    const forgotten = await removal.forget(firm.workspace.id, disposalId, timestamp(), endless)
    await removal.removeKept(firm.workspace.id, disposalId, '2099-01-01', endless)
    expect(forgotten).toMatchObject({ counts: {}, kept_until: null })
    const kept = [`${path}/download`, `/api/v1/invoices/${invoice.id}`, `/api/v1/cases/${id}`]
    expect(await Promise.all(kept.map(statusOf))).toEqual([200, 200, 200])
  })

  it('shows its deadlines as deadlines of a deleted case only until the removal is undone', async () => {
    const { id } = await post('/api/v1/cases', { name: 'Mit Frist' })
    const deadline = await post('/api/v1/deadlines', { title: 'Frist', case_id: id, due_at: '2031-04-16' })
    await closeLongAgo(firm, id)
    const { sharedTable } = await import('#test/support/table.ts')
    const { showDeletion } = await import('#store/cases/deleted-cases.ts')
    const show = showDeletion({ ...(await sharedTable()) })
    const shown = async () =>
      (await show(firm.workspace.id, [{ case_id: id, case_deleted_at: null }]))[0]?.case_deleted_at
    const { removal, of } = await begun(id)

    const between = await shown()
    await removal.release(...of)

    expect([between, await shown()]).toEqual([`${day}T09:00:00.000Z`, null])
    expect(await statusOf(`/api/v1/deadlines/${deadline.id}`)).toBe(200)
  })
})

it('a case that cannot be removed does not delay the next cases', async () => {
  const [poison, other] = [await makeDueCase(firm), await makeDueCase(firm)]
  const disposalId = await propose(poison, other)

  const failed = await approvedAndRunWith(disposalId, ({ removal }) => ({
    removal: {
      ...removal,
      list: (workspaceId, caseId, ...rest) =>
        caseId === poison
          ? Promise.reject(new Error('It cannot be listed.'))
          : removal.list(workspaceId, caseId, ...rest),
    },
  }))

  expect([failed, (await disposalOf(disposalId)).cases]).toMatchObject([
    1,
    [
      { case_id: poison, state: 'waiting' },
      { case_id: other, state: 'done' },
    ],
  ])
  expect((await untilDone(firm, disposalId)).cases).toMatchObject([{ state: 'done' }, { state: 'done' }])
})

it('a worker that dies after sealing leaves one certificate with one time', async () => {
  const disposalId = await propose(await makeDueCase(firm))
  const sealed: string[] = []

  await approvedAndRunWith(disposalId, ({ certify }) => ({
    certify: async (workspaceId, certificate) => {
      sealed.push(certificate.done_at)
      await certify(workspaceId, certificate)
      throw new Error('The worker is dead.')
    },
  }))

  const between = await disposalOf(disposalId)
  const { done_at } = await untilDone(firm, disposalId)
  const { firmObjects } = await import('#files/firm-objects.ts')
  const keys: string[] = []
  const objects = firmObjects(process.env.BUCKET_NAME ?? '', { keepsVersions: false })
  for await (const { key } of objects.all(firm.workspace.id)) if (key.includes(disposalId)) keys.push(key)
  expect([between.status, between.done_at]).toEqual(['running', null])
  expect(sealed).toEqual([done_at])
  expect(keys).toHaveLength(1)
})

it('a draft is removed with the mail that was sent from it, whatever case it names', async () => {
  const [id, other] = [
    (await post('/api/v1/cases', { name: 'Geht' })).id,
    (await post('/api/v1/cases', { name: 'Bleibt' })).id,
  ]
  const draft = await post('/api/v1/email/outbound/drafts', {
    subject: 'Quittengelee',
    to: ['anna@example.de'],
    body_html: '<p>Quittengelee</p>',
    case_id: id,
  })
  const sent = await firm.owner('POST', `/api/v1/email/outbound/drafts/${draft.id}/send`)
  expect(sent.status).toBeLessThan(300)
  const { sharedTable } = await import('#test/support/table.ts')
  const { draftEntity } = await import('#store/correspondence/draft-entity.ts')
  const drafts = draftEntity(await sharedTable())
  const key = { workspace_id: firm.workspace.id, id: draft.id }
  await drafts.patch(key).set({ case_id: other }).go()
  await closeLongAgo(firm, id)

  await disposeOf(firm, id)

  expect((await drafts.get(key).go()).data).toBeNull()
  expect(await statusOf(`/api/v1/cases/${other}`)).toBe(200)
})
