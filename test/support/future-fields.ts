import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { canonicalJson } from '#kernel/canonical-json.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import type { Db } from '#store/db.ts'
import type { StoredItem } from '#store/pages-of.ts'

/** The name of a field that newer code has stored. No schema of this code has it. */
export const futureField = 'from_the_future'

type Members = Record<string, unknown>

/** A place where a field was added, and the value that was found there. */
export type Loss = { kind: string; key: string; path: string; found: unknown }

/** Reads every item of the table. */
export async function scanTable({ client, table }: Db): Promise<StoredItem[]> {
  const items: StoredItem[] = []
  for (let start: object = {}; ; ) {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName: table, ConsistentRead: true, ...start }),
    )
    items.push(...(Items as StoredItem[]))
    if (LastEvaluatedKey === undefined) return items
    start = { ExclusiveStartKey: LastEvaluatedKey }
  }
}

/** The kind of an item: its entity, or the list of its partition. */
export function kindOf({ pk, __edb_e__ }: StoredItem): string {
  return typeof __edb_e__ === 'string' ? __edb_e__ : (pk.split('#')[1] ?? pk)
}

/** Whether an item is an entry of a sorted list, or the kept answer of a request: these have no entity. */
export function isListEntry({ __edb_e__ }: StoredItem): boolean {
  return __edb_e__ === undefined
}

/** Kinds whose items move to another kind. Items of other kinds only move within their partition. */
const movesTo: Record<string, string> = { exportconfig: 'deletedexportconfig' }

/** The item that replaced a missing one: the same record under a new key. */
export function movedFrom(
  gone: StoredItem,
  before: readonly StoredItem[],
  after: readonly StoredItem[],
): StoredItem | undefined {
  const kind = movesTo[kindOf(gone)]
  const stood = new Set(before.map(keyOf))
  return after.find(
    (item) =>
      item.id !== undefined &&
      item.id === gone.id &&
      !stood.has(keyOf(item)) &&
      (kind === undefined ? kindOf(item) === kindOf(gone) && item.pk === gone.pk : kindOf(item) === kind),
  )
}

export function keyOf({ pk, sk }: StoredItem): string {
  return `${pk} ${sk}`
}

/**
 * Adds a field to items, and a member to every object in them, also if the object is in a list or is stored as JSON.
 * Each has a unique value that names its place.
 *
 * @returns how many items had changed in the meantime, and were not marked
 */
export async function addFutureFields({ client, table }: Db, items: StoredItem[]): Promise<number> {
  let missed = 0
  await inParallelUpTo(16, items, async (item) => {
    const changed = Object.entries(item).flatMap(([name, value]) => {
      const marked = marks(item, name) ? withMember(`${keyOf(item)} ${name}`, value) : value
      return marked === value ? [] : [{ name, value, marked }]
    })
    const names = Object.fromEntries(changed.map(({ name }, at) => [`#a${at}`, name]))
    const values = Object.fromEntries(
      changed.flatMap(({ value, marked }, at) => [
        [`:old${at}`, value],
        [`:new${at}`, marked],
      ]),
    )
    const sets = ['#f = :f', ...changed.map((_, at) => `#a${at} = :new${at}`)]
    const conditions = ['attribute_exists(#pk)', ...changed.map((_, at) => `#a${at} = :old${at}`)]
    try {
      await client.send(
        new UpdateCommand({
          TableName: table,
          Key: { pk: item.pk, sk: item.sk },
          UpdateExpression: `SET ${sets.join(', ')}`,
          ConditionExpression: conditions.join(' AND '),
          ExpressionAttributeNames: { '#pk': 'pk', '#f': futureField, ...names },
          ExpressionAttributeValues: { ':f': keyOf(item), ...values },
        }),
      )
    } catch (error) {
      if ((error as Error).name !== 'ConditionalCheckFailedException') throw error
      missed += 1
    }
  })
  return missed
}

const keyAttributes = new Set(['pk', 'sk', '__edb_e__', '__edb_v__'])

/** Entries of hash chains never change, and readers show them as they were hashed. */
const chained = new Set(['envelopeaudit', 'history'])

function marks(item: StoredItem, name: string): boolean {
  return !keyAttributes.has(name) && name !== futureField && !(name === 'entry' && chained.has(kindOf(item)))
}

function withMember(path: string, value: unknown): unknown {
  if (typeof value === 'string') {
    const parsed = parsedObject(value)
    return parsed === undefined ? value : JSON.stringify(withMember(path, parsed))
  }
  if (Array.isArray(value)) {
    const marked = value.map((element, at) => withMember(`${path}.${at}`, element))
    return marked.every((element, at) => element === value[at]) ? value : marked
  }
  if (!isMembers(value)) return value
  const members = Object.entries(value).map(([name, one]) => [name, withMember(`${path}.${name}`, one)])
  return { ...Object.fromEntries(members), [futureField]: path }
}

function parsedObject(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined
  } catch {
    return undefined
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** The added fields that an item has lost. An object that was removed or replaced counts as no loss. */
export function lossesOf(before: StoredItem, after: StoredItem): Loss[] {
  const lost: Loss[] = []
  const loss = (path: string, found: unknown) =>
    lost.push({ kind: kindOf(before), key: keyOf(before), path, found })
  if (before[futureField] !== after[futureField]) loss('', after[futureField])
  for (const [name, value] of Object.entries(before))
    if (marks(before, name)) compare(name, parsed(value), parsed(after[name]), loss)
  return lost
}

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (parsedObject(value) ?? value) : value
}

type Note = (path: string, found: unknown) => void

function compare(path: string, before: unknown, after: unknown, note: Note): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    const left = [...after]
    for (const old of before.filter(isMembers)) {
      const at = partnerOf(old, left)
      if (at === -1) continue
      compare(`${path}[]`, old, left[at], note)
      left.splice(at, 1)
    }
    return
  }
  if (!isMembers(before) || !isMembers(after) || isAnother(before, after)) return
  if (before[futureField] !== after[futureField]) note(path, after[futureField])
  for (const [name, old] of Object.entries(before))
    if (name !== futureField) compare(`${path}.${name}`, old, after[name], note)
}

/** The position of the same element: one with the same content, or one with the same id. */
function partnerOf(old: Members, elements: unknown[]): number {
  const content = contentOf(old)
  const same = elements.findIndex((one) => contentOf(one) === content)
  return same !== -1 || old.id === undefined
    ? same
    : elements.findIndex((one) => isMembers(one) && one.id === old.id)
}

function isAnother(before: Members, after: Members): boolean {
  return before.id !== after.id
}

/** The content of a value without the added fields. */
function contentOf(value: unknown): string {
  return canonicalJson(
    JSON.parse(JSON.stringify(value, (name, one) => (name === futureField ? undefined : one))),
  )
}
