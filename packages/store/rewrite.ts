import { carriedAt, type Named, type NestedMayLack } from '#kernel/carried.ts'
import { type Action, change, type Operation } from './transact.ts'

type Attributes = Record<string, unknown>

/** An entity, of which the names of the attributes are used, and those under which the table holds them. */
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
 * Writes an item that may exist anew: what `Entity.put` gives, on its condition. Attributes and nested members that this code
 * does not know stay, since newer code beside it has stored them (U3). Every other attribute is as the operation says, or
 * removed. It is one update, which costs as much as a put, and no read.
 *
 * @param before the record as it was read, in the form in which it is written; `{}` for items without nested objects
 * @param options `mayLack` names the nested members that are optional: if they are absent they are removed
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
    values[`:_${at}`] = carriedAt(`${attribute}.`, old, value, mayLack)
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

/** The attributes of an item, as the table holds it, that its entity does not know. */
export function unknownOf(entity: Known, item: object): Attributes {
  return Object.fromEntries(
    Object.entries(item).filter(
      ([attribute]) => !(attribute in entity.schema.attributes || ownAttributes.has(attribute)),
    ),
  )
}

/** An item, as the table holds it, without what its entity does not know, and without its key. */
export function knownOf<Item extends object>(entity: Known, item: Item): Item {
  const known = Object.entries(item).filter(([attribute]) => attribute in entity.schema.attributes)
  return Object.fromEntries(known) as Item
}

/** The operation that writes an item with these attributes besides: an item that leaves one key for another keeps them. */
export function withUnknown(operation: Operation, unknown: Attributes): Operation {
  const { Item, ...rest } = operation.params() as Put
  return { params: () => ({ ...rest, Item: { ...unknown, ...Item } }) }
}

const ownAttributes = new Set(['pk', 'sk', '__edb_e__', '__edb_v__'])
