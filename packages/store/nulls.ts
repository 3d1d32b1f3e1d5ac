/** The names of the fields of a record that may be null. */
export type Nullable<Record> = {
  [Field in keyof Record]: null extends Record[Field] ? Field : never
}[keyof Record]

/** A record without its nullable fields being null: in the table, an absent attribute means null. */
export type WithoutNulls<Record> = { [Field in Exclude<keyof Record, Nullable<Record>>]: Record[Field] } & {
  [Field in Nullable<Record>]?: Exclude<Record[Field], null>
}

/** The item of a record: without the fields that are null. */
export function withoutNulls<Record extends object>(record: Record): WithoutNulls<Record> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null),
  ) as WithoutNulls<Record>
}

/** The record of an item: these fields are null where the item does not have them. */
export function withNulls<Item extends object, Field extends keyof Item>(
  item: Item,
  fields: { readonly [Name in Field]: true },
): Omit<Item, Field> & { [Name in Field]-?: Exclude<Item[Name], undefined> | null } {
  const complete: { [Name in keyof Item]: Item[Name] | null } = { ...item }
  for (const field of Object.keys(fields) as Field[]) complete[field] ??= null
  return complete as Omit<Item, Field> & {
    [Name in Field]-?: Exclude<Item[Name], undefined> | null
  }
}
