import { readAll } from './batch.ts'
import type { Db } from './db.ts'
import { type Known, rewrite } from './rewrite.ts'
import { type Action, erase, type Operation } from './transact.ts'

type PartKey<Name extends string> = { workspace_id: string; part: number } & { [One in Name]: string }

/** The used part of an entity's interface. The entity holds attachments outside of their record. */
type PartEntity<Key> = Known & {
  get(key: Key): Operation
  parse(response: { Item: object }): { data: (Key & { attachments: unknown }) | null }
  put(item: Key & { attachments: unknown[] }): Operation
  delete(key: Key): Operation
}

/**
 * The items with attachments that are stored outside of their records, in parts numbered from 0.
 *
 * @param name of the attribute that holds the id of the record
 * @param partsOf the parts of the attachments of a record
 */
export function attachmentParts<
  Stored extends { workspace_id: string; id: string; attachments: unknown[] },
  const Name extends string,
>(
  db: Db,
  items: PartEntity<PartKey<Name>>,
  name: Name,
  partsOf: (attachments: Stored['attachments']) => Stored['attachments'][],
) {
  const keyOf = (workspace_id: string, id: string, part: number) =>
    ({ workspace_id, part, [name]: id }) as PartKey<Name>

  return {
    /** The attachments of these records, by their ids. */
    async findAll(
      workspaceId: string,
      records: { id: string; attachment_parts: number }[],
    ): Promise<Map<string, Stored['attachments']>> {
      const gets = records.flatMap(({ id, attachment_parts }) =>
        Array.from({ length: attachment_parts }, (_, part) => items.get(keyOf(workspaceId, id, part))),
      )
      const found = (await readAll(db, gets)).flatMap((Item) => items.parse({ Item }).data ?? [])
      const sorted = found.toSorted((one, other) => one.part - other.part)
      const parts = Map.groupBy(sorted, (part): string => part[name])
      return new Map(
        [...parts].map(([id, some]) => [
          id,
          some.flatMap(({ attachments }) => attachments as Stored['attachments']),
        ]),
      )
    },

    /** The actions that replace the parts of a record; unchanged parts need no action. */
    changes(before: Stored | undefined, after: Stored): Action[] {
      const [old, now] = [partsOf(before?.attachments ?? []), partsOf(after.attachments)]
      const keyAt = (part: number) => keyOf(after.workspace_id, after.id, part)
      return [
        ...now.flatMap((attachments, at) =>
          JSON.stringify(attachments) === JSON.stringify(old[at])
            ? []
            : [rewrite(items, items.put({ ...keyAt(at), attachments }), {})],
        ),
        ...old.slice(now.length).map((_, at) => erase(items.delete(keyAt(now.length + at)))),
      ]
    },
  }
}

/** The most bytes of JSON in an item with attachments. DynamoDB allows 400 KB per item. */
const maxPartBytes = 300_000

/** Attachments in groups, each of which fits into an item. */
export function groupsOf<Attachment>(attachments: Attachment[]): Attachment[][] {
  const groups: Attachment[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const attachment of attachments) {
    const size = Buffer.byteLength(JSON.stringify(attachment))
    if (bytes + size > maxPartBytes) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(attachment)
    bytes += size
  }
  return groups
}
