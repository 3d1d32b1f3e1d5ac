import { globSync, readFileSync } from 'node:fs'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { newId } from '#kernel/id.ts'
import { writeAll } from '#store/batch.ts'
import type { Db } from '#store/db.ts'
import { layoutKey } from '#store/table.ts'
import { firmItems } from '#store/workspace/firm-items.ts'
import { anItemOfEverything, everyEntity, ofNobody } from '#test/support/every-entity.ts'
import { ownTable } from '#test/support/own-table.ts'

/** Everything of a firm in the table (W8): what a firm may have follows from the entities that are declared. */

let db: Db
beforeEach(async () => {
  db = await ownTable()
})

async function allItems(): Promise<string[]> {
  const items: string[] = []
  for (let start: object = {}; ; ) {
    const { Items = [], LastEvaluatedKey } = await db.client.send(
      new ScanCommand({ TableName: db.table, ConsistentRead: true, ...start }),
    )
    items.push(...Items.filter(({ pk }) => pk !== layoutKey.pk).map((item) => canonicalJson(item)))
    if (LastEvaluatedKey === undefined) return items.toSorted()
    start = { ExclusiveStartKey: LastEvaluatedKey }
  }
}

const write = (items: object[]) =>
  writeAll(
    db,
    items.map((Item) => ({ params: () => ({ Item }) })),
  )

it('items of every entity, list and claim of a firm are erased; items of other firms stay unchanged', async () => {
  const [ours, neighbours] = [newId('workspace'), newId('workspace')]
  const [own, foreign] = await Promise.all([
    anItemOfEverything(db, ours, neighbours),
    anItemOfEverything(db, neighbours, ours),
  ])
  await write([...own, ...foreign, { pk: 'secret#cursor', sk: '-', value: ours }])
  const before = await allItems()

  const found: string[] = []
  const kinds = new Set<unknown>()
  for await (const item of firmItems(db).all(ours)) {
    found.push(canonicalJson(item))
    kinds.add(item.__edb_e__)
  }
  const erased = await firmItems(db).eraseAllButWorkspace(ours)
  const left = await allItems()
  await firmItems(db).eraseWorkspace(ours)

  expect(found.toSorted()).toEqual(own.map((item) => canonicalJson(item)).toSorted())
  const declared = [...(await everyEntity(db)).keys()].filter((name) => !ofNobody.has(name))
  expect(declared.filter((name) => !kinds.has(name))).toEqual([])
  expect(declared.length).toBeGreaterThan(60)
  expect(erased).toBe(own.length - 1)
  expect(left.filter((item) => found.includes(item)).length).toBe(1)
  expect(await allItems()).toEqual(before.filter((item) => !found.includes(item)))
})

it('items that are written during an erasure are erased too', async () => {
  const ours = newId('workspace')
  await write(await anItemOfEverything(db, ours, ours))
  const late = { pk: 'sealed_file#late', sk: '-', workspace_id: ours }
  const lists = { pk: `${ours}#cases#all`, sk: 'late' }
  let scans = 0
  const client = new Proxy(db.client, {
    get: (target, name) =>
      name === 'send'
        ? async (command: never) => {
            const answer = await target.send(command)
            if ((command as object) instanceof ScanCommand) {
              scans += 1
              if (scans === 1) await write([late, lists])
            }
            return answer
          }
        : Reflect.get(target, name),
  })

  await firmItems({ ...db, client }).eraseAllButWorkspace(ours)

  expect((await allItems()).map((item) => JSON.parse(item).__edb_e__)).toEqual(['workspace'])
})

it('the payload of every job names its workspace, or keys that do', () => {
  const sources = globSync('packages/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const declared = sources.flatMap((source) => [
    ...source.matchAll(/define(?:FollowUp|HandOver)\(\{\s*name: '([^']+)'.*?payload: (.*?)\n\}\)/gs),
  ])
  /** The payload as it is written, or the declaration that it names: `exportRunQueue.payload`. */
  const written = (payload: string): string => {
    const [, name] = /^(\w+?)(?:Schema|\.payload)?,/.exec(payload) ?? []
    const declaration = new RegExp(`const ${name} = .*?\n(?=\n|$)`, 's')
    return name === undefined
      ? payload
      : (sources.flatMap((source) => declaration.exec(source) ?? [])[0] ?? '')
  }
  const nameless = declared.filter(
    ([, , payload = '']) => !/workspace_id: z\.|keys: z\./.test(written(payload)),
  )

  expect(declared.length).toBeGreaterThan(20)
  expect(nameless.map(([, name]) => name)).toEqual([])
})
