import { randomUUID } from 'node:crypto'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, it } from 'vitest'
import { readMailAddress } from '#correspondence/address-schema.ts'
import type { SharedLink } from '#correspondence/ports.ts'
import { maxAttachments, maxRecipients } from '#correspondence/schema.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import {
  correspondenceAttachments,
  correspondenceEntity,
} from '#store/correspondence/correspondence-entity.ts'
import { draftEntity } from '#store/correspondence/draft-entity.ts'
import { sharedLink } from '#store/correspondence/shared-link-entity.ts'
import type { Db } from '#store/db.ts'
import { keyClaim, largestDraft, largestMail, mailRecord } from '#test/support/mail-records.ts'
import { mailStores, walk } from '#test/support/mail-stores.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

/** DynamoDB's limit of an item, and what the answer of a Lambda may have. */
const maxItemBytes = 400 * 1024
const maxAnswerBytes = 6 * 1024 * 1024

let db: Db
let stores: ReturnType<typeof mailStores>
beforeAll(async () => {
  db = await sharedTable()
  stores = mailStores(db)
})

const begin = (record: ReturnType<typeof mailRecord>, link?: SharedLink) =>
  stores.mails.begin(
    { record, claim: keyClaim(newId('user'), randomUUID()), link, jobs: [] },
    systemClock.now(),
  )

/** The size of a stored item. As JSON it is larger than as DynamoDB counts it. */
async function sizeOf(operation: { params: () => unknown }): Promise<number> {
  const { Key } = operation.params() as { Key: Record<string, unknown> }
  const { Item } = await db.client.send(new GetCommand({ TableName: db.table, Key }))
  if (Item === undefined) throw new Error('The item is missing.')
  return Buffer.byteLength(JSON.stringify(Item))
}

/** The size of a page as a Lambda answers with it: JSON in a string of JSON. */
const answerSize = (page: unknown) => Buffer.byteLength(JSON.stringify(JSON.stringify(page)))

describe('the largest mail', () => {
  it('is as large as the schema allows', () => {
    const { to, cc, bcc, attachments } = largestMail('ws_1')
    const recipients = [...to, ...cc, ...bcc]

    expect(recipients.map(readMailAddress)).not.toContain(undefined)
    expect([recipients.length, attachments.length]).toEqual([maxRecipients, maxAttachments])
    expect(Buffer.byteLength(JSON.stringify(recipients))).toBeGreaterThan(60_000)
  })

  it('fits into items of the table, and is found as it was recorded', async () => {
    const workspace_id = newId('workspace')
    const case_id = await stores.addCase(workspace_id)
    const mail = largestMail(workspace_id, { case_id, party_id: newId('party') })
    const { id } = mail
    const documents = mail.attachments.map(({ document_id, filename }) => ({ document_id, filename }))
    const token_sha256 = randomUUID()
    const expires_at = '2026-04-15T08:30:00.000Z'
    await begin(mail, { token_sha256, workspace_id, correspondence_id: id, case_id, documents, expires_at })

    const sizes = await Promise.all([
      sizeOf(correspondenceEntity(db).get({ workspace_id, id })),
      sizeOf(correspondenceAttachments(db).get({ workspace_id, correspondence_id: id, part: 0 })),
      sizeOf(sharedLink(db).get({ token_sha256 })),
      ...['all', `is:case_id=${case_id}`].map((term) =>
        sizeOf({ params: () => ({ Key: { pk: `${workspace_id}#correspondence#${term}`, sk: id } }) }),
      ),
    ])

    expect(Math.max(...sizes)).toBeLessThan(maxItemBytes)
    // Together they would not fit into one item, so they are two.
    expect((sizes[0] ?? 0) + (sizes[1] ?? 0)).toBeGreaterThan(maxItemBytes)
    expect(await stores.mails.find(workspace_id, id)).toEqual({ ...mail, changed_at: expect.any(String) })
  })

  it('twelve times makes pages that fit into an answer and give each mail once', async () => {
    const workspace = newId('workspace')
    const mails = Array.from({ length: 12 }, () => largestMail(workspace))
    for (const mail of mails) await begin(mail)

    const { items, sizes } = await walk(async (cursor) => {
      const page = await stores.mails.page(workspace, { limit: 100, cursor })
      expect(answerSize(page)).toBeLessThan(maxAnswerBytes)
      return page
    })

    expect(items.map(({ id }) => id)).toEqual(mails.map(({ id }) => id).toReversed())
    expect(Math.min(...sizes)).toBeGreaterThan(0)
    expect(sizes.length).toBeLessThan(5)
  })

  it('with names and a subject of quotation marks makes pages that fit into an answer', async () => {
    const workspace = newId('workspace')
    const filename = '"'.repeat(500)
    const largest = largestMail(workspace)
    const attachments = largest.attachments.map((one) => ({ ...one, filename }))
    const delivery = largest.delivery.map((one) => ({ ...one, reason: filename }))
    const mails = Array.from({ length: 25 }, () =>
      mailRecord(workspace, { attachments, delivery, subject: '"'.repeat(998) }),
    )
    for (const mail of mails) await begin(mail)

    const { items } = await walk(async (cursor) => {
      const page = await stores.mails.page(workspace, { limit: 100, cursor })
      expect(answerSize(page)).toBeLessThan(maxAnswerBytes)
      return page
    })

    expect(items).toHaveLength(25)
  })
})

describe('a received mail with five hundred attachments of the longest names', () => {
  const attached = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      document_id: newId('document'),
      filename: `${at}${'𝔄'.repeat(496)}`,
      mime_type: 'application/octet-stream',
      size_bytes: at,
      content_id: null,
    }))
  const change = (workspace: string, id: string, attachments: ReturnType<typeof attached>) =>
    applyRule(stores.mails, workspace, id, (current) => ({
      record: { ...current, attachments, version: current.version + 1 },
    }))

  it('is found as it was recorded, in their order, after each change', async () => {
    const workspace = newId('workspace')
    const mail = mailRecord(workspace)
    await begin(mail)
    const [many, fewer] = [attached(500), attached(200)]

    await change(workspace, mail.id, many)
    const withMany = await stores.mails.find(workspace, mail.id)
    await change(workspace, mail.id, fewer)
    const withFewer = await stores.mails.find(workspace, mail.id)
    await change(workspace, mail.id, [])
    await change(workspace, mail.id, many)

    expect(withMany?.attachments).toEqual(many)
    expect(withFewer?.attachments).toEqual(fewer)
    expect((await stores.mails.find(workspace, mail.id))?.attachments).toEqual(many)
  })
})

describe('a mail to fifty', () => {
  it('with the longest names and addresses in Latin letters is found by the last of them', async () => {
    const workspace = newId('workspace')
    const recipients = Array.from(
      { length: 50 },
      (_, at) => `${'Dr. Mustermann '.repeat(21)} <${`${at}x`.padEnd(64, 'y')}@${'example.'.repeat(31)}de>`,
    )
    const last = recipients.at(-1)?.replace('Mustermann', 'Quitzdorf') ?? ''
    const mail = mailRecord(workspace, { subject: 'Rundbrief', to: [...recipients.slice(0, -1), last] })
    await begin(mail)

    const { data } = await stores.mails.page(workspace, { limit: 50, search: 'quitzdorf 49xyy' })

    expect(recipients.map(readMailAddress)).not.toContain(undefined)
    expect(data.map(({ id }) => id)).toEqual([mail.id])
  })
})

describe('the largest draft', () => {
  it('fits into an item of the table, and is found as it was saved', async () => {
    const workspace_id = newId('workspace')
    const draft = largestDraft(workspace_id)
    await stores.drafts.add(plain(draft))

    expect(await sizeOf(draftEntity(db).get({ workspace_id, id: draft.id }))).toBeLessThan(maxItemBytes)
    expect(await stores.drafts.find(workspace_id, draft.id)).toEqual(draft)
  })

  it('twelve times makes pages that fit into an answer and give each draft once', async () => {
    const workspace = newId('workspace')
    const user_id = newId('user')
    const drafts = Array.from({ length: 12 }, () => largestDraft(workspace, { user_id }))
    for (const draft of drafts) await stores.drafts.add(plain(draft))

    const { items } = await walk(async (cursor) => {
      const page = await stores.drafts.page(workspace, user_id, { limit: 100, cursor })
      expect(answerSize(page)).toBeLessThan(maxAnswerBytes)
      return page
    })

    expect(items.map(({ id }) => id)).toEqual(drafts.map(({ id }) => id).toReversed())
  })
})
