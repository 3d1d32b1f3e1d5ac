import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  ScanCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { clockOffsetVariable } from '#kernel/clock.ts'
import { writeAll } from '#store/batch.ts'
import { createClient } from '#store/client.ts'
import type { Db } from '#store/db.ts'
import { layoutCheck } from '#store/layout.ts'
import type { StoredItem } from '#store/pages-of.ts'
import { layoutKey, tableLayout } from '#store/table.ts'
import { allUpgrades } from '#store/upgrades/all-upgrades.ts'
import { takeLease } from '#store/upgrades/lease.ts'
import { metered } from '#store/upgrades/metered.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import type { Upgrade } from '#store/upgrades/upgrade.ts'
import { ownTable } from '#test/support/own-table.ts'

let db: Db
beforeEach(async () => {
  db = await ownTable()
})

const firms = ['ws_one', 'ws_two', 'ws_three']

const put = (Item: Record<string, unknown>) => db.client.send(new PutCommand({ TableName: db.table, Item }))
const get = async (pk: string, sk: string) =>
  (await db.client.send(new GetCommand({ TableName: db.table, Key: { pk, sk }, ConsistentRead: true }))).Item

/** Three firms with notes in their older form, which has a text; the newer one has a title and an entry in a list. */
async function withNotes(count: number) {
  await put({ ...layoutKey, layout: 9, stage: 'local' })
  const items = firms.flatMap((firm) => [
    { pk: `${firm}#workspace`, sk: '$workspace_1', __edb_e__: 'workspace', id: firm },
    ...Array.from({ length: count }, (_, at) => `note_${String(at).padStart(3, '0')}`).flatMap((id, at) => [
      { pk: `${firm}#note#${id}`, sk: 'note', id, text: `Notiz ${at}`, version: 1 },
      { pk: `${firm}#notes#all`, sk: id, data: '{}' },
    ]),
  ])
  await writeAll(
    db,
    items.map((Item) => ({ params: () => ({ Item }) })),
  )
}

const titled: Upgrade = {
  layout: 10,
  name: 'titled-notes',
  says: 'gives notes a title',
  sources: () => [
    {
      list: 'notes',
      keyOf: (workspaceId, id) => ({ pk: `${workspaceId}#note#${id}`, sk: 'note' }),
      itemsFor: ({ text, ...note }): StoredItem[] => {
        const title = note.title ?? text
        const firm = note.pk.split('#')[0]
        return [
          { ...note, title },
          { pk: `${firm}#titles#${title}`, sk: String(note.id), data: '{}' },
        ]
      },
    },
  ],
}
const dated: Upgrade = { ...titled, layout: 11, name: 'dated-notes' }

const upgradesOf = (...upgrades: Upgrade[]) => tableUpgrades(db, { stage: 'local', upgrades })

describe('an upgrade', () => {
  it('brings every record of every firm into the new form, and the table into the new layout', async () => {
    await withNotes(60)

    const result = await upgradesOf(titled).run()

    expect(result).toEqual({
      layout: 10,
      dry_run: false,
      upgrades: [{ name: 'titled-notes', firms: 3, records: 180, changed: 180 }],
      units: expect.any(Number),
    })
    expect(result.units).toBeGreaterThan(180)
    expect(await get('ws_two#note#note_059', 'note')).toEqual({
      pk: 'ws_two#note#note_059',
      sk: 'note',
      id: 'note_059',
      title: 'Notiz 59',
      version: 1,
    })
    expect(await get('ws_three#titles#Notiz 0', 'note_000')).toBeDefined()
    expect(await get(layoutKey.pk, layoutKey.sk)).toMatchObject({ layout: 10, stage: 'local' })
  })

  it('changes nothing when it runs again, or beside another run', async () => {
    await withNotes(5)

    const both = await Promise.allSettled([upgradesOf(titled).run(), upgradesOf(titled).run()])
    const again = await upgradesOf(titled).run()

    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find((one) => one.status === 'rejected')?.reason.message).toContain('Another upgrade')
    expect(again.upgrades).toEqual([])
  })

  it('begins half a minute after another one was killed, and not at once', async () => {
    await withNotes(1)
    const killed = await takeLease(db, 'killed')
    const atOnce = await Promise.allSettled([upgradesOf(titled).run()])
    process.env[clockOffsetVariable] = String(30_000)
    const later = await Promise.allSettled([upgradesOf(titled).run()]).finally(
      () => delete process.env[clockOffsetVariable],
    )
    await killed.release()

    expect([...atOnce, ...later].map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  it('goes on where it stopped, and says how far it has come', async () => {
    await withNotes(120)
    let steps = 0
    const stopping = upgradesOf(titled).run({
      onStep: () => {
        steps += 1
        if (steps === 5) throw new Error('killed')
      },
    })
    await expect(stopping).rejects.toThrow('killed')
    const midway = await upgradesOf(titled).status()

    const result = await upgradesOf(titled).run()

    expect(midway).toMatchObject({
      layout: 9,
      upgrades: [{ name: 'titled-notes', state: 'running', firms_done: 1, firms_left: 2 }],
    })
    expect(midway.upgrades[0]?.records).toBeLessThan(360)
    expect(result.upgrades).toEqual([{ name: 'titled-notes', firms: 3, records: 360, changed: 360 }])
    expect(await upgradesOf(titled).status()).toMatchObject({
      layout: 10,
      upgrades: [{ state: 'done', firms_done: 3, firms_left: 0, records: 360, changed: 360 }],
    })
  })

  it('keeps a change that somebody makes meanwhile, and removes nothing that was deleted', async () => {
    await withNotes(3)
    const changed = { pk: 'ws_one#note#note_001', sk: 'note', id: 'note_001' }
    let change: Promise<unknown> | undefined
    // Another request changes one note and deletes another after the upgrade has read them, and before it writes the first.
    const send = async (command: object) => {
      if (command instanceof TransactWriteCommand) {
        change ??= Promise.all([
          put({ ...changed, text: 'Neu', version: 2 }),
          put({ ...changed, pk: 'ws_one#note#note_002', id: 'note_002', version: 1, deleted_at: 'now' }),
        ])
        await change
      }
      return db.client.send(command as never)
    }
    const client = Object.assign(Object.create(db.client), { send })

    await tableUpgrades({ client, table: db.table }, { stage: 'local', upgrades: [titled] }).run()

    expect(await get(changed.pk, 'note')).toMatchObject({ title: 'Neu', version: 2 })
    expect(await get('ws_one#note#note_002', 'note')).toMatchObject({ deleted_at: 'now' })
  })

  it('counts in a dry run what it would change, and changes nothing', async () => {
    await withNotes(4)

    const dry = await upgradesOf(titled).run({ dryRun: true })

    expect(dry).toMatchObject({
      layout: 9,
      dry_run: true,
      upgrades: [{ name: 'titled-notes', firms: 3, records: 12, changed: 12 }],
    })
    expect(await get('ws_one#note#note_000', 'note')).toMatchObject({ text: 'Notiz 0' })
    expect(await upgradesOf(titled).status()).toMatchObject({ layout: 9, upgrades: [{ state: 'waiting' }] })
  })

  it('counts what it converts by a scan, also in a dry run, and once if the scan begins again', async () => {
    await withNotes(1)
    for (const firm of firms)
      for (const id of ['a', 'b'])
        await put({ pk: `${firm}#mark#${id}`, sk: 'mark', __edb_e__: 'mark', workspace_id: firm, id })
    let isKilled = true
    const marked: Upgrade = {
      layout: 10,
      name: 'marks',
      says: 'converts the marks a',
      scanned: () => ({
        kinds: ['mark'],
        convert: async ({ is_new, id, ...item }, dryRun) => {
          if (id !== 'a' || is_new === true) return false
          if (!dryRun) await put({ ...item, id, is_new: true })
          return true
        },
      }),
    }

    const dry = await upgradesOf(marked).run({ dryRun: true })
    const untouched = await get('ws_one#mark#a', 'mark')
    const waiting = await upgradesOf(marked).status()
    const killed = upgradesOf(marked).run({
      onStep: () => {
        if (isKilled) throw new Error('killed')
      },
    })
    await expect(killed).rejects.toThrow('killed')
    const midway = await upgradesOf(marked).status()
    isKilled = false
    const result = await upgradesOf(marked).run()

    const counts = { records: 6, changed: 3 }
    expect(dry.upgrades).toEqual([{ name: 'marks', firms: 3, ...counts }])
    expect([untouched?.is_new, waiting.upgrades[0]?.state]).toEqual([undefined, 'waiting'])
    expect(midway.upgrades).toMatchObject([{ state: 'running', firms_left: 2, ...counts }])
    expect(result.upgrades).toEqual([{ name: 'marks', firms: 3, ...counts }])
    expect((await upgradesOf(marked).status()).upgrades).toMatchObject([{ state: 'done', ...counts }])
  })

  it('runs after the one before it, and also upgrades a firm that came meanwhile', async () => {
    await withNotes(2)
    const late = 'ws_late'
    let isMade = false

    const result = await upgradesOf(titled, dated).run({
      onStep: async () => {
        if (isMade) return
        isMade = true
        void put({ pk: `${late}#note#note_000`, sk: 'note', id: 'note_000', text: 'Spät', version: 1 })
        void put({ pk: `${late}#notes#all`, sk: 'note_000', data: '{}' })
        void put({ pk: `${late}#workspace`, sk: '$workspace_1', __edb_e__: 'workspace', id: late })
      },
    })

    expect(result.layout).toBe(11)
    expect(result.upgrades.map(({ name, firms }) => [name, firms])).toEqual([
      ['titled-notes', 4],
      ['dated-notes', 4],
    ])
    expect(await get('ws_late#note#note_000', 'note')).toMatchObject({ title: 'Spät' })
  })

  it('takes no more units in a second than it may', async () => {
    await withNotes(10)
    const startedAt = performance.now()

    const { units } = await upgradesOf(titled).run({ unitsPerSecond: 100 })

    // Its last call is not waited for.
    expect((performance.now() - startedAt) / 1_000).toBeGreaterThan((units - 20) / 100)
  })

  it('takes no more units after a slow phase to make up for it', async () => {
    let capacity = 0
    const client = { send: async () => ({ ConsumedCapacity: { CapacityUnits: capacity } }) }
    const slow = metered({ client, table: 'any' } as never, 100)
    const call = () => slow.db.client.send(new GetCommand({ TableName: 'any', Key: {} }))
    await sleep(2_500)
    capacity = 50
    const startedAt = performance.now()

    for (let calls = 0; calls < 5; calls += 1) await call()

    // 250 units, of which the units of one second were saved.
    expect(performance.now() - startedAt).toBeGreaterThan(1_400)
  })

  it('looks for firms in the whole table before the first one, after each, and no more once all are done', async () => {
    await withNotes(1)
    const scans: object[] = []
    const send = (command: object) => {
      if (command instanceof ScanCommand) scans.push(command)
      return db.client.send(command as never)
    }
    const client = Object.assign(Object.create(db.client), { send })
    const upgrades = tableUpgrades({ client, table: db.table }, { stage: 'local', upgrades: [titled, dated] })

    await upgrades.run()
    const scansOfRun = scans.length
    const status = await upgrades.status()

    const done = { state: 'done', firms_done: 3, firms_left: 0 }
    expect(status).toMatchObject({ layout: 11, upgrades: [done, done] })
    expect([scansOfRun, scans.length]).toEqual([3, 3])
  })

  it.each([
    ['of a newer release', { layout: 12, stage: 'local' }, 'layout 12, of a newer release'],
    ['that is damaged', { layout: 'ten', stage: 'local' }, 'damaged'],
    ['with half a layout', { layout: 9.5, stage: 'local' }, 'damaged'],
    ['without a layout', { stage: 'local' }, 'damaged'],
    ['that was copied from another stage', { layout: 10, stage: 'prod' }, 'belongs to the stage prod'],
  ])('refuses a table with a layout item %s', async (_, item, message) => {
    await withNotes(1)
    await put({ ...layoutKey, ...item })

    await expect(upgradesOf(titled, dated).run()).rejects.toThrow(message)
    expect(await get('ws_one#note#note_000', 'note')).toMatchObject({ text: 'Notiz 0' })
  })
})

it('the upgrades are numbered without a gap up to the layout of this release', () => {
  expect(allUpgrades.map(({ layout }) => layout)).toEqual(
    Array.from({ length: tableLayout - 9 }, (_, index) => 10 + index),
  )
})

describe('a function', () => {
  const lines: Record<string, unknown>[] = []
  const log = { error: (message: string, fields: object) => void lines.push({ message, ...fields }) }
  const client = () => {
    process.env.TABLE_NAME = db.table
    lines.length = 0
    return createClient(layoutCheck(log, 50))
  }
  const read = (of: Db['client']) =>
    of.send(new GetCommand({ TableName: db.table, Key: { pk: 'a', sk: 'b' } }))
  const write = (of: Db['client']) =>
    of.send(new PutCommand({ TableName: db.table, Item: { pk: 'a', sk: 'b' } }))

  it.each([
    ['newer than it knows', { layout: tableLayout + 1, stage: 'local' }],
    ['too old', { layout: 8, stage: 'local' }],
    ['damaged', { layout: null, stage: 'local' }],
    ['of another stage', { layout: tableLayout, stage: 'dev' }],
  ])('neither reads nor writes a table whose layout is %s, and says so once in its log', async (_, item) => {
    await put({ ...layoutKey, ...item })
    const of = client()

    const answers = await Promise.allSettled([read(of), read(of), write(of)])

    for (const answer of answers)
      expect(answer).toMatchObject({ reason: { kind: 'unavailable', code: 'SERVICE_UNAVAILABLE' } })
    expect(lines).toEqual([{ message: 'table layout refused', reason: expect.any(String) }])
    expect(await get('a', 'b')).toBeUndefined()
  })

  it('serves again once the table was upgraded', async () => {
    await put({ ...layoutKey, layout: 8, stage: 'local' })
    const of = client()
    await expect(read(of)).rejects.toThrow()
    await put({ ...layoutKey, layout: tableLayout, stage: 'local' })

    await expect.poll(() => write(of).then(() => 'written', String), { timeout: 60_000 }).toBe('written')
  })

  it('serves a table without a layout item, as the first release left it, and looks only once', async () => {
    await db.client.send(new DeleteCommand({ TableName: db.table, Key: layoutKey }))
    const of = client()
    await read(of)
    await put({ ...layoutKey, layout: tableLayout + 1, stage: 'local' })

    await expect(write(of)).resolves.toBeDefined()
  })
})
