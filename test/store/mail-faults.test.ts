import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newId } from '#kernel/id.ts'
import { withTimeLimit } from '#kernel/time-limit.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import { type Fault, faultyStore } from '#test/support/faulty-store.ts'
import { draftRecord, keyClaim, mailRecord } from '#test/support/mail-records.ts'
import { entry, mailStores } from '#test/support/mail-stores.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

const now = new Date('2026-03-16T08:30:00.000Z')

/** The stores on the real table, and once more behind a connection whose faults are set. */
let sound: ReturnType<typeof mailStores>
let faulty: ReturnType<typeof mailStores>
let connection: Awaited<ReturnType<typeof faultyStore>>
let db: Db

beforeEach(async () => {
  const table = await sharedTable()
  sound = mailStores(table)
  // A client reads from the environment where the table is when it is first used.
  await sound.mails.find(newId('workspace'), newId('correspondence'))
  connection = await faultyStore(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', connection.url)
  db = { client: createClient(), table: table.table }
  faulty = mailStores(db)
})
afterEach(() => {
  connection.close()
  vi.unstubAllEnvs()
})

/** Lets the first transactions suffer this. */
function faultOfTransactions(fault: Fault, times: number): void {
  let left = times
  connection.fault = ({ operation }) => {
    if (operation !== 'TransactWriteItems' || left === 0) return 'none'
    left -= 1
    return fault
  }
}

describe('a send whose answer of the database is lost', () => {
  it.each<[string, Fault]>([
    ['after it was recorded', 'lose the answer'],
    ['before it was recorded', 'drop'],
    ['since it was refused for load', 'refuse'],
  ])('twice, %s, has begun once all the same', async (_, fault) => {
    const workspace = newId('workspace')
    const user = newId('user')
    const key = randomUUID()
    const mail = mailRecord(workspace)
    faultOfTransactions(fault, 2)

    const began = await faulty.mails.begin({ record: mail, claim: keyClaim(user, key), jobs: [] }, now)

    expect(began).toBe(true)
    const send = await sound.mails.findSend(workspace, user, key, now)
    expect(send?.correspondence_id).toBe(mail.id)
    expect((await sound.mails.page(workspace, { limit: 50 })).data).toEqual([
      { ...mail, changed_at: expect.any(String) },
    ])
  })

  it('again and again fails with an unknown outcome, and the key shows that it was recorded', async () => {
    const workspace = newId('workspace')
    const user = newId('user')
    const key = randomUUID()
    const mail = mailRecord(workspace)
    faultOfTransactions('lose the answer', 100)

    const failure = await withTimeLimit(1_500, () =>
      faulty.mails.begin({ record: mail, claim: keyClaim(user, key), jobs: [] }, now),
    ).catch((error: unknown) => error)
    const again = await sound.mails.begin(
      { record: mailRecord(workspace), claim: keyClaim(user, key), jobs: [] },
      now,
    )

    expect(failure).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    const send = await sound.mails.findSend(workspace, user, key, now)
    expect(send?.correspondence_id).toBe(mail.id)
    expect(again).toBe(false)
  })

  it.each([
    'a key',
    'a draft',
  ])('and that is repeated under another token recognises its own claim by %s', async (claimed) => {
    const workspace = newId('workspace')
    const user = newId('user')
    const draft = draftRecord(workspace, { user_id: user })
    await sound.drafts.add(plain(draft))
    const claim = claimed === 'a key' ? keyClaim(user, randomUUID()) : { by: 'draft' as const, draft }
    const mail = mailRecord(workspace, { draft_id: claimed === 'a key' ? null : draft.id })
    reportConflictAfterFirstTransaction()

    const began = await faulty.mails.begin({ record: mail, claim, jobs: [] }, now)
    const other = await faulty.mails.begin({ record: mailRecord(workspace), claim, jobs: [] }, now)

    expect([began, other]).toEqual([true, false])
    expect((await sound.mails.page(workspace, { limit: 50 })).data).toEqual([
      { ...mail, changed_at: expect.any(String) },
    ])
  })

  /** Carries out the first transaction and says that it collided: the store repeats it under a new token. */
  function reportConflictAfterFirstTransaction(): void {
    const send = db.client.send.bind(db.client) as (command: { input: object }) => Promise<unknown>
    let isFirst = true
    const conflicting = async (command: { input: object }) => {
      const answer = await send(command)
      if (!isFirst || !('TransactItems' in command.input)) return answer
      isFirst = false
      throw Object.assign(new Error('The transaction was cancelled.'), {
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'TransactionConflict' }],
      })
    }
    Object.assign(db.client, { send: conflicting })
  }
})

describe('a change of a mail whose answer of the database is lost', () => {
  it('is made once, with its timeline entry and its draft', async () => {
    const workspace = newId('workspace')
    const case_id = await sound.addCase(workspace)
    const draft = draftRecord(workspace)
    await sound.drafts.add(plain(draft))
    const mail = mailRecord(workspace, { case_id, draft_id: draft.id })
    await sound.mails.begin({ record: mail, claim: { by: 'draft', draft }, jobs: [] }, now)
    faultOfTransactions('lose the answer', 2)

    const changed = await applyRule(faulty.mails, workspace, mail.id, (current) => ({
      record: { ...current, status: 'sent' as const, version: current.version + 1 },
      timeline: [{ case_id, entry: entry('email.sent') }],
    }))

    expect(changed.version).toBe(2)
    expect(await sound.mails.find(workspace, mail.id)).toEqual({ ...changed, changed_at: expect.any(String) })
    expect((await sound.drafts.find(workspace, draft.id))?.status).toBe('sent')
    const { data } = await sound.cases.timeline(workspace, case_id, { limit: 50 })
    expect(data.filter(({ type }) => type === 'email.sent')).toHaveLength(1)
  })
})

describe('saving a draft whose answer of the database is lost', () => {
  it('happens once', async () => {
    const draft = draftRecord(newId('workspace'))
    faultOfTransactions('lose the answer', 1)
    await faulty.drafts.add(plain(draft))
    faultOfTransactions('lose the answer', 1)

    const saved = await applyRule(faulty.drafts, draft.workspace_id, draft.id, (current) => ({
      record: { ...current, subject: 'Neu', version: current.version + 1 },
    }))

    expect(saved.version).toBe(2)
    expect(await sound.drafts.find(draft.workspace_id, draft.id)).toEqual(saved)
  })
})
