import type { CollectionWhereOperations } from 'electrodb'
import { type NotFoundCode, required } from '#kernel/failure.ts'
import type { Named, NestedMayLack } from '#kernel/with-unknown-members.ts'
import { getsById, readAll } from './batch.ts'
import { type Db, strongly } from './db.ts'
import { type Nullable, type WithoutNulls, withNulls, withoutNulls } from './nulls.ts'
import { type Known, rewrite } from './rewrite.ts'
import { type Action, change, demand, type Operation, put } from './transact.ts'

/**
 * The condition that a record has not been changed or deleted since it was read.
 *
 * @param fields that some writes change without the version; they are compared too
 * @example drafts.remove(key).where(asRead(draft))
 */
export function asRead<Stored extends { version: number }>(
  before: Stored,
  ...fields: (keyof Stored & string)[]
): Condition {
  return (attributes, { eq, notExists }) => {
    const alike = fields.map((field) => {
      const attribute = Reflect.get(attributes, field)
      return before[field] === null ? notExists(attribute) : eq(attribute, before[field])
    })
    const isThere = 'deleted_at' in attributes ? [notExists(attributes.deleted_at)] : []
    return [eq(attributes.version, before.version), ...isThere, ...alike].join(' AND ')
  }
}

type Condition = (
  attributes: { version: number; deleted_at?: string },
  operations: Pick<CollectionWhereOperations, 'eq' | 'notExists'>,
) => string

type Key = { workspace_id: string; id: string }

type Versioned = Key & { version: number }

type Conditional = Operation & { where(condition: Condition): Operation }

/** The used part of an entity's interface. The entity holds records without nulls. */
type RecordEntity<Item> = Known & {
  get(key: Key): Operation & { go(options: typeof strongly): Promise<{ data: Item | null }> }
  parse(response: { Item: object }): { data: Item | null }
  create(item: Item): Operation
  put(item: Item): Conditional
  remove(key: Key): Conditional
  patch(key: Key): { set(values: { deleted_at: string }): Conditional }
}

type Options<Stored, Held> = {
  /** The error if there is no such record. */
  missing: NotFoundCode
  /** Fields that some writes change without the version. */
  alike?: (keyof Held & string)[]
  /** Whether a record is no longer found, although nobody has deleted it. */
  isOver?: (record: Stored) => boolean
} & ([NestedMayLack<Held>] extends [never]
  ? { mayLack?: never }
  : {
      /** The nested members that are optional (`rewrite.ts`). */
      mayLack: Named<NestedMayLack<Held>>
    }) &
  (Stored extends Held ? { form?: Form<Stored, Held> } : { form: Form<Stored, Held> })

/** How a record is converted to its item and back, if they differ. */
type Form<Stored, Held> = { read: (held: Held) => Stored; held: (record: Stored) => Held }

/**
 * The records of an entity whose keys are the workspace and an id. A record with `deleted_at` stays in the table but is
 * no longer found, unless `deleted_at` is one of its own fields.
 *
 * @example const parties = records<PartyRecord>(db, partyEntity, { missing: 'PARTY_NOT_FOUND' })
 */
export function records<Stored extends Versioned, Held extends Versioned = Stored>(
  db: Db,
  kind: ((db: Db) => RecordEntity<WithoutNulls<Held>>) & {
    nullable: { readonly [Field in Nullable<Held>]: true }
  },
  options: Options<Stored, Held>,
) {
  const { missing, alike = [], mayLack, isOver = () => false } = options
  const { read, held } = (options.form ?? asItIs) as unknown as Form<Stored, Held>
  const items = kind(db)
  const staysReadable = 'deleted_at' in kind.nullable

  const recordOf = (item: WithoutNulls<Held> | null): Stored | undefined => {
    if (item === null || ('deleted_at' in item && !staysReadable)) return undefined
    const record = read(withNulls<object, never>(item, kind.nullable) as Held)
    return isOver(record) ? undefined : record
  }

  /** The condition that a record has not changed since it was read. */
  const isAsRead = (before: Stored): Condition => asRead(held(before), ...alike)

  const find = async (workspace_id: string, id: string): Promise<Stored | undefined> =>
    recordOf((await items.get({ workspace_id, id }).go(strongly)).data)

  const found = async (workspaceId: string, id: string): Promise<Stored> =>
    required(await find(workspaceId, id), missing)

  return {
    find,

    /** The record of an item, with or without nulls. */
    recordOf: (item: Held | WithoutNulls<Held>): Stored =>
      read(withNulls<object, never>(item, kind.nullable) as Held),

    /** The record. @throws Failure with the code `missing` */
    found,

    /** The existing records among these ids, in no particular order. */
    async findAll(workspace_id: string, ids: readonly string[]): Promise<Stored[]> {
      const gets = getsById(ids, (id) => items.get({ workspace_id, id }))
      return (await readAll(db, gets)).flatMap((Item) => recordOf(items.parse({ Item }).data) ?? [])
    },

    /** Adds a record. */
    add: (record: Stored, otherwise?: () => Error): Action =>
      put(items.create(withoutNulls(held(record))), otherwise),

    /** Replaces a record if it has not changed since it was read. */
    replace: (before: Stored, after: Stored, otherwise?: () => Error): Action => {
      const written = items.put(withoutNulls(held(after))).where(isAsRead(before))
      const options: object = { ...(mayLack && { mayLack }), ...(otherwise && { otherwise }) }
      return rewrite<object>(items, written, held(before), options)
    },

    /** Marks a record as deleted if it has not changed since it was read. */
    remove: (before: Stored, deleted_at: string): Action => {
      const { workspace_id, id } = before
      return change(items.patch({ workspace_id, id }).set({ deleted_at }).where(isAsRead(before)))
    },

    /** Requires that a record has not changed since it was read. */
    unchanged: (before: Stored): Action => {
      const { workspace_id, id } = before
      return demand(items.remove({ workspace_id, id }).where(isAsRead(before)))
    },
  }
}

const asItIs = { read: (record: object) => record, held: (record: object) => record }
