import { beforeAll, describe, expect, it } from 'vitest'
import { caseEntity } from '#store/cases/case-entity.ts'
import { closedCases } from '#store/cases/closed-cases.ts'
import { transact } from '#store/transact.ts'
import { upload } from '#test/support/documents.ts'
import { closedLongAgo, makeDueCase } from '#test/support/due-case.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { disposeOf, untilDone } from '#test/support/run-disposals.ts'
import { indexed } from '#test/support/search.ts'
import { newAddress } from '#test/support/sent-mail.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'
import { placesOf } from '#test/support/stored-data.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { briefly, loggedEvents } from '#test/support/webhook-events.ts'

/** Cases that a user has deleted (C8): their records are stored until they are disposed of (R3). */

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const openCase = async (name = 'Meier ./. Schulze'): Promise<string> =>
  (await firm.owner('POST', '/api/v1/cases', { body: { name } })).body.id
const deleteCase = async (id: string) => (await firm.owner('DELETE', `/api/v1/cases/${id}`)).status
const propose = (id: string) => firm.owner('POST', '/api/v1/disposals', { body: { case_ids: [id] } })
const dueRow = async (id: string) =>
  (await firm.owner('GET', '/api/v1/retention/due?limit=100')).body.data.find(
    ({ case_id }: { case_id: string }) => case_id === id,
  )

/** Moves the deletion of a case to years ago. */
async function deletedLongAgo(id: string): Promise<void> {
  const db = await sharedTable()
  const [cases, closed] = [caseEntity(db), closedCases(db)]
  const key = { workspace_id: firm.workspace.id, id }
  const { data } = await cases.get(key).go()
  if (data === null) throw new Error('There is no such case.')
  const { status, closed_at = null, deleted_at = null } = data
  const ended = { ...key, status, closed_at }
  const moved = closed.changes({ ...ended, deleted_at }, { ...ended, deleted_at: closedLongAgo })
  await transact(db, moved)
  await cases.patch(key).set({ deleted_at: closedLongAgo }).go()
}

/** The removal of cases, without its worker. */
async function removalOf() {
  Object.assign(process.env, sharedService().environment)
  const { foundation } = await import('#foundation/foundation.ts')
  const { disposalFoundation } = await import('#foundation/disposals.ts')
  return disposalFoundation(foundation('disposals'))
}

describe('a case that a user has deleted', () => {
  it('is due at the end of the period that began with its closing', async () => {
    const id = await makeDueCase(firm)
    const before = await dueRow(id)

    expect(await deleteCase(id)).toBe(204)

    expect(before).toMatchObject({ closed_at: closedLongAgo, deleted_at: null })
    expect(await dueRow(id)).toEqual({ ...before, deleted_at: expect.any(String) })
  })

  it('is due at the end of the period that began with its deletion, if it was never closed', async () => {
    const id = await openCase()
    await deleteCase(id)
    const [early, refused] = [await dueRow(id), await propose(id)]

    await deletedLongAgo(id)

    expect([early, refused.status, refused.body.error.code]).toEqual([undefined, 409, 'NOT_DUE'])
    expect(refused.body.error.details[0].message).toContain('deleted at')
    expect(await dueRow(id)).toMatchObject({
      closed_at: null,
      deleted_at: closedLongAgo,
      retain_until: '2025-12-31',
    })
    expect((await propose(id)).status).toBe(201)
  })

  it('is not due while it has a hold', async () => {
    const id = await makeDueCase(firm)
    await deleteCase(id)
    const path = `/api/v1/cases/${id}/holds`
    const hold = await firm.owner('POST', path, { body: { reason: 'Regress' } })
    const again = await firm.owner('POST', path, { body: { reason: 'Berufung' } })

    const [held, refused] = [await dueRow(id), await propose(id)]
    const listed = await firm.owner('GET', path)
    for (const one of [hold, again])
      await firm.owner('DELETE', `${path}/${one.body.id}`, { body: { reason: 'Erledigt' } })

    expect([hold.status, held, refused.body.error.code]).toEqual([201, undefined, 'LEGAL_HOLD'])
    expect(listed.body.data).toEqual([hold.body, again.body])
    expect(await dueRow(id)).toMatchObject({ case_id: id })
    expect((await firm.owner('GET', `/api/v1/cases/${id}`)).status).toBe(404)
  })

  it('is not disposed of while one of its deadlines in the calendar is still to come', async () => {
    const id = await makeDueCase(firm)
    const body = { case_id: id, title: 'Verjährung des Titels', due_at: '2055-12-31' }
    const deadline = (await firm.owner('POST', '/api/v1/deadlines', { body })).body
    const { warnings } = (await firm.owner('DELETE', `/api/v1/cases/${id}`)).body

    const refused = await propose(id)

    expect(warnings[0]).toContain('bleibt im Fristenkalender')
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'CASE_HAS_OPEN_WORK'])
    expect(JSON.stringify(refused.body.error.details)).toContain(deadline.id)
    await firm.owner('DELETE', `/api/v1/deadlines/${deadline.id}`, { body: { reason: 'Titel erfüllt' } })
    expect((await propose(id)).status).toBe(201)
  })

  it('keeps its documents while it has a hold', async () => {
    const [id, other] = [await openCase(), await openCase()]
    const document = `/api/v1/documents/${(await upload(firm.owner, {}, { case_id: id })).body.id}`
    await deleteCase(id)
    const path = `/api/v1/cases/${id}/holds`
    const hold = await firm.owner('POST', path, { body: { reason: 'Regress' } })
    const move = (case_id: string | null) => firm.owner('POST', `${document}/assign`, { body: { case_id } })

    const refused = [await firm.owner('DELETE', document), await move(other), await move(null)]
    await firm.owner('DELETE', `${path}/${hold.body.id}`, { body: { reason: 'Erledigt' } })
    const free = await firm.owner('DELETE', document)

    expect(refused.map(({ status, body }) => `${status} ${body.error?.code}`)).toEqual(
      Array(3).fill('409 LEGAL_HOLD'),
    )
    expect(free.status).toBe(204)
  })

  it('is disposed of with everything, and causes one event of its deletion', async () => {
    const other = await openCase('Nachbarsache')
    const id = await openCase('Zwxname ./. Schulze')
    await firm.owner('POST', `/api/v1/cases/${id}/links`, { body: { case_id: other, note: 'zwxnotiz' } })
    const file = { filename: 'zwxdatei.txt', bytes: 'Hier steht zwxinhalt.' }
    const document = (await upload(firm.owner, file, { case_id: id })).body
    await indexed(firm.owner)
    await deleteCase(id)
    await deletedLongAgo(id)
    const words = ['zwxname', 'zwxdatei', 'zwxinhalt']
    const filled = (await placesOf(firm.workspace.id, words)).join('\n')
    for (const word of words) expect(filled).toContain(`${word}:`)

    const { cases } = await disposeOf(firm, id)

    await indexed(firm.owner)
    expect(cases).toMatchObject([{ case_id: id, state: 'done', reason: null }])
    expect(await placesOf(firm.workspace.id, [...words, 'zwxnotiz'])).toEqual([])
    expect((await firm.owner('GET', `/api/v1/documents/${document.id}`)).status).toBe(404)
    expect(await dueRow(id)).toBeUndefined()
    expect(briefly(await loggedEvents(firm.owner, `case_id=${id}`))).toEqual([`case.deleted ${id}`])
    const { data } = (await firm.owner('GET', '/api/v1/retention/statistics')).body
    expect(data).toEqual([{ year: 2019, type: null, cases: 1 }])
  })

  it('is disposed of with the copies and mails of an envelope that was completed after its deletion', async () => {
    const client = newAddress()
    const signers = [{ name: 'Zwxmandantin Weber', email: client }]
    const envelope = await sendEnvelope(firm, { signers, fields: { title: 'Zwxvollmacht' } })
    const { case_id } = envelope
    await deleteCase(case_id)
    const signer = visitor(firm, await envelope.link())
    await signer.open()
    await signer.sign()
    await envelope.untilCompleted()
    const [{ sealed_document_id }] = (await envelope.get()).documents
    const sealed = (await firm.owner('GET', `/api/v1/documents/${sealed_document_id}`)).body
    await expect
      .poll(async () => (await envelope.get()).signers.map(({ delivery }: { delivery: string }) => delivery))
      .toEqual(['sent'])
    await indexed(firm.owner)
    await deletedLongAgo(case_id)

    const { cases } = await disposeOf(firm, case_id)

    await indexed(firm.owner)
    const verified = await firm.owner('POST', '/api/v1/signing/verify', { body: { sha256: sealed.sha256 } })
    expect([sealed.case_id, cases[0].state]).toEqual([case_id, 'done'])
    expect((await firm.owner('GET', `/api/v1/documents/${sealed_document_id}`)).status).toBe(404)
    expect(verified.body).toEqual({ known: false })
    expect(await placesOf(firm.workspace.id, ['zwxmandantin', 'zwxvollmacht'])).toEqual([])
  })

  it('is disposed of with a sealed copy that an older release filed nowhere, but not with a moved one', async () => {
    const texts = ['Vollmacht', 'Honorarvereinbarung']
    const envelope = await sendEnvelope(firm, {
      signers: [{ name: 'Anna Weber', email: newAddress() }],
      documents: texts.map((bytes) => ({ bytes, filename: `${bytes}.txt` })),
    })
    const { case_id } = envelope
    const signer = visitor(firm, await envelope.link())
    await signer.open()
    await signer.sign()
    await envelope.untilCompleted()
    await expect
      .poll(async () => (await envelope.get()).signers.map(({ delivery }: { delivery: string }) => delivery))
      .toEqual(['sent'])
    await indexed(firm.owner)
    const [copy, moved] = (await envelope.get()).documents.map(
      ({ sealed_document_id }: { sealed_document_id: string }) => sealed_document_id,
    )
    const other = await openCase()
    const assign = (id: string, to: string | null) =>
      firm.owner('POST', `/api/v1/documents/${id}/assign`, { body: { case_id: to } })
    await assign(copy, null)
    await assign(moved, other)
    await deleteCase(case_id)
    await deletedLongAgo(case_id)

    const { cases } = await disposeOf(firm, case_id)

    const statusOf = async (id: string) => (await firm.owner('GET', `/api/v1/documents/${id}`)).status
    expect(cases).toMatchObject([{ state: 'done', reason: null }])
    expect([await statusOf(copy), await statusOf(moved)]).toEqual([404, 200])
  })

  it('between the proposal and the removal is disposed of, because it is still due', async () => {
    const id = await makeDueCase(firm)
    const { api } = await firm.colleague()
    const path = `/api/v1/disposals/${(await propose(id)).body.id}`
    await deleteCase(id)
    await api('POST', `${path}/approve`)

    const { cases } = await untilDone(firm, path.slice(path.lastIndexOf('/') + 1))

    expect(cases).toMatchObject([{ case_id: id, state: 'done' }])
  })

  it('must be judged again after its deletion, and is unchanged when the removal is undone', async () => {
    const id = await makeDueCase(firm)
    const { removal, cases } = await removalOf()
    const { id: workspaceId } = firm.workspace
    const [disposalId, at] = [`dsp_${crypto.randomUUID()}`, '2026-11-27T09:00:00.000Z']
    const judge = async () => {
      const [judged] = await cases.findAll(workspaceId, [id])
      if (judged === undefined) throw new Error('There is no such case.')
      return judged
    }
    const earlier = await judge()
    await deleteCase(id)
    const row = await dueRow(id)

    const begun = [
      await removal.begin(workspaceId, earlier, disposalId, at),
      await removal.begin(workspaceId, await judge(), disposalId, at),
    ]
    const between = await dueRow(id)
    await removal.release(workspaceId, id, disposalId)

    expect([begun, between]).toEqual([[false, true], undefined])
    expect(await dueRow(id)).toEqual(row)
    expect((await firm.owner('GET', `/api/v1/cases/${id}`)).status).toBe(404)
  })
})
