import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { noBuyer } from '#billing/schema.ts'
import { serviceSender } from '#correspondence/ports.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { invoiceEntity } from '#store/billing/invoice-entity.ts'
import { invoiceLists } from '#store/billing/invoice-lists.ts'
import { invoiceRecords } from '#store/billing/invoice-record.ts'
import { timeEntryEntity } from '#store/billing/time-entry-entity.ts'
import { timeEntryLists } from '#store/billing/time-entry-lists.ts'
import { fileNumberEntity } from '#store/cases/file-number-entity.ts'
import { draftEntity } from '#store/correspondence/draft-entity.ts'
import type { Db } from '#store/db.ts'
import { lostRecords, partKinds, recordKinds } from '#store/lost-records.ts'
import { sealedFile } from '#store/signing/sealed-file-entity.ts'
import { transact } from '#store/transact.ts'
import { entitiesWithoutCase } from '#test/support/entities-without-case.ts'
import { everyEntity } from '#test/support/every-entity.ts'
import { ownTable } from '#test/support/own-table.ts'

const firm = newId('workspace')
const deleted = { deleted_at: '2026-11-22T14:03:00.000Z' }

let restored: Db
let table: Db
beforeEach(async () => {
  ;[restored, table] = await Promise.all([ownTable(), ownTable()])
})

type Item = { pk: string; sk: string } & Record<string, unknown>

const put = async (dbs: Db[], item: Item) => {
  for (const db of dbs) await db.client.send(new PutCommand({ TableName: db.table, Item: item }))
}
const stored = async ({ pk, sk }: Item): Promise<Record<string, unknown> | undefined> => {
  const key = { TableName: table.table, Key: { pk, sk }, ConsistentRead: true }
  return (await table.client.send(new GetCommand(key))).Item
}
const record = (kind: string, id: string, fields: object = {}): Item => ({
  ...{ pk: `${firm}#${kind}#${id}`, sk: '-', __edb_e__: kind, workspace_id: firm, id },
  ...fields,
})
const entry = (partition: string, place: string): Item => ({
  pk: `${firm}#${partition}`,
  sk: place,
  data: '{}',
})
const copy = (kinds = recordKinds, client = table.client) =>
  lostRecords({ client, from: restored.table, to: table.table }).copy({ kinds, workspaceId: firm })

/** A client that does `work` before each write after this number of writes. */
function clientWith(writes: number, work: () => Promise<unknown>): Db['client'] {
  let left = writes
  const send = async (command: object) => {
    if (/Write/.test(command.constructor.name) && left-- <= 0) await work()
    return table.client.send(command as PutCommand)
  }
  return Object.assign(Object.create(table.client), { send })
}

/** A client whose process dies after this number of writes. */
function interruptedAfter(writes: number): Db['client'] {
  return clientWith(writes, () => Promise.reject(new Error('The process died.')))
}

describe('records that are copied back', () => {
  it('are those that are deleted or missing, with their entries; the others stay as they are', async () => {
    const [gone, lost, moved] = [newId('case'), newId('case'), newId('event')]
    const inGone = entry(`due#open case=${gone}`, `2026-12-15#${moved}`)
    await put([restored], record('case', gone, { name: 'A' }))
    await put([table], record('case', gone, { name: 'B', ...deleted, holds: [{ id: 'hld_1' }] }))
    await put([restored], record('case', lost))
    for (const id of [gone, lost]) await put([restored], entry('cases#all', id))
    await put([restored], { ...record('link', newId('link')), linked_case_id: lost })
    await put([restored], record('deadline', moved, { due_at: '2026-12-15' }))
    await put([table], record('deadline', moved, { due_at: '2026-12-28' }))
    await put([restored], inGone)

    const copied = await copy()
    const again = await copy()

    expect(copied).toEqual({ records: { case: expect.any(Array) }, items: 5, left_out: [] })
    expect(copied.records.case?.toSorted()).toEqual([gone, lost].toSorted())
    expect(await stored(record('case', gone))).toMatchObject({ name: 'A', holds: [{ id: 'hld_1' }] })
    expect(await stored(record('case', gone))).not.toHaveProperty('deleted_at')
    expect([await stored(entry('cases#all', gone)), await stored(inGone)]).toEqual([
      expect.anything(),
      undefined,
    ])
    expect(await stored(record('deadline', moved))).toMatchObject({ due_at: '2026-12-28' })
    expect(again).toEqual({ records: {}, items: 0, left_out: [] })
  })

  it('come back once more after an interruption: a record that is lost has its entries next time', async () => {
    const id = newId('document')
    await put([restored], record('document', id))
    await put([restored, table], entry('documents#all', id))

    const copied = await copy()

    expect(copied).toEqual({ records: { document: [id] }, items: 1, left_out: [] })
  })

  it('are of the kinds that were named', async () => {
    const id = newId('document')
    await put([restored], record('document', id))
    await put([restored], entry('documents#all', id))

    expect(await copy(['case'])).toEqual({ records: {}, items: 0, left_out: [] })
    expect(await stored(entry('documents#all', id))).toBeUndefined()
  })

  it('leave out what was disposed of and erased, and what names it', async () => {
    const [disposed, mail, other] = [newId('case'), newId('correspondence'), newId('case')]
    const [erased, erasing] = [newId('party'), newId('party')]
    const names = { parties: [{ id: erasing, name: 'Anna Meier' }] }
    const lost = [
      record('case', disposed),
      record('correspondence', mail, { case_id: disposed }),
      record('draft', newId('draft'), { correspondence_id: mail }),
      record('party', erased),
      record('party', erasing),
      record('case', other, names),
    ]
    for (const item of lost) await put([restored], item)
    for (const item of lost.slice(4)) await put([table], { ...item, ...deleted })
    const disposal = { cases: [{ case_id: disposed }], approved_at: deleted.deleted_at }
    await put([table], record('disposal', newId('disposal'), disposal))
    await put([table], record('erasureorder', erasing))
    await put([table], {
      ...record('firmaudit', '1'),
      entry: { action: 'party.erased', ref: { type: 'party', id: erased } },
    })
    const kept = newId('case')
    await put([restored], record('case', kept))
    const link = { pk: `${firm}#link_pair#${disposed} ${kept}`, sk: '-', __edb_e__: 'linkpair' }
    await put([restored], { ...link, workspace_id: firm })

    const { records, items, left_out } = await copy()

    expect({ records, items }).toEqual({ records: { case: [kept] }, items: 1 })
    expect(left_out.toSorted()).toEqual(lost.map(({ id }) => id).toSorted())
    expect(await stored(link)).toBeUndefined()
  })

  it('bring a case back with its former file number alone: the later one is free again', async () => {
    const [renamed, other] = [newId('case'), newId('case')]
    const numbers = fileNumberEntity(table)
    await put([restored], record('case', renamed, { file_number: '0001/26' }))
    await put([table], record('case', renamed, { file_number: '17/2026', ...deleted }))
    await put([table], record('case', other, { file_number: '18/2026' }))
    await numbers.put({ workspace_id: firm, file_number: '17/2026', case_id: renamed }).go()
    await numbers.put({ workspace_id: firm, file_number: '18/2026', case_id: other }).go()

    const { records } = await copy()

    const held = await Promise.all(
      ['17/2026', '18/2026'].map((file_number) => numbers.get({ workspace_id: firm, file_number }).go()),
    )
    expect(records).toEqual({ case: [renamed] })
    expect(held.map(({ data }) => data?.case_id)).toEqual([undefined, other])
  })

  it('leave out a case whose file number another case has by now', async () => {
    const [renamed, same, other] = [newId('case'), newId('case'), newId('case')]
    const numbers = fileNumberEntity(table)
    await put([restored], record('case', renamed, { file_number: '0001/26' }))
    await put([table], record('case', renamed, { file_number: '17/2026', ...deleted }))
    await put([restored], record('case', same, { file_number: '0002/26' }))
    await put([table], record('case', same, { file_number: '0002/26', ...deleted }))
    await numbers.put({ workspace_id: firm, file_number: '0001/26', case_id: other }).go()
    await numbers.put({ workspace_id: firm, file_number: '0002/26', case_id: same }).go()

    const { records, left_out } = await copy()

    expect({ records, left_out }).toEqual({ records: { case: [same] }, left_out: [renamed] })
    expect(await stored(record('case', renamed))).toMatchObject(deleted)
  })

  it('come back with a case that a disposal has kept', async () => {
    const [held, gone, ofHeld, ofGone] = [newId('case'), newId('case'), newId('document'), newId('document')]
    const cases = [
      { case_id: held, file_number: '0001/19', state: 'kept', reason: 'legal_hold' },
      { case_id: gone, file_number: '0002/19', state: 'done', reason: null },
    ]
    await put([table], record('disposal', newId('disposal'), { cases, approved_at: deleted.deleted_at }))
    await put([restored], record('document', ofHeld, { case_id: held }))
    await put([restored], record('document', ofGone, { case_id: gone }))

    const { records, left_out } = await copy()

    expect({ records, left_out }).toEqual({ records: { document: [ofHeld] }, left_out: [ofGone] })
  })

  it('bring back what anybody may verify of a sealed copy', async () => {
    const [copied, kept, envelope] = [newId('document'), newId('document'), newId('envelope')]
    const answer = { known: true, envelope: { id: envelope, title: 'Vollmacht' } } as never
    const digests = [hexDigest('lost'), hexDigest('kept')] as const
    for (const sha256 of digests) await sealedFile(restored).put({ sha256, workspace_id: firm, answer }).go()
    await put([restored], record('document', copied, { source: 'signing', sha256: digests[0] }))
    await put([restored, table], record('document', kept, { source: 'signing', sha256: digests[1] }))

    const { records, items } = await copy()

    expect({ records, items }).toEqual({ records: { document: [copied] }, items: 2 })
    const known = await Promise.all(digests.map((sha256) => sealedFile(table).get({ sha256 }).go()))
    expect(known.map(({ data }) => data?.answer)).toEqual([answer, undefined])
  })

  it('bring no credential, no job and no deleted draft of an invoice', async () => {
    const [id, envelope] = [newId('document'), newId('envelope')]
    await put([restored], record('document', id))
    await put([restored], record('envelope', envelope))
    const others: Item[] = [
      { ...record('sharedlink', 'a'), record_id: id },
      { ...record('signinglink', 'b'), envelope_id: envelope },
      { ...record('waitingjob', 'c'), workspace_id: firm, document_id: id },
      record('webhooktoken', 'd'),
      record('apikeylisting', newId('apiKey')),
    ]
    for (const item of others) await put([restored], item)
    const invoice = newId('invoice')
    await put([restored], record('invoice', invoice))
    await put([table], record('invoice', invoice, deleted))

    const { records } = await copy()

    expect(records).toEqual({ document: [id], envelope: [envelope] })
    for (const item of others) expect(await stored(item)).toBeUndefined()
    expect(await stored(record('invoice', invoice))).toMatchObject(deleted)
  })
})

describe('a draft of mail', () => {
  const putDraft = (db: Db, user_id: string, id: string, more: object) =>
    draftEntity(db)
      .put({
        ...{ workspace_id: firm, id, user_id, to: [], cc: [], bcc: [], subject: 'Berufung', status: 'draft' },
        ...{ attachments: [], attachments_as: 'files', references: [], warnings: [], version: 1 },
        ...{ created_at: deleted.deleted_at, updated_at: deleted.deleted_at },
        ...more,
      })
      .go()
  const draft = async (id: string) => (await draftEntity(table).get({ workspace_id: firm, id }).go()).data

  it.each([
    ['sent', false],
    ['sending', true],
  ] as const)('that is %s and shows as unsent since a restore comes back, with the key of its mail', async (status, isListed) => {
    const [user_id, id, mail] = [newId('user'), newId('draft'), newId('correspondence')]
    const listed = entry(`drafts#${user_id}`, id)
    const key = record('sendkey', newId('user'), { correspondence_id: mail, digest: 'x' })
    const ofService = {
      ...record('sendkey', newId('user'), { correspondence_id: mail }),
      user_id: serviceSender,
    }
    const sent = { status, correspondence_id: mail, version: 2 }
    await putDraft(restored, user_id, id, sent)
    await putDraft(table, user_id, id, {})
    for (const item of [record('correspondence', mail), key, ofService]) await put([restored], item)
    if (isListed) await put([restored], listed)
    await put([table], listed)

    expect((await copy()).records).toEqual({ draft: [id], correspondence: [mail] })
    expect(await draft(id)).toMatchObject(sent)
    expect([await stored(listed), await stored(key)]).toEqual([isListed ? listed : undefined, key])
    // The service may use it for another mail.
    expect(await stored(ofService)).toBeUndefined()
    expect((await copy()).records).toEqual({})
  })

  it('whose send failed later stays as it is, so that it can be sent again', async () => {
    const [user_id, id, mail] = [newId('user'), newId('draft'), newId('correspondence')]
    await putDraft(restored, user_id, id, { status: 'sending', correspondence_id: mail, version: 2 })
    await putDraft(table, user_id, id, { status: 'failed', correspondence_id: mail, version: 3 })

    expect((await copy()).records).toEqual({})
    expect(await draft(id)).toMatchObject({ status: 'failed' })
  })
})

describe('billing that is copied back', () => {
  const case_id = newId('case')
  const entryOf = (id: string, invoice_id: string | null) => ({
    ...{ workspace_id: firm, id, case_id, user_id: newId('user'), date: '2026-11-20', minutes: 60 },
    ...{ activity: 'Beratung', billable: true, created_at: deleted.deleted_at, version: 1 },
    ...(invoice_id !== null && { invoice_id }),
  })
  const invoiceOf = (id: string, entries: string[], more: object = {}) => ({
    ...{ workspace_id: firm, id, case_id, status: 'issued' as const, invoice_date: '2026-11-21' },
    ...{ has_given_date: false, buyer: noBuyer, taxes: [], net: '0', tax: '0', gross: '0', version: 1 },
    ...{ currency: 'EUR' as const, created_at: deleted.deleted_at, updated_at: deleted.deleted_at },
    lines: entries.map((time_entry_id) => ({
      ...{ text: 'Beratung', quantity: '1', unit: 'hour' as const, unit_price: '200', tax_rate: '19' },
      ...{ net: '200.00', time_entry_id },
    })),
    ...more,
  })
  const putEntry = async (db: Db, ...entry: Parameters<typeof entryOf>) =>
    void (await timeEntryEntity(db)
      .put(entryOf(...entry))
      .go())
  const putInvoice = async (db: Db, ...invoice: Parameters<typeof invoiceOf>) =>
    void (await invoiceEntity(db)
      .put(invoiceOf(...invoice))
      .go())
  const held = async (id: string) =>
    (await timeEntryEntity(table).get({ workspace_id: firm, id }).go()).data?.invoice_id
  const invoice = async (id: string) => (await invoiceEntity(table).get({ workspace_id: firm, id }).go()).data

  it('holds the time entries of an invoice again, so nothing is billed twice', async () => {
    const [id, entry] = [newId('invoice'), newId('timeEntry')]
    await putEntry(table, entry, null)
    await putInvoice(restored, id, [entry])

    expect((await copy(['invoice'])).records).toEqual({ invoice: [id] })
    expect(await held(entry)).toBe(id)
  })

  it('leaves out an invoice if another one bills its time entry by now', async () => {
    const [id, other, entry] = [newId('invoice'), newId('invoice'), newId('timeEntry')]
    await putEntry(table, entry, other)
    await putInvoice(table, other, [entry])
    await putInvoice(restored, id, [entry])

    expect(await copy(['invoice'])).toEqual({ records: {}, items: 0, left_out: [id] })
    expect(await held(entry)).toBe(other)
  })

  it('cancels the invoice of a cancellation again, which frees its time entries', async () => {
    const [id, cancellation, entry] = [newId('invoice'), newId('invoice'), newId('timeEntry')]
    await putEntry(table, entry, id)
    await putInvoice(table, id, [entry])
    await putInvoice(restored, cancellation, [], { cancels: id })

    expect((await copy(['invoice'])).records).toEqual({ invoice: [cancellation] })
    expect(await invoice(id)).toMatchObject({ status: 'cancelled', cancelled_by: cancellation })
    expect(await held(entry)).toBeUndefined()
  })

  describe('an invoice that was issued and is a draft since a restore', () => {
    const issued = { number: 'R-2026-0057' }
    const listed = async (status: 'draft' | 'issued') => {
      const source = invoiceLists(table).source(firm, { status } as never)
      return (await source(undefined, 100)).items.map(({ item }) => [item.id, item.number])
    }
    /** The invoice bills the first entry, and its draft both. */
    const issuedSince = async () => {
      const [id, billed, left] = [newId('invoice'), newId('timeEntry'), newId('timeEntry')]
      await putEntry(restored, billed, id)
      for (const one of [billed, left]) await putEntry(table, one, id)
      await putInvoice(restored, id, [billed], issued)
      await putInvoice(table, id, [billed, left], { status: 'draft', invoice_date: '2026-11-20' })
      for (const db of [restored, table]) {
        const record = await invoiceRecords(db).find(firm, id)
        await transact(db, invoiceLists(db).changes(undefined, record))
      }
      return { id, billed, left }
    }

    it('comes back with its number and frees the time entries that it does not bill', async () => {
      const { id, billed, left } = await issuedSince()

      expect(await copy(['invoice'])).toMatchObject({ records: { invoice: [id] }, left_out: [] })
      expect(await invoice(id)).toMatchObject({ status: 'issued', ...issued })
      expect([await listed('draft'), await listed('issued')]).toEqual([[], [[id, issued.number]]])
      expect([await held(billed), await held(left)]).toEqual([id, undefined])
      expect(await copy(['invoice'])).toMatchObject({ records: {} })
    })

    it('comes back as a whole, whichever write is interrupted, if the command is run again', async () => {
      for (let written = 0, isInterrupted = true; isInterrupted; written += 1) {
        const { id, billed, left } = await issuedSince()

        isInterrupted = await copy(['invoice'], interruptedAfter(written)).then(
          () => false,
          () => true,
        )
        await copy(['invoice'])

        expect(await invoice(id)).toMatchObject({ status: 'issued', ...issued })
        expect([written, await held(billed), await held(left)]).toEqual([written, id, undefined])
        expect(await listed('draft')).toEqual([])
      }
    })

    it('keeps its new number if somebody issues its draft anew meanwhile, whenever that is', async () => {
      for (let [written, isDraft] = [0, true]; isDraft; written += 1) {
        const { id, billed, left } = await issuedSince()
        isDraft = false
        const issueAnew = async () => {
          const draft = await invoiceRecords(table).find(firm, id)
          if (draft === undefined || draft.status !== 'draft') return
          isDraft = true
          const anew = {
            ...draft,
            number: 'R-2026-0099',
            status: 'issued' as const,
            invoice_date: '2026-12-01',
          }
          await transact(table, [
            invoiceRecords(table).replace(draft, anew),
            ...invoiceLists(table).changes(draft, anew),
          ])
        }

        await copy(['invoice'], clientWith(written, issueAnew))

        const number = isDraft ? 'R-2026-0099' : issued.number
        expect([written, (await invoice(id))?.number]).toEqual([written, number])
        expect(await listed('issued')).toContainEqual([id, number])
        expect((await listed('issued')).filter(([one]) => one === id)).toHaveLength(1)
        expect([await held(billed), await held(left)]).toEqual([id, isDraft ? id : undefined])
      }
    })

    it('comes back although its draft was deleted', async () => {
      const { id, billed } = await issuedSince()
      await putInvoice(table, id, [billed], { status: 'draft', ...deleted })

      expect(await copy(['invoice'])).toMatchObject({ records: { invoice: [id] } })
      expect(await invoice(id)).toMatchObject({ status: 'issued', ...issued })
      expect(await invoice(id)).not.toHaveProperty('deleted_at')
      expect(await held(billed)).toBe(id)
    })
  })

  it('frees a time entry whose draft stays deleted, and no other', async () => {
    const [draft, gone, billing, billed] = [
      ...[newId('invoice'), newId('timeEntry'), newId('invoice'), newId('timeEntry')],
    ] as [string, string, string, string]
    await putEntry(restored, gone, draft)
    await putInvoice(table, draft, [gone], { status: 'draft', ...deleted })
    await putEntry(restored, billed, billing)
    await putInvoice(restored, billing, [billed])

    await copy()

    expect([await held(gone), await held(billed)]).toEqual([undefined, billing])
    const source = timeEntryLists(table).source(firm, { case_id } as never)
    expect((await source(undefined, 10)).items.map(({ item }) => [item.id, item.invoice_id])).toEqual([
      [gone, null],
    ])
  })
})

describe('the kinds that are copied back', () => {
  /** The kinds of items that are lost with a case and are not copied back. */
  const notCopied = ['agenda', 'duebeasend', 'pushedevent', 'sharedlink', 'sharedlinkof', 'signinglink']

  it('are all records that users make, and what goes with them', async () => {
    const names = [...(await everyEntity({ table: 'aktenlage' } as Db)).keys()]
    const goWithRecords = names.filter((name) => entitiesWithoutCase[name]?.startsWith('with '))

    expect(recordKinds.toSorted()).toEqual(
      ['case', 'party', ...names.filter((name) => !(name in entitiesWithoutCase))].toSorted(),
    )
    expect(goWithRecords.filter((name) => !partKinds.has(name)).toSorted()).toEqual(notCopied)
    expect([...partKinds].filter((name) => !names.includes(name))).toEqual([])
  })
})
