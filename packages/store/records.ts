import type { CollectionWhereOperations } from 'electrodb'
import type { Named, NestedMayLack } from '#kernel/carried.ts'
import { type NotFoundCode, required } from '#kernel/failure.ts'
import { getsById, readAll } from './batch.ts'
import { type Db, strongly } from './db.ts'
import { type Nullable, type WithoutNulls, withNulls, withoutNulls } from './nulls.ts'
import { type Known, rewrite } from './rewrite.ts'
import { type Action, change, demand, type Operation, put, retryStale } from './transact.ts'

/**
 * The condition that a record is as it was read: nobody has changed or deleted it.
 *
 * @param fields that some writes change without the version: these are compared too
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

/** The part of an entity's interface that is used; the entity holds records without their nulls. */
type RecordEntity<Item> = Known & {
  get(key: Key): Operation & { go(options: typeof strongly): Promise<{ data: Item | null }> }
  parse(response: { Item: object }): { data: Item | null }
  create(item: Item): Operation
  put(item: Item): Conditional
  remove(key: Key): Conditional
  patch(key: Key): { set(values: { deleted_at: string }): Conditional }
}

type Options<Stored> = {
  /** The error if there is no such record. */
  missing: NotFoundCode
  /** Fields that some writes change without the version. */
  alike?: (keyof Stored & string)[]
} & ([NestedMayLack<Stored>] extends [never]
  ? { mayLack?: never }
  : {
      /** The nested members that are optional (`rewrite.ts`). */
      mayLack: Named<NestedMayLack<Stored>>
    })

/**
 * The records of an entity whose keys are the workspace and an id. A record with `deleted_at` stays in the table, and is not
 * found any more, unless `deleted_at` is one of its own fields.
 *
 * @example const parties = records<PartyRecord>(db, partyEntity, { missing: 'PARTY_NOT_FOUND' })
 */
export function records<Stored extends Versioned>(
  db: Db,
  kind: ((db: Db) => RecordEntity<WithoutNulls<Stored>>) & {
    nullable: { readonly [Field in Nullable<Stored>]: true }
  },
  { missing, alike = [], mayLack }: Options<Stored>,
) {
  const items = kind(db)
  const staysReadable = 'deleted_at' in kind.nullable

  const recordOf = (item: WithoutNulls<Stored> | null): Stored | undefined => {
    const isGone = item === null || ('deleted_at' in item && !staysReadable)
    return isGone ? undefined : (withNulls<object, never>(item, kind.nullable) as Stored)
  }

  const find = async (workspace_id: string, id: string): Promise<Stored | undefined> =>
    recordOf((await items.get({ workspace_id, id }).go(strongly)).data)

  const found = async (workspaceId: string, id: string): Promise<Stored> =>
    required(await find(workspaceId, id), missing)

  return {
    find,

    /** The record. @throws Failure with the code `missing` */
    found,

    /** The records of these ids that exist, in no particular order. */
    async findAll(workspace_id: string, ids: readonly string[]): Promise<Stored[]> {
      const gets = getsById(ids, (id) => items.get({ workspace_id, id }))
      return (await readAll(db, gets)).flatMap((Item) => recordOf(items.parse({ Item }).data) ?? [])
    },

    /** Adds a record. */
    add: (record: Stored, otherwise?: () => Error): Action =>
      put(items.create(withoutNulls(record)), otherwise),

    /** Replaces a record on the condition that it is as it was read. */
    replace: (before: Stored, after: Stored, otherwise?: () => Error): Action => {
      const written = items.put(withoutNulls(after)).where(asRead(before, ...alike))
      const options: object = { ...(mayLack && { mayLack }), ...(otherwise && { otherwise }) }
      return rewrite<object>(items, written, before, options)
    },

    /** Marks a record as deleted on the condition that it is as it was read. */
    remove: (before: Stored, deleted_at: string): Action => {
      const { workspace_id, id } = before
      return change(
        items
          .patch({ workspace_id, id })
          .set({ deleted_at })
          .where(asRead(before, ...alike)),
      )
    },

    /** Requires that a record is as it was read. */
    unchanged: (before: Stored): Action => {
      const { workspace_id, id } = before
      return demand(items.remove({ workspace_id, id }).where(asRead(before, ...alike)))
    },

    /**
     * Changes a record: `write` writes what `decide` says of it. Where somebody else changed it meanwhile, it begins
     * again.
     *
     * @param decide may run several times; undefined: nothing changes
     * @returns what `write` returns, or the record as it is
     */
    change: <Decided>(
      workspaceId: string,
      id: string,
      decide: (before: Stored) => Decided | undefined | Promise<Decided | undefined>,
      write: (before: Stored, decided: Decided) => Promise<Stored>,
    ): Promise<Stored> =>
      retryStale(async () => {
        const before = await found(workspaceId, id)
        const decided = await decide(before)
        return decided === undefined ? before : write(before, decided)
      }),
  }
}
