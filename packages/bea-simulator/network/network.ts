import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Attachment, AttachmentType, Message } from '../messages/postbox-message.ts'

export const baseFolders = [
  ['INBOX', 'Posteingang'],
  ['DRAFT', 'Entwürfe'],
  ['OUTBOX', 'Postausgang'],
  ['SENT', 'Gesendet'],
  ['TRASH', 'Papierkorb'],
] as const

export type BaseFolder = (typeof baseFolders)[number][0]

/** A folder of a postbox. `type` is CUSTOM if it is not a base folder. */
export type Folder = {
  id: string
  safeId: string
  type: BaseFolder | 'CUSTOM'
  name: string
  parentId: string | null
}

export type StoredMessage = Message & { id: string; folderId: string; attachments: AttachmentInfo[] }

export type AttachmentInfo = { name: string; type: AttachmentType; sizeBytes: number; sha256: string }

/**
 * The postboxes of the network with their folders and messages. A gateway must not lose this data: with a folder on
 * disk, everything is written before a call returns, and survives a kill of the process.
 */
export type Network = {
  /** True if there is nothing yet. */
  isEmpty: () => boolean
  addPostbox: (safeId: string) => void
  folders: (safeId: string) => Folder[]
  folder: (folderId: string) => Folder | undefined
  baseFolder: (safeId: string, type: BaseFolder) => Folder
  addFolder: (parent: Folder, name: string) => Folder
  removeFolder: (folderId: string) => void
  /** @returns the id of the message */
  addMessage: (folderId: string, message: Message, attachments: readonly Attachment[]) => string
  countMessages: (folderId: string) => number
  /** In the order in which they were added. */
  messages: (folderId: string) => StoredMessage[]
  message: (messageId: string) => StoredMessage | undefined
  attachments: (messageId: string) => Attachment[]
  /** Moves a message to the trash of its postbox; `restore` brings it back to where it was. */
  trash: (message: StoredMessage, trash: Folder) => void
  restore: (message: StoredMessage) => void
  move: (message: StoredMessage, folderId: string) => void
  removeMessage: (messageId: string) => void
  /** Makes all changes or none. */
  transaction: <Result>(work: () => Result) => Result
  clear: () => void
  close: () => void
}

type FolderRow = { id: number; safe_id: string; type: Folder['type']; name: string; parent_id: number | null }
type MessageRow = { id: number; folder_id: number; content: string; attachments: string }

/** @param dir the folder of the file; if it is undefined, the network is in memory */
export function openNetwork(dir: string | undefined): Network {
  if (dir !== undefined) mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = dir === undefined ? ':memory:' : join(dir, 'network.sqlite')
  const db = new DatabaseSync(file)
  // The additional files, which SQLite creates later, get the same rights.
  if (dir !== undefined) chmodSync(file, 0o600)
  db.exec(layout)
  const all = <Row>(sql: string, ...values: (string | number)[]) => db.prepare(sql).all(...values) as Row[]
  const run = (sql: string, ...values: (string | number | null | Uint8Array)[]) =>
    db
      .prepare(sql)
      .run(...values)
      .lastInsertRowid.toString()
  const ofFolder = (row: FolderRow): Folder => ({
    id: String(row.id),
    safeId: row.safe_id,
    type: row.type,
    name: row.name,
    parentId: row.parent_id === null ? null : String(row.parent_id),
  })
  const ofMessage = (row: MessageRow): StoredMessage => ({
    ...JSON.parse(row.content),
    id: String(row.id),
    folderId: String(row.folder_id),
    attachments: JSON.parse(row.attachments),
  })
  const insertFolder = (safeId: string, type: string, name: string, parentId: string | null) =>
    run(
      'INSERT INTO folders (safe_id, type, name, parent_id) VALUES (?, ?, ?, ?)',
      safeId,
      type,
      name,
      parentId,
    )
  const folders = (safeId: string) =>
    all<FolderRow>('SELECT * FROM folders WHERE safe_id = ? ORDER BY id', safeId).map(ofFolder)
  const folder = (folderId: string) =>
    all<FolderRow>('SELECT * FROM folders WHERE id = ?', folderId).map(ofFolder)[0]
  const transaction: Network['transaction'] = (work) => {
    db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }

  return {
    isEmpty: () => all('SELECT 1 FROM folders LIMIT 1').length === 0,
    addPostbox: (safeId) => {
      for (const [type, name] of baseFolders) insertFolder(safeId, type, name, null)
    },
    folders,
    folder,
    baseFolder: (safeId, type) => {
      const found = folders(safeId).find((it) => it.type === type)
      if (found === undefined) throw new Error(`${safeId} has no postbox.`)
      return found
    },
    addFolder: (parent, name) => {
      const id = insertFolder(parent.safeId, 'CUSTOM', name, parent.id)
      return { id, safeId: parent.safeId, type: 'CUSTOM', name, parentId: parent.id }
    },
    removeFolder: (folderId) => void run('DELETE FROM folders WHERE id = ?', folderId),
    addMessage: (folderId, message, attachments) => {
      const infos: AttachmentInfo[] = attachments.map(({ name, type, bytes }) => ({
        name,
        type,
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('base64'),
      }))
      const id = run(
        'INSERT INTO messages (folder_id, content, attachments) VALUES (?, ?, ?)',
        folderId,
        JSON.stringify(message),
        JSON.stringify(infos),
      )
      for (const [position, { bytes }] of attachments.entries())
        run('INSERT INTO attachments (message_id, position, bytes) VALUES (?, ?, ?)', id, position, bytes)
      return id
    },
    countMessages: (folderId) =>
      all<{ count: number }>('SELECT count(*) AS count FROM messages WHERE folder_id = ?', folderId)[0]
        ?.count ?? 0,
    messages: (folderId) =>
      all<MessageRow>('SELECT * FROM messages WHERE folder_id = ? ORDER BY id', folderId).map(ofMessage),
    message: (messageId) =>
      all<MessageRow>('SELECT * FROM messages WHERE id = ?', messageId).map(ofMessage)[0],
    attachments: (messageId) => {
      const [row] = all<MessageRow>('SELECT * FROM messages WHERE id = ?', messageId)
      const infos: AttachmentInfo[] = row === undefined ? [] : JSON.parse(row.attachments)
      const sql = 'SELECT bytes FROM attachments WHERE message_id = ? ORDER BY position'
      const contents = all<{ bytes: Uint8Array }>(sql, messageId)
      return infos.map(({ name, type }, at) => {
        const bytes = contents[at]?.bytes ?? new Uint8Array()
        return { name, type, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
      })
    },
    trash: ({ id, folderId }, trash) =>
      void run('UPDATE messages SET folder_id = ?, origin_id = ? WHERE id = ?', trash.id, folderId, id),
    restore: ({ id }) =>
      void run('UPDATE messages SET folder_id = origin_id, origin_id = NULL WHERE id = ?', id),
    move: ({ id }, folderId) => void run('UPDATE messages SET folder_id = ? WHERE id = ?', folderId, id),
    removeMessage: (messageId) => {
      run('DELETE FROM attachments WHERE message_id = ?', messageId)
      run('DELETE FROM messages WHERE id = ?', messageId)
    },
    transaction,
    clear: () =>
      transaction(() => {
        for (const table of ['attachments', 'messages', 'folders']) db.exec(`DELETE FROM ${table}`)
      }),
    close: () => db.close(),
  }
}

/** Ids begin as in the gateway's sample exchange, and are never used twice. */
const layout = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS folders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, safe_id TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, parent_id INTEGER
  );
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, folder_id INTEGER NOT NULL, origin_id INTEGER, content TEXT NOT NULL,
    attachments TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS attachments (
    message_id INTEGER NOT NULL, position INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (message_id, position)
  );
  CREATE INDEX IF NOT EXISTS messages_by_folder ON messages (folder_id);
  INSERT INTO sqlite_sequence (name, seq) SELECT 'folders', 500
    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'folders');
  INSERT INTO sqlite_sequence (name, seq) SELECT 'messages', 70000
    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'messages');
`
