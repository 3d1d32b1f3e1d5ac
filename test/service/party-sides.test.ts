import { beforeEach, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

/** The side of a party in a case, and what conflict checks make of it (C10, C11). */

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

const openCase = async () => (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Streit' } })).body
const add = (caseId: string, parties: object[], by = firm.owner) =>
  by('POST', `/api/v1/cases/${caseId}/parties`, { body: { parties } })
const check = async (names: string[], case_id?: string) =>
  (await firm.owner('POST', '/api/v1/conflict-check', { body: { names, case_id } })).body.data
const warningsOf = ({ body }: { body: { warnings: { reason: string; conflict: boolean }[] } }) =>
  body.warnings.map(({ reason, conflict }) => [reason.split('. ')[0], conflict])

describe('the side of a party', () => {
  it.each([
    ['client', 'opponent'],
    ['opponent', 'client'],
    ['client', null],
    [null, 'other'],
  ])('is refused if one request gives both %j and %j for one role', async (one, other) => {
    const { id } = await openCase()
    const party = (await firm.owner('POST', '/api/v1/parties', { body: { name: 'Gerda Jäger' } })).body
    const twice = [one, other].map((side) => ({ id: party.id, role: 'Klägerin', side }))

    const refused = await add(id, twice)

    expect([refused.status, refused.body.error?.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect((await firm.owner('GET', `/api/v1/cases/${id}/parties`)).body.data).toEqual([])
  })

  it('is the side of its role, or the given one, everywhere the party is shown', async () => {
    const { id } = await openCase()

    const { status, body } = await add(id, [
      { name: 'Anja Sommer', role: 'Auftraggeber:in' },
      { name: 'Bernd Winter', role: 'Gegenseite' },
      { name: 'Clara Herbst', role: 'Gutachterin' },
      { name: 'Dora Lenz', role: 'Klägerin' },
      { name: 'Emil März', role: 'Beklagter', side: 'opponent' },
    ])

    const expected = ['client', 'opponent', 'other', null, 'opponent']
    const shown = (parties: { side: string }[]) => parties.map(({ side }) => side)
    expect([status, shown(body.data)]).toEqual([201, expected])
    expect(shown((await firm.owner('GET', `/api/v1/cases/${id}`)).body.parties)).toEqual(expected)
    expect(shown((await firm.owner('GET', `/api/v1/cases/${id}/parties`)).body.data)).toEqual(expected)
  })

  it('causes a warning if it is unknown, also for a key that may not read other parties', async () => {
    const { id } = await openCase()
    const writer = await firm.withScopes('cases:write')

    const [unknown, known] = [
      await add(id, [{ name: 'Falk Berger', role: 'Streithelfer' }], writer),
      await add(id, [{ name: 'Gesa Thal', role: 'Nebenklägerin', side: 'client' }], writer),
    ]

    expect(warningsOf(unknown)).toEqual([
      ['Die Rolle „Streithelfer“ sagt nicht, auf welcher Seite der Beteiligte steht', true],
    ])
    expect(warningsOf(known)).toEqual([])
  })

  it('is accepted with a warning if it contradicts the role', async () => {
    const { id } = await openCase()

    const answer = await add(id, [{ name: 'Heiner Kolb', role: 'Mandant', side: 'opponent' }])

    expect(answer.body.data).toMatchObject([{ side: 'opponent' }])
    expect(warningsOf(answer)).toEqual([
      ['Die Rolle „Mandant“ spricht für `client`, angegeben ist `opponent`', false],
    ])
  })

  it('is set later by adding the party again, and removed by null', async () => {
    const { id } = await openCase()
    const [party] = (await add(id, [{ name: 'Ines Rau', role: 'Klägerin' }])).body.data
    const again = async (side: unknown) => {
      const { body } = await add(id, [{ id: party.id, role: 'Klägerin', side }])
      return [body.data.length, body.data[0].side, body.warnings.length]
    }

    expect(await again('client')).toEqual([1, 'client', 0])
    expect(await again(undefined)).toEqual([1, 'client', 0])
    expect(await again(null)).toEqual([1, null, 0])
  })

  it('can be written back unchanged; a different value is refused', async () => {
    const { id } = await openCase()
    const { data } = (await add(id, [{ name: 'Jana Pohl', role: 'Beklagte', side: 'client' }])).body

    const put = await firm.owner('PUT', `/api/v1/cases/${id}/parties`, { body: { parties: data } })
    const wrong = await add(id, [{ name: 'Kai Roth', role: 'Beklagter', side: 'ours' }])

    expect([put.status, put.body.data]).toEqual([200, data])
    expect(wrong.status).toBe(400)
  })
})

describe('replacing all parties', () => {
  const given = { name: 'Uwe Rossi', role: 'Gegner', side: 'client' }

  it.each([
    ['keeps a side that the request does not name', {}, 'client'],
    ['sets the side that the request gives', { side: 'other' }, 'other'],
    ['removes the side by null', { side: null }, 'opponent'],
    ['gives no side to a party in another role', { role: 'Beklagter' }, null],
  ])('%s', async (_, changes, due) => {
    const { id } = await openCase()
    const [{ id: partyId }] = (await add(id, [given])).body.data
    const parties = [
      { name: 'Vera Blank', role: 'Zeugin' },
      { id: partyId, role: given.role, ...changes },
    ]

    const { body } = await firm.owner('PUT', `/api/v1/cases/${id}/parties`, { body: { parties } })

    expect(body.data.find((one: { id: string }) => one.id === partyId).side).toBe(due)
  })
})

describe('a conflict check', () => {
  it.each([
    ['Lara Quandt', { role: 'Klägerin' }, 'possible'],
    ['Moritz Abt', { role: 'Prozesspartei' }, 'possible'],
    ['Nadja Brix', { role: 'Klientin' }, 'certain'],
    ['Ole Dürr', { role: 'Mandant (Kläger)' }, 'certain'],
    ['Pia Ewers', { role: 'Antragsgegnerin', side: 'client' }, 'certain'],
    ['Quirin Fabian', { role: 'Kläger', side: 'opponent' }, null],
    ['Rosa Gehrke', { role: 'Prozessbevollmächtigte der Klägerin' }, null],
  ])('counts %s, entered as %j, as %s', async (name, entered, certainty) => {
    const { id } = await openCase()
    await add(id, [{ name, ...entered }])

    const [found] = await check([name])

    expect([found.conflict, found.conflict_certainty]).toEqual([certainty !== null, certainty])
  })

  it('for a case warns about the opponent, in another case, of a person who may be the client in both cases', async () => {
    const [earlier, now] = [await openCase(), await openCase()]
    const { data } = (
      await add(earlier.id, [
        { name: 'Sven Hager', role: 'Kläger' },
        { name: 'Tina Jost', role: 'Gegnerin' },
      ])
    ).body
    await add(now.id, [{ id: data[0].id, role: 'Beklagter' }])

    const [alone] = await check(['Tina Jost'])
    const [inCase] = await check(['Tina Jost'], now.id)

    expect(alone).toMatchObject({ conflict: false, conflict_certainty: null })
    expect(inCase).toMatchObject({
      conflict: true,
      conflict_certainty: 'possible',
      reason: expect.stringContaining('gegen Sven Hager, hier vielleicht Mandant'),
    })
  })

  it('warns if the opponent of one case is added to another as the client or in an unclear role', async () => {
    const [earlier, client, unclear] = [await openCase(), await openCase(), await openCase()]
    const { data } = (await add(earlier.id, [{ name: 'Uta Klein', role: 'Unfallgegnerin' }])).body
    const warned = async (caseId: string, role: string) =>
      (await add(caseId, [{ id: data[0].id, role }])).body.warnings.length

    expect(await warned(client.id, 'Auftraggeberin')).toBe(1)
    expect(await warned(unclear.id, 'Klägerin')).toBe(2)
  })

  it.each([
    ['Mandant', true],
    ['Beklagter', true],
    ['Zeuge', false],
  ])('if a client of an earlier case is added as %s, a warning about a witness of this case who was the opponent in the earlier case is given: %j', async (role, warned) => {
    const [earlier, here] = [await openCase(), await openCase()]
    const people = [
      { name: 'Uta Klein', role: 'Unfallgegnerin' },
      { name: 'Sven Hager', role: 'Mandant' },
    ]
    const [uta, sven] = (await add(earlier.id, people)).body.data
    await add(here.id, [{ id: uta.id, role: 'Zeugin' }])

    const { body } = await add(here.id, [{ id: sven.id, role }])

    const conflicts = body.warnings.filter(({ conflict }: { conflict: boolean }) => conflict)
    const names = conflicts.map(({ party }: { party: { name: string } }) => party.name)
    expect(names.includes('Uta Klein')).toBe(warned)
  })

  it('warns about an added witness only if the witness is a client in a case against the client of this one', async () => {
    const [earlier, here, other] = [await openCase(), await openCase(), await openCase()]
    const people = [
      { name: 'Uta Klein', role: 'Mandantin' },
      { name: 'Sven Hager', role: 'Unfallgegner' },
    ]
    const [uta, sven] = (await add(earlier.id, people)).body.data
    await add(here.id, [{ id: sven.id, role: 'Mandant' }])
    await add(other.id, [{ name: 'Ole Brandt', role: 'Mandant' }])
    const warned = async (caseId: string) =>
      (await add(caseId, [{ id: uta.id, role: 'Zeugin' }])).body.warnings.map(
        ({ party }: { party: { name: string } }) => party.name,
      )

    expect([await warned(here.id), await warned(other.id)]).toEqual([['Uta Klein'], []])
  })
})
