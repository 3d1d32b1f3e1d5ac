import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { chunks, writeAll } from '../batch.ts'
import type { Db } from '../db.ts'
import { workspaceEntity } from './workspace-entity.ts'

/** An item as it lies in the table. */
export type StoredItem = Record<string, unknown> & { pk: string; sk: string }

/**
 * Everything of one firm in the table, for the commands of the operator (W8). It scans the whole table, which no request
 * of the service does.
 */
export function firmItems({ client, table }: Db) {
  async function* scan(projection: object = {}): AsyncGenerator<StoredItem[]> {
    for (let start: object = {}; ; ) {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({ TableName: table, ConsistentRead: true, ...projection, ...start }),
      )
      yield Items as StoredItem[]
      if (LastEvaluatedKey === undefined) return
      start = { ExclusiveStartKey: LastEvaluatedKey }
    }
  }

  const remove = async (items: StoredItem[]): Promise<number> => {
    for (const some of chunks(items, 100))
      await writeAll(
        { client, table },
        [],
        some.map(({ pk, sk }) => ({ params: () => ({ Key: { pk, sk } }) })),
      )
    return items.length
  }

  return {
    /** The items of the firm, as they are. */
    async *all(workspaceId: string): AsyncGenerator<StoredItem> {
      const foreign = new Foreign(workspaceId)
      for await (const items of scan()) for (const item of items) if (foreign.isOurs(item)) yield item
      for await (const items of scan(keyFields))
        for (const item of items) if (foreign.isReferred(item)) yield item
    },

    /**
     * Removes every item of the firm but the record of its workspace: first credentials, links and whatever else other
     * partitions hold of it, so that nobody changes it any more; then its own partitions, until a scan finds nothing.
     *
     * @param removed is told how many items are gone, again and again
     */
    async eraseAllButWorkspace(workspaceId: string, removed: (count: number) => void): Promise<void> {
      const foreign = new Foreign(workspaceId)
      const open: StoredItem[] = []
      for await (const items of scan(keyFields))
        open.push(...items.filter((item) => foreign.isElsewhere(item)))
      for await (const items of scan(keyFields))
        open.push(...items.filter((item) => foreign.isReferred(item)))
      removed(await remove(open))
      for (let found = 1; found > 0; ) {
        found = 0
        for await (const items of scan(keyFields)) {
          const ours = items.filter((item) => foreign.isOurs(item) && item.pk !== recordKey(workspaceId))
          found += await remove(ours)
          removed(ours.length)
        }
      }
    },

    /** Removes the record of the workspace, after everything else. */
    async eraseWorkspace(workspaceId: string): Promise<void> {
      await workspaceEntity({ client, table }).delete({ id: workspaceId }).go()
    },

    /** How many items of the firm there are. */
    async count(workspaceId: string): Promise<number> {
      const foreign = new Foreign(workspaceId)
      let count = 0
      for await (const items of scan(keyFields)) count += items.filter((item) => foreign.isOurs(item)).length
      return count
    },
  }
}

function recordKey(workspaceId: string): string {
  return `${workspaceId}#workspace`
}

/** What tells whose an item is. */
const keyFields = {
  ProjectionExpression: 'pk, sk, workspace_id, #payload, #source, sha256, correspondence_id',
  ExpressionAttributeNames: { '#payload': 'payload', '#source': 'source' },
}

/** Knows whose an item is. What text an item holds does not count: anybody may write the id of another firm. */
class Foreign {
  readonly #workspaceId: string
  readonly #sealed = new Set<string>()
  readonly #mails = new Set<string>()

  constructor(workspaceId: string) {
    this.#workspaceId = workspaceId
  }

  /** Whether the item is the firm's, by its key, its workspace, or the payload of a job. */
  isOurs(item: StoredItem): boolean {
    const own = item.pk.startsWith(`${this.#workspaceId}#`)
    if (own) this.#note(item)
    return own || this.#isInSharedPartition(item)
  }

  /** Whether the item is the firm's and lies in a partition without a workspace in its key. Notes what its own ones refer to. */
  isElsewhere(item: StoredItem): boolean {
    return this.isOurs(item) && !item.pk.startsWith(`${this.#workspaceId}#`)
  }

  /**
   * Whether the item is one that names no workspace, but that an item seen before refers to: what is public of a sealed
   * file, or the token of a call that brought a mail.
   */
  isReferred({ pk, correspondence_id }: StoredItem): boolean {
    if (pk.startsWith('sealed_file#')) return this.#sealed.has(pk)
    return pk.startsWith('reception_token#') && this.#mails.has(String(correspondence_id))
  }

  #isInSharedPartition({ pk, workspace_id, payload }: StoredItem): boolean {
    if (/^ws_[0-9a-f-]{36}#/.test(pk)) return false
    return workspace_id === this.#workspaceId || (pk.startsWith('outbox#') && this.#isNamedBy(payload))
  }

  /** Whether a payload has this workspace, or keys of its objects. */
  #isNamedBy(payload: unknown): boolean {
    if (typeof payload !== 'object' || payload === null) return false
    return Object.entries(payload).some(([name, value]) => {
      if (name === 'workspace_id') return value === this.#workspaceId
      if (name === 'keys' && Array.isArray(value))
        return value.some((key) => typeof key === 'string' && key.split('/')[1] === this.#workspaceId)
      return this.#isNamedBy(value)
    })
  }

  #note({ pk, source, sha256 }: StoredItem): void {
    const [, kind = '', id = ''] = pk.split('#')
    if (kind === 'document' && source === 'signing') this.#sealed.add(`sealed_file#${sha256}`)
    if (kind === 'correspondence') this.#mails.add(id)
  }
}
