import { beforeEach, describe, expect, it } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeEach(async () => {
  firm = await newFirm()
})

const add = async (body: Record<string, unknown>) =>
  (await firm.owner('POST', '/api/v1/parties', { body })).body

describe('a party', () => {
  it('is added, read, changed and deleted', async () => {
    const added = await firm.owner('POST', '/api/v1/parties', {
      body: {
        type: 'organization',
        name: 'Müller GmbH',
        email: 'info@example.de',
        phone: '+49 30 1',
        address: 'Lindenstraße 7\n10969 Berlin',
      },
    })
    const path = `/api/v1/parties/${added.body.id}`
    const changed = await firm.owner('PUT', path, { body: { phone: null, name: 'Müller AG' } })
    const read = await firm.owner('GET', path)
    const deleted = await firm.owner('DELETE', path)
    const gone = await firm.owner('GET', path)

    expect([added.status, changed.status, deleted.status, gone.status]).toEqual([201, 200, 204, 404])
    expect(changed.body).toEqual({
      ...added.body,
      phone: null,
      name: 'Müller AG',
      updated_at: changed.body.updated_at,
    })
    expect(read.body).toEqual(changed.body)
    expect((await firm.owner('GET', '/api/v1/parties?search=müller')).body.data).toEqual([])
  })

  it('is a person by default, and found by name, e-mail address and type', async () => {
    const person = await add({ name: 'Jürgen Weiß', email: 'jw@kanzlei-mitte.example' })
    const organization = await add({ name: 'Weiß & Söhne OHG', type: 'organization' })
    const ids = async (query: string) =>
      (await firm.owner('GET', `/api/v1/parties?${query}`)).body.data.map(({ id }: { id: string }) => id)

    expect(person.type).toBe('person')
    expect(await ids('search=weiss')).toEqual([organization.id, person.id])
    expect(await ids('search=weiss&type=person')).toEqual([person.id])
    expect(await ids('search=kanzlei-mitte')).toEqual([person.id])
  })

  it('is a person where its type is null, new or changed', async () => {
    const added = await add({ name: 'Ohne Art', type: null })
    const organization = await add({ name: 'Doch eine Person', type: 'organization' })
    const changed = await firm.owner('PUT', `/api/v1/parties/${organization.id}`, { body: { type: null } })
    const { body: kase } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })
    const named = await firm.owner('POST', `/api/v1/cases/${kase.id}/parties`, {
      body: { parties: [{ name: 'In der Akte', type: null, role: 'Zeuge' }] },
    })

    expect([added.type, changed.status, changed.body.type]).toEqual(['person', 200, 'person'])
    expect(named.status).toBe(201)
  })

  it.each([
    ['Hangul', '한국'.repeat(250)],
    ['letters outside the BMP', '𐐨'.repeat(500)],
    ['ligatures', 'ﷺ'.repeat(500)],
  ])('with a name of 500 characters is added, named by a case, found, changed and deleted: %s', async (_, name) => {
    const { body: opened } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Lange Namen' } })
    const ids = async () => {
      const search = encodeURIComponent([...name].slice(0, 10).join(''))
      const { body } = await firm.owner('GET', `/api/v1/parties?search=${search}`)
      return body.data.map(({ id }: { id: string }) => id)
    }
    // Act
    const added = await firm.owner('POST', '/api/v1/parties', { body: { name } })
    const named = await firm.owner('POST', `/api/v1/cases/${opened.id}/parties`, {
      body: [{ name: `${[...name].slice(1).join('')}x`, role: 'client' }],
    })
    // Assess
    const [inCase] = named.body.data
    const read = await firm.owner('GET', `/api/v1/parties/${inCase.id}`)
    expect([added.status, named.status, read.status]).toEqual([201, 201, 200])
    expect(await ids()).toEqual(expect.arrayContaining([added.body.id, inCase.id]))
    const path = `/api/v1/parties/${added.body.id}`
    const changed = await firm.owner('PUT', path, { body: { name: 'Kurz' } })
    expect([changed.status, await ids()]).toEqual([200, [inCase.id]])
    expect((await firm.owner('PUT', path, { body: { name } })).body.name).toBe(name)
    expect((await firm.owner('DELETE', path)).status).toBe(204)
    expect(await ids()).toEqual([inCase.id])
  })

  it.each([
    {},
    { name: '' },
    { name: 'A', type: 'firma' },
    { name: 'A', email: 'keine adresse' },
    { name: 'A', address: 'x'.repeat(2001) },
  ])('answers 400 to %j', async (body) => {
    expect((await firm.owner('POST', '/api/v1/parties', { body })).status).toBe(400)
  })

  it('cannot be deleted while a case names it, and can once none does', async () => {
    const party = await add({ name: 'Gebraucht' })
    const { body: opened } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Braucht sie' } })
    await firm.owner('POST', `/api/v1/cases/${opened.id}/parties`, {
      body: [{ id: party.id, role: 'client' }],
    })

    const named = await firm.owner('DELETE', `/api/v1/parties/${party.id}`)
    await firm.owner('DELETE', `/api/v1/cases/${opened.id}`)
    const free = await firm.owner('DELETE', `/api/v1/parties/${party.id}`)

    expect([named.status, named.body.error.code]).toEqual([409, 'PARTY_IN_USE'])
    expect(free.status).toBe(204)
  })

  it('is free at once when a case names it no longer, or was refused to', async () => {
    const [first, second] = [await add({ name: 'Frei eins' }), await add({ name: 'Frei zwei' })]
    const { body: opened } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Lässt los' } })
    const path = `/api/v1/cases/${opened.id}/parties`
    await firm.owner('POST', path, { body: [{ id: first.id, role: 'client' }] })
    await firm.owner('PUT', path, { body: [] })
    const refused = await firm.owner('POST', path, {
      body: [
        { id: second.id, role: 'client' },
        { id: 'pty_unbekannt', role: 'client' },
      ],
    })

    const deleted = [first, second].map(({ id }) => firm.owner('DELETE', `/api/v1/parties/${id}`))

    expect(refused.status).toBe(404)
    expect((await Promise.all(deleted)).map(({ status }) => status)).toEqual([204, 204])
  })

  it('is never both deleted and newly named by a case, however the two requests meet', async () => {
    const { body: opened } = await firm.owner('POST', '/api/v1/cases', { body: { name: 'Rennen' } })
    for (let round = 0; round < 15; round += 1) {
      const party = await add({ name: `Läufer ${round}` })

      const [named, deleted] = await Promise.all([
        firm.owner('POST', `/api/v1/cases/${opened.id}/parties`, {
          body: [{ id: party.id, role: 'client' }],
        }),
        firm.owner('DELETE', `/api/v1/parties/${party.id}`),
      ])

      const outcome = [named.status, deleted.status]
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual(outcome)
      const exists = (await firm.owner('GET', `/api/v1/parties/${party.id}`)).status === 200
      expect(exists).toBe(named.status === 201)
    }
  })

  it('honours If-Match', async () => {
    const party = await add({ name: 'Vorsicht' })
    const path = `/api/v1/parties/${party.id}`
    const etag = (await firm.owner('GET', path)).headers.get('etag') ?? ''
    await firm.owner('PUT', path, { body: { name: 'Anders' } })

    const late = await firm.owner('PUT', path, { body: { name: 'Zu spät' }, headers: { 'If-Match': etag } })

    expect(late.status).toBe(412)
  })
})
