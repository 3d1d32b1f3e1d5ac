import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { MessageIdentity, ReceptionStore } from '#correspondence/reception-ports.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
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
    await upgrade().run({ dryRun: true })
    const [before, dry] = [await notedIn('Guten Tag'), await stored(mail)]

    const { layout: after } = await upgrade().run()

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
