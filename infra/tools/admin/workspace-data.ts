import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimMilliseconds } from '#webhooks/deliveries/claiming.ts'
import type { admin } from './index.ts'
import { type Options, required, requiredWorkspace } from './options.ts'
import { Misuse } from './target.ts'
import { exportWorkspace } from './workspace-export.ts'

/** The help text for the firms, and for all data of one of them. */
export const workspaceDataUsage = `  npm run admin -- workspace list [--units-per-second N]
  npm run admin -- workspace export --workspace ID --out FOLDER [--units-per-second N]
  npm run admin -- workspace erase --workspace ID --confirm NAME [--table EARLIER-TABLE] [--units-per-second N]`

/** How long a worker may take to record the outcome of a request, after its claim of the endpoint has ended. */
const recordingMilliseconds = 5_000

type Admin = Pick<
  ReturnType<typeof admin>,
  | 'allFirms'
  | 'workspaces'
  | 'audit'
  | 'firmItems'
  | 'firmObjects'
  | 'endpoints'
  | 'files'
  | 'signedRegisters'
  | 'table'
  | 'otherTable'
>

type Work = (admin: Admin) => Promise<unknown>

/**
 * `workspace list` shows the firms. `workspace export` writes all data of a firm into a folder, `workspace erase` removes
 * all of it (W8). With `--table` it removes the firm from a table that the stage does not use any more, and no objects.
 * Exports and erasures may be interrupted and run again. They print the amount of data.
 */
export const workspaceDataCommands = {
  'workspace list': (): Work => async (deps) => ({ data: await deps.allFirms() }),

  'workspace export': (options: Options): Work => {
    const [workspaceId, folder] = [
      requiredWorkspace(options, workspaceDataUsage),
      required(options, 'out', workspaceDataUsage),
    ]
    return async (deps) => {
      if ((await deps.workspaces.find(workspaceId)) === undefined)
        throw new Misuse(`There is no workspace ${workspaceId}.`)
      return exportWorkspace(deps, workspaceId, folder)
    }
  },

  'workspace erase': (options: Options): Work => {
    const [workspaceId, name] = [
      requiredWorkspace(options, workspaceDataUsage),
      required(options, 'confirm', workspaceDataUsage),
    ]
    if (options.table !== undefined)
      return eraseFrom(required(options, 'table', workspaceDataUsage), workspaceId, name)
    return async ({ workspaces, firmItems, firmObjects, endpoints }) => {
      const workspace = await confirmed(workspaces, workspaceId, name)
      // The workspace's record is removed last, so that an interrupted run can be repeated. Its webhook is closed
      // first.
      if (workspace !== undefined)
        await workspaces.change(workspaceId, (current) => ({
          record: {
            ...current,
            webhook_token: randomBytes(32).toString('base64url'),
            version: current.version + 1,
          },
          answer: undefined,
        }))
      let [items, objects] = [0, 0]
      // Requests and jobs that are still running may write more items, so it repeats until nothing is found.
      const eraseAll = async () => {
        for (let found = 1; found > 0; ) {
          const erasedItems = await firmItems.eraseAllButWorkspace(workspaceId)
          const erasedObjects = await firmObjects().erase(workspaceId)
          items += erasedItems
          objects += erasedObjects
          found = erasedItems + erasedObjects
        }
      }
      const { length: hooks } = await endpoints.list(workspaceId)
      await eraseAll()
      if (hooks > 0) {
        // A worker that sends to an endpoint still records the outcome of its last requests.
        await sleep(claimMilliseconds + recordingMilliseconds)
        await eraseAll()
      }
      if (workspace !== undefined) {
        await firmItems.eraseWorkspace(workspaceId)
        items += 1
      }
      if (items + objects === 0) throw nothingStored(workspaceId)
      return { workspace: workspaceId, items, objects }
    }
  },
}

/** Removes a firm from a table that nobody writes any more. The bucket belongs to the table in use. */
function eraseFrom(table: string, workspaceId: string, name: string): Work {
  return async (admin) => {
    if (table === admin.table)
      throw new Misuse(`--table names an earlier table, and ${table} is in use. Nothing was erased.`)
    const { workspaces, firmItems } = admin.otherTable(table)
    const workspace = await confirmed(workspaces, workspaceId, name)
    let items = await firmItems.eraseAllButWorkspace(workspaceId)
    if (workspace !== undefined) {
      await firmItems.eraseWorkspace(workspaceId)
      items += 1
    }
    if (items === 0) throw nothingStored(workspaceId)
    return { workspace: workspaceId, table, items }
  }
}

/** The workspace; undefined if it does not exist. @throws Misuse if it has another name */
async function confirmed(workspaces: Pick<Admin['workspaces'], 'find'>, workspaceId: string, name: string) {
  const workspace = await workspaces.find(workspaceId)
  if (workspace !== undefined && workspace.name !== name)
    throw new Misuse(`--confirm must be the name of the workspace ${workspaceId}. Nothing was erased.`)
  return workspace
}

function nothingStored(workspaceId: string): Misuse {
  return new Misuse(`There is no workspace ${workspaceId}, and no data of it is stored.`)
}
