import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { inflateRawSync } from 'node:zlib'
import { once } from '#kernel/once.ts'
import { applicationId, fileFacts, format } from './segment-file.ts'
import type { Columns, Segment, SegmentFacts, SegmentProblem, Vocabulary } from './types.ts'
import { mayHaveWord, type WordList } from './words.ts'

/** A segment is missing, damaged or of another format version. It must be rebuilt. */
export class SegmentUnusable extends Error {
  readonly problem: SegmentProblem
  constructor(problem: SegmentProblem, path: string, cause?: unknown) {
    super(`The segment ${path} cannot be used: ${problem}`, { cause })
    this.problem = problem
  }
}

/**
 * Checks the checksum of a segment and opens it for reading. The file must not change while it is open.
 *
 * @throws SegmentUnusable
 */
export async function openSegment(path: string, facts: SegmentFacts): Promise<Segment> {
  if (facts.format !== format) throw new SegmentUnusable('other_version', path)
  const isThere = await stat(path)
    .then((found) => found.isFile())
    .catch(() => false)
  if (!isThere) throw new SegmentUnusable('missing', path)
  const { bytes, sha256 } = await fileFacts(path)
  if (bytes !== facts.bytes || sha256 !== facts.sha256) throw new SegmentUnusable('damaged', path)
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    return { ...contentsOf(db), db, facts, close: () => db.close() }
  } catch (error) {
    db.close()
    throw new SegmentUnusable('damaged', path, error)
  }
}

function contentsOf(db: DatabaseSync): Pick<Segment, 'columns' | 'vocabularies'> {
  if (db.prepare('PRAGMA application_id').get()?.application_id !== applicationId)
    throw new Error('The file is not a segment.')
  db.exec('PRAGMA cache_size = -16000')
  const find = db.prepare('SELECT value FROM parts WHERE name = ?')
  const part = (name: string): Uint8Array => {
    const value = find.get(name)?.value
    if (!(value instanceof Uint8Array)) throw new Error(`The segment has no ${name}.`)
    return value
  }
  const names: { accesses: string[]; kinds: string[] } = JSON.parse(Buffer.from(part('names')).toString())
  const columns: Columns = {
    days: new Int32Array(aligned(part('days'))),
    lengths: new Uint32Array(aligned(part('lengths'))),
    accesses: new Uint16Array(aligned(part('accesses'))),
    kinds: part('kinds'),
    accessNames: names.accesses,
    kindNames: names.kinds,
  }
  const vocabularies = names.accesses.map((_, at) =>
    once((): Vocabulary => {
      const [words, stems] = [listOf(part(`words ${at}`)), listOf(part(`stems ${at}`))]
      return { words, stems, mayHave: mayHaveWord(words, stems) }
    }),
  )
  return { columns, vocabularies }
}

function listOf(bytes: Uint8Array): WordList {
  return inflateRawSync(bytes).toString('latin1')
}

function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
