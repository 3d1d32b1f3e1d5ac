import { beforeAll, describe, expect, it } from 'vitest'
import { unsetDatev, unsetSeller } from '#billing/firm-schema.ts'
import type { CaseRecord } from '#cases/ports.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { receptionStore } from '#store/correspondence/reception-store.ts'
import type { Db } from '#store/db.ts'
import { caseLessons } from '#store/inbox/case-lessons.ts'
import { triageLookUp } from '#store/inbox/triage-lookups.ts'
import { triageSettings } from '#store/inbox/triage-settings.ts'
import { outbox } from '#store/outbox.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { interceptStoreCalls, unitsOf } from '#test/bench/store-calls.ts'
import { keyClaim, mailRecord } from '#test/support/mail-records.ts'
import { entry, mailStores, storeDeps } from '#test/support/mail-stores.ts'
import { receivedMail } from '#test/support/received-mail.ts'
import { caseChange, caseRemoval, plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { judge } from '#triage/judge.ts'
import type { Found, NumberSignal, Signals } from '#triage/ports.ts'

const at = '2026-11-20T08:00:00.000Z'

const storeCalls = interceptStoreCalls()

let db: Db
let deps: ReturnType<typeof storeDeps>
let mails: ReturnType<typeof mailStores>['mails']

beforeAll(async () => {
  db = await sharedTable()
  deps = { ...storeDeps(db), outbox: outbox(db, jobRunner(wordsFollowUp(db)), { error: () => {} }) }
  mails = mailStores(db).mails
})

type Party = { id: string; name: string; email: string | null }

/** A firm that other tests do not see. */
function aFirm(workspace_id = newId('workspace')) {
  const cases = caseStore({ ...deps, numberKey: caseNumberKey })
  const parties = partyStore(deps)
  const lessons = caseLessons(db)
  return {
    workspace_id,

    async addParty(name: string, email: string | null = null): Promise<Party> {
      const id = newId('party')
      const about = { workspace_id, id, type: 'person' as const, name, email, phone: null, address: null }
      await parties.add(plain({ ...about, created_at: at, updated_at: at, version: 1 }))
      return { id, name, email }
    },

    async addCase(file_number: string, of: Party[] = [], changes: Partial<CaseRecord> = {}): Promise<string> {
      const id = newId('case')
      const record: CaseRecord = {
        workspace_id,
        id,
        name: `Sache ${file_number}`,
        file_number,
        status: 'active',
        type: null,
        description: null,
        dezernat: null,
        closed_at: null,
        holds: null,
        parties: of.map((party) => ({ id: party.id, name: party.name, role: 'client' })),
        staff: [],
        created_at: at,
        updated_at: at,
        version: 1,
        ...changes,
      }
      const end = await parties.reserve(
        workspace_id,
        of.map((party) => party.id),
        id,
      )
      await cases.add({ ...record, file_number }, (added) => caseChange(added, entry('case.created')))
      await end()
      return id
    },

    removeCase: (id: string) =>
      cases.remove(workspace_id, id, async () => caseRemoval(id, entry('case.deleted'))),

    /** A mail in this case, which learns of it what `teaches` says. */
    async file(case_id: string | null, changes: Partial<CorrespondenceRecord> = {}) {
      const record = receivedMail(workspace_id, {
        header_message_id: `<${newId('job')}@x.example>`,
        case_id,
        ...changes,
      })
      await mails.begin(
        { record: record, claim: keyClaim(newId('user'), newId('job')), jobs: [] },
        systemClock.now(),
      )
      await this.follow(record, null, case_id)
      return record
    },

    follow: (record: CorrespondenceRecord, from: string | null, to: string | null) =>
      lessons.follow(workspace_id, { correspondence_id: record.id, teaches: record.teaches, from, to }),

    move: (record: CorrespondenceRecord, case_id: string | null) =>
      applyRule(mails, workspace_id, record.id, (current) => ({
        record: { ...current, case_id, version: current.version + 1 },
      })),

    lookUp: (signals: Partial<Signals>) => triageLookUp(deps)(workspace_id, { ...noSignals, ...signals }),
  }
}

const noSignals: Signals = {
  message_ids: [],
  sender: null,
  file_numbers: [],
  court_references: [],
  names: [],
  reading: {} as Signals['reading'],
}

const number = (key: string): NumberSignal => ({
  key,
  suffix: null,
  place: 'subject',
  label: 'none',
  counts: true,
  is_own: false,
  is_meant: true,
  beside: [],
  quote: key,
})

const name = (written: string) => ({
  name: written,
  place: 'body' as const,
  versus: null,
  form: 'called' as const,
  quote: written,
})

const nothing: Found = {
  cases: [],
  file_numbers: [],
  court_references: [],
  threads: [],
  senders: [],
  parties: [],
  named_cases: [],
}

const court = 'poststelle@lg-m1.bayern.de'
const taught = (references: string[], sender: string | null = court) => ({ teaches: { references, sender } })

describe('a case is found', () => {
  it.each([
    ['0010/26'],
    ['0010/26 AL'],
    ['10/2026'],
    ['2026/0010'],
  ])('by the key of its number %s, also after the number was changed', async (written) => {
    const firm = aFirm()
    const id = await firm.addCase(written)
    await firm.addCase('0011/26')
    const before = await firm.lookUp({ file_numbers: [number('10/26')] })
    const cases = caseStore({ ...deps, numberKey: caseNumberKey })

    await cases.change(firm.workspace_id, id, (current) =>
      caseChange({ ...current, file_number: '0099/26', version: current.version + 1 }, entry('case.changed')),
    )

    const after = await firm.lookUp({ file_numbers: [number('10/26'), number('99/26')] })
    expect(before.file_numbers).toEqual([{ key: '10/26', case_id: id }])
    expect(before.cases).toEqual([
      {
        id,
        file_number: written,
        name: `Sache ${written}`,
        status: 'active',
        parties: [],
        staff: [],
      },
    ])
    expect(after.file_numbers).toEqual([{ key: '99/26', case_id: id }])
  })

  it('by mail of its thread, that was sent under our id or the provider’s, or received', async () => {
    const firm = aFirm()
    const case_id = await firm.addCase('0010/26')
    const sent = mailRecord(firm.workspace_id, { case_id })
    await mails.begin(
      { record: sent, claim: keyClaim(newId('user'), newId('job')), jobs: [] },
      systemClock.now(),
    )
    await applyRule(mails, firm.workspace_id, sent.id, (current) => ({
      record: { ...current, message_id: 'ses-1', version: current.version + 1 },
    }))
    const record = receivedMail(firm.workspace_id, { case_id, header_message_id: '<in@x.example>' })
    const identity = { message_id: '<in@x.example>', date: null, from: null, subject: '' }
    await receptionStore(deps).receive({ record, identity, token: null })
    const message_ids = [
      sent.header_message_id,
      '<ses-1@eu-central-1.amazonses.com>',
      '<in@x.example>',
      '<unknown@x.example>',
    ]

    const { threads, cases } = await firm.lookUp({ message_ids })

    expect(threads).toEqual(message_ids.slice(0, 3).map((message_id) => ({ message_id, case_id })))
    expect(cases).toHaveLength(1)
  })

  it('by the address and the name of its parties, with their roles there', async () => {
    const firm = aFirm()
    const [max, erika] = [
      await firm.addParty('Dr. Max Müller', 'Max@Mueller.example'),
      await firm.addParty('Müller Bau GmbH'),
    ]
    const one = await firm.addCase('0010/26', [max])
    const both = await firm.addCase('0011/26', [max, erika], { status: 'closed' })

    const bySender = await firm.lookUp({ sender: 'max@mueller.example' })
    const byName = await firm.lookUp({ names: [name('Max Mueller'), name('BAU GmbH')] })
    const byBoth = await firm.lookUp({ sender: 'max@mueller.example', names: [name('Müller')] })

    const roles = (ids: string[]) => ids.map((case_id) => ({ case_id, role: 'client' }))
    const sorted = ({ parties }: Found) => parties.toSorted((x, y) => (x.id < y.id ? -1 : 1))
    const found = (party: Party, ids: string[]) => ({ ...party, cases: roles(ids) })
    expect(bySender.parties.map(({ id }) => id)).toEqual([max.id])
    expect(new Set(bySender.parties[0]?.cases)).toEqual(new Set(roles([one, both])))
    expect(sorted(byName).map(({ id }) => id)).toEqual([max.id, erika.id])
    expect(sorted(byName)[1]).toEqual(found(erika, [both]))
    expect(sorted(byBoth).map(({ id }) => id)).toEqual([max.id, erika.id])
  })

  it('by no name that more than five parties have', async () => {
    const firm = aFirm()
    for (const given of ['Anna', 'Berta', 'Carla', 'Dora', 'Emma']) await firm.addParty(`${given} Schmidt`)
    const before = await firm.lookUp({ names: [name('Schmidt'), name('Anna Schmidt')] })

    await firm.addParty('Fritz Schmidt')

    const after = await firm.lookUp({ names: [name('Schmidt'), name('Anna Schmidt')] })
    expect(before.parties).toHaveLength(5)
    expect(after.parties.map((party) => party.name)).toEqual(['Anna Schmidt'])
  })

  it('by a name of frequent words where a party has exactly it, however many there are, at the same cost', async () => {
    const firm = aFirm()
    const names = ['Anna Huber', 'Eva Müller', 'Anna Lang', 'Ida Müller']
    const addAll = (count: number) =>
      inParallel(Array.from({ length: count }), async () => {
        for (const written of names) await firm.addParty(written)
      })
    await addAll(12)
    const { id } = await firm.addParty('Dr. Anna Müller')
    await addAll(1)
    const cost = async () => {
      const { result, calls } = await storeCalls.record(() =>
        firm.lookUp({ names: [name('Frau Anna Müller')] }),
      )
      return { found: result.parties.map((party) => party.id), read: unitsOf(calls).read }
    }
    const before = await cost()
    await addAll(20)

    const after = await cost()

    expect(before.found).toEqual([id])
    expect(after.found).toEqual([id])
    expect(after.read).toBeLessThan(1.2 * before.read)
  })

  it('by names that many parties have at the same cost, however many these are', async () => {
    const firm = aFirm()
    const names = [
      'Anna Huber',
      'Eva Müller',
      'Hans Fischer',
      'Ida Weber',
      'Hans Müller',
      'Eva Weber',
      'Anna Fischer',
    ]
    const addAll = (count: number, isInCase: boolean) =>
      inParallel(Array.from({ length: count }), async () => {
        for (const written of names) {
          const party = await firm.addParty(written)
          if (isInCase) await firm.addCase(newId('job'), [party])
        }
      })
    const signals = {
      sender: 'anna@mueller.example',
      names: ['Anna Müller', 'Hans Fischer', 'Eva Weber', 'Ida Huber'].map(name),
    }
    const read = async () => unitsOf((await storeCalls.record(() => firm.lookUp(signals))).calls).read
    const units: number[] = []

    // Of more than five parties with one name none is found: their cases are never read.
    for (const more of [1, 4, 25]) {
      await addAll(more, more < 5)
      units.push(await read())
    }

    expect(Math.max(...units)).toBeLessThanOrEqual(1.25 * (units[0] ?? 0))
  })

  it('by a name alone only where one party has it, by a pair of names where a case has both', async () => {
    const firm = aFirm()
    const [one, other, opponent] = [
      await firm.addParty('Eva Weber'),
      await firm.addParty('Dr. Eva Weber', 'eva@weber.example'),
      await firm.addParty('Brandt Bau GmbH'),
    ]
    const ofOne = await firm.addCase('0010/26', [one, opponent])
    const ofOther = await firm.addCase('0011/26', [other])
    const pair = (left: string, right: string) =>
      [name(left), name(right)].map((it, at) => ({ ...it, versus: at === 0 ? right : left }))
    const casesOf = async (signals: Partial<Signals>) =>
      (await firm.lookUp(signals)).cases.map(({ id }) => id).toSorted()

    const byName = await firm.lookUp({ names: [name('Eva Weber')] })
    const named = await firm.lookUp({ names: [name('Eva Weber')], file_numbers: [number('10/26')] })

    expect(byName.cases).toEqual([])
    expect(byName.parties).toHaveLength(2)
    expect(named.parties.find(({ id }) => id === one.id)?.cases).toEqual([{ case_id: ofOne, role: 'client' }])
    expect(await casesOf({ names: [name('Brandt Bau')] })).toEqual([ofOne])
    expect(await casesOf({ names: pair('Weber', 'Brandt Bau') })).toEqual([ofOne, ofOther])
    expect(await casesOf({ names: pair('Weber', 'Lang') })).toEqual([])
    expect(await casesOf({ names: pair('Weber', 'Lang'), sender: 'eva@weber.example' })).toEqual([ofOther])
  })

  it('by its own name, of which nobody is a party, where only few cases have it', async () => {
    const firm = aFirm()
    const estate = await firm.addCase('0010/26', [], { name: 'Nachlass Krüger, Alfons' })
    const fence = await firm.addCase('0011/26', [], { name: 'Özdemir ./. Sandgrube Nord' })
    for (let at = 12; at < 18; at += 1) await firm.addCase(`${at}/26`, [], { name: 'Betreuung Ida Vogel' })
    await firm.addCase('0020/26', [await firm.addParty('Ernst Lang')], { name: 'Miete' })
    const named = async (...names: Signals['names']) => {
      const { cases, named_cases } = await firm.lookUp({ names })
      expect(cases.map(({ id }) => id).toSorted()).toEqual(named_cases.map((it) => it.case_id).toSorted())
      return named_cases.map((it) => it.case_id)
    }

    expect(await named(name('Alfons Krueger'))).toEqual([estate])
    expect(await named({ ...name('Oezdemir'), versus: 'Sandgrube' })).toEqual([fence])
    expect(await named({ ...name('Sandgrube'), versus: 'ÖZDEMIR' })).toEqual([fence])
    expect(await named(name('Alfons Krügermann'))).toEqual([])
    expect(await named(name('Krüger'))).toEqual([])
    expect(await named(name('Ida Vogel'))).toEqual([])
    expect(await named({ ...name('Alfons Krüger'), place: 'sender' })).toEqual([])
  })

  it('as an old one too, where its party is in many and a number names it', async () => {
    const firm = aFirm()
    const insurer = await firm.addParty('Nordwall Versicherung AG', 'post@nordwall.example')
    const oldest = await firm.addCase('0001/20', [insurer])
    for (let at = 1; at <= 26; at += 1) await firm.addCase(`${String(at).padStart(4, '0')}/26`, [insurer])

    const newest = await firm.lookUp({ sender: 'post@nordwall.example' })
    const named = await firm.lookUp({ sender: 'post@nordwall.example', file_numbers: [number('1/20')] })

    expect(newest.parties[0]?.cases).toHaveLength(25)
    expect(newest.cases.map(({ id }) => id)).not.toContain(oldest)
    expect(named.parties[0]?.cases).toContainEqual({ case_id: oldest, role: 'client' })
  })

  it('never after it was deleted', async () => {
    const firm = aFirm()
    const party = await firm.addParty('Max Müller', 'max@mueller.example')
    const id = await firm.addCase('0010/26', [party])
    const mail = await firm.file(id, taught(['3o45/26'], 'max@mueller.example'))
    const signals = {
      sender: 'max@mueller.example',
      file_numbers: [number('10/26')],
      court_references: [number('3o45/26')],
      names: [name('Max Müller')],
      message_ids: [mail.header_message_id],
    }
    const before = await firm.lookUp(signals)

    await firm.removeCase(id)

    expect(before.cases).toHaveLength(1)
    expect(await firm.lookUp(signals)).toEqual({ ...nothing, parties: [{ ...party, cases: [] }] })
  })

  it('never by another firm, by nothing that a message can name', async () => {
    const [firm, other] = [aFirm(), aFirm()]
    const party = await firm.addParty('Max Müller', 'max@mueller.example')
    const id = await firm.addCase('0010/26', [party], { name: 'Nachlass Nora Blum' })
    const mail = await firm.file(id, taught(['3o45/26'], 'max@mueller.example'))
    const signals = {
      sender: 'max@mueller.example',
      file_numbers: [number('10/26')],
      court_references: [number('3o45/26')],
      names: [name('Max Müller'), name('Nora Blum')],
      message_ids: [mail.header_message_id],
    }

    const own = await firm.lookUp(signals)

    expect(own.cases.map((one) => one.id)).toEqual([id])
    for (const list of Object.values(own)) expect(list).not.toEqual([])
    expect(await other.lookUp(signals)).toEqual(nothing)
  })
})

describe('what a case learnt', () => {
  const lookUp = (firm: ReturnType<typeof aFirm>) =>
    firm.lookUp({ sender: court, court_references: [number('3o45/26')] })

  it('is its sender and the references, with the mailboxes that taught them, until no such mail is there', async () => {
    const firm = aFirm()
    const id = await firm.addCase('0010/26')
    const first = await firm.file(id, taught(['3o45/26']))
    const second = await firm.file(id, taught(['3o45/26']))
    await firm.file(id, taught(['3o45/26'], 'senat@lg-m1.bayern.de'))
    const before = await lookUp(firm)

    await firm.move(first, null)
    await firm.follow(first, id, null)
    const still = await lookUp(firm)
    await firm.move(second, null)
    await firm.follow(second, id, null)
    const after = await lookUp(firm)

    const known = [{ key: '3o45/26', case_id: id, learnt_from: [court, 'senat@lg-m1.bayern.de'] }]
    expect([before.court_references, before.senders]).toEqual([known, [{ case_id: id }]])
    expect([still.court_references, still.senders]).toEqual([known, [{ case_id: id }]])
    expect(after.court_references).toEqual([{ ...known[0], learnt_from: ['senat@lg-m1.bayern.de'] }])
    expect(after.senders).toEqual([])
  })

  it('is that of the last filing, in whatever order and how often the jobs of several run', async () => {
    const firm = aFirm()
    const [one, other] = [await firm.addCase('0010/26'), await firm.addCase('0011/26')]
    const mail = await firm.file(null, taught(['3o45/26']))
    await firm.move(mail, one)
    await firm.move(mail, other)

    // The job of the second filing runs before the job of the first, and both run again.
    await firm.follow(mail, one, other)
    await firm.follow(mail, null, one)
    await firm.follow(mail, one, other)
    await Promise.all([firm.follow(mail, null, one), firm.follow(mail, one, other)])

    const { court_references, senders } = await lookUp(firm)
    expect(court_references).toEqual([{ key: '3o45/26', case_id: other, learnt_from: [court] }])
    expect(senders).toEqual([{ case_id: other }])
  })

  it('of ten mails that are filed at once is known of all: it is forgotten with the last', async () => {
    const firm = aFirm()
    const id = await firm.addCase('0010/26')
    const records: CorrespondenceRecord[] = []
    for (let at = 0; at < 10; at += 1) records.push(await firm.file(null, taught(['3o45/26'])))
    for (const record of records) await firm.move(record, id)
    await Promise.all(records.map((record) => firm.follow(record, null, id)))

    for (const record of records.slice(1)) await firm.move(record, null)
    await Promise.all(records.slice(1).map((record) => firm.follow(record, id, null)))
    const withOne = await lookUp(firm)
    await firm.move(records[0] as CorrespondenceRecord, null)
    await firm.follow(records[0] as CorrespondenceRecord, id, null)

    expect(withOne.senders).toEqual([{ case_id: id }])
    expect(await lookUp(firm)).toEqual(nothing)
  })

  it.each([
    ['without a sender', null],
    ['whose sender has the longest address, in four bytes a letter', `${'𐐨'.repeat(318)}@a`],
  ])('is nothing of mail %s', async (_, sender) => {
    const firm = aFirm()
    await firm.file(await firm.addCase('0010/26'), taught(['3o45/26'], sender))

    expect(await lookUp(firm)).toEqual(nothing)
  })

  it('is known of an old case too, where mail of the sender was filed in many', async () => {
    const firm = aFirm()
    const oldest = await firm.addCase('0001/20')
    await firm.file(oldest, taught([]))
    for (let at = 1; at <= 21; at += 1)
      await firm.file(await firm.addCase(`${String(at).padStart(4, '0')}/26`), taught([]))

    const newest = await firm.lookUp({ sender: court })
    const named = await firm.lookUp({ sender: court, file_numbers: [number('1/20')] })

    expect(newest.senders).toHaveLength(20)
    expect(newest.senders).not.toContainEqual({ case_id: oldest })
    expect(named.senders).toContainEqual({ case_id: oldest })
  })
})

describe('the settings of the triage', () => {
  it('are the addresses of the workspace and its users, who of them is deactivated, its setting, and the form that most of its newest numbers have', async () => {
    const { workspace_id: id, addCase } = aFirm()
    const inbound_address = `${newId('job')}@In.example`
    await workspaceStore(db).add({
      id,
      name: 'Kanzlei',
      time_zone: 'Europe/Berlin',
      holiday_region: 'DE-BE',
      inbound_address,
      auto_file: 'off',
      seller: unsetSeller,
      datev: unsetDatev,
      created_at: at,
      webhook_token: 'token',
      webhook_token_created_at: at,
      version: 1,
    })
    const user = { workspace_id: id, id: newId('user'), name: 'Vogt', email: 'Vogt@Kanzlei.example' }
    const former = { workspace_id: id, id: newId('user'), name: 'Beck', email: 'beck@kanzlei.example' }
    for (const [one, active] of [
      [user, true],
      [former, false],
    ] as const)
      await userStore(deps).add(plain({ ...one, signature_html: null, active, created_at: at, version: 1 }))
    const settings = triageSettings(deps)
    const before = await settings(id)
    await addCase('2026/0010')

    const own_mailboxes = [inbound_address.toLowerCase(), 'vogt@kanzlei.example', 'beck@kanzlei.example']
    const deactivated_users = [former.id]
    expect(before).toEqual({
      own_mailboxes,
      deactivated_users,
      auto_file: 'off',
      file_number_form: '0001/26',
    })
    expect((await settings(id)).file_number_form).toBe('2026/0010')
    await addCase('2026/0011 AL')
    for (const written of ['12/26', 'Altakte Meier', 'X-1-2-3']) await addCase(written)
    expect((await settings(id)).file_number_form).toBe('2026/0011 AL')
    await expect(settings(newId('workspace'))).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' })
  })
})

describe('a mail that is judged', () => {
  const facts = (changes: Partial<MessageFacts> = {}): MessageFacts => ({
    kind: 'mail',
    received_on: '2026-11-20',
    from: { name: 'Landgericht München I', email: court },
    subject: 'Ladung in der Sache 3 O 45/26',
    text: 'Sehr geehrte Damen und Herren,\n\nanbei die Ladung.',
    in_reply_to: [],
    references: [],
    headers: { auto_submitted: null, list_unsubscribe: null, precedence: null },
    attachments: [],
    xjustiz: [],
    verdict: 'passed',
    sender_verified: true,
    protection: 'none',
    ...changes,
  })
  const judged = (firm: ReturnType<typeof aFirm>, changes?: Partial<MessageFacts>) =>
    judge({
      lookUp: triageLookUp(deps),
      findSettings: async () => ({
        own_mailboxes: ['vogt@kanzlei.example'],
        deactivated_users: [],
        auto_file: 'certain',
        file_number_form: '0001/26',
      }),
    })(firm.workspace_id, facts(changes))

  it('of a court is filed by the reference that the first one taught, and no more once that one has left', async () => {
    const firm = aFirm()
    const id = await firm.addCase('0010/26')
    const first = await judged(firm)
    const mail = await firm.file(id, { teaches: first.teaches })

    const second = await judged(firm)
    await firm.move(mail, null)
    await firm.follow(mail, id, null)
    const third = await judged(firm)

    expect(first).toMatchObject({ auto_file: null, teaches: { references: ['3o45/26'], sender: court } })
    expect(second).toMatchObject({ auto_file: id, triage: { category: 'court' } })
    expect(third.auto_file).toBeNull()
  })

  it.each([
    [
      'of a lawyer teaches its sender alone',
      { from: { name: null, email: 'A@Kessler.example' } },
      'a@kessler.example',
    ],
    ['of a colleague teaches nothing', { from: { name: null, email: 'Vogt@Kanzlei.example' } }, null],
    ['with a forged sender teaches nothing', { verdict: 'forged' }, null],
    ['that is spam teaches nothing', { verdict: 'spam' }, null],
    ['without a sender teaches nothing', { from: null }, null],
    ['from what is no address teaches nothing', { from: { name: 'Landgericht', email: '@' } }, null],
    ['as an upload teaches nothing', { kind: 'document', from: null }, null],
  ] as const)('%s', async (_, changes, sender) => {
    expect((await judged(aFirm(), changes)).teaches).toEqual({ references: [], sender })
  })
})
