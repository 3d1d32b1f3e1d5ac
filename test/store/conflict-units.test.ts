import { beforeAll, describe, expect, it } from 'vitest'
import type { Participant } from '#cases/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { newId } from '#kernel/id.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { conflictService } from '#parties/conflicts.ts'
import { notedSides } from '#parties/side-schema.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { outbox } from '#store/outbox.ts'
import { conflictStore } from '#store/parties/conflict-store.ts'
import { partySide, partyUse } from '#store/parties/party-entity.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { interceptStoreCalls, unitsOf } from '#test/bench/store-calls.ts'
import { entry, storeDeps } from '#test/support/mail-stores.ts'
import { caseChange, caseRemoval, plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'

const storeCalls = interceptStoreCalls()
const at = '2026-11-20T08:00:00.000Z'

/** More than a check ever compares or shows. */
const manyCases = 230

type Party = { id: string; name: string }

/** A firm whose insurer is named by every case, on neither side but in the oldest. */
async function aFirm() {
  const db = await sharedTable()
  const deps = { ...storeDeps(db), outbox: outbox(db, jobRunner(wordsFollowUp(db)), { error: () => {} }) }
  const cases = caseStore({ ...deps, numberKey: caseNumberKey })
  const parties = partyStore(deps)
  const conflicts = conflictService({ store: conflictStore(db) })
  const workspace_id = newId('workspace')

  const addParty = async (name: string): Promise<Party> => {
    const id = newId('party')
    const about = { workspace_id, id, name, email: null, phone: null, address: null }
    await parties.add(plain({ ...about, type: 'organization', created_at: at, updated_at: at, version: 1 }))
    return { id, name }
  }
  const inRoles = (roles: [Party, string][]): Participant[] =>
    roles.map(([{ id, name }, role]) => ({ id, name, role }))
  const use = async (caseId: string, named: Participant[]) => {
    for (const { id } of named) await partyUse(db).put({ workspace_id, party_id: id, named_by: caseId }).go()
  }
  let number = 0

  return {
    addParty,

    /** The id of a new case with these parties in these roles. */
    addCase: async (roles: [Party, string][]): Promise<string> => {
      const id = newId('case')
      number += 1
      const file_number = `${number}/26`
      const named = inRoles(roles)
      await use(id, named)
      const nothing = { type: null, description: null, dezernat: null, closed_at: null, holds: null }
      const about = { ...nothing, status: 'active' as const }
      const times = { created_at: at, updated_at: at, version: 1 }
      const fields = { file_number, name: 'Streit', parties: named, staff: [] }
      await cases.add({ workspace_id, id, ...about, ...times, ...fields }, (record) =>
        caseChange(record, entry('case.created')),
      )
      return id
    },

    /** Gives a case these parties. */
    change: async (caseId: string, roles: [Party, string][]) => {
      const named = inRoles(roles)
      await use(caseId, named)
      await cases.change(workspace_id, caseId, (current) =>
        caseChange({ ...current, parties: named, version: current.version + 1 }, entry('parties.replaced')),
      )
    },

    /** Makes a case one of an older release, which noted no side for such a role. */
    forgetSides: async (caseId: string, party: Party) => {
      for (const side of notedSides)
        await partySide(db).delete({ workspace_id, party_id: party.id, side, case_id: caseId }).go()
    },

    remove: (caseId: string) =>
      cases.remove(workspace_id, caseId, async () => caseRemoval(caseId, entry('case.deleted'))),

    check: async (name: string, case_id: string | null = null) => {
      const { result, calls } = await storeCalls.record(() =>
        conflicts.check({ workspace_id }, { names: [name], emails: [], case_id }),
      )
      return { ...result, read: unitsOf(calls).read }
    },

    warnings: async (caseId: string, party: Party, role: string) =>
      (await conflicts.warnings(workspace_id, caseId, [{ ...party, role }], [])).data,
  }
}

describe('a conflict check of an insurer of many cases (C10)', () => {
  let firm: Awaited<ReturnType<typeof aFirm>>
  let insurer: Party
  let driver: Party
  let oldest: string
  beforeAll(async () => {
    firm = await aFirm()
    insurer = await firm.addParty('Nordwall Versicherung AG')
    driver = await firm.addParty('Fahrschule Kessler GmbH')
    oldest = await firm.addCase([])
    await inParallelUpTo(
      8,
      Array.from({ length: manyCases }),
      async () => void (await firm.addCase([[insurer, 'Rechtsschutzversicherung']])),
    )
  })

  it('reads and answers few of them, and knows that it is a client in the oldest', async () => {
    await firm.change(oldest, [[insurer, 'Mandantin']])

    const { data, read } = await firm.check('Nordwall Versicherung')

    expect(data).toMatchObject([{ party: { id: insurer.id }, more_cases: true, conflict: true }])
    expect(data[0]?.cases.length).toBeLessThanOrEqual(21)
    expect(data[0]?.cases.at(-1)).toMatchObject({ id: oldest, role: 'Mandantin' })
    expect(data[0]?.reason).toContain('Mandant in 1/26')
    expect(read).toBeLessThan(55)
  })

  it('is no conflict by a role that it had, and is none by that of a deleted case', async () => {
    const deleted = await firm.addCase([[insurer, 'client']])
    await firm.remove(deleted)
    await firm.change(oldest, [[insurer, 'witness']])

    const { data } = await firm.check('Nordwall Versicherung')

    expect(data).toMatchObject([{ more_cases: true, conflict: false }])
  })

  it('knows that it stands in the oldest against a client of the case that is asked for', async () => {
    await firm.change(oldest, [
      [insurer, 'Gegner'],
      [driver, 'client'],
    ])
    const again = await firm.addParty('Fahrschule Kessler')
    const [now, other] = [await firm.addCase([[again, 'client']]), await firm.addCase([])]

    const [inNow, inOther] = [
      await firm.check('Nordwall Versicherung', now),
      await firm.check('Nordwall Versicherung', other),
    ]

    expect(inNow.data).toMatchObject([
      { conflict: true, reason: expect.stringContaining('steht in 1/26 gegen Fahrschule Kessler') },
    ])
    expect(inOther.data).toMatchObject([{ conflict: false }])
    expect(inNow.read).toBeLessThan(85)
  })

  it('warns who adds it as a client that it is the opponent in the oldest', async () => {
    await firm.change(oldest, [[insurer, 'opponent']])
    const now = await firm.addCase([])

    expect(await firm.warnings(now, insurer, 'witness')).toEqual([])
    expect(await firm.warnings(now, insurer, 'client')).toMatchObject([{ party: { id: insurer.id } }])
  })
})

describe('a conflict check of a party whose old cases are noted on no side (C11)', () => {
  const withOldCase = async (role: string) => {
    const firm = await aFirm()
    const party = await firm.addParty('Baugesellschaft Lindner mbH')
    const old = await firm.addCase([[party, role]])
    await firm.forgetSides(old, party)
    for (let count = 0; count < 21; count += 1) await firm.addCase([[party, 'Zeugin']])
    return { ...firm, party, old }
  }

  it.each([
    ['Auftraggeberin', 'certain', 'Mandant in 1/26'],
    ['Mandant:in (Antragsgegner)', 'certain', 'Mandant in 1/26'],
    ['Widerklägerin', 'possible', 'vielleicht Mandant in 1/26'],
    ['Streithelferin der Beklagten', 'possible', 'vielleicht Mandant in 1/26'],
  ])('finds it as %s in the oldest of them', async (role, certainty, reason) => {
    const firm = await withOldCase(role)

    const { data } = await firm.check('Baugesellschaft Lindner')

    expect(data).toMatchObject([
      {
        conflict: true,
        conflict_certainty: certainty,
        more_cases: true,
        reason: expect.stringContaining(reason),
      },
    ])
  })

  it('finds none where it was a witness there, or the opponent', async () => {
    const [witness, opponent] = [await withOldCase('Sachverständige'), await withOldCase('Gegenseite')]

    const found = await Promise.all(
      [witness, opponent].map(async (firm) => (await firm.check('Baugesellschaft Lindner')).data),
    )

    expect(found).toMatchObject([[{ conflict: false }], [{ conflict: false, conflict_certainty: null }]])
  })

  it('finds that it stood there against a client of the case that is asked for', async () => {
    const firm = await aFirm()
    const [party, client] = [
      await firm.addParty('Baugesellschaft Lindner mbH'),
      await firm.addParty('Kiesgrube Ott GmbH'),
    ]
    const old = await firm.addCase([
      [party, 'Gegenseite'],
      [client, 'Klägerin'],
    ])
    for (const one of [party, client]) await firm.forgetSides(old, one)
    for (let count = 0; count < 21; count += 1)
      await firm.addCase([
        [party, 'Zeugin'],
        [client, 'Zeugin'],
      ])
    const now = await firm.addCase([[client, 'Klientin']])

    const { data } = await firm.check('Baugesellschaft Lindner', now)

    expect(data).toMatchObject([
      {
        conflict: true,
        conflict_certainty: 'possible',
        reason: expect.stringContaining('steht in 1/26 gegen Kiesgrube Ott GmbH'),
      },
    ])
  })

  it('finds the side that is left after a role was taken away', async () => {
    const firm = await aFirm()
    const party = await firm.addParty('Baugesellschaft Lindner mbH')
    const oldest = await firm.addCase([
      [party, 'Gegnerin'],
      [party, 'Beklagte'],
    ])
    for (let count = 0; count < 21; count += 1) await firm.addCase([[party, 'Zeugin']])
    await firm.change(oldest, [[party, 'Beklagte']])

    const { data } = await firm.check('Baugesellschaft Lindner')

    expect(data).toMatchObject([{ conflict: true, conflict_certainty: 'possible' }])
  })
})

it('a conflict check answers at most 50 cases for a name, of each party some, and says where there are more', async () => {
  const firm = await aFirm()
  const parties: Party[] = []
  for (let count = 0; count < 20; count += 1) parties.push(await firm.addParty('Kessler Bau GmbH'))
  for (let count = 0; count < 3; count += 1)
    await firm.addCase(parties.map((party): [Party, string] => [party, 'witness']))
  const single = await firm.addParty('Kessler Bau GmbH')
  await firm.addCase([[single, 'client']])

  const { data, more } = await firm.check('Kessler Bau GmbH')

  expect([data.length, more]).toEqual([21, []])
  expect(data.reduce((sum, { cases }) => sum + cases.length, 0)).toBe(50)
  expect(new Set(data.map(({ cases, more_cases }) => `${cases.length} ${more_cases}`))).toEqual(
    new Set(['1 false', '3 false', '2 true']),
  )
  expect(data.filter(({ conflict }) => conflict).map(({ party }) => party.id)).toEqual([single.id])
})
