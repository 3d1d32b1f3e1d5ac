import { bytesKey } from '#documents/keys.ts'
import type { DocumentRecord } from '#documents/ports.ts'
import { Document } from '#documents/schema.ts'
import { documentViews } from '#documents/views.ts'
import { everyItem } from '#kernel/every-item.ts'
import type { AccessRecord, AccessSection } from '#parties/access-ports.ts'
import { Party } from '#parties/schema.ts'
import { partyNamings } from '#store/parties/party-namings.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { accessCaseSections } from './access-case-sections.ts'
import { accessMailSections } from './access-mail-sections.ts'
import { extensionOf, storedFile } from './access-parts.ts'
import { storedDocuments } from './documents.ts'
import type { Base } from './foundation.ts'

/** The kinds of records that a report on a party has (R6), in the order of the report. */
export function accessSections(base: Base): AccessSection[] {
  return [masterData, ...accessCaseSections(base), ...accessMailSections(base), documentSection(base)]
}

const masterData: AccessSection = {
  heading: 'Stammdaten',
  async *records({ party }) {
    const { id, name, created_at } = party
    yield { path: `parties/${id}`, title: name, date: created_at, read: async () => Party.parse(party) }
  },
}

/** Documents that are read at once: names and metadata, not their bytes. */
const documentsAtOnce = 25

/** The documents that name the party, and the documents of cases in which it is a client. */
function documentSection(base: Base): AccessSection {
  const namings = partyNamings(base.db)
  const { store } = storedDocuments(base)
  const views = documentViews({ store, parties: partyStore(base) })

  const shown = (record: DocumentRecord): AccessRecord => ({
    path: `documents/${record.id}`,
    title: record.filename,
    date: record.created_at,
    read: async () => Document.parse((await views.viewAll(record.workspace_id, [record]))[0]),
    // Its bytes have not arrived yet.
    files: record.upload_expires_at === null ? [fileOf(record)] : [],
  })

  return {
    heading: 'Dokumente',
    async *records({ party: { workspace_id, id: partyId }, clientOf }) {
      const done = new Set<string>()
      const fresh = async function* (ids: string[]): AsyncGenerator<DocumentRecord> {
        const wanted = ids.filter((id) => !done.has(id))
        for (const id of wanted) done.add(id)
        yield* await store.findAll(workspace_id, wanted)
      }
      for (const case_id of clientOf)
        for await (const { id } of everyItem((request) => store.page(workspace_id, { case_id, ...request })))
          for await (const record of fresh([id])) yield shown(record)
      const naming = await namings.ids(workspace_id, partyId, 'document')
      for (let at = 0; at < naming.length; at += documentsAtOnce)
        for await (const record of fresh(naming.slice(at, at + documentsAtOnce)))
          if (record.parties.some(({ id }) => id === partyId)) yield shown(record)
    },
  }
}

function fileOf(record: DocumentRecord) {
  const { filename, mime_type: mimeType, size_bytes: sizeBytes } = record
  return storedFile(`download${extensionOf(filename)}`, { key: bytesKey(record), mimeType, sizeBytes })
}
