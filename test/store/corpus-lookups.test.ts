import { beforeAll, describe, expect, it } from 'vitest'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { caseStore } from '#store/cases/case-store.ts'
import { caseLessons } from '#store/inbox/case-lessons.ts'
import { triageLookUp } from '#store/inbox/triage-lookups.ts'
import { outbox } from '#store/outbox.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { corpus } from '#test/mail-corpus/corpus.ts'
import {
  type CaseKey,
  caseIdOf,
  type FirmCase,
  firm,
  ourMessageId,
  settings,
} from '#test/mail-corpus/firm.ts'
import { factsOf, triageOf } from '#test/mail-corpus/judge.ts'
import { keyClaim, mailRecord } from '#test/support/mail-records.ts'
import { entry, mailStores, storeDeps } from '#test/support/mail-stores.ts'
import { receivedMail } from '#test/support/received-mail.ts'
import { caseChange, plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { courtReferenceKey } from '#triage/court-references.ts'
import { caseNumberKey } from '#triage/file-numbers.ts'
import { judge } from '#triage/judge.ts'
import type { Findings } from '#triage/schema.ts'

const at = '2026-11-01T08:00:00.000Z'
const workspace_id = newId('workspace')
const cases = Object.entries(firm) as [CaseKey, FirmCase][]

let deps: ReturnType<typeof storeDeps>

/** Puts the office of the corpus into the table: its parties and cases, what it sent, and what filing taught. */
beforeAll(async () => {
  const db = await sharedTable()
  deps = { ...storeDeps(db), outbox: outbox(db, jobRunner(wordsFollowUp(db)), { error: () => {} }) }
  const parties = partyStore(deps)
  const store = caseStore({ ...deps, numberKey: caseNumberKey })
  const { mails } = mailStores(db)
  const lessons = caseLessons(db)
  const begin = (record: ReturnType<typeof mailRecord>) =>
    mails.begin({ record, claim: keyClaim(newId('user'), newId('job')), jobs: [] }, systemClock.now())

  const ids = new Map<string, string>()
  for (const [, { parties: named }] of cases)
    for (const [, name, email = null] of named) {
      const person = `${name} ${email}`
      if (ids.has(person)) continue
      const id = newId('party')
      ids.set(person, id)
      const about = { workspace_id, id, type: 'person' as const, name, email, phone: null, address: null }
      await parties.add(plain({ ...about, created_at: at, updated_at: at, version: 1 }))
    }

  await inParallel(
    cases,
    async ([key, { number, name, status, parties: named, references = [], senders = [], lawyer }]) => {
      const id = caseIdOf(key)
      const inCase = named.map(([role, party, email = null]) => ({
        id: ids.get(`${party} ${email}`) ?? '',
        name: party,
        role,
      }))
      const partyIds = inCase.map((party) => party.id)
      const end = await parties.reserve(workspace_id, partyIds, id)
      await store.add(
        {
          workspace_id,
          id,
          name,
          file_number: number,
          status: status ?? 'active',
          type: null,
          description: null,
          dezernat: null,
          closed_at: null,
          holds: null,
          parties: inCase,
          staff: lawyer === undefined ? [] : [{ id: lawyer, name: lawyer, role: 'lawyer' }],
          created_at: at,
          updated_at: at,
          version: 1,
        },
        (record) => caseChange(record, entry('case.created')),
      )
      await end()
      for (const count of [1, 2])
        await begin(mailRecord(workspace_id, { case_id: id, header_message_id: ourMessageId(key, count) }))
      const taught = [
        ...references.map(([written, sender]) => ({
          sender,
          references: [courtReferenceKey(written) ?? ''],
        })),
        ...senders.map((sender) => ({ sender, references: [] })),
      ]
      for (const teaches of taught) {
        const mail = receivedMail(workspace_id, {
          case_id: id,
          teaches,
          header_message_id: `<${newId('job')}@x>`,
        })
        await begin(mail)
        await lessons.follow(workspace_id, { correspondence_id: mail.id, teaches, from: null, to: id })
      }
    },
  )
})

const comparable = (
  { category, priority, case_suggestions, deadline_hints }: Findings,
  auto_file: string | null,
) => ({
  auto_file,
  category,
  priority,
  deadline_hints,
  suggestions: case_suggestions.map(({ case_id, confidence }) => `${confidence} ${case_id}`).toSorted(),
})

describe('with what the table finds', () => {
  it('each mail of the corpus is judged as with all that the office knows', async () => {
    const judgeMessage = judge({ lookUp: triageLookUp(deps), findSettings: async () => settings })
    const judged: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}

    await inParallel(corpus, async (mail) => {
      const facts = await factsOf(mail)
      const { triage, auto_file } = await judgeMessage(workspace_id, facts)
      judged[mail.id] = comparable(triage, auto_file)
      const { auto_file: due, ...decision } = triageOf(facts)
      expected[mail.id] = comparable(decision, due)
    })

    expect(judged).toEqual(expected)
    expect(
      Object.values(judged).filter((one) => (one as { auto_file: unknown }).auto_file !== null).length,
    ).toBeGreaterThan(50)
  })

  it('nothing is found in the workspace of another firm', async () => {
    const judgeMessage = judge({ lookUp: triageLookUp(deps), findSettings: async () => settings })

    for (const mail of corpus.slice(0, 40)) {
      const { triage, auto_file } = await judgeMessage(newId('workspace'), await factsOf(mail))
      expect([auto_file, triage.case_suggestions]).toEqual([null, []])
    }
  })
})
