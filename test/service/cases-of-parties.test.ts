import { beforeAll, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const addParty = async (name: string) =>
  (await firm.owner('POST', '/api/v1/parties', { body: { name } })).body as { id: string }
const openCase = async (name: string, parties: { id: string; role: string }[] = []) => {
  const { body } = await firm.owner('POST', '/api/v1/cases', { body: { name } })
  await firm.owner('POST', `/api/v1/cases/${body.id}/parties`, { body: { parties } })
  return body as { id: string; file_number: string; name: string; status: string }
}
const list = async (query: string) =>
  (await firm.owner('GET', `/api/v1/cases?${query}`)).body.data.map(({ name }: { name: string }) => name)

describe('cases', () => {
  it('are found by party and by staff, combined with every other filter', async () => {
    const party = await addParty('Filter Partei')
    const first = await openCase('Erste Sache', [{ id: party.id, role: 'client' }])
    await openCase('Zweite Sache', [{ id: party.id, role: 'gegner' }])
    await openCase('Dritte Sache')
    await firm.owner('PUT', `/api/v1/cases/${first.id}`, { body: { status: 'closed' } })
    const staff = { body: { staff: [{ id: firm.ownerUser.id, role: 'lead' }] } }
    await firm.owner('POST', `/api/v1/cases/${first.id}/staff`, staff)

    const of = `party_id=${party.id}`
    const lists = [
      await list(of),
      await list(`${of}&status=closed`),
      await list(`${of}&search=zweite`),
      await list(`staff_id=${firm.ownerUser.id}&${of}`),
      await list(`staff_id=${firm.ownerUser.id}&status=active`),
    ]
    await firm.owner('PUT', `/api/v1/cases/${first.id}/parties`, { body: [] })
    await firm.owner('DELETE', `/api/v1/cases/${first.id}/staff?staff_id=${firm.ownerUser.id}`)
    lists.push(await list(of), await list(`staff_id=${firm.ownerUser.id}`))

    expect(lists).toEqual([
      ['Zweite Sache', 'Erste Sache'],
      ['Erste Sache'],
      ['Zweite Sache'],
      ['Erste Sache'],
      [],
      ['Zweite Sache'],
      [],
    ])
    expect((await firm.owner('GET', '/api/v1/cases?party_id=unsinn')).status).toBe(400)
  })

  it('with a hundred parties are found by each of them after all were changed', async () => {
    const names = (word: string) =>
      Array.from({ length: 100 }, (_, at) => ({ name: `${word} ${at}`, role: 'zeuge' }))
    const opened = await openCase('Massenverfahren')
    const path = `/api/v1/cases/${opened.id}/parties`

    const before = (await firm.owner('PUT', path, { body: names('Vorher') })).body.data
    const after = await firm.owner('PUT', path, { body: names('Nachher') })

    expect(after.status).toBe(200)
    expect(await list(`party_id=${after.body.data[99].id}`)).toEqual(['Massenverfahren'])
    expect(await list(`party_id=${before[99].id}`)).toEqual([])
  })

  it('are found by the names of their parties, also after a party was renamed', async () => {
    const party = await addParty('Quirin Ungewitter')
    await openCase('Sache ohne Namen', [{ id: party.id, role: 'client' }])

    const found = await list('search=ungewitter sache')
    await firm.owner('PUT', `/api/v1/parties/${party.id}`, { body: { name: 'Quirin Sonnenschein' } })

    expect(found).toEqual(['Sache ohne Namen'])
    expect(await list('search=sonnenschein')).toEqual(['Sache ohne Namen'])
    expect(await list('search=ungewitter')).toEqual([])
  })
})

describe('the cases of a party', () => {
  it('are listed with its role in each, newest first, page by page', async () => {
    const party = await addParty('Viele Fälle')
    const roles = ['client', 'gegner', 'zeuge']
    const opened: string[] = []
    for (const role of roles) opened.push((await openCase(`Als ${role}`, [{ id: party.id, role }])).id)
    const gone = await openCase('Gelöscht', [{ id: party.id, role: 'client' }])
    await firm.owner('DELETE', `/api/v1/cases/${gone.id}`)
    const both = [
      { id: party.id, role: 'client' },
      { id: party.id, role: 'zeuge' },
    ]
    opened.push((await openCase('Zwei Rollen', both)).id)

    const path = `/api/v1/parties/${party.id}/cases`
    const walked: unknown[] = []
    for (let cursor = ''; ; ) {
      const { body } = await firm.owner('GET', `${path}?limit=1${cursor && `&cursor=${cursor}`}`)
      expect(body.data.length).toBeLessThanOrEqual(1)
      walked.push(...body.data)
      if (body.pagination.cursor === null) break
      cursor = body.pagination.cursor
    }
    const whole = (await firm.owner('GET', path)).body

    expect(whole.data.map((it: { id: string; role: string }) => [it.id, it.role])).toEqual([
      [opened[3], 'client, zeuge'],
      [opened[2], 'zeuge'],
      [opened[1], 'gegner'],
      [opened[0], 'client'],
    ])
    expect(walked).toEqual(whole.data)
    expect((await firm.owner('GET', '/api/v1/parties/pty_unbekannt/cases')).status).toBe(404)
  })

  it('are named if they prevent its deletion: at most ten, only to callers who may read cases', async () => {
    const party = await addParty('In Gebrauch')
    const opened = []
    for (let at = 0; at < 11; at += 1)
      opened.push(await openCase(`Fall ${at}`, [{ id: party.id, role: 'client' }]))
    const contactsOnly = await firm.withScopes('contacts:write')

    const refused = await firm.owner('DELETE', `/api/v1/parties/${party.id}`)
    const withoutCases = await contactsOnly('DELETE', `/api/v1/parties/${party.id}`)

    const newest = opened.toReversed().slice(0, 10)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'PARTY_IN_USE'])
    expect(refused.body.error.cases).toEqual(newest.map(({ id, file_number }) => ({ id, file_number })))
    expect([withoutCases.status, withoutCases.body.error.cases]).toEqual([409, undefined])
  })
})

describe('a party with a long name', () => {
  it('can get another long name', async () => {
    const long = (letter: string) =>
      `${Array.from({ length: 8 }, (_, at) => `${letter}${'abcdefgh'[at]}ria-${letter}${'stuvwxyz'[at]}uise`).join(' ')}`
    const email = (name: string) => `${name}@example.de`
    const { body } = await firm.owner('POST', '/api/v1/parties', {
      body: { name: long('m'), email: email('a') },
    })

    const changed = await firm.owner('PUT', `/api/v1/parties/${body.id}`, {
      body: { name: long('k'), email: email('b'), type: 'organization' },
    })

    expect([changed.status, changed.body.name]).toEqual([200, long('k')])
  })
})
