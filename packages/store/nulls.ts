type Nullable<Record> = { [Field in keyof Record]: null extends Record[Field] ? Field : never }[keyof Record]

/** A record as the table takes it: it knows no null, what is not set is absent. */
export type WithoutNulls<Record> = { [Field in Exclude<keyof Record, Nullable<Record>>]: Record[Field] } & {
  [Field in Nullable<Record>]?: Exclude<Record[Field], null>
}

/** A record as the table takes it: without the fields that are null. */
export function withoutNulls<Record extends object>(record: Record): WithoutNulls<Record> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null),
  ) as WithoutNulls<Record>
}

/** An item as the domain takes it: absent fields of those named are null. */
export function withNulls<Item extends object, Field extends keyof Item>(
  item: Item,
  fields: readonly Field[],
): Omit<Item, Field> & { [Name in Field]-?: Exclude<Item[Name], undefined> | null } {
  const complete: { [Name in keyof Item]: Item[Name] | null } = { ...item }
  for (const field of fields) complete[field] ??= null
  return complete as Omit<Item, Field> & {
    [Name in Field]-?: Exclude<Item[Name], undefined> | null
  }
}
