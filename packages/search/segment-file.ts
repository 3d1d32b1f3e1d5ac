import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { deflateRawSync } from 'node:zlib'
import { stemOf } from './analyse.ts'
import { createPostings, postingsWriter, somePosting } from './postings.ts'
import { regularYield } from './regular-yield.ts'
import type { Columns, SegmentFacts } from './types.ts'
import { type WordList, wordList, wordsIn } from './words.ts'

/** The version of the format. Increase it with every change of the files or of the results of `analyse`. */
export const format = 5

/** `AktS`: marks the file as a segment. */
export const applicationId = 0x416b_7453

/** The number of days from 1970-01-01 to a date such as `2026-11-27`. */
export function dayNumber(date: string): number {
  const day = Date.parse(`${date}T00:00:00Z`) / 86_400_000
  if (!Number.isInteger(day)) throw new Error(`Not a day: ${date}`)
  return day
}

/** A record to write, with analysed texts: terms separated by spaces. */
export type Entry = {
  id: string
  sequence: number
  kind: string
  access: string
  case_id: string | null
  date: number
  body: string
  titles: string
  /** Number of terms. */
  length: number
}

/** Writes a segment into a temporary database. */
export type SegmentWriter = {
  /**
   * Adds a record, and removes an older entry with the same id.
   *
   * @returns false if the existing entry is not older; then it stays
   */
  add: (entry: Entry) => boolean
  remove: (row: number) => void
  /** The words with only the letters a to z in the texts of records with this value of `access`. */
  wordsOf: (access: string) => Set<string>
  /** Requests a check of all words at the end. Needed if words of a record were added, but not the record. */
  checkWords: () => void
}

/** A copy of a segment to extend, and the words of its texts by `access`. */
type Base = { copy: string; columns: Columns; words: ReadonlyMap<string, WordList> }

/**
 * Writes a segment at `path`. The file gets this name when it is complete. Timers run meanwhile, for example to renew a
 * lease.
 *
 * @param base a closed copy of a segment to extend, which is removed; without it the segment begins empty
 */
export async function writeSegment(
  path: string,
  { keepsTerms, base }: { keepsTerms: boolean; base?: Base },
  fill: (writer: SegmentWriter) => void | Promise<void>,
): Promise<SegmentFacts> {
  const draft = base?.copy ?? `${path}.${randomUUID()}.draft`
  const complete = `${path}.${randomUUID()}.complete`
  try {
    const written = await writeDraft(draft, complete, keepsTerms, base, fill)
    const facts = { format, keepsTerms, ...written, ...(await fileFacts(complete)) }
    await rename(complete, path)
    return facts
  } finally {
    await rm(draft, { force: true })
    await rm(complete, { force: true })
  }
}

export async function fileFacts(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}

async function writeDraft(
  draft: string,
  complete: string,
  keepsTerms: boolean,
  base: Base | undefined,
  fill: (writer: SegmentWriter) => void | Promise<void>,
): Promise<Pick<SegmentFacts, 'records' | 'accesses'>> {
  // The database needs no journal, because the file of a killed writer is never read. With `defensive`, SQLite would
  // ignore `journal_mode = OFF`.
  const db = new DatabaseSync(draft, { defensive: false })
  try {
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000')
    if (base === undefined) createTables(db)
    if (!keepsTerms) db.exec('DROP TABLE IF EXISTS terms')
    db.exec('BEGIN')
    const columns = growingColumns(base?.columns)
    const words = new Map(Array.from(base?.words ?? [], ([access, list]) => [access, new Set(wordsIn(list))]))
    const { writer, end } = writerOf(db, columns, words, keepsTerms)
    await fill(writer)
    await end()
    db.exec('COMMIT')
    await optimise(db)
    db.exec('BEGIN')
    const put = db.prepare('INSERT OR REPLACE INTO parts (name, value) VALUES (?, ?)')
    for (const [name, value] of Object.entries(columns.parts())) put.run(name, value)
    for (const [at, access] of columns.accessNames().entries()) {
      const ofAccess = words.get(access) ?? new Set()
      put.run(`words ${at}`, compressed(ofAccess))
      put.run(`stems ${at}`, compressed(stemsOf(ofAccess)))
    }
    const records = Number(db.prepare('SELECT count(*) AS count FROM records').get()?.count)
    db.exec('COMMIT')
    // A new file has no free pages, which could have removed content.
    db.prepare('VACUUM INTO ?').run(complete)
    return { records, accesses: columns.recordsByAccess() }
  } finally {
    db.close()
  }
}

function createTables(db: DatabaseSync): void {
  db.exec(`
    PRAGMA page_size = 16384;
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${format};
    CREATE TABLE records (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, sequence INTEGER NOT NULL, case_id TEXT);
    CREATE INDEX records_of_case ON records (case_id) WHERE case_id IS NOT NULL;
    CREATE TABLE parts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE terms (row INTEGER PRIMARY KEY, value BLOB NOT NULL);
    CREATE VIRTUAL TABLE texts USING fts5 (body, titles, content = '', contentless_delete = 1, tokenize = 'ascii');
    INSERT INTO texts (texts, rank) VALUES ('hashsize', 16777216);
  `)
  createPostings(db)
}

function writerOf(
  db: DatabaseSync,
  columns: ReturnType<typeof growingColumns>,
  words: Map<string, Set<string>>,
  keepsTerms: boolean,
): { writer: SegmentWriter; end: () => Promise<void> } {
  const find = db.prepare('SELECT row, sequence FROM records WHERE id = ?')
  const addRecord = db.prepare('INSERT INTO records (row, id, sequence, case_id) VALUES (?, ?, ?, ?)')
  const addText = db.prepare('INSERT INTO texts (rowid, body, titles) VALUES (?, ?, ?)')
  const addTerms = keepsTerms ? db.prepare('INSERT INTO terms (row, value) VALUES (?, ?)') : undefined
  const removals = ['records WHERE row', 'texts WHERE rowid', ...(keepsTerms ? ['terms WHERE row'] : [])].map(
    (place) => db.prepare(`DELETE FROM ${place} = ?`),
  )
  const postings = postingsWriter(db)
  const removed = new Set<number>()
  let mayHaveLostWords = false
  const writer: SegmentWriter = {
    add(entry) {
      const { id, sequence, case_id, body, titles } = entry
      const present = find.get(id)
      if (present !== undefined && Number(present.sequence) >= sequence) return false
      if (present !== undefined) writer.remove(Number(present.row))
      const row = columns.add(entry)
      addRecord.run(row, id, sequence, case_id)
      addText.run(row, body, titles)
      addTerms?.run(row, deflateRawSync(`${body}\n${titles}`, { level: 1 }))
      postings.add(row, body, titles)
      return true
    },
    remove(row) {
      for (const removal of removals) removal.run(row)
      columns.remove(row)
      removed.add(row)
      mayHaveLostWords = true
    },
    wordsOf(access) {
      const present = words.get(access) ?? new Set()
      words.set(access, present)
      return present
    },
    checkWords() {
      mayHaveLostWords = true
    },
  }
  const end = async (): Promise<void> => {
    await postings.end(removed)
    if (mayHaveLostWords) await removeLostWords(db, columns, words)
  }
  return { writer, end }
}

/** The columns of a segment that is being written. */
function growingColumns(base: Columns | undefined) {
  const days = Array.from(base?.days ?? [0])
  const lengths = Array.from(base?.lengths ?? [0])
  const accesses = Array.from(base?.accesses ?? [0])
  const kinds = Array.from(base?.kinds ?? [0])
  const accessNames = new Map((base?.accessNames ?? []).map((name, at) => [name, at]))
  const kindNames = new Map((base?.kindNames ?? ['']).map((name, at) => [name, at]))
  const positionOf = (names: Map<string, number>, name: string, max: number): number => {
    const place = names.get(name) ?? names.size
    if (place > max) throw new Error(`A segment has more than ${max} values: ${name}`)
    names.set(name, place)
    return place
  }
  return {
    /** @returns the row of the new record */
    add({ date, length, access, kind }: Entry): number {
      accesses.push(positionOf(accessNames, access, 0xffff))
      kinds.push(positionOf(kindNames, kind, 0xff))
      lengths.push(length)
      return days.push(date) - 1
    },
    remove(row: number): void {
      kinds[row] = 0
    },
    accessAt: (row: number): number => accesses[row] ?? 0,
    accessNames: (): string[] => [...accessNames.keys()],
    recordsByAccess(): Record<string, number> {
      const counts: Record<string, number> = {}
      const names = [...accessNames.keys()]
      for (const [row, at] of accesses.entries()) {
        const name = names[at]
        if (name !== undefined && kinds[row] !== 0) counts[name] = (counts[name] ?? 0) + 1
      }
      return counts
    },
    parts: (): Record<string, Uint8Array> => ({
      days: bytesOf(Int32Array.from(days)),
      lengths: bytesOf(Uint32Array.from(lengths)),
      accesses: bytesOf(Uint16Array.from(accesses)),
      kinds: Uint8Array.from(kinds),
      names: Buffer.from(JSON.stringify({ accesses: [...accessNames.keys()], kinds: [...kindNames.keys()] })),
    }),
  }
}

function bytesOf({ buffer }: Int32Array | Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(buffer)
}

function compressed(words: Iterable<string>): Uint8Array {
  return deflateRawSync(Buffer.from(wordList(words), 'latin1'))
}

function stemsOf(words: ReadonlySet<string>): Set<string> {
  return new Set([...words].map(stemOf).filter((stem) => !words.has(stem)))
}

/** Merges the text index into one tree, like `optimize`, but in steps. */
async function optimise(db: DatabaseSync): Promise<void> {
  const yieldIfDue = regularYield()
  const count = db.prepare('SELECT total_changes() AS changes')
  const changes = (): number => Number(count.get()?.changes)
  db.exec("INSERT INTO texts (texts, rank) VALUES ('usermerge', 2)")
  const merge = db.prepare("INSERT INTO texts (texts, rank) VALUES ('merge', ?)")
  // A negative number begins a merge of all trees, a positive one continues it.
  for (let pages = -pagesPerStep; ; pages = pagesPerStep) {
    const before = changes()
    merge.run(pages)
    // SQLite counts the command as one change.
    if (pages > 0 && changes() - before < 2) return
    await yieldIfDue()
  }
}

/** About 8 MB, which SQLite merges in a fraction of a second. */
const pagesPerStep = 2_000

/** Removes a word from a word list if no form of it is left in the texts of the records with this `access`. */
async function removeLostWords(
  db: DatabaseSync,
  columns: ReturnType<typeof growingColumns>,
  words: ReadonlyMap<string, Set<string>>,
): Promise<void> {
  const yieldIfDue = regularYield()
  /** By stem: the values of `access` (as positions in `names`) in whose records it was not found yet. */
  const unseen = new Map<string, number[]>()
  const names = columns.accessNames()
  for (const [at, name] of names.entries())
    for (const stem of new Set([...(words.get(name) ?? [])].map(stemOf)))
      unseen.set(stem, [...(unseen.get(stem) ?? []), at])
  for (const { term, rows } of db.prepare('SELECT term, rows FROM postings').iterate()) {
    await yieldIfDue()
    const left = unseen.get(String(term))
    if (left === undefined || left.length === 0 || !(rows instanceof Uint8Array)) continue
    somePosting(rows, (row) => {
      const at = left.indexOf(columns.accessAt(row))
      if (at !== -1) left.splice(at, 1)
      return left.length === 0
    })
  }
  for (const [at, name] of names.entries()) {
    const ofAccess = words.get(name)
    for (const word of ofAccess ?? []) if (unseen.get(stemOf(word))?.includes(at)) ofAccess?.delete(word)
  }
}
