import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { eraseKeys } from '../batch.ts'
import type { Db } from '../db.ts'
import { pagesOf, projectionOf, type StoredItem } from '../pages-of.ts'
import { scan as scanTable } from '../two-tables.ts'
import { workspaceEntity } from './workspace-entity.ts'

/**
 * Everything of one firm in the table, for the commands of the operator (W8). It scans the whole table, which no request
 * of the service does.
 */
export function firmItems(db: Db) {
  /** The items of the firm, page by page, with all attributes or these. */
  async function* scan(workspaceId: string, attributes?: string[]): AsyncGenerator<StoredItem[]> {
    const projection = projectionOf(attributes)
    const scanned = { TableName: db.table, ConsistentRead: true, ...filterFor(workspaceId), ...projection }
    const pages = pagesOf((start) => db.client.send(new ScanCommand({ ...scanned, ...start })))
    for await (const { Items = [] } of pages)
      yield (Items as StoredItem[]).filter((item) => isOfFirm(workspaceId, item))
  }

  /** Removes items of the firm until a scan finds none that is wanted. @returns how many */
  const erase = async (workspaceId: string, isWanted: (item: StoredItem) => boolean): Promise<number> => {
    for (let removed = 0; ; ) {
      const before = removed
      for await (const items of scan(workspaceId, keyFields)) {
        const wanted = items.filter(isWanted)
        await eraseKeys(db, wanted)
        removed += wanted.length
      }
      if (removed === before) return removed
    }
  }

  return {
    /** The items of the firm, as they are. */
    async *all(workspaceId: string): AsyncGenerator<StoredItem> {
      for await (const items of scan(workspaceId)) yield* items
    },

    /**
     * Removes every item of the firm except the record of its workspace. It removes credentials, links, jobs and other
     * items in shared partitions first, so that nobody changes the firm any more, and then the firm's own partitions.
     *
     * @returns how many items are gone
     */
    async eraseAllButWorkspace(workspaceId: string): Promise<number> {
      const elsewhere = await erase(workspaceId, ({ pk }) => !isOwn(workspaceId, pk))
      return elsewhere + (await erase(workspaceId, ({ pk }) => pk !== `${workspaceId}#workspace`))
    },

    /** Removes the record of the workspace, after everything else. */
    async eraseWorkspace(workspaceId: string): Promise<void> {
      await workspaceEntity(db).delete({ id: workspaceId }).go()
    },
  }
}

/** A firm in `workspace list`. */
type ListedFirm = { id: string; name: string; inbound_address: string; created_at: string }

/** All firms, the oldest first. It scans the whole table, which no request of the service does. */
export async function allFirms(db: Db): Promise<ListedFirm[]> {
  const firms: ListedFirm[] = []
  const fields = ['pk', 'sk', '__edb_e__', 'id', 'name', 'inbound_address', 'created_at']
  for await (const items of scanTable(db, { kinds: ['workspace'] }, fields))
    for (const { id, name, inbound_address, created_at } of items as unknown as ListedFirm[])
      firms.push({ id, name, inbound_address, created_at })
  return firms.toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1))
}

/** The attributes that show the owner of an item. */
const keyFields = ['pk', 'sk', 'workspace_id', 'payload']

/** Makes the table leave most items of other firms out of a scan. */
function filterFor(workspaceId: string) {
  return {
    FilterExpression: 'begins_with(pk, :own) OR workspace_id = :firm OR begins_with(pk, :jobs)',
    ExpressionAttributeValues: { ':own': `${workspaceId}#`, ':firm': workspaceId, ':jobs': jobs },
  }
}

/** The partitions of jobs begin with it. */
const jobs = 'outbox#'

/**
 * Whether an item is the firm's: by its key; in a partition that has no workspace in its key, by its attribute or by
 * the payload of a job. The text in it does not count: anybody may write the id of another firm.
 */
export function isOfFirm(workspaceId: string, { pk, workspace_id, payload }: StoredItem): boolean {
  if (/^ws_[0-9a-f-]{36}#/.test(pk)) return isOwn(workspaceId, pk)
  return workspace_id === workspaceId || (pk.startsWith(jobs) && isNamedBy(workspaceId, payload))
}

function isOwn(workspaceId: string, pk: string): boolean {
  return pk.startsWith(`${workspaceId}#`)
}

/** Whether the payload of a job has this workspace, or keys of its objects. */
function isNamedBy(workspaceId: string, payload: unknown): boolean {
  const { workspace_id, keys } = Object(payload)
  const owns = (key: unknown) => String(key).split('/')[1] === workspaceId
  return workspace_id === workspaceId || (Array.isArray(keys) && keys.some(owns))
}
