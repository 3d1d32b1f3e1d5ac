import { beforeAll, describe, expect, it } from 'vitest'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import { newRecord } from '#documents/new-documents.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import type { InboxQuery } from '#inbox/schema.ts'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import type { Db } from '#store/db.ts'
import {
  documentActions,
  documentListsFollowUp,
  listJobs,
  newDocumentListsFollowUp,
} from '#store/documents/document-actions.ts'
import { documentStore } from '#store/documents/document-store.ts'
import { arrivalWatches } from '#store/inbox/arrival-watches.ts'
import { inboxStore } from '#store/inbox/inbox-store.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { allDue, endOfTime } from '#test/support/due-index.ts'
import { keyClaim } from '#test/support/mail-records.ts'
import { mailStores, storeDeps, walk } from '#test/support/mail-stores.ts'
import { openInbox, receivedMail } from '#test/support/received-mail.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'
import type { Triage } from '#triage/schema.ts'

let db: Db
let stores: ReturnType<typeof mailStores>
let documents: ReturnType<typeof documentStore>
let deps: ReturnType<typeof storeDeps>

beforeAll(async () => {
  db = await sharedTable()
  const runner = jobRunner(wordsFollowUp(db))
  deps = { ...storeDeps(db), outbox: outbox(db, runner, { error: () => {} }) }
  runner.handle(documentListsFollowUp(deps), newDocumentListsFollowUp(deps))
  stores = mailStores(db)
  documents = documentStore({ ...deps, requireUnused: async () => [] })
})

const aTriage = (changes: Partial<Triage> = {}): Triage => ({
  final: true,
  category: 'court',
  priority: 'high',
  suggested_assignment: null,
  case_suggestions: [
    { case_id: newId('case'), confidence: 0.9, evidence: [{ kind: 'text', text: 'Betreff: „Ladung“' }] },
  ],
  confidence: 0.9,
  deadline_hints: [],
  ...changes,
})

/** Any mail, whether it was sent or received. */
const addMail = async (workspace: string, changes: Partial<CorrespondenceRecord> = {}) => {
  const record = receivedMail(workspace, { header_message_id: `<${newId('job')}@x.example>`, ...changes })
  await stores.mails.begin(
    { record, claim: keyClaim(newId('user'), newId('job')), jobs: [] },
    systemClock.now(),
  )
  return record
}

const aDocument = (workspace: string, changes: Partial<DocumentRecord> = {}) =>
  newRecord(systemClock, workspace, {
    filename: 'Scan.pdf',
    mime_type: 'application/pdf',
    size_bytes: 7,
    sha256: newId('job'),
    source: 'inbox',
    inbox: openInbox({ at: systemClock.now().toISOString() }),
    ...changes,
  })

const addDocument = async (workspace: string, changes: Partial<DocumentRecord> = {}) => {
  const record = aDocument(workspace, changes)
  await documents.add([{ record }], undefined)
  return record
}

const changeMail = (workspace: string, id: string, changes: Partial<CorrespondenceRecord>) =>
  applyRule(stores.mails, workspace, id, (current) => ({
    record: { ...current, ...changes, version: current.version + 1 },
  }))

const changeDocument = (workspace: string, id: string, changes: Partial<DocumentRecord>, triage?: Triage) =>
  documents.change(workspace, id, (current) => ({
    record: { ...current, ...changes, version: current.version + 1 },
    answer: undefined,
    ...(triage && { triage }),
  }))

const inbox = () => inboxStore(deps)

const listed = async (workspace: string, query: Partial<InboxQuery> = {}) => {
  const { items } = await walk((cursor) => inbox().page(workspace, { limit: 50, cursor, ...query }, []))
  return items.map(({ id }) => id)
}

describe('the inbox', () => {
  it('lists mail and documents by their arrival, each with what the triage says', async () => {
    const workspace = newId('workspace')
    const triage = aTriage()
    const first = await addDocument(workspace, { inbox: openInbox({ at: '2026-11-20T08:00:00.000Z' }) })
    const last = await addMail(workspace, { inbox: openInbox({ at: '2026-11-20T10:00:00.000Z' }) })
    const inboxOfMiddle = openInbox({ at: '2026-11-20T09:00:00.000Z', is_judged: true })
    const middle = await addMail(workspace, { inbox: inboxOfMiddle, triage })
    await addMail(newId('workspace'))

    const { data } = await inbox().page(workspace, { limit: 50 }, [])
    await changeDocument(workspace, first.id, {}, triage)
    const judged = await inbox().page(workspace, { limit: 50 }, [])

    expect(data.map(({ id, triage: says }) => [id, says])).toEqual([
      [last.id, null],
      [middle.id, triage],
      [first.id, null],
    ])
    expect(judged.data.at(-1)).toEqual({
      id: first.id,
      kind: 'document',
      state: 'open',
      subject: 'Scan.pdf',
      from: null,
      bea: null,
      received_at: '2026-11-20T08:00:00.000Z',
      case_id: null,
      party_id: null,
      assigned_to: null,
      notice: null,
      triage,
    })
    expect(await stores.mails.find(workspace, middle.id)).toEqual({
      ...middle,
      changed_at: expect.any(String),
    })
  })

  it('does not have what never arrives there, is filed or dismissed, or lies in a case or folder', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    await addMail(workspace, { inbox: null, direction: 'outbound' })
    await addMail(workspace, { inbox: openInbox({ state: 'filed' }), case_id })
    await addDocument(workspace, { inbox: null })
    await addDocument(workspace, { case_id })
    const mail = await addMail(workspace)
    const document = await addDocument(workspace)
    const other = await addDocument(workspace)

    const before = await listed(workspace)
    await changeMail(workspace, mail.id, { inbox: openInbox({ state: 'dismissed' }) })
    await changeDocument(workspace, document.id, { case_id })
    await documents.remove(workspace, other.id, () => ({ deleted_at: other.created_at, answer: undefined }))
    const after = await listed(workspace)
    await changeMail(workspace, mail.id, { inbox: openInbox() })
    await changeDocument(workspace, document.id, { case_id: null })

    expect(before.toSorted()).toEqual([mail.id, document.id, other.id].toSorted())
    expect(after).toEqual([])
    expect((await listed(workspace)).toSorted()).toEqual([mail.id, document.id].toSorted())
  })

  it('finds by kind, category and assignee, and by all of them together, as the records say now', async () => {
    const workspace = newId('workspace')
    const assigned_to = newId('user')
    const mine = { assigned_to, category: 'court' as const }
    const mail = await addMail(workspace, { inbox: openInbox(mine) })
    const document = await addDocument(workspace, { inbox: openInbox(mine) })
    const other = await addMail(workspace, { inbox: openInbox({ category: 'court' }) })
    const plain = await addMail(workspace)
    const all = { ...mine, kind: 'correspondence' as const }

    const found = {
      mails: await listed(workspace, { kind: 'correspondence' }),
      court: await listed(workspace, { category: 'court' }),
      mine: await listed(workspace, { assigned_to }),
      all: await listed(workspace, all),
      none: await listed(workspace, { ...all, category: 'client' }),
      bea: await listed(workspace, { kind: 'bea' }),
    }
    await changeMail(workspace, mail.id, { inbox: openInbox({ ...mine, category: 'client' }) })

    const sorted = (records: { id: string }[]) => records.map(({ id }) => id).toSorted()
    expect(Object.fromEntries(Object.entries(found).map(([name, ids]) => [name, ids.toSorted()]))).toEqual({
      mails: sorted([mail, other, plain]),
      court: sorted([mail, document, other]),
      mine: sorted([mail, document]),
      all: [mail.id],
      none: [],
      bea: [],
    })
    expect(await listed(workspace, all)).toEqual([])
    expect(await listed(workspace, { ...all, category: 'client' })).toEqual([mail.id])
  })

  it('page by page gives everything that is there throughout once, while others arrive and are filed', async () => {
    const workspace = newId('workspace')
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 8, minute)).toISOString()
    const records = []
    for (let minute = 0; minute < 12; minute += 1)
      records.push(await addMail(workspace, { inbox: openInbox({ at: at(minute) }) }))
    const gone = records[0] as CorrespondenceRecord
    let minute = 30
    const { items, sizes } = await walk(
      (cursor) => inbox().page(workspace, { limit: 5, cursor, kind: 'correspondence' }, []),
      async () => {
        await addMail(workspace, { inbox: openInbox({ at: at(minute++) }) })
        await changeMail(workspace, gone.id, { inbox: openInbox({ state: 'filed', at: at(0) }) })
      },
    )

    expect(sizes.length).toBeGreaterThan(2)
    expect(items.map(({ id }) => id)).toEqual(
      records
        .slice(1)
        .map(({ id }) => id)
        .toReversed(),
    )
  })

  it('has each of twenty documents that arrive at once, and a search finds them by their names', async () => {
    const workspace = newId('workspace')
    const records = Array.from({ length: 20 }, (_, at) =>
      aDocument(workspace, { filename: `Ladung ${at}.pdf` }),
    )

    await documents.add(
      records.map((record) => ({ record })),
      undefined,
    )

    const page = await documents.page(workspace, { limit: 100, search: 'ladung' })
    const ids = records.map(({ id }) => id).toSorted()
    expect((await listed(workspace)).toSorted()).toEqual(ids)
    expect(page.data.map(({ id }) => id).toSorted()).toEqual(ids)
    expect(page.data).toHaveLength(20)
    for (const { id } of records) expect(await isWatched(id)).toBe(true)
  })

  it('loses a document that an envelope puts into its case', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const { id } = await addDocument(workspace, { inbox: openInbox({ category: 'court' }) })
    const assignedAt = systemClock.now().toISOString()

    await deps.outbox.commit(
      [documentActions(db).inCase({ workspace_id: workspace, id, case_id }, { assignedAt })],
      listJobs(workspace, [id]),
    )

    const { data } = await inbox().page(workspace, { limit: 1 }, [])
    expect(data).toEqual([])
    expect(await listed(workspace, { category: 'court', kind: 'document' })).toEqual([])
  })
})

const isWatched = async (id: string) =>
  (await allDue(arrivalWatches(db), endOfTime, id.slice(-1))).some((one) => one.id === id)

describe('a document that arrives', () => {
  it('is watched until it is judged or deleted; a message that is sent again is noted', async () => {
    const workspace = newId('workspace')
    const [one, other] = [await addDocument(workspace), await addDocument(workspace)]
    const watches = arrivalWatches(db)
    await watches.sent(one.id, new Date('2026-11-21T08:00:00.000Z'))
    const [watch] = (await allDue(watches, endOfTime, one.id.slice(-1))).filter(({ id }) => id === one.id)

    await changeDocument(workspace, one.id, { inbox: openInbox({ is_judged: true }) })
    await documents.remove(workspace, other.id, () => ({ deleted_at: other.created_at, answer: undefined }))
    await watches.sent(one.id, systemClock.now())

    expect(watch).toEqual({ workspace_id: workspace, id: one.id, sent_at: '2026-11-21T08:00:00.000Z' })
    expect([await isWatched(one.id), await isWatched(other.id)]).toEqual([false, false])
  })

  it('that comes with a mail, or was judged, is not watched; a watch can be forgotten', async () => {
    const workspace = newId('workspace')
    const attachment = await addDocument(workspace, {
      inbox: null,
      correspondence_id: newId('correspondence'),
    })
    const judged = await addDocument(workspace, { inbox: openInbox({ is_judged: true }) })
    const lost = await addDocument(workspace)

    await arrivalWatches(db).forget(lost.id)

    for (const { id } of [attachment, judged, lost]) expect(await isWatched(id)).toBe(false)
  })
})

describe('what is related to a document', () => {
  const related = (workspace: string, id: string) => inbox().related(workspace, id)

  it('is mail of its sender, its thread and its case, and documents of its mail, case and digest', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour)).toISOString()
    const ours = await addMail(workspace, {
      received_at: null,
      sent_at: at(1),
      direction: 'outbound',
      inbox: null,
    })
    await changeMail(workspace, ours.id, { message_id: 'ses-1' })
    const sibling = await addDocument(workspace, { inbox: null })
    const document = await addDocument(workspace, { inbox: null, correspondence_id: null })
    const attachments = [sibling, document].map(({ id }) => ({
      document_id: id,
      filename: 'Scan.pdf',
      mime_type: 'application/pdf',
      size_bytes: 7,
      content_id: null,
    }))
    const mail = await addMail(workspace, {
      received_at: at(2),
      from: { name: null, email: 'Court@Gericht.example' },
      references: ['<ses-1@eu-central-1.amazonses.com>'],
      in_reply_to: '<ses-1@eu-central-1.amazonses.com>',
      attachments,
    })
    const answer = await addMail(workspace, {
      received_at: at(3),
      from: { name: null, email: 'third@x.example' },
      references: ['<ses-1@eu-central-1.amazonses.com>', mail.header_message_id],
    })
    const ofSender = await addMail(workspace, {
      received_at: at(4),
      from: { name: 'Gericht', email: 'court@gericht.example' },
    })
    const ofCase = await addMail(workspace, { received_at: at(5), case_id })
    await addMail(workspace, { received_at: at(6) })
    await changeDocument(workspace, document.id, { correspondence_id: mail.id, case_id })
    const inCase = await addDocument(workspace, { inbox: null, case_id })
    const twin = await addDocument(workspace, { inbox: null, sha256: document.sha256 })
    await documents.indexDigests(
      workspace,
      [document, twin].map(({ id, sha256 }) => ({ id, sha256: sha256 ?? '' })),
    )
    await addDocument(workspace)

    const { emails, documents: found } = await related(workspace, document.id)

    expect(emails.map(({ id }) => id)).toEqual([ofCase, ofSender, answer, mail, ours].map(({ id }) => id))
    expect(emails[1]).toEqual({
      id: ofSender.id,
      subject: ofSender.subject,
      from: ofSender.from,
      received_at: at(4),
    })
    expect(found).toEqual(
      [twin, inCase, sibling].map(({ id, filename }) => ({
        id,
        filename,
        case_id: id === inCase.id ? case_id : null,
      })),
    )
  })

  it('is at most twenty of each, the newest, with its own mail', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const own = await addMail(workspace, { received_at: '2026-01-01T08:00:00.000Z' })
    const document = await addDocument(workspace, { case_id, inbox: null, correspondence_id: own.id })
    for (let day = 1; day <= 25; day += 1) {
      await addMail(workspace, { case_id, received_at: new Date(Date.UTC(2026, 5, day)).toISOString() })
      await addDocument(workspace, { case_id, inbox: null })
    }

    const { emails, documents: found } = await related(workspace, document.id)

    expect([emails.length, found.length]).toEqual([20, 20])
    expect(emails.at(-1)?.id).toBe(own.id)
    expect(emails[0]?.received_at).toBe('2026-06-25T00:00:00.000Z')
    expect(found.map(({ id }) => id)).toEqual(
      found
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    expect(found.map(({ id }) => id)).not.toContain(document.id)
  })

  it('is no other mail without a message id', async () => {
    const workspace = newId('workspace')
    const [mail, other] = [
      await addMail(workspace, { header_message_id: '', from: { name: null, email: '' } }),
      await addMail(workspace, { header_message_id: '', from: { name: null, email: '' } }),
    ]
    const document = await addDocument(workspace, { inbox: null, correspondence_id: mail.id })

    const { emails } = await related(workspace, document.id)

    expect(emails.map(({ id }) => id)).toEqual([mail.id])
    expect(emails.map(({ id }) => id)).not.toContain(other.id)
  })

  it('is nothing of another workspace, and nothing for what does not exist', async () => {
    const [workspace, other] = [newId('workspace'), newId('workspace')]
    const message_id = '<same@x.example>'
    const mail = await addMail(workspace, { references: [message_id], in_reply_to: message_id })
    await addMail(other, { header_message_id: message_id, from: mail.from })
    const document = await addDocument(workspace, { inbox: null, correspondence_id: mail.id })
    const foreign = await addDocument(other, { inbox: null, sha256: document.sha256 })
    await documents.indexDigests(other, [{ id: foreign.id, sha256: foreign.sha256 ?? '' }])
    const deleted = await addDocument(workspace)
    await documents.remove(workspace, deleted.id, () => ({ deleted_at: mail.created_at, answer: undefined }))

    const { emails, documents: found } = await related(workspace, document.id)

    expect(emails.map(({ id }) => id)).toEqual([mail.id])
    expect(found).toEqual([])
    for (const [firm, id] of [
      [other, document.id],
      [workspace, deleted.id],
      [workspace, newId('document')],
    ] as const)
      await expect(related(firm, id)).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' })
  })
})
