import {
  accessSync,
  closeSync,
  constants,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { auditEvent } from '#audit/schema.ts'
import { messageKey } from '#correspondence/keys.ts'
import { documentFilename } from '#exports/filename.ts'
import type { FirmObject } from '#files/firm-objects.ts'
import { lockFile } from '#infra/file-lock.ts'
import { writeWhole } from '#infra/write-whole.ts'
import { isObject } from '#kernel/is-object.ts'
import { withoutLinkTokens } from '#mail/link-tokens.ts'
import type { StoredItem } from '#store/pages-of.ts'
import { eventIn } from '#store/webhooks/event-log.ts'
import type { admin } from './index.ts'
import { Misuse } from './target.ts'

type Admin = Pick<
  ReturnType<typeof admin>,
  'audit' | 'firmItems' | 'firmObjects' | 'files' | 'signedRegisters'
>

/**
 * Writes all data of a firm into a folder: its records, its signed registers and its files. Files that are complete
 * are not written again. Files of an earlier export that the firm has deleted or renamed since are removed. The audit of
 * the firm records the export (R7).
 *
 * @returns the amount of data
 * @throws Misuse if the folder holds something else, cannot be written, or gets another export at the same time
 */
export async function exportWorkspace(deps: Admin, workspaceId: string, folder: string) {
  claim(folder, workspaceId)
  const lockPath = join(folder, lockName)
  const lock = lockFile(lockPath)
  if (lock === undefined)
    throw new Misuse(`Another export writes into ${folder}. Wait until it has ended, or name another folder.`)
  try {
    return await writeAll(deps, workspaceId, folder)
  } finally {
    rmSync(lockPath, { force: true })
    lock.close()
  }
}

async function writeAll(deps: Admin, workspaceId: string, folder: string) {
  await deps.audit.record(
    auditEvent({ workspace_id: workspaceId }, 'export.fetched', 'workspace', workspaceId),
  )
  const { records, registers, ...names } = await exportRecords(deps, workspaceId, folder)
  await exportRegisters(deps, workspaceId, folder, registers)
  const files = await exportFiles(deps, workspaceId, folder, names)
  return { workspace: workspaceId, folder, records, registers: registers.length, ...files }
}

const noteName = 'export.json'
/** The lock against a second export at the same time: each would replace the files of the other. */
const lockName = 'lock.sqlite'

/** Records in the folder which firm's export it holds. */
function claim(folder: string, workspaceId: string): void {
  const names = namesIn(folder)
  const note = join(folder, noteName)
  if (names.includes(noteName) && JSON.parse(readFileSync(note, 'utf8')).workspace !== workspaceId)
    throw new Misuse(`${folder} holds the export of another workspace: name another folder.`)
  // A repeated export replaces what is in the folder.
  if (!names.includes(noteName) && names.some((name) => name !== partOf(noteName)))
    throw new Misuse(`${folder} holds other files: name a new folder, or an empty one.`)
  writeWhole(note, `${JSON.stringify({ workspace: workspaceId })}\n`)
}

/** Creates the folder if it is missing, readable only for its owner. @throws Misuse if it cannot be written */
function namesIn(folder: string): string[] {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK | constants.X_OK)
    return readdirSync(folder)
  } catch (error) {
    throw new Misuse(`${folder} is not a writable folder: name another one.`, { cause: error })
  }
}

/** Credentials and their hashes, and items that only speed up the service or have no use outside of it. */
const withheld = new Set([
  ...['apikey', 'apikeylisting', 'beakey', 'bealogin', 'beasession', 'icaltoken', 'icaltokenlisting'],
  ...['exporttoken', 'exporttokenlisting', 'sharedlink', 'signinglink', 'receptiontoken', 'partyreservation'],
  'webhooktoken',
  ...['agenda', 'counter', 'documenttwin', 'signed_register_piece'],
  ...['searchindex', 'searchlease', 'searchwork'],
  ...['webhookcount', 'webhookdispatch', 'webhooklogend', 'webhookreplay'],
])

/** The names of documents by id and digest of the bytes, as in their keys: `doc_…/<sha256>`. */
type Filenames = Map<string, string>

type Register = { day: string; position: string; parts: number }

/**
 * Writes the records as lines of JSON, a file per kind. @returns their number, and data for file names and
 * authors
 */
async function exportRecords({ firmItems }: Admin, workspaceId: string, folder: string) {
  const records: Record<string, number> = {}
  const filenames: Filenames = new Map()
  const receivedMessages = new Set<string>()
  const registers: Register[] = []
  const open = new Map<string, number>()
  const unfinished = join(folder, 'records.part')
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished)
  for await (const item of firmItems.all(workspaceId)) {
    const event = eventIn(item)
    const kind = event === undefined ? item.__edb_e__ : 'webhookevent'
    if (typeof kind !== 'string' || withheld.has(kind)) continue
    if (kind === 'document' && item.deleted_at === undefined)
      filenames.set(`${item.id}/${item.sha256}`, String(item.filename))
    if (kind === 'correspondence' && item.direction === 'inbound')
      receivedMessages.add(messageKey({ workspace_id: workspaceId, id: String(item.id) }))
    if (kind === 'signed_register') registers.push(item as unknown as Register)
    const file = open.get(kind) ?? openSync(join(unfinished, `${kind}.jsonl`), 'w')
    open.set(kind, file)
    writeFileSync(file, `${JSON.stringify(event ?? shown(item))}\n`)
    records[kind] = (records[kind] ?? 0) + 1
  }
  for (const file of open.values()) closeSync(file)
  // An earlier export may contain kinds that no longer exist.
  rmSync(join(folder, 'records'), { recursive: true, force: true })
  renameSync(unfinished, join(folder, 'records'))
  return { records, filenames, receivedMessages, registers }
}

const ofTheTable = /^(pk|sk|ttl|__edb_[ev]__)$/

const secret =
  /^(sealed|sealed_credentials|sealed_secret|sealed_old_secret|secret_hash|access_code_hash|webhook_token|token_sha256|link_sha256)$/

/** An item without the attributes of the table and without secrets. The record of an event is stored as JSON. */
function shown({ record, ...item }: StoredItem): unknown {
  const fields = Object.entries(item).filter(([name]) => !ofTheTable.test(name))
  return withoutSecrets({
    ...Object.fromEntries(fields),
    ...(typeof record === 'string' && { record: JSON.parse(record) }),
  })
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      secret.test(name) ? [] : [[name, withoutSecrets(inner)]],
    ),
  )
}

/** Writes the signed registers as they were signed (F20). In the table they are compressed and split. */
async function exportRegisters(
  { signedRegisters }: Admin,
  workspaceId: string,
  folder: string,
  registers: Register[],
): Promise<void> {
  for (const { day, position, parts } of registers) {
    const contents: unknown[] = []
    for (let part = 1; part <= parts; part += 1)
      contents.push(await signedRegisters.part(workspaceId, day, Number(position), part))
    mkdirSync(join(folder, 'registers'), { recursive: true })
    writeWhole(join(folder, 'registers', `${day}-${position}.json`), `${JSON.stringify(contents)}\n`)
  }
}

/**
 * Writes every object whose file is missing or incomplete, and removes all other files. Messages that the firm has sent
 * are written without the tokens of magic links and shared documents, which are credentials. This keeps their size.
 */
async function exportFiles(
  { firmObjects, files }: Admin,
  workspaceId: string,
  folder: string,
  { filenames, receivedMessages }: { filenames: Filenames; receivedMessages: ReadonlySet<string> },
) {
  const result = { files: 0, already_there: 0, bytes: 0 }
  const paths = new Set<string>()
  for await (const { key, sizeBytes, modifiedAt } of firmObjects().all(workspaceId)) {
    // The search index, which can be rebuilt.
    if (key.startsWith('search/')) continue
    const path = join(folder, pathOf(key, filenames))
    const isSent = key.endsWith('/message.eml') && !receivedMessages.has(key)
    const isThere = isCopy(path, { sizeBytes, modifiedAt }) && !(isSent && hasLinkTokens(path))
    if (!isThere) {
      const bytes = await files().stream(key).catch(unlessGone)
      if (bytes === undefined) continue
      mkdirSync(dirname(path), { recursive: true })
      const content = isSent ? [withoutLinkTokens(await buffer(bytes))] : bytes
      await pipeline(Readable.from(content), createWriteStream(partOf(path)))
      utimesSync(partOf(path), modifiedAt, modifiedAt)
      renameSync(partOf(path), path)
    }
    paths.add(path)
    result.files += 1
    result.bytes += sizeBytes
    result.already_there += isThere ? 1 : 0
  }
  for (const part of ['documents', 'objects']) removeOthers(join(folder, part), paths)
  return result
}

/**
 * Whether a file is a copy of the current object. The size alone does not show it, since an erasure may have replaced a
 * name by a text of the same length. A copy also has the time of its object.
 */
function isCopy(
  path: string,
  { sizeBytes, modifiedAt }: Pick<FirmObject, 'sizeBytes' | 'modifiedAt'>,
): boolean {
  const file = statSync(path, { throwIfNoEntry: false })
  return file?.size === sizeBytes && file.mtime.getTime() === modifiedAt.getTime()
}

/** Whether a sent message was written by an earlier release, which left the tokens of links in it. */
function hasLinkTokens(path: string): boolean {
  const message = readFileSync(path)
  return !withoutLinkTokens(message).equals(message)
}

/** Undefined for an object that was removed since it was listed: users still save drafts and delete documents. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof Error && error.name === 'NoSuchKey')) throw error
}

/** Removes the files in a folder that are not among these, and the folders that are empty then. */
function removeOthers(folder: string, paths: ReadonlySet<string>): void {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) removeOthers(path, paths)
    else if (!paths.has(path)) rmSync(path)
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

/**
 * The path of a document has its id and its name. The path of every other object is its key, also of bytes that an
 * interrupted upload left beside a document.
 */
function pathOf(key: string, filenames: Filenames): string {
  const [prefix, , id = '', ...rest] = key.split('/')
  const filename = filenames.get([id, ...rest].join('/'))
  if (prefix === 'files' && filename !== undefined) return join('documents', id, documentFilename(filename))
  return join('objects', prefix ?? '', id, ...rest)
}

/** The name of a file that is not finished. */
function partOf(path: string): string {
  return `${path}.part`
}
