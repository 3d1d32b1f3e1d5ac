import { type Attribute, CustomAttributeType, Entity } from 'electrodb'
import { oncePerTable } from './db.ts'

type Index = Record<string, { pk: { composite: readonly string[] }; sk: { composite: readonly string[] } }>

/** The attributes of an item. An attribute in its key is a text, unless it is declared otherwise. */
type WithKey<Key extends Index, Attributes> = {
  [Named in Exclude<Key[keyof Key]['pk' | 'sk']['composite'][number], keyof Attributes>]: typeof text
} & Attributes

/**
 * A kind of items: its name, its key and its attributes. It is a function that returns the ElectroDB `Entity` of a
 * table, which is created once, at its first use. `nullable` names the attributes that are missing in the item if they
 * are null in the record.
 *
 * @param others the attributes that are not in the key or are not texts
 */
export function entity<
  const Name extends string,
  const Key extends Index,
  const Others extends Record<string, Attribute>,
>(name: Name, indexes: Key, others: Others) {
  type Attributes = WithKey<Key, Others>
  const named = Object.values(indexes).flatMap(({ pk, sk }) => [...pk.composite, ...sk.composite])
  const attributes = { ...Object.fromEntries(named.map((one) => [one, text])), ...others } as Attributes
  const schema = { model: { service: 'akte', entity: name, version: '1' }, attributes, indexes } as const
  const nullable = Object.entries(others).filter(([, { required }]) => required === false)
  const ofTable = oncePerTable((db) =>
    lazily(() => new Entity<keyof Attributes & string, string, string, typeof schema>(schema, db)),
  )
  return Object.assign(ofTable, {
    entityName: name,
    nullable: Object.fromEntries(nullable.map(([field]) => [field, true])) as NullableOf<Attributes>,
  })
}

type NullableOf<Attributes> = {
  readonly [Field in keyof Attributes as Attributes[Field] extends { required: false } ? Field : never]: true
}

/**
 * An object that is created at the first use of a property. So a Lambda that has just started creates only the entities
 * that its first request needs. Creating all of them takes 5 to 21 % more CPU time of a cold start (cases: 21 % and 14 MB).
 */
function lazily<Made extends object>(make: () => Made): Made {
  let made: Made | undefined
  return new Proxy({} as Made, {
    get: (_, name) => {
      made ??= make()
      const value: unknown = Reflect.get(made, name)
      return typeof value === 'function' ? value.bind(made) : value
    },
  })
}

/** The key of a record that is alone in its partition. @param partition a template with names of attributes */
export function recordKey<const Partition extends string>(partition: Partition) {
  return {
    record: {
      pk: { field: 'pk', composite: namesIn(partition), template: partition, casing: 'none' },
      sk: { field: 'sk', composite: [], casing: 'none' },
    },
  } as const
}

/**
 * The key of one of several items of a partition, such as `listKey('newest', '${workspace_id}#links#${case_id}', '${id}')`.
 *
 * @param name of the query that reads the partition
 * @param place the template of the sort key
 */
export function listKey<
  const Name extends string,
  const Partition extends string,
  const Place extends string,
>(name: Name, partition: Partition, place: Place) {
  const index = {
    pk: { field: 'pk', composite: namesIn(partition), template: partition, casing: 'none' },
    sk: { field: 'sk', composite: namesIn(place), template: place, casing: 'none' },
  } as const
  return { [name]: index } as { [One in Name]: typeof index }
}

type NamesIn<Template extends string> = Template extends `${string}\${${infer Name}}${infer Rest}`
  ? [Name, ...NamesIn<Rest>]
  : []

function namesIn<Template extends string>(template: Template): NamesIn<Template> {
  return [...template.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name) as NamesIn<Template>
}

/** Attributes that every item of an entity has. */
export const text = { type: 'string', required: true } as const
export const number = { type: 'number', required: true } as const
export const boolean = { type: 'boolean', required: true } as const
/** An object or a list. ElectroDB does not parse it, so it keeps everything that newer code has stored. */
export const json = { type: 'any', required: true } as const

/** An attribute that is missing in an item if it is null in the record (`nulls.ts`). */
export function nullable<const One extends Attribute>(attribute: One): Without<One> & { required: false } {
  return { ...attribute, required: false }
}

/** Another attribute that may be missing in an item. */
export function optional<const One extends Attribute>({ required: _, ...attribute }: One): Without<One> {
  return attribute
}

type Without<One> = Omit<One, 'required'>

/** JSON with its type. */
export function jsonOf<Value extends object>() {
  // ElectroDB derives the name `any` from the type, which is not known here.
  return { type: CustomAttributeType<Value>('any' as never), required: true } as const
}

/** One of these texts. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return { type: values, required: true } as const
}
