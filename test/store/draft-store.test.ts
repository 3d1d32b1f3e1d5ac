import { beforeAll, describe, expect, it } from 'vitest'
import type { DraftRecord } from '#correspondence/ports.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import type { Outbox } from '#store/outbox.ts'
import { caseNouns } from '#store/retention/case-nouns.ts'
import { transact } from '#store/transact.ts'
import { draftRecord, mailRecord } from '#test/support/mail-records.ts'
import { mailStores, providerDomain, walk } from '#test/support/mail-stores.ts'
import { caseRemoval, deletion, plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { itemsOf } from '#test/support/table-file.ts'
import { applyRule } from '#timeline/schema.ts'

let db: Db
let stores: ReturnType<typeof mailStores>
beforeAll(async () => {
  db = await sharedTable()
  stores = mailStores(db)
})

const add = async (workspace: string, changes: Partial<DraftRecord> = {}): Promise<DraftRecord> => {
  const record = draftRecord(workspace, changes)
  await stores.drafts.add(plain(record))
  return record
}
const save = (draft: DraftRecord, changes: Partial<DraftRecord>) =>
  applyRule(stores.drafts, draft.workspace_id, draft.id, (current) => ({
    record: { ...current, ...changes, version: current.version + 1 },
  }))

describe('a deleted draft', () => {
  it('is listed and can be changed, until it is disposed of; it is not found', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const [free, filed] = [await add(workspace), await add(workspace, { case_id })]
    await add(workspace)
    for (const { id } of [free, filed]) await stores.drafts.remove(workspace, id, deletion)
    const listed = async () => (await stores.drafts.pageDeleted(workspace, { limit: 100 })).data
    const before = await listed()

    await stores.drafts.changeDeleted(workspace, free.id, (current) => ({
      ...current,
      to: [],
      in_reply_to: null,
      version: current.version + 1,
    }))
    await stores.drafts.changeDeleted(workspace, newId('draft'), (current) => current)

    expect(before).toMatchObject([filed, free])
    expect((await listed())[1]).toEqual({ ...before[1], to: [], version: 2 })
    expect(await stores.drafts.find(workspace, free.id)).toBeUndefined()
    const nouns = caseNouns({ db, cursors: tableCursors(db), outbox: {} as Outbox, providerDomain })
    const draftNoun = nouns.find(({ kind }) => kind === 'draft')
    const items = itemsOf(workspace).filter(({ pk }) => pk.endsWith(`#draft#${filed.id}`))
    const traces = await draftNoun?.traces(items[0] as never)
    await transact(db, traces?.entries ?? [])
    expect((await listed()).map(({ id }) => id)).toEqual([free.id])
  })
})

describe('a draft', () => {
  it('is found as it was saved', async () => {
    const workspace = newId('workspace')
    const draft = await add(workspace, {
      to: [],
      subject: '',
      case_id: await stores.addCase(workspace),
      attachments: [{ document_id: newId('document'), filename: 'Klage.pdf' }],
      attachments_as: 'links',
      in_reply_to: '<a@b.de>',
      references: ['<a@b.de>'],
      body_key: 'mails/body',
    })

    const saved = await save(draft, { subject: 'Klage', case_id: null, body_key: null })

    expect(await stores.drafts.find(workspace, draft.id)).toEqual(saved)
    expect(saved).toEqual({ ...draft, subject: 'Klage', case_id: null, body_key: null, version: 2 })
  })

  it('is not put into a case that does not exist', async () => {
    const workspace = newId('workspace')
    const draft = draftRecord(workspace, { case_id: newId('case') })
    const stored = await add(workspace)

    await expect(stores.drafts.add(plain(draft))).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })
    await expect(save(stored, { case_id: newId('case') })).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })

    expect(await stores.drafts.find(workspace, draft.id)).toBeUndefined()
    expect(await stores.drafts.find(workspace, stored.id)).toEqual(stored)
  })

  it('can still be saved when its case was deleted', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const draft = await add(workspace, { case_id })
    await stores.cases.remove(workspace, case_id, async () =>
      caseRemoval(case_id, {
        id: newId('timelineEntry'),
        type: 'case.deleted',
        occurred_at: '2026-03-16T08:30:00.000Z',
        actor: { type: 'system', id: null, name: 'System' },
        summary: 'Akte gelöscht',
        ref: null,
      }),
    )

    const saved = await save(draft, { subject: 'Weiter' })

    expect(saved.subject).toBe('Weiter')
  })

  it('that many save at once loses no change', async () => {
    const draft = await add(newId('workspace'), { to: [] })

    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        applyRule(stores.drafts, draft.workspace_id, draft.id, (current) => ({
          record: { ...current, to: [...current.to, `a${at}@example.de`], version: current.version + 1 },
        })),
      ),
    )

    const stored = await stores.drafts.find(draft.workspace_id, draft.id)
    expect(stored?.to.toSorted()).toEqual(Array.from({ length: 10 }, (_, at) => `a${at}@example.de`))
  })

  it('that was deleted is not found, saved or deleted again', async () => {
    const draft = await add(newId('workspace'))
    const { workspace_id, id, user_id } = draft
    await stores.drafts.remove(workspace_id, id, deletion)
    const missing = { code: 'DRAFT_NOT_FOUND' }

    expect(await stores.drafts.find(workspace_id, id)).toBeUndefined()
    expect((await stores.drafts.page(workspace_id, user_id, { limit: 50 })).data).toEqual([])
    await expect(save(draft, {})).rejects.toMatchObject(missing)
    await expect(stores.drafts.remove(workspace_id, id, deletion)).rejects.toMatchObject(missing)
  })

  it('that is deleted and sent at once is one of both', async () => {
    const workspace = newId('workspace')
    const rounds = Array.from({ length: 20 }, async () => {
      const draft = await add(workspace)
      const mail = mailRecord(workspace, { draft_id: draft.id })
      const isSending = new Error('It is being sent.')
      const remove = stores.drafts
        .remove(workspace, draft.id, ({ status }) => {
          if (status === 'sending') throw isSending
          return deletion()
        })
        .then(
          () => true,
          (error: unknown) => {
            expect(error).toBe(isSending)
            return false
          },
        )
      const send = stores.mails.begin(
        { record: mail, claim: { by: 'draft', draft }, jobs: [] },
        systemClock.now(),
      )

      const [removed, began] = await Promise.all([remove, send])

      expect(removed).toBe(!began)
      expect((await stores.drafts.find(workspace, draft.id))?.status).toBe(began ? 'sending' : undefined)
    })

    await Promise.all(rounds)
  })
})

describe('the drafts of a user', () => {
  it('are listed newest first, without those of others and those that were sent', async () => {
    const workspace = newId('workspace')
    const user_id = newId('user')
    const first = await add(workspace, { user_id })
    await add(workspace)
    await add(workspace, { user_id, status: 'sent' })
    const last = await add(workspace, { user_id, status: 'failed' })
    await save(first, { subject: 'Gespeichert' })

    const page = await stores.drafts.page(workspace, user_id, { limit: 50 })

    expect(page.data.map(({ id, subject }) => [id, subject])).toEqual([
      [last.id, last.subject],
      [first.id, 'Gespeichert'],
    ])
    expect(page.pagination).toEqual({ cursor: null, has_more: false })
  })

  it('are listed exactly once in pages while others are added and deleted', async () => {
    const workspace = newId('workspace')
    const user_id = newId('user')
    const drafts: DraftRecord[] = []
    for (let at = 0; at < 25; at += 1) drafts.push(await add(workspace, { user_id }))
    const deleted = new Set<string>()

    const { items } = await walk(
      (cursor) => stores.drafts.page(workspace, user_id, { limit: 10, cursor }),
      async () => {
        await add(workspace, { user_id })
        // The oldest one that is left, which no page has shown yet.
        const { id = '' } = drafts.find((draft) => !deleted.has(draft.id)) ?? {}
        deleted.add(id)
        await stores.drafts.remove(workspace, id, deletion)
      },
    )

    const left = drafts.filter(({ id }) => !deleted.has(id)).toReversed()
    expect(items.map(({ id }) => id)).toEqual(left.map(({ id }) => id))
    expect(deleted.size).toBe(2)
  })

  it('have cursors that are no good for another user', async () => {
    const workspace = newId('workspace')
    const user_id = newId('user')
    await add(workspace, { user_id })
    await add(workspace, { user_id })
    const { cursor } = (await stores.drafts.page(workspace, user_id, { limit: 1 })).pagination

    await expect(
      stores.drafts.page(workspace, newId('user'), { limit: 1, cursor: cursor ?? '' }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })
})
