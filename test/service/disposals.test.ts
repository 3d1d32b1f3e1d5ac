import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { scopes } from '#kernel/scope.ts'
import type { Answer, Api } from '#test/support/api.ts'
import { aBeaAccountOf, aBeaMessageIn } from '#test/support/bea-records.ts'
import { unknownEeb, waitingEeb } from '#test/support/bea-sends.ts'
import { closeLongAgo, makeDueCase } from '#test/support/due-case.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { disposeOf } from '#test/support/run-disposals.ts'
import { sendEnvelope } from '#test/support/signing.ts'

let firm: Firm
let colleague: Api
beforeAll(async () => {
  firm = await newFirm()
  colleague = (await firm.colleague()).api
})

const path = '/api/v1/disposals'
const propose = (...case_ids: string[]) => firm.owner('POST', path, { body: { case_ids } })
const approve = (id: string, by: Api = colleague) => by('POST', `${path}/${id}/approve`)
const withdraw = (id: string, by: Api = colleague) => by('POST', `${path}/${id}/withdraw`)
const codeOf = ({ status, body }: Answer) => `${status} ${body?.error?.code ?? ''}`.trim()
const namedIn = ({ body }: Answer): string =>
  body.error.details.map(({ message }: { message: string }) => message).join('\n')
const openCase = async (): Promise<string> =>
  (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Meier ./. Schulze' } })).body.id
const audited = async (action: string) =>
  (await firm.owner('GET', `/api/v1/audit?action=${action}&limit=100`)).body.data

describe('a proposal', () => {
  it('names its cases, waits for a second user, and can be read and listed', async () => {
    const id = await makeDueCase(firm)

    const proposed = await propose(id, id)

    const { body } = proposed
    expect(proposed.status).toBe(201)
    expect(body).toMatchObject({
      status: 'proposed',
      cases: [{ case_id: id, state: 'waiting', reason: null }],
      proposed_by: firm.ownerUser.id,
      approved_by: null,
    })
    expect((await firm.owner('GET', `${path}/${body.id}`)).body).toEqual(body)
    expect((await firm.owner('GET', path)).body.data[0]).toEqual(body)
    expect((await firm.owner('GET', `/api/v1/cases/${id}`)).status).toBe(200)
    expect((await audited('disposal.proposed')).at(-1)).toMatchObject({
      actor: { id: firm.ownerUser.id },
      ref: { type: 'disposal', id: body.id },
    })
  })

  it('of cases that are open or must be kept is refused, naming each of them', async () => {
    const [due, open, closed] = [await makeDueCase(firm), await openCase(), await openCase()]
    await closeLongAgo(firm, closed, systemClock.now().toISOString())

    const refused = await propose(due, open, closed)

    expect(codeOf(refused)).toBe('409 NOT_DUE')
    expect(namedIn(refused)).toContain(open)
    expect(namedIn(refused)).toContain(closed)
    expect(namedIn(refused)).not.toContain(due)
  })

  it('of cases with a hold is refused, naming each of them', async () => {
    const [due, held] = [await makeDueCase(firm), await makeDueCase(firm)]
    await firm.owner('POST', `/api/v1/cases/${held}/holds`, { body: { reason: 'Regress' } })

    const refused = await propose(due, held)

    expect(codeOf(refused)).toBe('409 LEGAL_HOLD')
    expect(namedIn(refused)).toContain(held)
    expect(namedIn(refused)).not.toContain(due)
  })

  it('of a case that is unknown, already gone, or of another firm is 404', async () => {
    const gone = await makeDueCase(firm)
    await disposeOf(firm, gone)
    const foreign = await makeDueCase(await newFirm())
    const unknown = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'

    const refused = await Promise.all([gone, foreign, unknown, 'x'].map((id) => propose(id)))

    expect(refused.map(codeOf)).toEqual(Array(4).fill('404 CASE_NOT_FOUND'))
  })

  it('must have one to a hundred cases', async () => {
    const many = Array.from(
      { length: 101 },
      (_, at) => `01993f5e-7c1a-7d2e-9b64-${String(at).padStart(12, '0')}`,
    )

    const refused = [await propose(), await propose(...many), await firm.owner('POST', path, { body: {} })]

    expect(refused.map(codeOf)).toEqual(Array(3).fill('400 VALIDATION_ERROR'))
  })

  it('of a case in another proposal is refused until the other proposal is withdrawn', async () => {
    const [one, other, third] = [await makeDueCase(firm), await makeDueCase(firm), await makeDueCase(firm)]
    const first = await propose(one)
    await propose(third)

    const refused = await propose(other, one)
    await withdraw(first.body.id)
    const ofThird = await propose(third)
    const again = await propose(other, one)

    expect(codeOf(refused)).toBe('409 CASE_IN_DISPOSAL')
    expect(namedIn(refused)).toContain(first.body.id)
    expect(namedIn(refused)).not.toContain(other)
    expect(codeOf(ofThird)).toBe('409 CASE_IN_DISPOSAL')
    expect(again.status).toBe(201)
  })

  it('of one case by two users at the same time succeeds for one of them', async () => {
    const id = await makeDueCase(firm)

    const both = await Promise.all([propose(id), colleague('POST', path, { body: { case_ids: [id] } })])

    expect(both.map(codeOf).toSorted()).toEqual(['201', '409 CASE_IN_DISPOSAL'])
  })

  it('is made once if it is repeated with the same Idempotency-Key', async () => {
    const body = { case_ids: [await makeDueCase(firm)] }
    const headers = { 'Idempotency-Key': crypto.randomUUID() }

    const first = await firm.owner('POST', path, { body, headers })
    const second = await firm.owner('POST', path, { body, headers })

    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
  })

  it('needs the scope workspace:admin', async () => {
    const others = await firm.withScopes(...scopes.filter((one) => one !== 'workspace:admin'))

    const refused = await Promise.all([
      others('GET', path),
      others('POST', path, { body: { case_ids: ['x'] } }),
    ])

    expect(refused.map(({ status }) => status)).toEqual([403, 403])
  })
})

describe('open work prevents the proposal of a case:', () => {
  let id: string
  beforeEach(async () => {
    id = await makeDueCase(firm)
  })

  it('an unsent draft of any user', async () => {
    const draft = await colleague('POST', '/api/v1/email/outbound/drafts', {
      body: { subject: 'Abschluss', case_id: id },
    })

    const refused = await propose(id)

    expect(codeOf(refused)).toBe('409 CASE_HAS_OPEN_WORK')
    expect(namedIn(refused)).toContain(draft.body.id)
    await colleague('DELETE', `/api/v1/email/outbound/drafts/${draft.body.id}`)
    expect((await propose(id)).status).toBe(201)
  })

  it('but not an unsent draft of a deactivated user', async () => {
    const { api, user } = await firm.colleague()
    await api('POST', '/api/v1/email/outbound/drafts', { body: { subject: 'Abschluss', case_id: id } })
    await firm.owner('PATCH', `/api/v1/users/${user.id}`, { body: { active: false } })

    expect((await propose(id)).status).toBe(201)
  })

  it('an answer to a beA message with an unknown outcome', async () => {
    const account = await aBeaAccountOf(firm)
    const messageId = await aBeaMessageIn(account, {}, { caseId: id })
    await unknownEeb(firm.workspace.id, messageId, account.id)

    const refused = await propose(id)

    expect(codeOf(refused)).toBe('409 CASE_HAS_OPEN_WORK')
    expect(namedIn(refused)).toContain(messageId)
  })

  it('an answer to a beA message that waits to be sent', async () => {
    const account = await aBeaAccountOf(firm)
    const messageId = await aBeaMessageIn(account, {}, { caseId: id })
    await waitingEeb(firm.workspace.id, messageId, account.id)

    const refused = await propose(id)

    expect(codeOf(refused)).toBe('409 CASE_HAS_OPEN_WORK')
    expect(namedIn(refused)).toContain(messageId)
  })

  it('a running envelope of another case that needs a document of this one', async () => {
    const envelope = await sendEnvelope(firm)
    const [document] = envelope.documents
    const body = { case_id: id }
    const moved = await firm.owner('POST', `/api/v1/documents/${document?.document_id}/assign`, { body })

    const refused = await propose(id)

    expect([moved.status, codeOf(refused)]).toEqual([200, '409 CASE_HAS_OPEN_WORK'])
    expect(namedIn(refused)).toContain(envelope.id)
    const reason = { reason: 'Falsche Fassung' }
    await firm.owner('POST', `/api/v1/signing/envelopes/${envelope.id}/void`, { body: reason })
    expect((await propose(id)).status).toBe(201)
  })

  it('a deadline that is still to come, but not a past or completed one', async () => {
    const add = async (due_at: string): Promise<string> => {
      const body = { case_id: id, title: 'Verjährung des Titels', due_at }
      return (await firm.owner('POST', '/api/v1/deadlines', { body })).body.id
    }
    const [past, future] = [await add('2026-01-15'), await add('2055-12-31')]
    const verified = await add('2056-12-31')
    await colleague('POST', `/api/v1/deadlines/${verified}/verify`)

    const refused = await propose(id)

    expect([codeOf(refused), namedIn(refused)]).toEqual(['409 CASE_HAS_OPEN_WORK', expect.any(String)])
    expect([past, future, verified].map((one) => namedIn(refused).includes(one))).toEqual([false, true, true])
    const evidence = { type: 'note', text: 'Erledigt.' }
    for (const one of [future, verified])
      await colleague('POST', `/api/v1/deadlines/${one}/complete`, { body: { evidence } })
    expect((await propose(id)).status).toBe(201)
  })

  it('a draft invoice', async () => {
    const lines = [{ text: 'Beratung', quantity: '1', unit_price: '100.00', tax_rate: '19' }]
    const invoice = await firm.owner('POST', '/api/v1/invoices', { body: { case_id: id, lines } })

    const refused = await propose(id)

    expect([invoice.status, codeOf(refused)]).toEqual([201, '409 CASE_HAS_OPEN_WORK'])
    expect(namedIn(refused)).toContain(invoice.body.id)
  })
})

describe('the decision on a proposal', () => {
  let id: string
  beforeEach(async () => {
    id = (await propose(await makeDueCase(firm))).body.id
  })

  it('is not made by the user who proposed it, with any key', async () => {
    const otherKey = await firm.withScopes('workspace:admin')

    const refused = [await approve(id, firm.owner), await approve(id, otherKey)]

    expect(refused.map(codeOf)).toEqual(Array(2).fill('403 DUAL_CONTROL_REQUIRED'))
    expect((await firm.owner('GET', `${path}/${id}`)).body.status).toBe('proposed')
  })

  it('can be made only once', async () => {
    const approved = await approve(id)
    const again = [await approve(id), await withdraw(id)]

    expect(approved.status).toBe(200)
    expect(approved.body.approved_by).not.toBe(firm.ownerUser.id)
    expect(again.map(codeOf)).toEqual(Array(2).fill('409 DISPOSAL_NOT_PROPOSED'))
    expect((await audited('disposal.approved')).at(-1).ref.id).toBe(id)
  })

  it('is either approval or withdrawal if both come at the same time', async () => {
    const both = await Promise.all([approve(id), withdraw(id, firm.owner)])

    expect(both.map(codeOf).toSorted()).toEqual(['200', '409 DISPOSAL_NOT_PROPOSED'])
  })

  it('is final if it is a withdrawal, which the proposer can also make', async () => {
    const withdrawn = await withdraw(id, firm.owner)

    const refused = await approve(id)

    expect(withdrawn.body).toMatchObject({ status: 'withdrawn', withdrawn_by: firm.ownerUser.id })
    expect(codeOf(refused)).toBe('409 DISPOSAL_NOT_PROPOSED')
  })

  it('on a proposal that is unknown or of another firm is 404', async () => {
    const { owner } = await newFirm()

    const refused = await Promise.all([
      approve('dsp_x'),
      approve(id, owner),
      withdraw(id, owner),
      owner('GET', `${path}/${id}`),
    ])

    expect(refused.map(codeOf)).toEqual(Array(4).fill('404 DISPOSAL_NOT_FOUND'))
  })
})
