import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { claimOf } from '#test/support/claims.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'

let firm: Firm
beforeAll(async () => {
  firm = await newFirm()
})

const addParty = async (body: Record<string, unknown>, of = firm) =>
  (await of.owner('POST', '/api/v1/parties', { body })).body
const openCase = async (parties: { id: string; role: string }[], of = firm) => {
  const { body } = await of.owner('POST', '/api/v1/cases', { body: { name: 'Streit' } })
  if (parties.length > 0) await of.owner('POST', `/api/v1/cases/${body.id}/parties`, { body: { parties } })
  return body as { id: string; file_number: string }
}
const check = async (body: Record<string, unknown>, of = firm) =>
  await of.owner('POST', '/api/v1/conflict-check', { body })

describe('a conflict check', () => {
  it('finds a client in another spelling, with the case and the role, and stores nothing', async () => {
    const party = await addParty({ name: 'Stephan Maierhofer' })
    const opened = await openCase([{ id: party.id, role: 'Mandant' }])
    const before = (await firm.owner('GET', '/api/v1/parties?limit=100')).body

    const checked = await check({ names: ['Dr. Meyerhofer, Stefan'] })

    expect(checked.status).toBe(200)
    expect(checked.body).toEqual({
      data: [
        {
          party: { id: party.id, name: 'Stephan Maierhofer', type: 'person' },
          cases: [
            {
              id: opened.id,
              file_number: opened.file_number,
              name: 'Streit',
              role: 'Mandant',
              side: 'client',
            },
          ],
          more_cases: false,
          searched: ['Dr. Meyerhofer, Stefan'],
          match: 'likely',
          reason: `andere Schreibweise, klingt gleich; Mandant in ${opened.file_number}`,
          conflict: true,
          conflict_certainty: 'certain',
        },
      ],
      more: [],
    })
    expect((await firm.owner('GET', '/api/v1/parties?limit=100')).body).toEqual(before)
  })

  it.each([
    'Karl Zwiesler, Anna Brettschneider und Otto Langhammer',
    'Zwiesler, Karl; Brettschneider, Anna; Langhammer, Otto',
  ])('finds each of three people in one name: %s', async (name) => {
    const own = await newFirm()
    const party = await addParty({ name }, own)
    for (const wanted of ['Karl Zwiesler', 'Anna Brettschneider', 'Otto Langhammer']) {
      const { body } = await check({ names: [wanted] }, own)

      expect([wanted, body.data.map((one: { party: { id: string } }) => one.party.id), body.more]).toEqual([
        wanted,
        [party.id],
        [],
      ])
    }
  })

  it('that is repeated with its key is made again, because neither names nor results are stored', async () => {
    await addParty({ name: 'Ida Brehm' })
    const key = randomUUID()
    const send = (name: string) =>
      firm.owner('POST', '/api/v1/conflict-check', {
        body: { names: [name] },
        headers: { 'Idempotency-Key': key },
      })
    const first = await send('Ida Brehm')

    const [again, other] = [await send('Ida Brehm'), await send('Ida Brehms')]

    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(first.body)
    expect([other.status, other.body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    const { item } = await claimOf(firm.workspace.id, firm.ownerUser.id, key)
    expect(item.body).toBeUndefined()
  })

  it('finds firms as they are written, whether or not their type was told', async () => {
    const untold = await addParty({ name: 'Kranbau Ost AG' })
    const told = [
      await addParty({ name: 'Verband für Fischzucht', type: 'organization' }),
      await addParty({ name: 'Atelier K. Blau', type: 'organization' }),
    ]
    const parties = [untold, ...told]

    const { body } = await check({ names: parties.map(({ name }) => name) })

    const found = body.data.map(({ party, match }: { party: { id: string }; match: string }) => [
      party.id,
      match,
    ])
    expect(found.toSorted()).toEqual(parties.map(({ id }) => [id, 'exact']).toSorted())
  })

  it('needs the rights to read contacts and cases, and so does every list of a party’s cases', async () => {
    const party = await addParty({ name: 'Greta Hauk' })
    await openCase([{ id: party.id, role: 'Mandantin' }])
    const keys = [await firm.withScopes('contacts:read'), await firm.withScopes('cases:read')]

    const answers = await Promise.all(
      keys.flatMap((key) => [
        key('POST', '/api/v1/conflict-check', { body: { names: ['Greta Hauk'] } }),
        key('GET', `/api/v1/parties/${party.id}/cases`),
      ]),
    )

    const refusals = answers.map(({ status, body }) => [status, body.error?.message])
    const lacking = (scope: string) => [403, `This needs the scope ${scope}.`]
    expect(refusals).toEqual([
      ...Array.from({ length: 2 }, () => lacking('cases:read')),
      ...Array.from({ length: 2 }, () => lacking('contacts:read')),
    ])
  })

  it('an opponent is no conflict by itself, and is one for a case of its opponent', async () => {
    const [client, opponent] = [await addParty({ name: 'Vera Zwick' }), await addParty({ name: 'Ulf Quast' })]
    const earlier = await openCase([
      { id: client.id, role: 'client' },
      { id: opponent.id, role: 'opponent' },
    ])
    const now = await openCase([{ id: client.id, role: 'Mandantin' }])

    const alone = (await check({ names: ['Ulf Quast'] })).body.data
    const inCase = (await check({ names: ['Ulf Quast'], case_id: now.id })).body.data

    expect(alone.map(({ conflict }: { conflict: boolean }) => conflict)).toEqual([false])
    expect(inCase.map(({ conflict, reason }: Record<string, unknown>) => [conflict, reason])).toEqual([
      [true, `gleicher Name; steht in ${earlier.file_number} gegen Vera Zwick, hier Mandant`],
    ])
  })

  it('is none because of the case itself, in which the party is the opponent', async () => {
    const [client, opponent] = [
      await addParty({ name: 'Selma Brück' }),
      await addParty({ name: 'Arno Pelz' }),
    ]
    const { id } = await openCase([
      { id: client.id, role: 'client' },
      { id: opponent.id, role: 'opponent' },
    ])

    const [match] = (await check({ names: ['Arno Pelz'], case_id: id })).body.data

    expect([match.conflict, match.reason]).toEqual([false, 'gleicher Name'])
  })

  it('counts no case that was deleted, and none that the party has left', async () => {
    const party = await addParty({ name: 'Xenia Wohlleben' })
    const other = await addParty({ name: 'Pit Zander' })
    const role = [{ id: party.id, role: 'client' }]
    const [deleted, left] = [await openCase(role), await openCase(role)]
    await firm.owner('DELETE', `/api/v1/cases/${deleted.id}`)
    await firm.owner('PUT', `/api/v1/cases/${left.id}/parties`, { body: [{ id: other.id, role: 'client' }] })

    const [match] = (await check({ names: ['Xenia Wohlleben'] })).body.data

    expect(match).toMatchObject({ party: { id: party.id }, cases: [], conflict: false })
  })

  it('our client counts as a client even if our client in this case is the opponent', async () => {
    const [ours, other] = [await addParty({ name: 'Nora Pfahl' }), await addParty({ name: 'Timo Wrobel' })]
    const elsewhere = await openCase([
      { id: other.id, role: 'client' },
      { id: ours.id, role: 'gegner' },
    ])
    const now = await openCase([{ id: ours.id, role: 'client' }])

    const [match] = (await check({ names: ['Timo Wrobel'], case_id: now.id })).body.data

    expect([match.conflict, match.reason]).toEqual([
      true,
      `gleicher Name; Mandant in ${elsewhere.file_number}; Nora Pfahl, hier Mandant, steht in ${elsewhere.file_number} gegen diesen Beteiligten`,
    ])
  })

  it('a client of this case who is entered again elsewhere counts as the same', async () => {
    const [before, opponent] = [
      await addParty({ name: 'Dr. Ruth Zabel' }),
      await addParty({ name: 'Uwe Ohnesorg' }),
    ]
    const earlier = await openCase([
      { id: before.id, role: 'client' },
      { id: opponent.id, role: 'opponent' },
    ])
    const [again, other] = [await addParty({ name: 'Ruth Zabel' }), await addParty({ name: 'Otto Zabel' })]
    const [now, ofOther] = [
      await openCase([{ id: again.id, role: 'client' }]),
      await openCase([{ id: other.id, role: 'client' }]),
    ]

    const conflictIn = async ({ id }: { id: string }) => {
      const [found] = (await check({ names: ['Uwe Ohnesorg'], case_id: id })).body.data
      return [found.conflict, found.reason]
    }

    expect(await conflictIn(now)).toEqual([
      true,
      `gleicher Name; steht in ${earlier.file_number} gegen Ruth Zabel, hier Mandant`,
    ])
    expect(await conflictIn(ofOther)).toEqual([false, 'gleicher Name'])
  })

  it('finds by e-mail address, follows a change of name, and finds no deleted party', async () => {
    const party = await addParty({ name: 'Fritz Ebbinghaus', email: 'Post@Ebbinghaus.example' })
    const names = async (body: Record<string, unknown>) =>
      (await check(body)).body.data.map((it: { party: { name: string } }) => it.party.name)

    const byAddress = await names({ emails: ['post+werbung@ebbinghaus.example'] })
    const both = { names: ['Fritz Ebbinghaus'], emails: ['post@ebbinghaus.example'] }
    const [byBoth] = (await check(both)).body.data
    await firm.owner('PUT', `/api/v1/parties/${party.id}`, {
      body: { name: 'Friedrich Osterloh', email: null },
    })
    const after = [await names({ names: ['Fritz Ebbinghaus'], emails: ['post@ebbinghaus.example'] })]
    after.push(await names({ names: ['Friedrich Osterloh'] }))
    await firm.owner('DELETE', `/api/v1/parties/${party.id}`)
    after.push(await names({ names: ['Friedrich Osterloh'] }))

    expect(byAddress).toEqual(['Fritz Ebbinghaus'])
    expect(byBoth).toMatchObject({ match: 'exact', searched: [...both.names, ...both.emails] })
    expect(after).toEqual([[], ['Friedrich Osterloh'], []])
  })

  it('takes null for what is not asked', async () => {
    await addParty({ name: 'Wiebke Nordmann', email: 'wiebke@nordmann.example' })

    const byName = await check({ names: ['Wiebke Nordmann'], emails: null, case_id: null })
    const byAddress = await check({ names: null, emails: ['wiebke@nordmann.example'] })
    const neither = await check({ names: null, emails: null })

    expect([byName.body.data.length, byAddress.body.data.length]).toEqual([1, 1])
    expect([neither.status, neither.body.error.details[0].path]).toEqual([400, 'body.names'])
  })

  it('sees nothing of another workspace, neither parties nor cases', async () => {
    const stranger = await newFirm()
    const party = await addParty({ name: 'Gesine Trautwein' })
    const opened = await openCase([{ id: party.id, role: 'client' }])

    const seen = await check({ names: ['Gesine Trautwein'] }, stranger)
    const inCase = await check({ names: ['Gesine Trautwein'], case_id: opened.id }, stranger)

    expect(seen.body).toEqual({ data: [], more: [] })
    expect([inCase.status, inCase.body.error.code]).toEqual([404, 'CASE_NOT_FOUND'])
  })

  it('answers the most certain ones of a very frequent name, and says that there are more', async () => {
    const crowded = await newFirm()
    const exact = await addParty({ name: 'Müller' }, crowded)
    const firsts = Array.from(
      { length: 70 },
      (_, at) => `Vorname${'abcdefghij'[at % 10]}${'klmnopq'[at % 7]} Müller`,
    )
    await Promise.all(firsts.map((name) => addParty({ name }, crowded)))

    const { data, more } = (await check({ names: ['Mueller'] }, crowded)).body

    expect(data.length).toBe(25)
    expect([data[0].party.id, data[0].match, data[1].match]).toEqual([exact.id, 'exact', 'possible'])
    expect(more).toEqual(['Mueller'])
  })

  it('checks a hundred names at once, and refuses more with the bound', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `Person ${at} Ungenannt`)

    // Each name counts as requests of its own: in one firm the next check would wait for the allowance (G17).
    const most = await check({ names: names(100) }, await newFirm())
    const over = await check({ names: names(500) }, await newFirm())

    expect(most.status).toBe(200)
    expect([over.status, over.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(over.body.error.details[0].message).toContain('100')
  })

  it.each([
    {},
    { names: [] },
    { names: [''] },
    { names: ['   '] },
    { names: 'Meier' },
    { emails: ['keine'] },
  ])('answers 400 to %j', async (body) => {
    expect((await check(body)).status).toBe(400)
  })

  it.each([
    ['a'],
    ['.'],
    ['Dr.'],
    ['GmbH'],
    ['🦄'],
    ['von und zu'],
    [`${'x'.repeat(500)}`],
    ['12345'],
  ])('takes the name %j', async (name) => {
    await addParty({ name })
    const { status, body } = await check({ names: [name] })
    expect([status, body.data.some((it: { match: string }) => it.match === 'exact')]).toEqual([200, true])
  })
})

describe('a party that is added to a case', () => {
  it('is answered with a warning if somebody with that name is a client elsewhere', async () => {
    const known = await addParty({ name: 'Ilse Kurzweil' })
    await openCase([{ id: known.id, role: 'client' }])
    const opened = await openCase([])

    const added = await firm.owner('POST', `/api/v1/cases/${opened.id}/parties`, {
      body: [{ name: 'Dr. Ilse Kurtzweil', role: 'opponent' }],
    })

    expect(added.status).toBe(201)
    expect(added.body.warnings).toMatchObject([
      { party: { id: known.id }, match: 'likely', conflict: true, searched: ['Dr. Ilse Kurtzweil'] },
    ])
  })

  it('is found though very many others have its name, and the answer says that not all were compared', async () => {
    const crowded = await newFirm()
    const name = 'Thomas Müller'
    const oldest = await addParty({ name }, crowded)
    await openCase([{ id: oldest.id, role: 'client' }], crowded)
    await Promise.all(Array.from({ length: 61 }, () => addParty({ name }, crowded)))
    const add = async (parties: Record<string, string>[]) => {
      const { id } = await openCase([], crowded)
      return (await crowded.owner('POST', `/api/v1/cases/${id}/parties`, { body: { parties } })).body
    }

    const [itself, other] = [
      await add([{ id: oldest.id, role: 'opponent' }]),
      await add([{ name, role: 'opponent' }]),
    ]

    const conflicts = (answer: typeof itself) =>
      answer.warnings.flatMap((one: { party: { id: string }; conflict: boolean }) =>
        one.conflict ? one.party.id : [],
      )
    expect(conflicts(itself)).toEqual([oldest.id])
    expect([itself.more, other.more]).toEqual([[name], [name]])
  })

  it('is answered with a warning if it is itself on the other side elsewhere, otherwise without one', async () => {
    const known = await addParty({ name: 'Bodo Flechsig' })
    await openCase([{ id: known.id, role: 'client' }])
    const paths = await Promise.all([openCase([]), openCase([])])
    const add = (at: number, role: string) =>
      firm.owner('POST', `/api/v1/cases/${paths[at]?.id}/parties`, { body: [{ id: known.id, role }] })

    const [asClient, asOpponent] = [await add(0, 'client'), await add(1, 'opponent')]

    expect(asClient.body.warnings).toEqual([])
    expect(asOpponent.body.warnings).toMatchObject([{ party: { id: known.id }, conflict: true }])
  })

  it.each([
    ['Mandant', 'client', 'opponent', 'client'],
    ['Zeugin', 'opponent', 'client', 'other'],
    ['Klägerin', 'opponent', 'client', null],
  ])('as %s is answered with a warning if it stands elsewhere against a client of the case', async (role, its, theirs, side) => {
    const [client, known] = await Promise.all([
      addParty({ name: `Clara Gegenprobe ${role}` }),
      addParty({ name: `Bernd Doppelt ${role}` }),
    ])
    await openCase([
      { id: known.id, role: its },
      { id: client.id, role: theirs },
    ])
    const warning = expect.objectContaining({
      party: expect.objectContaining({ id: known.id }),
      conflict: true,
      reason: expect.stringContaining(side === 'client' ? client.name : `gegen`),
    })
    const [asClient, inRole] = [
      { id: client.id, role: 'client' },
      { id: known.id, role },
    ]
    const add = async (present: object[], added: object[], method = 'POST') => {
      const { id } = await openCase(present as never)
      return (await firm.owner(method, `/api/v1/cases/${id}/parties`, { body: added })).body
    }

    const last = await add([asClient], [inRole])
    const answers = [
      last,
      await add([inRole], [asClient]),
      await add([inRole], [inRole, asClient], 'PUT'),
      await add([], [asClient, inRole]),
      await add([], [inRole, asClient], 'PUT'),
    ]

    expect(last.data.find(({ id }: { id: string }) => id === known.id).side).toBe(side)
    for (const { warnings } of answers) expect(warnings).toContainEqual(warning)
    expect((await add([inRole], [asClient], 'PUT')).warnings).not.toContainEqual(warning)
    expect(
      (await add([asClient, inRole], [{ name: `Xaver Hinzu ${role}`, role: 'client' }])).warnings,
    ).toEqual([])
  })

  it('as the opponent of a client is answered without a warning if it is that client’s opponent elsewhere too', async () => {
    const [client, known] = await Promise.all([
      addParty({ name: 'Clementine Dauerstreit' }),
      addParty({ name: 'Balthasar Widerpart' }),
    ])
    const both = [
      { id: client.id, role: 'client' },
      { id: known.id, role: 'opponent' },
    ]
    await openCase(both)
    for (const present of [both.slice(0, 1), both.slice(1), []]) {
      const opened = await openCase(present)

      const { body } = await firm.owner('POST', `/api/v1/cases/${opened.id}/parties`, {
        body: both.filter((one) => !present.includes(one)),
      })

      expect(body.warnings).toEqual([])
    }
  })

  it('with a role that says no side is answered with a warning if its role elsewhere says none either', async () => {
    const known = await addParty({ name: 'Ottokar Unklar' })
    await openCase([{ id: known.id, role: 'Kläger' }])
    const opened = await openCase([])

    const { body } = await firm.owner('POST', `/api/v1/cases/${opened.id}/parties`, {
      body: [{ id: known.id, role: 'Beklagter' }],
    })

    expect(body.warnings).toContainEqual(
      expect.objectContaining({
        party: expect.objectContaining({ id: known.id }),
        conflict_certainty: 'possible',
      }),
    )
  })

  it('shows neither parties nor cases to a key that may read none', async () => {
    const known = await addParty({ name: 'Hedwig Ruland' })
    await openCase([{ id: known.id, role: 'client' }])
    const opened = await openCase([])
    const add = async (by: typeof firm.owner) =>
      (
        await by('POST', `/api/v1/cases/${opened.id}/parties`, {
          body: [{ name: 'Hedwig Ruland', role: 'opponent' }],
        })
      ).body.warnings.length

    const withoutReading = [
      await add(await firm.withScopes('cases:write')),
      await add(await firm.withScopes('cases:write', 'cases:read')),
      await add(await firm.withScopes('cases:write', 'contacts:read')),
    ]

    expect(withoutReading).toEqual([0, 0, 0])
    expect(await add(await firm.withScopes('cases:write', 'cases:read', 'contacts:read'))).toBeGreaterThan(0)
  })

  it('has no warning if names are only possibly the same', async () => {
    await addParty({ name: 'Detlef Unverzagt' })
    const opened = await openCase([])

    const added = await firm.owner('PUT', `/api/v1/cases/${opened.id}/parties`, {
      body: [{ name: 'Unverzagt', role: 'opponent' }],
    })

    expect([added.status, added.body.warnings]).toEqual([200, []])
  })
})
