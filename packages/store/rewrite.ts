import { type Named, type NestedMayLack, withUnknownAt } from '#kernel/with-unknown-members.ts'
import { type Action, change, type Operation } from './transact.ts'

type Attributes = Record<string, unknown>

/** The used part of an entity: the names of its attributes, and their names in the table. */
export type Known = {
  schema: { attributes: Readonly<Record<string, { readonly type: unknown; readonly field?: string }>> }
}

type Put = {
  TableName: string
  Item: Attributes
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Attributes
}

type Options<Paths extends string> = { otherwise?: Action['otherwise'] } & ([Paths] extends [never]
  ? { mayLack?: never }
  : { mayLack: Named<Paths> })

/**
 * Writes an item that may exist, like `Entity.put` with its condition. Attributes and nested members that this code
 * does not know stay, because newer code may have stored them (U3). Every other attribute is set by the operation or
 * removed. It is one update, which costs as much as a put, without a read.
 *
 * @param before the record as it was read, in its stored form; `{}` for items without nested objects
 * @param options `mayLack` names the optional nested members: they are removed if they are absent
 */
export function rewrite<Before extends object>(
  entity: Known,
  operation: Operation,
  before: Before,
  ...[options]: [NestedMayLack<Before>] extends [never] ? [Options<never>?] : [Options<NestedMayLack<Before>>]
): Action {
  const { otherwise, mayLack = {} }: { otherwise?: Action['otherwise']; mayLack?: object } = options ?? {}
  const { TableName, Item, ...condition } = operation.params() as Put
  const { pk, sk, ...item } = Item
  const names: Record<string, string> = { ...condition.ExpressionAttributeNames }
  const values: Attributes = { ...condition.ExpressionAttributeValues }
  const nameOf = (attribute: string, at: number) => {
    names[`#_${at}`] = attribute
    return `#_${at}`
  }
  const stored = Object.entries(item).filter(([, value]) => value !== undefined)
  const gone = Object.entries(entity.schema.attributes)
    .map(([attribute, { field = attribute }]) => field)
    .filter((field) => item[field] === undefined)
  const sets = stored.map(([attribute, value], at) => {
    const old: unknown = Reflect.get(before, attribute)
    values[`:_${at}`] = withUnknownAt(`${attribute}.`, old, value, mayLack)
    return `${nameOf(attribute, at)} = :_${at}`
  })
  const removes = gone.map((attribute, at) => nameOf(attribute, stored.length + at))
  const update = {
    ...condition,
    TableName,
    Key: { pk, sk },
    UpdateExpression: `SET ${sets.join(', ')}${removes.length === 0 ? '' : ` REMOVE ${removes.join(', ')}`}`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  }
  return change({ params: () => update }, otherwise)
}

/** The attributes of a stored item that its entity does not know. */
export function unknownOf(entity: Known, item: object): Attributes {
  return Object.fromEntries(
    Object.entries(item).filter(
      ([attribute]) => !(attribute in entity.schema.attributes || ownAttributes.has(attribute)),
    ),
  )
}

/** A stored item without its key and without the attributes that its entity does not know. */
export function knownOf<Item extends object>(entity: Known, item: Item): Item {
  const known = Object.entries(item).filter(([attribute]) => attribute in entity.schema.attributes)
  return Object.fromEntries(known) as Item
}

/** The operation with additional attributes, for an item that moves to another key and keeps them. */
export function withUnknown(operation: Operation, unknown: Attributes): Operation {
  const { Item, ...rest } = operation.params() as Put
  return { params: () => ({ ...rest, Item: { ...unknown, ...Item } }) }
}

const ownAttributes = new Set(['pk', 'sk', '__edb_e__', '__edb_v__'])
