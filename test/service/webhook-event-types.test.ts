import { describe, expect, it } from 'vitest'
import { arrived } from '#test/support/arriving-mail.ts'
import { billing } from '#test/support/billing.ts'
import { corpus, upload } from '#test/support/documents.ts'
import { newFirm } from '#test/support/firm.ts'
import { newAddress, send, until } from '#test/support/sent-mail.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'
import { briefly, loggedEvents } from '#test/support/webhook-events.ts'

/** Every change over HTTP is in the log (E1, E10). The events of time and of beA are tested in `test/local`. */

describe('the calendar and deadlines', () => {
  it('tell of events that are added, changed and deleted', async () => {
    const { owner } = await newFirm()
    const times = { start: '2031-04-16T09:00:00Z', end: '2031-04-16T10:00:00Z' }
    const { id } = (await owner('POST', '/api/v1/events', { body: { title: 'Termin', ...times } })).body
    await owner('PATCH', `/api/v1/events/${id}`, { body: { title: 'Termin' } })
    await owner('PATCH', `/api/v1/events/${id}`, { body: { title: 'Verhandlung' } })
    await owner('DELETE', `/api/v1/events/${id}`)

    const events = await loggedEvents(owner)

    expect(briefly(events)).toEqual([`event.created ${id}`, `event.updated ${id}`, `event.deleted ${id}`])
    expect(events.map(({ data }) => data.case_id)).toEqual([null, null, null])
  })

  it('tell of each step of a deadline, to keys that may read deadlines or the calendar', async () => {
    const firm = await newFirm()
    const { owner, withScopes } = firm
    const colleague = (await firm.colleague()).api
    const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'A' } })).body.id
    const body = { title: 'Berufung', case_id, due_at: '2031-04-16' }
    const { id } = (await owner('POST', '/api/v1/deadlines', { body })).body
    const act = async (by: typeof owner, action: string, body: object = {}) =>
      expect((await by('POST', `/api/v1/deadlines/${id}/${action}`, { body })).status).toBeLessThan(300)
    await owner('PATCH', `/api/v1/deadlines/${id}`, { body: { title: 'Berufungsfrist' } })
    await act(colleague, 'verify')
    await act(owner, 'complete', { evidence: { type: 'note', text: 'Per Boten' } })
    await act(owner, 'reopen', { reason: 'Irrtum' })
    const second = (await owner('POST', '/api/v1/deadlines', { body })).body.id
    await owner('DELETE', `/api/v1/cases/${case_id}`)
    await owner('DELETE', `/api/v1/deadlines/${second}`, { body: { reason: 'Doppelt' } })

    const events = await loggedEvents(owner, 'type=deadline.*')

    expect(briefly(events)).toEqual([
      `deadline.created ${id}`,
      `deadline.updated ${id}`,
      `deadline.verified ${id}`,
      `deadline.completed ${id}`,
      `deadline.reopened ${id}`,
      `deadline.created ${second}`,
      expect.stringMatching(`deadline.updated (${id}|${second})`),
      expect.stringMatching(`deadline.updated (${id}|${second})`),
      `deadline.deleted ${second}`,
    ])
    expect(new Set(events.map(({ data }) => data.case_id))).toEqual(new Set([case_id]))
    // Each may have come first.
    expect(new Set(events.slice(6, 8).map(({ data }) => data.id))).toEqual(new Set([id, second]))
    for (const scope of ['deadlines:read', 'calendar:read'] as const)
      expect(briefly(await loggedEvents(await withScopes(scope)))).toEqual(briefly(events))
  })
})

describe('billing', () => {
  it('tells of time entries and of invoices that are issued, paid and cancelled', async () => {
    const firm = await newFirm()
    const { makeCase, makeTime, makeDraft, act } = billing(firm)
    const case_id = await makeCase()
    const [billed, deleted] = [await makeTime(case_id), await makeTime(case_id)]
    await firm.owner('PATCH', `/api/v1/time-entries/${billed.id}`, { body: { minutes: 90 } })
    await firm.owner('DELETE', `/api/v1/time-entries/${deleted.id}`)
    const draft = await makeDraft(case_id, { lines: [{ time_entry_id: billed.id }] })
    await act(draft.id, 'issue')
    await act(draft.id, 'issue')
    await act(draft.id, 'pay')
    const { cancelled_by } = (await act(draft.id, 'cancel')).body

    const events = await loggedEvents(firm.owner, 'type=time_entry.*&type=invoice.*')

    expect(briefly(events).toSorted()).toEqual(
      [
        `time_entry.created ${billed.id}`,
        `time_entry.created ${deleted.id}`,
        `time_entry.updated ${billed.id}`,
        `time_entry.deleted ${deleted.id}`,
        // The draft takes it, and the cancellation gives it back.
        `time_entry.updated ${billed.id}`,
        `time_entry.updated ${billed.id}`,
        `invoice.issued ${draft.id}`,
        `invoice.paid ${draft.id}`,
        `invoice.cancelled ${draft.id}`,
        `invoice.issued ${cancelled_by}`,
      ].toSorted(),
    )
    expect(new Set(events.map(({ data }) => data.case_id))).toEqual(new Set([case_id]))
  })
})

describe('envelopes', () => {
  const ofEnvelope = async ({ owner }: Awaited<ReturnType<typeof newFirm>>, id: string) =>
    (await loggedEvents(owner, 'type=envelope.*'))
      .filter(({ data }) => data.id === id)
      .map(({ type }) => type)

  it('tell that they are sent, opened first, signed by each and completed', async () => {
    const firm = await newFirm()
    const envelope = await sendEnvelope(firm, { signers: [{ name: 'Anna Meier' }, { name: 'Bert Schulze' }] })
    for (const at of [0, 1]) {
      const signer = visitor(firm, await envelope.link(at))
      await signer.open()
      await signer.open()
      await signer.sign()
    }
    await envelope.untilCompleted()

    expect(await ofEnvelope(firm, envelope.id)).toEqual([
      'envelope.sent',
      'envelope.opened',
      'envelope.signed',
      'envelope.signed',
      'envelope.completed',
    ])
  })

  it('tell that they are declined or voided', async () => {
    const firm = await newFirm()
    const [declined, voided] = await Promise.all([0, 1].map(() => sendEnvelope(firm)))
    if (!(declined && voided)) throw new Error('There is no envelope.')
    const signer = visitor(firm, await declined.link())
    await signer.open()
    await signer.decline()
    await firm.owner('POST', `/api/v1/signing/envelopes/${voided.id}/void`, { body: { reason: 'Irrtum' } })

    expect(await ofEnvelope(firm, declined.id)).toEqual([
      'envelope.sent',
      'envelope.opened',
      'envelope.declined',
    ])
    expect(await ofEnvelope(firm, voided.id)).toEqual(['envelope.sent', 'envelope.voided'])
  })
})

describe('documents', () => {
  it('tell that they are stored, read or not, changed and deleted', async () => {
    const { owner } = await newFirm()
    const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'A' } })).body.id
    const good = (await upload(owner, { filename: 'Brief.txt', bytes: 'Sehr geehrte Frau Meier' })).body.id
    const bad = (await upload(owner, { filename: 'Leer.pdf', bytes: corpus('verschluesselt.pdf') })).body.id
    for (const id of [good, bad])
      await until(owner, `/api/v1/documents/${id}`, ({ status }) => status !== 'pending')
    await owner('POST', `/api/v1/documents/${good}/assign`, { body: { case_id } })
    await owner('DELETE', `/api/v1/documents/${good}`)

    const events = await loggedEvents(owner, 'type=document.*')

    const of = (id: string) => events.filter(({ data }) => data.id === id)
    expect(of(good).map(({ type, data }) => [type, data.case_id])).toEqual([
      ['document.created', null],
      ['document.processed', null],
      ['document.updated', case_id],
      ['document.deleted', case_id],
    ])
    expect(of(bad).map(({ type }) => type)).toEqual(['document.created', 'document.failed'])
  })

  it('that nothing can be read of tell so together with their creation', async () => {
    const firm = await newFirm()
    await arrived(firm, { attachments: [{ filename: 'Leer.pdf', content: '' }] })

    const events = await loggedEvents(firm.owner, 'type=document.*')

    expect(events.map(({ type }) => type)).toEqual(['document.created', 'document.failed'])
    expect(new Set(events.map(({ data }) => data.id)).size).toBe(1)
  })

  it('that an envelope puts into its case are updated', async () => {
    const firm = await newFirm()
    const { documents, case_id } = await sendEnvelope(firm)

    const events = await loggedEvents(firm.owner, 'type=document.updated')

    expect(events.map(({ data }) => data)).toEqual([{ id: documents[0]?.document_id, case_id }])
  })

  it('that are assigned to where they are already are not updated', async () => {
    const { owner } = await newFirm()
    const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'A' } })).body.id
    const { id } = (await owner('POST', '/api/v1/parties', { body: { name: 'Anna Meier' } })).body
    const filed = (await upload(owner, {}, { case_id, party_ids: id })).body
    const again = { body: { case_id, party_ids: [id] } }
    expect((await owner('POST', `/api/v1/documents/${filed.id}/assign`, again)).status).toBe(200)

    expect(await loggedEvents(owner, 'type=document.updated')).toEqual([])
  })
})

describe('mail', () => {
  it('tells that it arrives, is judged and filed, with its attachments', async () => {
    const firm = await newFirm()
    const { owner } = firm
    const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'A' } })).body.id
    const attachments = [{ filename: 'Anlage.txt', content: 'Anlage' }]
    const { id } = await arrived(firm, { attachments })
    await until(owner, `/api/v1/correspondence/${id}`, ({ triage }) => triage?.final === true)
    await owner('POST', `/api/v1/inbox/${id}/file`, { body: { case_id } })

    const events = await loggedEvents(owner, 'type=mail.*')
    const ofDocuments = await loggedEvents(owner, `type=document.*&case_id=${case_id}`)

    expect(briefly(events)).toEqual([`mail.received ${id}`, `mail.judged ${id}`, `mail.filed ${id}`])
    expect(events.map(({ data }) => data.case_id)).toEqual([null, null, case_id])
    expect(ofDocuments.map(({ type }) => type)).toContain('document.updated')
  })

  it('tells that it was sent and bounced', async () => {
    const { owner } = await newFirm()
    const { id } = (await send(owner, { to: [newAddress(''), newAddress('bounce+')] })).body
    await until(owner, `/api/v1/correspondence/${id}`, ({ delivery }) =>
      delivery.some(({ status }: { status: string }) => status === 'bounced'),
    )

    const events = briefly(await loggedEvents(owner, 'type=mail.*'))

    expect(events).toEqual([`mail.sent ${id}`, `mail.bounced ${id}`])
  })
})
