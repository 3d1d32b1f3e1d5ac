import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { mailboxOf } from '#correspondence/address-schema.ts'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { MessageIdentity, ReceptionStore } from '#correspondence/reception-ports.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { beginningOf } from '#kernel/text.ts'
import { writeAll } from '#store/batch.ts'
import { correspondenceEntity } from '#store/correspondence/correspondence-entity.ts'
import { messageIds } from '#store/correspondence/message-ids.ts'
import { messageIdEntity } from '#store/correspondence/reception-entity.ts'
import { receptionStore } from '#store/correspondence/reception-store.ts'
import { type Db, strongly } from '#store/db.ts'
import { layoutKey } from '#store/table.ts'
import { knownAs } from '#store/upgrades/18-known-as.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { mailStores, providerDomain, storeDeps } from '#test/support/mail-stores.ts'
import { ownTable } from '#test/support/own-table.ts'
import { receivedMail } from '#test/support/received-mail.ts'
import { applyRule } from '#timeline/schema.ts'

let db: Db
let mails: ReturnType<typeof mailStores>['mails']
let reception: ReceptionStore
beforeEach(async () => {
  db = await ownTable()
  mails = mailStores(db).mails
  reception = receptionStore(storeDeps(db))
  await writeAll(db, [layout])
})
afterEach(() => {
  vi.restoreAllMocks()
})

const workspace_id = newId('workspace')
const layout = { params: () => ({ Item: { ...layoutKey, layout: 17, stage: 'local' } }) }

const identityOf = (body: string, subject: string): MessageIdentity => ({
  message_id: `sha256:${hexDigest(body)}`,
  date: null,
  from: 'max@mueller.de',
  subject,
})

/** A mail without a Message-ID, as this release receives it. */
async function received(body: string, subject = 'Anhörung'): Promise<CorrespondenceRecord> {
  const identity = identityOf(body, subject)
  const record = receivedMail(workspace_id, { header_message_id: '', subject, known_as: identity.message_id })
  expect(await reception.receive({ record, identity, token: null })).toEqual({ id: record.id })
  return record
}

/** The same mail, as an earlier release has stored it. */
async function receivedBefore(body: string, subject?: string): Promise<CorrespondenceRecord> {
  const record = await received(body, subject)
  await correspondenceEntity(db).patch({ workspace_id, id: record.id }).remove(['known_as']).go()
  return record
}

const upgrade = (on: Db = db) => tableUpgrades(on, { stage: 'local', upgrades: [knownAs] })

/** The mails of which the item of a body has a note; undefined if there is no item. */
async function notedIn(body: string): Promise<string[] | undefined> {
  const key = { workspace_id, message_id: identityOf(body, '').message_id, direction: 'inbound' as const }
  const { data } = await messageIdEntity(db).get(key).go(strongly)
  return data?.messages.map(({ correspondence_id }) => correspondence_id)
}

const stored = async ({ id }: CorrespondenceRecord) =>
  (await mails.find(workspace_id, id)) as CorrespondenceRecord
const change = ({ id }: CorrespondenceRecord, changes: Partial<CorrespondenceRecord>) =>
  applyRule(mails, workspace_id, id, (before) => ({
    record: { ...before, ...changes, version: before.version + 1 },
  }))

/** A table before whose first transaction `meanwhile` happens. */
function interrupted(meanwhile: () => Promise<unknown>): Db {
  let isOver: Promise<unknown> | undefined
  const send = async (command: object) => {
    if (command instanceof TransactWriteCommand) {
      isOver ??= meanwhile()
      await isOver
    }
    return db.client.send(command as never)
  }
  return { ...db, client: Object.assign(Object.create(db.client), { send }) }
}

describe('after the upgrade', () => {
  it('a mail that an earlier release received is known again, and leaves nothing when it is removed', async () => {
    const mail = await receivedBefore('Guten Tag')
    const counted = await upgrade().run({ dryRun: true })
    const [before, dry] = [await notedIn('Guten Tag'), await stored(mail)]

    const { layout: after, upgrades } = await upgrade().run()

    expect(counted.upgrades).toMatchObject([{ records: 1, changed: 1 }])
    expect(upgrades).toMatchObject([{ records: 1, changed: 1 }])
    expect([before, dry.known_as, after]).toEqual([[mail.id], undefined, 18])
    const identity = identityOf('Guten Tag', mail.subject)
    expect(await stored(mail)).toEqual({ ...dry, known_as: identity.message_id, version: 2 })
    const again = receivedMail(workspace_id, { header_message_id: '' })
    expect(await reception.receive({ record: again, identity, token: null })).toEqual({ id: mail.id })
    await messageIds(db).forget(await stored(mail), providerDomain)
    expect(await notedIn('Guten Tag')).toBeUndefined()
  })

  it('every one of twenty mails with the same body is known, and a mail of this release stays as it is', async () => {
    const old: CorrespondenceRecord[] = []
    for (let at = 0; at < 19; at += 1) old.push(await receivedBefore('Scan', `Scan ${at}`))
    const own = await received('Scan', 'Scan 19')
    const before = await stored(own)

    await upgrade().run()
    await writeAll(db, [layout])
    await upgrade().run()

    expect(await notedIn('Scan')).toEqual([...old, own].map(({ id }) => id))
    for (const mail of old)
      expect(await stored(mail)).toMatchObject({ known_as: own.known_as, version: mail.version + 1 })
    expect(await stored(own)).toEqual(before)
  })

  it('no note is left of mails that were removed or from which a person was erased before', async () => {
    const [gone, stays] = [await receivedBefore('Eins', 'A'), await receivedBefore('Eins', 'B')]
    const sender = await receivedBefore('Zwei')
    const named = await receivedBefore('Drei', 'Anna Meier')
    const lonely = await receivedBefore('Vier')
    for (const { id } of [gone, lonely]) await correspondenceEntity(db).remove({ workspace_id, id }).go()
    await change(sender, { from: { name: null, email: '' } })
    await change(named, { subject: '[gelöscht]' })

    await upgrade().run()

    expect(await Promise.all(['Eins', 'Zwei', 'Drei', 'Vier'].map(notedIn))).toEqual([
      [stays.id],
      undefined,
      undefined,
      undefined,
    ])
    for (const mail of [sender, named]) {
      const { known_as, version } = await stored(mail)
      expect([known_as, version]).toEqual([undefined, 2])
    }
  })

  it.each([
    ['sender', 'Anhörung', `${'M'.repeat(400)}@example.de`],
    ['domain of a sender', 'Anhörung', `max@${'Mueller.'.repeat(50)}de`],
    ['subject', `A${' '.repeat(1_200)}B`, 'max@mueller.de'],
  ])('a mail is known again also if its record has only the beginning of its %s', async (_, subject, email) => {
    const identity = { ...identityOf('Lang', subject), from: mailboxOf(email) }
    const record = receivedMail(workspace_id, {
      header_message_id: '',
      subject: beginningOf(subject, 998),
      from: { name: null, email: beginningOf(email, 320) },
    })
    await reception.receive({ record, identity, token: null })

    await upgrade().run()

    expect(await notedIn('Lang')).toEqual([record.id])
    expect((await stored(record)).known_as).toBe(identity.message_id)
  })

  it('a mail with a Message-ID is as it was, also if its record is gone', async () => {
    const record = receivedMail(workspace_id)
    const identity = { ...identityOf('', record.subject), message_id: record.header_message_id }
    await reception.receive({ record, identity, token: null })
    await correspondenceEntity(db).remove({ workspace_id, id: record.id }).go()

    await upgrade().run()

    const found = await messageIds(db).findAll(workspace_id, [record.header_message_id])
    expect(found.get(record.header_message_id)).toEqual([record.id])
  })
})

describe('while the upgrade runs', () => {
  it('a mail that arrives with the same body stays known', async () => {
    const gone = await receivedBefore('Scan', 'Scan 0')
    const old = await receivedBefore('Scan', 'Scan 1')
    await correspondenceEntity(db).remove({ workspace_id, id: gone.id }).go()
    const arrived: CorrespondenceRecord[] = []

    await upgrade(interrupted(async () => arrived.push(await received('Scan', 'Scan 2')))).run()

    expect(await notedIn('Scan')).toEqual([old.id, arrived[0]?.id])
    expect((await stored(old)).known_as).toBe(arrived[0]?.known_as)
  })

  it('a change of the mail is kept', async () => {
    const mail = await receivedBefore('Guten Tag')

    await upgrade(interrupted(() => change(mail, { party_id: 'pty_1' }))).run()

    const known_as = identityOf('Guten Tag', '').message_id
    expect(await stored(mail)).toMatchObject({ party_id: 'pty_1', known_as, version: 3 })
  })

  it('a change of the mail that was begun before does not remove how it is known', async () => {
    const mail = await receivedBefore('Guten Tag')
    const changing = mailStores(interrupted(() => upgrade().run())).mails

    await applyRule(changing, workspace_id, mail.id, (before) => ({
      record: { ...before, party_id: 'pty_1', version: before.version + 1 },
    }))

    const known_as = identityOf('Guten Tag', '').message_id
    expect(await stored(mail)).toMatchObject({ party_id: 'pty_1', known_as, version: 3 })
  })

  it('it fails if the mail is changed again and again, and does not try without end', async () => {
    const mail = await receivedBefore('Guten Tag')
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const send = async (command: object) => {
      const isUpgrading = command instanceof TransactWriteCommand
      if (isUpgrading) await change(mail, { party_id: 'pty_1' })
      return db.client.send(command as never)
    }
    const busy = { ...db, client: Object.assign(Object.create(db.client), { send }) }

    await expect(upgrade(busy).run()).rejects.toThrow('changed since it was read')
    expect((await stored(mail)).version).toBe(9)
  })

  it('it fails if its transaction always conflicts with others, and does not try without end', async () => {
    await receivedBefore('Guten Tag')
    vi.spyOn(Math, 'random').mockReturnValue(0)
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 10_000
      return now
    })
    let attempts = 0
    const send = async (command: object) => {
      if (command instanceof TransactWriteCommand) {
        attempts += 1
        if (attempts === 200) throw new Error('It tries without end.')
        throw Object.assign(new Error('Conflict'), { name: 'TransactionConflictException' })
      }
      return db.client.send(command as never)
    }
    const busy = { ...db, client: Object.assign(Object.create(db.client), { send }) }

    await expect(upgrade(busy).run()).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('a mail that is removed, or from which a person is erased, leaves no note', async () => {
    const [removed, erased] = [await receivedBefore('Eins'), await receivedBefore('Zwei')]

    const leave = async () => {
      await correspondenceEntity(db).remove({ workspace_id, id: removed.id }).go()
      await change(erased, { from: { name: null, email: '' } })
    }
    await upgrade(interrupted(leave)).run()

    expect([await notedIn('Eins'), await notedIn('Zwei')]).toEqual([undefined, undefined])
    expect((await stored(erased)).known_as).toBeUndefined()
  })

  it('it can be killed at any moment: the next run does the rest', async () => {
    const old: CorrespondenceRecord[] = []
    for (let at = 0; at < 6; at += 1) old.push(await receivedBefore(`Brief ${at}`))
    let transactions = 0
    const send = async (command: object) => {
      if (command instanceof TransactWriteCommand) {
        transactions += 1
        if (transactions === 3) throw new Error('The process has died.')
      }
      return db.client.send(command as never)
    }
    const dying = { ...db, client: Object.assign(Object.create(db.client), { send }) }
    await expect(upgrade(dying).run()).rejects.toThrow('died')

    const { layout: after } = await upgrade().run()

    expect(after).toBe(18)
    for (const [at, mail] of old.entries())
      expect(await stored(mail)).toMatchObject({
        known_as: identityOf(`Brief ${at}`, '').message_id,
        version: 2,
      })
  })
})
