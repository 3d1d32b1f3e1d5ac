import { once } from 'node:events'
import { textKey } from '#documents/keys.ts'
import { newRecord } from '#documents/new-documents.ts'
import { bucketFiles } from '#files/bucket.ts'
import { foundation } from '#foundation/foundation.ts'
import { indexingFoundation } from '#foundation/text-indexing.ts'
import { admin } from '#infra/tools/admin/index.ts'
import { systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { scopes } from '#kernel/scope.ts'
import { createClient } from '#store/client.ts'
import { storedDocuments } from '#store/documents/document-record.ts'
import { tableName } from '#store/table.ts'
import { searchIndexStore } from '#store/text-search/search-index-store.ts'
import { markList, markOf } from '#store/text-search/search-marks.ts'
import { transact } from '#store/transact.ts'
import { textWriter, vocabulary } from '#test/search/firm-texts.ts'

/** Makes a firm with documents that are read and not yet indexed, or indexes all documents of one. */
export type SearchFirmOrder = { documents: number } | { indexed: string }

export type SearchFirm = { id: string; key: string }

const [order]: [SearchFirmOrder] = (await once(process, 'message')) as [SearchFirmOrder]
const db = { client: createClient(), table: tableName() }
process.send?.('indexed' in order ? await index(order.indexed) : await make(order.documents))
await once(process, 'disconnect')
process.exit(0)

async function make(count: number): Promise<SearchFirm> {
  const use = admin()
  const { id } = await use.createWorkspace({ name: 'Kanzlei', inbound_domain: 'inbound.example.de' })
  const user = await use.createUser(id, { name: 'Dr. Jana Vogt', email: 'vogt@example.de' })
  const { key } = await use.createKey(id, { user_id: user.id, name: 'Bench', scopes: [...scopes] })
  const [records, marks, files] = [storedDocuments(db), markList(db), bucketFiles()]
  const texts = textWriter(vocabulary(60_000))
  await inParallelUpTo(
    16,
    Array.from({ length: count }, (_, at) => at),
    async (at) => {
      const text = texts().join('\n')
      const about = { filename: `Schriftsatz ${at}.txt`, mime_type: 'text/plain', source: 'upload' } as const
      const record = {
        ...newRecord(systemClock, id, { ...about, size_bytes: text.length, sha256: null }),
        status: 'processed' as const,
        extracted_text_length: text.length,
        changed_at: new Date().toISOString(),
      }
      const stored = Buffer.from(JSON.stringify({ text, page_count: 1, word_count: 600 }))
      await files.put(textKey(record), stored, { mimeType: 'application/json', sha256: hexDigest(stored) })
      await transact(db, [records.add(record), ...marks.changes(id, [], [markOf('new', record.id)])])
    },
  )
  return { id, key }
}

/** Works as the function does, as long as something is marked. @returns the seconds of CPU time */
async function index(workspace_id: string): Promise<number> {
  const { run } = indexingFoundation(foundation('search-index'))
  const store = searchIndexStore({ db })
  while ((await store.marks(workspace_id, 'new', 1)).length > 0)
    await run({ workspace_id }, new AbortController().signal)
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
