/** The names of the fields of a record that may be null. */
export type Nullable<Stored> = {
  [Field in keyof Stored]: null extends Stored[Field] ? Field : never
}[keyof Stored]

/** A record in which null fields are missing: in the table, an absent attribute means null. */
export type WithoutNulls<Stored> = {
  [Field in keyof Stored as Exclude<Field, Nullable<Stored>>]: Stored[Field]
} & {
  [Field in Nullable<Stored>]?: Exclude<Stored[Field], null>
}

/** The item of a record: without the fields that are null. */
export function withoutNulls<Stored extends object>(record: Stored): WithoutNulls<Stored> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null),
  ) as WithoutNulls<Stored>
}

/** The record of an item: these fields are null if they are missing in the item. */
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
