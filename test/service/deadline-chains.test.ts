import { describe, expect, it } from 'vitest'
import { chainEntity } from '#store/deadlines/chain-entity.ts'
import { newDeadlineFirm, outcome, times, unknown, uuidOf } from '#test/support/deadline-firm.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

const { firm, colleague, third, openCase, enter, entered, read, change, verify } = await newDeadlineFirm()

describe('chains', () => {
  it('show each member with its id, due time and title', async () => {
    const { id, chain, title, due_at } = await entered({ create_vorfrist: true })
    const nachfrist = await entered({
      frist_type: 'nachfrist',
      hauptfrist_id: id,
      due_at: '2031-04-30',
      title: 'Nachreichen',
    })

    const { body } = await firm.owner('GET', `/api/v1/deadlines/${chain.vorfrist}/chain`)

    expect(body).toEqual({
      vorfrist: { id: chain.vorfrist, due_at: '2031-04-09T23:59:59+02:00', title: `Vorfrist: ${title}` },
      hauptfrist: { id, due_at, title },
      nachfrist: { id: nachfrist.id, due_at: '2031-04-30T23:59:59+02:00', title: 'Nachreichen' },
    })
    expect(nachfrist.chain).toEqual({ ...chain, nachfrist: nachfrist.id })
  })

  it('hold one of each kind; the place of a struck one is free again', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    const vorfrist = { frist_type: 'vorfrist', hauptfrist_id: `frist_${uuidOf(id)}`, due_at: '2031-04-01' }

    const occupied = await enter(vorfrist)
    await firm.owner('DELETE', `/api/v1/deadlines/${chain.vorfrist}`)
    const freed = await enter(vorfrist)

    expect(outcome(occupied)).toEqual([409, 'CHAIN_OCCUPIED'])
    expect(freed.status).toBe(201)
    expect((await read(id)).chain).toEqual({ ...chain, vorfrist: freed.body.id })
  })

  it('take only one of ten Nachfristen that are entered at once', async () => {
    const { id } = await entered()

    const answers = await times(10, () => enter({ frist_type: 'nachfrist', hauptfrist_id: id }))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
  })

  it('are not joined through another kind of deadline, from another case, or after the Hauptfrist was struck', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    const other = await openCase()

    const throughVorfrist = await enter({ frist_type: 'nachfrist', hauptfrist_id: chain.vorfrist })
    const fromOtherCase = await enter({ frist_type: 'nachfrist', hauptfrist_id: id, case_id: other })
    const unknownCase = await enter({ frist_type: 'nachfrist', hauptfrist_id: id, case_id: unknown })
    await firm.owner('DELETE', `/api/v1/deadlines/${id}`)
    const tooLate = await enter({ frist_type: 'nachfrist', hauptfrist_id: id })

    expect(outcome(throughVorfrist)).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(fromOtherCase)).toEqual([400, 'VALIDATION_ERROR'])
    expect(outcome(unknownCase)).toEqual([404, 'CASE_NOT_FOUND'])
    expect(outcome(tooLate)).toEqual([404, 'DEADLINE_NOT_FOUND'])
  })

  it('take a new Hauptfrist, with its Vorfrist, in the place of a struck one', async () => {
    const first = await entered({ create_vorfrist: true })
    const { chain_id } = first
    const nachfrist = await entered({ frist_type: 'nachfrist', hauptfrist_id: first.id })
    const occupied = await enter({ chain_id })
    await firm.owner('DELETE', `/api/v1/deadlines/${first.id}`)

    const second = await enter({ chain_id: uuidOf(chain_id), create_vorfrist: true, due_at: '2031-04-15' })

    expect(outcome(occupied)).toEqual([409, 'CHAIN_OCCUPIED'])
    expect(second.status).toBe(201)
    expect(second.body.chain_id).toBe(chain_id)
    expect(second.body.chain).toEqual({
      vorfrist: expect.stringMatching(/^evt_/),
      hauptfrist: second.body.id,
      nachfrist: nachfrist.id,
    })
    expect((await read(nachfrist.id)).chain).toEqual(second.body.chain)
    expect(await read(second.body.chain.vorfrist)).toMatchObject({
      due_at: '2031-04-08T23:59:59+02:00',
      chain_id,
    })
  })

  it('whose deadlines are all struck take a new one by the id of the chain, and only one of ten at once', async () => {
    const { id, chain_id } = await entered({ create_vorfrist: true })
    await firm.owner('DELETE', `/api/v1/deadlines/${id}`)

    const answers = await times(10, () => enter({ chain_id, create_vorfrist: true }))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(409)])
    const won = answers.find(({ status }) => status === 201)?.body
    expect((await read(won.id)).chain).toEqual(won.chain)
    expect(outcome(await enter({ chain_id, frist_type: 'nachfrist', due_at: '2031-04-30' }))[0]).toBe(201)
  })

  it('are not joined by an id that is unknown, of another case or another firm, or named twice', async () => {
    const { id, chain_id } = await entered()
    const elsewhere = await newFirm()
    const theirCase = (await elsewhere.owner('POST', '/api/v1/cases', { body: { name: 'Fremd' } })).body.id
    const nachfrist = { frist_type: 'nachfrist', chain_id }

    const unknownChain = await enter({ chain_id: `chain_${unknown}` })
    const malformed = await enter({ chain_id: 'kette' })
    const ofOtherCase = await enter({ ...nachfrist, case_id: await openCase() })
    const ofOtherFirm = await enter({ ...nachfrist, case_id: theirCase }, elsewhere.owner)
    const unknownCase = await enter({ ...nachfrist, case_id: unknown })
    const twice = await enter({ ...nachfrist, hauptfrist_id: id })

    expect(outcome(unknownChain)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect(outcome(malformed)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect(outcome(ofOtherCase)).toEqual([400, 'VALIDATION_ERROR'])
    expect(ofOtherCase.body.error.details[0].path).toBe('body.case_id')
    expect(outcome(ofOtherFirm)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    expect(outcome(unknownCase)).toEqual([404, 'CASE_NOT_FOUND'])
    expect(outcome(twice)).toEqual([400, 'VALIDATION_ERROR'])
    expect(twice.body.error.details[0].path).toBe('body.chain_id')
  })

  it('keep a Vorfrist before its Hauptfrist and a Nachfrist after it when these are moved', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    const nachfrist = await entered({ frist_type: 'nachfrist', hauptfrist_id: id, due_at: '2031-04-30' })

    const vorfristTooLate = await change(chain.vorfrist, { due_at: '2031-04-17' })
    const nachfristTooEarly = await change(nachfrist.id, { due_at: '2031-04-15' })
    const vorfristOnTheDay = await change(chain.vorfrist, { due_at: '2031-04-16' })
    const nachfristOnTheDay = await change(nachfrist.id, { due_at: '2031-04-16' })

    expect(outcome(vorfristTooLate)).toEqual([400, 'VALIDATION_ERROR'])
    expect(vorfristTooLate.body.error.details).toEqual([
      { path: 'body.due_at', message: 'A Vorfrist must not be due after its Hauptfrist.' },
    ])
    expect(outcome(nachfristTooEarly)).toEqual([400, 'VALIDATION_ERROR'])
    expect([vorfristOnTheDay.status, nachfristOnTheDay.status]).toEqual([200, 200])
  })

  it('never prevent a correction of the Hauptfrist', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    await entered({ frist_type: 'nachfrist', hauptfrist_id: id, due_at: '2031-04-30' })
    await change(chain.vorfrist, { due_at: '2031-04-14' })

    const extended = await change(id, { due_at: '2031-05-16' })
    const shortened = await change(id, { due_at: '2031-04-10' })

    expect([extended.status, shortened.status]).toEqual([200, 200])
    expect((await read(chain.vorfrist)).due_at).toBe('2031-04-14T23:59:59+02:00')
    expect(outcome(await change(chain.vorfrist, { due_at: '2031-04-11' }))).toEqual([400, 'VALIDATION_ERROR'])
    expect((await change(chain.vorfrist, { due_at: '2031-04-09' })).status).toBe(200)
  })

  it('keep no Vorfrist that was entered while its Hauptfrist was struck', async () => {
    await times(6, async () => {
      const { id } = await entered()
      const [struck, vorfrist] = await Promise.all([
        firm.owner('DELETE', `/api/v1/deadlines/${id}`),
        enter({ frist_type: 'vorfrist', hauptfrist_id: id }),
      ])

      expect(struck.status).toBe(204)
      if (vorfrist.status === 201)
        expect((await firm.owner('GET', `/api/v1/deadlines/${vorfrist.body.id}`)).status).toBe(404)
      else expect(outcome(vorfrist)).toEqual([404, 'DEADLINE_NOT_FOUND'])
    })
  })
})

describe('a Vorfrist', () => {
  it('has a title of at most the maximum length', async () => {
    const { chain } = await entered({ title: '😀'.repeat(500), create_vorfrist: true })

    expect([...(await read(chain.vorfrist)).title]).toHaveLength(500)
  })

  it('gets the new title and assignee of its Hauptfrist if it had the old ones', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    await verify(chain.vorfrist)
    await change(id, { title: 'Revision', assigned_to: third.user.id })
    expect(await read(chain.vorfrist)).toMatchObject({
      title: 'Vorfrist: Revision',
      assigned_to: third.user.id,
      // Nobody has checked it with the new ones (F14).
      verified_by: null,
    })

    await change(chain.vorfrist, { title: 'Eigen', assigned_to: colleague.user.id })
    await change(id, { title: 'Anders', assigned_to: firm.ownerUser.id })
    expect(await read(chain.vorfrist)).toMatchObject({ title: 'Eigen', assigned_to: colleague.user.id })
  })

  it('whose due time was set by hand gets the new responsible person, too', async () => {
    const { id, chain } = await entered({ create_vorfrist: true })
    await change(chain.vorfrist, { due_at: '2031-04-07' })
    const { due_at } = await read(chain.vorfrist)

    await change(id, { assigned_to: third.user.id })

    // A wrongly assigned person was the fatal error (BGH, 26.09.2024 – III ZB 82/23).
    expect(await read(chain.vorfrist)).toMatchObject({ assigned_to: third.user.id, due_at })
  })

  it.each([
    ['with its Hauptfrist', 'hauptfrist'],
    ['alone', 'vorfrist'],
  ] as const)('that was completed %s is reopened for the person who became responsible meanwhile', async (_, kind) => {
    const { id, chain } = await entered({ create_vorfrist: true })
    const completed = kind === 'hauptfrist' ? id : chain.vorfrist
    await firm.owner('POST', `/api/v1/deadlines/${completed}/complete`, {
      body: { evidence: { type: 'note', text: 'Eingereicht.' } },
    })
    await change(id, { assigned_to: third.user.id })

    await firm.owner('POST', `/api/v1/deadlines/${completed}/reopen`, { body: { reason: 'Falsche Akte.' } })

    expect(await read(chain.vorfrist)).toMatchObject({ status: 'pending', assigned_to: third.user.id })
  })

  it('is not entered after its Hauptfrist, nor a Nachfrist before it', async () => {
    const { id } = await entered()

    for (const body of [
      { frist_type: 'vorfrist', due_at: '2031-04-17' },
      { frist_type: 'nachfrist', due_at: '2031-04-15' },
    ])
      expect(outcome(await enter({ ...body, hauptfrist_id: id }))).toEqual([400, 'VALIDATION_ERROR'])
  })
})

it('a deadline whose chain a disposal has removed already is gone for changes', async () => {
  const { id, chain_id } = await entered()
  const db = await sharedTable()
  await chainEntity(db).delete({ workspace_id: firm.workspace.id, id: chain_id }).go()

  const verified = await colleague.api('POST', `/api/v1/deadlines/${id}/verify`)

  expect([outcome(await change(id, { title: 'Neu' })), outcome(verified)]).toEqual(
    Array(2).fill([404, 'DEADLINE_NOT_FOUND']),
  )
})
