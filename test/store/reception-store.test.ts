import { beforeAll, describe, expect, it } from 'vitest'
import { unsetDatev, unsetSeller } from '#billing/firm-schema.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { MessageIdentity, ReceptionStore } from '#correspondence/reception-ports.ts'
import { processArrivals } from '#inbox/arrival-schema.ts'
import { jobRunner } from '#jobs/runner.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { correspondenceEntity } from '#store/correspondence/correspondence-entity.ts'
import { messageIds } from '#store/correspondence/message-ids.ts'
import { receptionStore } from '#store/correspondence/reception-store.ts'
import type { Db } from '#store/db.ts'
import { arrivalWatches } from '#store/inbox/arrival-watches.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { allDue, endOfTime } from '#test/support/due-index.ts'
import { keyClaim, mailRecord } from '#test/support/mail-records.ts'
import { mailStores, providerDomain, storeDeps } from '#test/support/mail-stores.ts'
import { receivedMail } from '#test/support/received-mail.ts'
import { sharedTable } from '#test/support/table.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { applyRule } from '#timeline/schema.ts'

let db: Db
let reception: ReceptionStore
let mails: ReturnType<typeof mailStores>['mails']
/** The ids that were handed over to be processed. */
const handedOver: string[] = []

beforeAll(async () => {
  db = await sharedTable()
  const runner = jobRunner(
    wordsFollowUp(db),
    processArrivals.handledBy(async ({ id }) => {
      handedOver.push(id)
    }),
  )
  reception = receptionStore({ ...storeDeps(db), outbox: outbox(db, runner, { error: () => {} }) })
  mails = mailStores(db).mails
})

/** A mail that was accepted and not read yet. */
const arrived = (workspace: string, changes: Partial<CorrespondenceRecord> = {}) =>
  receivedMail(workspace, {
    status: 'received',
    header_message_id: `<${newId('job')}@mueller.example>`,
    ...changes,
  })

const identityOf = (
  record: CorrespondenceRecord,
  changes: Partial<MessageIdentity> = {},
): MessageIdentity => ({
  message_id: record.header_message_id,
  date: '2026-11-20T08:00:00.000Z',
  from: 'max@mueller.example',
  subject: record.subject,
  ...changes,
})

const receive = (record: CorrespondenceRecord, identity = identityOf(record)) =>
  reception.receive({ record, identity, token: null })

const tokenOf = (content: string, expires_at = new Date(epochMilliseconds() + 600_000).toISOString()) => ({
  token_sha256: hexDigest(newId('job')),
  digest: content,
  expires_at,
})

const countOf = async (workspace: string) => (await mails.page(workspace, { limit: 100 })).data.length

describe('a mail that arrives', () => {
  it('is found as it was recorded, is handed over, and is known by its message id', async () => {
    const workspace = newId('workspace')
    const record = arrived(workspace)

    const answer = await receive(record)

    expect(answer).toEqual({ id: record.id })
    expect(await mails.find(workspace, record.id)).toEqual({ ...record, changed_at: expect.any(String) })
    expect(handedOver).toContain(record.id)
    expect(await receive(arrived(workspace), identityOf(record))).toEqual({ id: record.id })
  })

  it('waits to be judged until it is', async () => {
    const workspace = newId('workspace')
    const record = arrived(workspace)
    await receive(record)
    const isWatched = async () => {
      const waiting = await allDue(arrivalWatches(db), endOfTime, record.id.slice(-1))
      return waiting.filter(({ id }) => id === record.id)
    }

    const before = await isWatched()
    await applyRule(mails, workspace, record.id, (current) => ({
      record: {
        ...current,
        inbox: current.inbox && { ...current.inbox, is_judged: true },
        version: current.version + 1,
      },
    }))

    expect(before).toEqual([{ workspace_id: workspace, id: record.id, sent_at: record.created_at }])
    expect(await isWatched()).toEqual([])
  })

  it('eight times at once is one record, whose id every call answers', async () => {
    const workspace = newId('workspace')
    const message_id = `<${newId('job')}@mail.example>`
    const records = Array.from({ length: 8 }, () => arrived(workspace, { header_message_id: message_id }))

    const answers = await Promise.all(records.map((record) => receive(record)))

    const [first] = answers
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(records.map(({ id }) => ({ id }))).toContainEqual(first)
    expect(await countOf(workspace)).toBe(1)
  })

  it('in two workspaces is a record in each', async () => {
    const [one, other] = [arrived(newId('workspace')), arrived(newId('workspace'))]
    const identity = identityOf(one)

    const answers = [await receive(one, identity), await receive(other, identity)]

    expect(answers).toEqual([{ id: one.id }, { id: other.id }])
  })

  it.each([
    ['date', { date: '2026-11-20T09:00:00.000Z' }],
    ['sender', { from: 'scanner@mueller.example' }],
    ['subject', { subject: 'Scan 2' }],
  ] as const)('with the message id of another mail but another %s is recorded too', async (_, changes) => {
    const workspace = newId('workspace')
    const [one, other] = [arrived(workspace), arrived(workspace)]
    await receive(one)

    const answer = await receive(other, identityOf(one, changes))

    expect(answer).toEqual({ id: other.id })
    expect(await countOf(workspace)).toBe(2)
  })

  it.each([
    ['without a date', { date: null }],
    ['without a sender', { from: null }],
    ['without a subject', { subject: '' }],
    ['with other blanks in its subject', { subject: ' Anhörung \r\n  im Verfahren' }],
  ] as const)('with a known message id, %s, is the same mail', async (_, changes) => {
    const workspace = newId('workspace')
    const one = arrived(workspace, { subject: 'Anhörung im Verfahren' })
    await receive(one)

    expect(await receive(arrived(workspace), identityOf(one, changes))).toEqual({ id: one.id })
  })

  it.each([
    ['nothing', { date: null, from: null, subject: '' }],
    ['no date', { date: null }],
    ['no sender', { from: null }],
    ['no subject', { subject: '' }],
  ] as const)('is recorded although somebody sent a mail before it that has its message id and names %s', async (_, lacking) => {
    const workspace = newId('workspace')
    const [first, genuine] = [arrived(workspace), arrived(workspace, { subject: 'Anhörung im Verfahren' })]
    const identity = identityOf(genuine, { date: '2055-11-20T08:00:00.000Z' })
    await receive(first, { ...identity, ...lacking })

    const answers = [await receive(genuine, identity), await receive(arrived(workspace), identity)]

    expect(answers).toEqual([{ id: genuine.id }, { id: genuine.id }])
  })

  it('with a date is the same mail as its copy without one, if it was written before the copy arrived', async () => {
    const workspace = newId('workspace')
    const copy = arrived(workspace)
    const date = new Date(epochMilliseconds() - 60_000).toISOString()
    await receive(copy, identityOf(copy, { date: null }))

    expect(await receive(arrived(workspace), identityOf(copy, { date }))).toEqual({ id: copy.id })
  })

  it('of a device that gives all its mails one id is recorded each time, also when many come at once', async () => {
    const workspace = newId('workspace')
    const records = Array.from({ length: 24 }, () => arrived(workspace))
    const identity = (at: number) =>
      identityOf(records[0] as CorrespondenceRecord, {
        date: new Date(Date.UTC(2026, 10, 20, 8, at)).toISOString(),
        subject: `Scan ${at}`,
      })

    const answers = await Promise.all(records.slice(0, 10).map((record, at) => receive(record, identity(at))))
    for (const [at, record] of records.slice(10).entries())
      answers.push(await receive(record, identity(10 + at)))

    expect(answers).toEqual(records.map(({ id }) => ({ id })))
    expect(await receive(arrived(workspace), identity(23))).toEqual({ id: records.at(-1)?.id })
  })

  it('with a message id of a kilobyte, or of other letters, is known again', async () => {
    const workspace = newId('workspace')
    for (const message_id of [`<${'ä'.repeat(1_500)}@x>`, '<#a b#@ü>', '<\u{1F600}>']) {
      const record = arrived(workspace, { header_message_id: message_id })
      await receive(record)

      expect(await receive(arrived(workspace), identityOf(record))).toEqual({ id: record.id })
    }
  })

  it('is not taken for a mail of ours with the same id', async () => {
    const workspace = newId('workspace')
    const { mails: sent } = mailStores(db)
    const ours = mailRecord(workspace)
    await sent.begin(
      { record: ours, claim: keyClaim(newId('user'), newId('job')), jobs: [] },
      systemClock.now(),
    )
    const copy = arrived(workspace, { header_message_id: ours.header_message_id })

    expect(await receive(copy)).toEqual({ id: copy.id })
  })
})

describe('the message ids of a mail that is removed', () => {
  const itemsWith = (workspace: string, id: string) =>
    itemsOf(workspace).filter(
      ({ pk, messages }) => /#message_id#/.test(pk) && JSON.stringify(messages).includes(id),
    )

  it.each([
    ['with a Message-ID', {}],
    ['without a Message-ID', { header_message_id: '', known_as: `sha256:${'0a'.repeat(32)}` }],
  ])('are forgotten, if it was received %s', async (_, ids) => {
    const workspace = newId('workspace')
    const record = arrived(workspace, ids)
    const identity = identityOf(record, { message_id: record.known_as ?? record.header_message_id })
    await receive(record, identity)
    const stored = (await mails.find(workspace, record.id)) as CorrespondenceRecord
    expect(itemsWith(workspace, record.id)).toHaveLength(1)

    await messageIds(db).forget(stored, providerDomain)

    expect(itemsWith(workspace, record.id)).toEqual([])
    const again = arrived(workspace)
    expect(await receive(again, identity)).toEqual({ id: again.id })
  })

  it('are forgotten, if we sent it: also the one of the provider', async () => {
    const workspace = newId('workspace')
    const record = mailRecord(workspace)
    await mails.begin({ record, claim: keyClaim(newId('user'), newId('job')), jobs: [] }, systemClock.now())
    await applyRule(mails, workspace, record.id, (current) => ({
      record: { ...current, message_id: '0102-abc', version: current.version + 1 },
    }))
    expect(itemsWith(workspace, record.id)).toHaveLength(2)

    await messageIds(db).forget({ ...record, message_id: '0102-abc' }, providerDomain)

    expect(itemsWith(workspace, record.id)).toEqual([])
  })

  it('lead to no mail that is gone: the same message is recorded again, once', async () => {
    const workspace = newId('workspace')
    const [gone, again, thrice] = [arrived(workspace), arrived(workspace), arrived(workspace)]
    await receive(gone)
    await correspondenceEntity(db).remove({ workspace_id: workspace, id: gone.id }).go()

    const answers = [await receive(again, identityOf(gone)), await receive(thrice, identityOf(gone))]

    expect(answers).toEqual([{ id: again.id }, { id: again.id }])
  })
})

describe('a token of the mail service', () => {
  it('is held with what was answered, until it expires', async () => {
    const record = arrived(newId('workspace'))
    const token = tokenOf('content')

    await reception.receive({ record, identity: identityOf(record), token })

    const { token_sha256, expires_at } = token
    expect(await reception.findToken(token_sha256, systemClock.now())).toEqual({
      digest: 'content',
      correspondence_id: record.id,
    })
    expect(await reception.findToken(token_sha256, new Date(expires_at))).toBeUndefined()
    expect(await reception.findToken(hexDigest('other'), systemClock.now())).toBeUndefined()
  })

  it('with eight calls at once is taken by one, and the others learn of it', async () => {
    const workspace = newId('workspace')
    const token = tokenOf('content')
    const message_id = `<${newId('job')}@mail.example>`
    const records = Array.from({ length: 8 }, () => arrived(workspace, { header_message_id: message_id }))

    const answers = await Promise.all(
      records.map((record) => reception.receive({ record, identity: identityOf(record), token })),
    )

    const ids = answers.map((answer) => ('id' in answer ? answer.id : answer.taken.correspondence_id))
    expect(new Set(ids).size).toBe(1)
    expect(answers.filter((answer) => 'id' in answer)).toHaveLength(1)
    expect(await countOf(workspace)).toBe(1)
  })

  it('that is taken records nothing, and tells with which content', async () => {
    const workspace = newId('workspace')
    const token = tokenOf('content')
    const [one, other] = [arrived(workspace), arrived(workspace)]
    await reception.receive({ record: one, identity: identityOf(one), token })

    const answer = await reception.receive({
      record: other,
      identity: identityOf(other),
      token: { ...token, digest: 'other content' },
    })

    expect(answer).toEqual({ taken: { digest: 'content', correspondence_id: one.id } })
    expect(await mails.find(workspace, other.id)).toBeUndefined()
    expect(await receive(other)).toEqual({ id: other.id })
  })

  it('is taken by a mail that is known already', async () => {
    const record = arrived(newId('workspace'))
    await receive(record)
    const token = tokenOf('content')
    const again = arrived(record.workspace_id)

    const answer = await reception.receive({ record: again, identity: identityOf(record), token })

    expect(answer).toEqual({ id: record.id })
    expect(await reception.findToken(token.token_sha256, systemClock.now())).toEqual({
      digest: 'content',
      correspondence_id: record.id,
    })
  })

  it('that has expired is free again', async () => {
    const workspace = newId('workspace')
    const token = tokenOf('content', '2026-01-01T00:00:00.000Z')
    const [one, other] = [arrived(workspace), arrived(workspace)]
    await reception.receive({ record: one, identity: identityOf(one), token })

    expect(await reception.receive({ record: other, identity: identityOf(other), token })).toEqual({
      id: other.id,
    })
  })
})

describe('an inbound address', () => {
  const workspaceRecord = (inbound_address: string) => ({
    id: newId('workspace'),
    name: 'Kanzlei',
    time_zone: 'Europe/Berlin',
    holiday_region: 'DE-BE' as const,
    inbound_address,
    auto_file: 'certain' as const,
    seller: unsetSeller,
    datev: unsetDatev,
    created_at: '2026-11-20T08:00:00.000Z',
    webhook_token: 'token',
    webhook_token_created_at: '2026-11-20T08:00:00.000Z',
    version: 1,
  })

  it('finds the workspaces that have it, and nothing for others', async () => {
    const [one, other] = [`a-${newId('job')}@In.example`, `b-${newId('job')}@in.example`]
    const workspaces = [workspaceRecord(one), workspaceRecord(other)]
    for (const workspace of workspaces) await workspaceStore(db).add(workspace)
    const [a, b] = [one.toLowerCase(), other]

    const found = await reception.workspacesOf([a, b, a, 'nobody@in.example'])

    expect(found.toSorted((x, y) => (x.mailbox < y.mailbox ? -1 : 1))).toEqual([
      { mailbox: a, workspace_id: workspaces[0]?.id },
      { mailbox: b, workspace_id: workspaces[1]?.id },
    ])
    expect(await reception.workspacesOf([])).toEqual([])
  })

  it('belongs to one workspace', async () => {
    const address = `a-${newId('job')}@in.example`
    await workspaceStore(db).add(workspaceRecord(address))
    const second = workspaceRecord(address.toUpperCase())

    await expect(workspaceStore(db).add(second)).rejects.toThrow('Another workspace has the address')
    expect(await workspaceStore(db).find(second.id)).toBeUndefined()
  })
})
