import { once } from 'node:events'
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readId } from '#kernel/id.ts'
import type { StoredItem } from '#store/workspace/firm-items.ts'
import type { admin } from './index.ts'
import { Misuse } from './target.ts'

/** The lines of the command's help that are about everything of one firm. */
export const workspaceDataUsage = `  npm run admin -- workspace export --workspace ID --out FOLDER
  npm run admin -- workspace erase --workspace ID --confirm NAME`

type Options = { workspace?: string | undefined; out?: string | undefined; confirm?: string | undefined }

type Admin = Pick<ReturnType<typeof admin>, 'workspaces' | 'firmItems' | 'firmObjects' | 'files'>

type Work = (admin: Admin) => Promise<unknown>

/**
 * `workspace export` writes everything of a firm into a folder, `workspace erase` removes everything of it (W8). Both may
 * be interrupted and run again. Both print how much it was.
 */
export const workspaceDataCommands = {
  'workspace export': (options: Options): Work => {
    const [workspaceId, folder] = [idOf(options), required(options, 'out')]
    return async (deps) => {
      await requireWorkspace(deps, workspaceId)
      claim(folder, workspaceId)
      const { records, filenames } = await exportRecords(deps, workspaceId, folder)
      const files = await exportFiles(deps, workspaceId, folder, filenames)
      return { workspace: workspaceId, folder, records, ...files }
    }
  },

  'workspace erase': (options: Options): Work => {
    const [workspaceId, name] = [idOf(options), required(options, 'confirm')]
    return async (deps) => {
      const workspace = await requireWorkspace(deps, workspaceId)
      if (workspace.name !== name)
        throw new Misuse(`--confirm must be the name of the workspace ${workspaceId}. Nothing was erased.`)
      let items = 0
      let objects = 0
      const countItems = (count: number) => {
        items += count
      }
      const countObjects = (count: number) => {
        objects += count
      }
      const { firmItems, firmObjects } = deps
      // The record of the workspace goes last, so that what was interrupted can be run again.
      await firmItems.eraseAllButWorkspace(workspaceId, countItems)
      await firmObjects().erase(workspaceId, countObjects)
      // A request that was under way may have written in the meantime.
      await firmItems.eraseAllButWorkspace(workspaceId, countItems)
      await firmObjects().erase(workspaceId, countObjects)
      await firmItems.eraseWorkspace(workspaceId)
      const left = [await firmItems.count(workspaceId), await firmObjects().count(workspaceId)]
      if (left.some((count) => count > 0))
        throw new Error(`${left[0]} items and ${left[1]} objects were written meanwhile. Run it again.`)
      return { workspace: workspaceId, items: items + 1, objects }
    }
  },
}

/** @throws Misuse where there is none; it says how much of it is left */
async function requireWorkspace({ workspaces, firmItems, firmObjects }: Admin, workspaceId: string) {
  const workspace = await workspaces.find(workspaceId)
  if (workspace !== undefined) return workspace
  const [items, objects] = [await firmItems.count(workspaceId), await firmObjects().count(workspaceId)]
  throw new Misuse(
    `There is no workspace ${workspaceId}: ${items} items and ${objects} objects of it are stored.`,
  )
}

/** Credentials and their hashes, and what only speeds up the service: nobody could use these. */
const withheld = new Set([
  ...[
    'apikey',
    'apikeylisting',
    'beakey',
    'bealogin',
    'beasession',
    'exporttoken',
    'exporttokenlisting',
    'icaltoken',
    'icaltokenlisting',
  ],
  ...['sharedlink', 'signinglink', 'receptiontoken', 'partyreservation', 'agenda', 'counter', 'documenttwin'],
])

/** Writes the records as lines of JSON, a file for each kind. @returns how many, and the names of documents by their ids */
async function exportRecords({ firmItems }: Admin, workspaceId: string, folder: string) {
  const records: Record<string, number> = {}
  const filenames = new Map<string, string>()
  const written = new Map<string, ReturnType<typeof createWriteStream>>()
  mkdirSync(join(folder, 'records'), { recursive: true })
  for await (const item of firmItems.all(workspaceId)) {
    const kind = item.__edb_e__
    if (typeof kind !== 'string' || withheld.has(kind)) continue
    if (kind === 'document' && item.deleted_at === undefined)
      filenames.set(String(item.id), String(item.filename))
    let file = written.get(kind)
    if (file === undefined) {
      file = createWriteStream(join(folder, 'records', `${kind}.jsonl.part`))
      written.set(kind, file)
    }
    if (!file.write(`${JSON.stringify(shown(item))}\n`)) await once(file, 'drain')
    records[kind] = (records[kind] ?? 0) + 1
  }
  for (const [kind, file] of written) {
    await new Promise<void>((resolve, reject) =>
      file.end((error?: Error | null) => (error ? reject(error) : resolve())),
    )
    renameSync(join(folder, 'records', `${kind}.jsonl.part`), join(folder, 'records', `${kind}.jsonl`))
  }
  return { records, filenames }
}

/** An item without the attributes of the table and without secrets. */
function shown(item: StoredItem): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).filter(
      ([name]) => !/^(pk|sk|ttl|__edb_[ev]__|sealed.*|secret_hash|webhook_token|token_sha256)$/.test(name),
    ),
  )
}

/** Writes every object that is not there yet in its full length. */
async function exportFiles(
  { firmObjects, files }: Admin,
  workspaceId: string,
  folder: string,
  filenames: Map<string, string>,
) {
  const result = { files: 0, already_there: 0, bytes: 0 }
  for await (const { key, sizeBytes } of firmObjects().all(workspaceId)) {
    const path = join(folder, pathOf(key, filenames))
    result.files += 1
    result.bytes += sizeBytes
    if (existsSync(path) && statSync(path).size === sizeBytes) {
      result.already_there += 1
      continue
    }
    mkdirSync(dirname(path), { recursive: true })
    await pipeline(Readable.from(await files().stream(key)), createWriteStream(`${path}.part`))
    renameSync(`${path}.part`, path)
  }
  return result
}

/** A document lies under its id and its name, everything else under its key. */
function pathOf(key: string, filenames: Map<string, string>): string {
  const [prefix, , id = '', ...rest] = key.split('/')
  const filename = filenames.get(id)
  if (prefix === 'files' && filename !== undefined) return join('documents', id, safeName(filename))
  return join('objects', prefix ?? '', id, ...rest)
}

/** A name that every file system takes. */
function safeName(filename: string): string {
  const name = filename.replace(/[\\/:*?"<>|\p{Cc}]/gu, '_').replace(/[. ]+$/, '')
  const extension = /\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? ''
  let base = name.slice(0, name.length - extension.length) || 'Dokument'
  while (Buffer.byteLength(base + extension) > 200) base = [...base].slice(0, -1).join('')
  return base + extension
}

/** Notes whose export a folder is. @throws Misuse where it is another workspace's */
function claim(folder: string, workspaceId: string): void {
  mkdirSync(folder, { recursive: true })
  const note = join(folder, 'export.json')
  if (existsSync(note) && JSON.parse(readFileSync(note, 'utf8')).workspace !== workspaceId)
    throw new Misuse(`${folder} holds the export of another workspace: name another folder.`)
  writeFileSync(note, `${JSON.stringify({ workspace: workspaceId })}\n`)
}

function idOf(options: Options): string {
  const text = required(options, 'workspace')
  const id = readId('workspace', text)
  if (id === undefined) throw new Misuse(`${text} is no id of a workspace: it looks like ws_<uuid>.`)
  return id
}

function required(options: Options, name: keyof Options): string {
  const value = options[name]
  if (value === undefined || value === '') throw new Misuse(`--${name} is missing.`)
  return value
}
