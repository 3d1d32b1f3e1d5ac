import { beforeAll, describe, expect, it } from 'vitest'
import { importing } from '#bea/messages/importing.ts'
import { attachmentKey, contentKey } from '#bea/messages/message-keys.ts'
import type { BeaMessageRecord, BeaMessageStore, SeenMessages } from '#bea/ports.ts'
import { newRecord } from '#documents/new-documents.ts'
import { processArrivals } from '#inbox/arrival-schema.ts'
import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { beaMessageStore } from '#store/bea/bea-message-store.ts'
import { caseEntity } from '#store/cases/case-entity.ts'
import type { Db } from '#store/db.ts'
import { outbox } from '#store/outbox.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { ourSafeId, remoteAttachment, remoteMessage } from '#test/support/bea-remote.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { entry, mailStores, storeDeps } from '#test/support/mail-stores.ts'
import { memoryBeaFiles } from '#test/support/memory-bea-files.ts'
import { caseRemoval } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

let db: Db
let store: BeaMessageStore
const handedOver: string[] = []
const signal = new AbortController().signal
const inbox = { type: 'INBOX', name: null }

beforeAll(async () => {
  db = await sharedTable()
  const runner = jobRunner(
    wordsFollowUp(db),
    processArrivals.handledBy(async ({ id }) => {
      handedOver.push(id)
    }),
  )
  store = beaMessageStore({ ...storeDeps(db), outbox: outbox(db, runner, { error: () => {} }) })
})

function office() {
  const account = {
    workspace_id: newId('workspace'),
    id: newId('beaAccount'),
    postbox_safe_id: ourSafeId,
    created_at: '2026-01-01T00:00:00.000Z',
  }
  const bucket = memoryBeaFiles()
  const { add } = importing({
    store,
    files: bucket.files,
    describe: async () => 'application/pdf',
    clock: systemClock,
  })
  const whole: SeenMessages[] = [false, true].map((confidential) => ({
    account_id: account.id,
    confidential,
    mayRead: true,
  }))
  const list = async (seen: SeenMessages[], filters = {}, limit = 100) =>
    store.page(account.workspace_id, seen, filters, { limit })
  return { account, add, whole, list, ...bucket }
}

describe('an import', () => {
  it('stores body and attachments with their digests, then the record, and hands it over to the triage', async () => {
    const { account, add, objects, puts } = office()
    // Act
    const id = await add(account, inbox, remoteMessage(), signal)
    // Assess
    const found = (await store.find(account.workspace_id, id)) as BeaMessageRecord
    expect(found).toMatchObject({
      direction: 'inbound',
      folder: 'INBOX',
      subject: 'Ladung zum Termin',
      size_bytes: 15,
      purge_at: '2026-06-30T08:30:00.000Z',
      case_id: null,
    })
    const [attachment] = found.attachments
    expect(attachment).toMatchObject({ filename: 'Ladung.pdf', size_bytes: 15, document_id: null })
    expect(puts[0]).toBe(attachmentKey(found, { sha256: attachment?.sha256 ?? '' }))
    expect(Buffer.from(objects.get(contentKey(found)) ?? []).toString()).toContain('die Ladung')
    expect(handedOver).toContain(id)
  })

  it('of one message by two at once adds one record, and says its id to both', async () => {
    const { account, add, list, whole } = office()
    // Act
    const ids = await Promise.all(
      Array.from({ length: 4 }, () => add(account, inbox, remoteMessage(), signal)),
    )
    // Assess
    expect(new Set(ids).size).toBe(1)
    expect((await list(whole)).data.map(({ id }) => id)).toEqual([ids[0]])
  })

  it('that died before its record is repeated without another object', async () => {
    const { account, add, objects, list, whole } = office()
    const broken = remoteMessage({
      attachments: [
        remoteAttachment('eins.pdf', 'eins'),
        remoteAttachment('zwei.pdf', new Failure('upstream', 'BEA_GATEWAY_ERROR', 'Broken.')),
      ],
    })
    await expect(add(account, inbox, broken, signal)).rejects.toThrow('Broken.')
    expect((await list(whole)).data).toEqual([])
    const before = new Set(objects.keys())
    expect(before.size).toBe(1)
    // Act
    const mended = remoteMessage({
      attachments: [remoteAttachment('eins.pdf', 'eins'), remoteAttachment('zwei.pdf', 'zwei')],
    })
    await add(account, inbox, mended, signal)
    // Assess
    expect([...before].every((key) => objects.has(key))).toBe(true)
    expect(objects.size).toBe(3)
    expect((await list(whole)).data).toHaveLength(1)
  })

  it('of the same message of the network into two workspaces makes two records', async () => {
    const [one, other] = [office(), office()]
    // Act
    const ids = [
      await one.add(one.account, inbox, remoteMessage(), signal),
      await other.add(other.account, inbox, remoteMessage(), signal),
    ]
    // Assess
    expect(new Set(ids).size).toBe(2)
    expect(await store.find(one.account.workspace_id, ids[1] ?? '')).toBeUndefined()
  })

  it('of many at once adds each once, also where one of them is known already, and each is found by its words', async () => {
    const { account, add, list, whole } = office()
    const message = (at: number) =>
      remoteMessage({ message_id: String(at), subject: `Klage ${['Ahorn', 'Birke', 'Eiche'][at % 3]} ${at}` })
    const known = await add(account, inbox, message(3), signal)
    // Act
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, at) => add(account, inbox, message(at), signal)),
    )
    // Assess
    expect(new Set(ids).size).toBe(20)
    expect(ids[3]).toBe(known)
    expect((await list(whole)).data).toHaveLength(20)
    expect((await list(whole, { search: 'birke 13' })).data.map(({ id }) => id)).toEqual([ids[13]])
  })

  it('keeps odd ids and names of the network as they are', async () => {
    const { account, add } = office()
    const message_id = `ä#${'x'.repeat(3_000)}"\u0000`
    const name = `Ördner #1/\u202e${'y'.repeat(3_000)}`
    // Act
    const id = await add(account, { type: 'CUSTOM', name }, remoteMessage({ message_id }), signal)
    // Assess
    expect(await store.find(account.workspace_id, id)).toMatchObject({ remote_id: message_id, folder: name })
    const known = await store.known(account.workspace_id, ourSafeId, [message_id, 'another'])
    expect([...known.keys()]).toEqual([message_id])
  })

  it('of a message with a thousand attachments keeps all of them', async () => {
    const { account, add } = office()
    const attachments = Array.from({ length: 1_000 }, (_, at) =>
      remoteAttachment(`${'Anlage_'.repeat(11)}${at}.pdf`, 'gleich'),
    )
    const id = await add(account, inbox, remoteMessage({ attachments }), signal)
    const found = await store.find(account.workspace_id, id)
    expect(found?.attachments.map(({ filename }) => filename)).toEqual(
      attachments.map(({ filename }) => filename),
    )
  })
})

it('attachments that become too many for the record of their message, or few again, are all kept', async () => {
  const { account, add } = office()
  const files = (count: number) =>
    Array.from({ length: count }, (_, at) => remoteAttachment(`Anlage_${at}.pdf`, String(at)))
  const id = await add(account, inbox, remoteMessage({ attachments: files(30) }), signal)
  const all = (await store.find(account.workspace_id, id))?.attachments ?? []
  const keep = (count: number) =>
    applyRule(store, account.workspace_id, id, (current) => ({
      record: { ...current, attachments: all.slice(0, count), version: current.version + 1 },
    }))
  // Act
  const kept: number[] = [all.length]
  for (const count of [2, 30, 0, 1]) {
    await keep(count)
    kept.push((await store.find(account.workspace_id, id))?.attachments.length ?? -1)
  }
  // Assess
  expect(kept).toEqual([30, 2, 30, 0, 1])
})

it('a sent message goes into the case of its draft after the deletion of the case too, until that is being disposed of', async () => {
  const { account, add } = office()
  const { workspace_id } = account
  const { addCase, cases } = mailStores(db)
  const [kept, disposed] = [await addCase(workspace_id), await addCase(workspace_id)]
  for (const id of [kept, disposed])
    await cases.remove(workspace_id, id, async () => caseRemoval(id, entry('case.deleted')))
  await caseEntity(db)
    .patch({ workspace_id, id: disposed })
    .set({ disposal_id: newId('disposal') })
    .go()
  const id = await add(account, { type: 'SENT', name: null }, remoteMessage(), signal)
  const file = (case_id: string, changes: { followsDraft?: true } = { followsDraft: true }) =>
    applyRule(store, workspace_id, id, (current) => ({
      record: { ...current, case_id, version: current.version + 1 },
      ...changes,
    }))

  await expect(file(kept, {})).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })
  await expect(file(disposed)).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })
  await file(kept)

  expect((await store.find(workspace_id, id))?.case_id).toBe(kept)
})

it('documents of a message are added to its case after the deletion of the case too', async () => {
  const { documents, cases, addCase } = envelopeStores(db)
  const workspace_id = newId('workspace')
  const case_id = await addCase(workspace_id)
  await cases.remove(workspace_id, case_id, async () => caseRemoval(case_id, entry('case.deleted')))
  const id = newId('document')
  const file = {
    id,
    filename: 'Ladung.pdf',
    mime_type: 'application/pdf',
    size_bytes: 1,
    source: 'bea',
  } as const
  const record = newRecord(systemClock, workspace_id, { ...file, sha256: hexDigest(id), case_id })

  await documents.addMissing(workspace_id, [{ record }])

  expect((await documents.find(workspace_id, id))?.case_id).toBe(case_id)
})

describe('the list', () => {
  it('walked page by page gives every message once, newest first, over accounts and rights', async () => {
    const { account, add, list, whole } = office()
    const second = { ...account, id: newId('beaAccount'), postbox_safe_id: `${ourSafeId}2` }
    const messages = Array.from({ length: 23 }, (_, at) =>
      remoteMessage({
        message_id: String(at),
        received_at: new Date(Date.UTC(2026, 1, 1, at)).toISOString(),
        is_confidential: at % 3 === 0,
      }),
    )
    const ids: string[] = []
    for (const [at, message] of messages.entries())
      ids.push(await add(at % 2 === 0 ? account : second, inbox, message, signal))
    const seen = [...whole, ...whole.map((one) => ({ ...one, account_id: second.id }))]
    // Act
    const walked: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await store.page(account.workspace_id, seen, {}, { limit: 4, cursor })
      walked.push(...page.data.map(({ id }) => id))
      if (page.pagination.cursor === null) break
      cursor = page.pagination.cursor
    }
    // Assess
    expect(walked).toEqual(ids.toReversed())
    expect((await list(whole.slice(0, 1))).data).toHaveLength(8)
    expect((await list([])).data).toEqual([])
  })

  it('finds by subject, sender and references, but never in what may not be read', async () => {
    const { account, add, list, whole } = office()
    const id = await add(account, inbox, remoteMessage({ subject: 'Räumungsklage Weber' }), signal)
    await add(account, inbox, remoteMessage({ message_id: '2', subject: 'Anderes' }), signal)
    const masked = whole.map((one) => ({ ...one, mayRead: false }))
    // Act
    const found = await Promise.all(
      ['raeumungsklage', 'landgericht weber', '3 O 45/26 räumung'].map((search) => list(whole, { search })),
    )
    // Assess
    for (const { data } of found) expect(data.map((one) => one.id)).toEqual([id])
    expect((await list(masked, { search: 'Räumungsklage' })).data).toEqual([])
    expect((await list(masked, { unassigned: true })).data).toEqual([])
    expect((await list(masked)).data).toHaveLength(2)
  })

  it('follows a message into another folder and another account of its postbox', async () => {
    const { account, add, list, whole } = office()
    const id = await add(account, inbox, remoteMessage(), signal)
    // Act
    await applyRule(store, account.workspace_id, id, (record) => ({
      record: { ...record, folder: 'TRASH', version: record.version + 1 },
    }))
    // Assess
    expect((await list(whole, { folder: 'INBOX' })).data).toEqual([])
    expect((await list(whole, { folder: 'TRASH' })).data).toHaveLength(1)
    const known = await store.known(account.workspace_id, ourSafeId, ['70001'])
    expect(known.get('70001')).toMatchObject({ id, folder: 'TRASH' })
  })
})
