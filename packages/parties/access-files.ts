import { once } from 'node:events'
import type { ZippedFile } from '#formats/zip-file.ts'
import { missingEnd } from './access-keys.ts'
import { accessPage, type ListedFile } from './access-page.ts'
import type { AccessFile, AccessRecord, AccessSection, AccessSubject } from './access-ports.ts'

/** The records of a section. */
export type FoundSection = { heading: string; found: AccessRecord[] }

/** A report would exceed its limits. */
export class TooLarge extends Error {}

/**
 * The records of a report, section by section. It opens no file. A section may look through a whole list of the firm, so
 * the sections are read at the same time, and each only once.
 *
 * @throws TooLarge as soon as they exceed the limits, and the reason of `signal` when it aborts, though a section is still
 *   looking: that one ends at its next record
 */
export async function findRecords(
  subject: AccessSubject,
  sections: readonly AccessSection[],
  limits: { files: number; bytes: number },
  signal: AbortSignal,
): Promise<FoundSection[]> {
  let count = 0
  let bytes = 0
  const looking = Promise.all(
    sections.map(async ({ heading, records }) => {
      const found: AccessRecord[] = []
      for await (const record of records(subject)) {
        signal.throwIfAborted()
        const { files = [] } = record
        count += 1 + files.length
        bytes += files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        if (count > limits.files || bytes > limits.bytes) throw new TooLarge()
        found.push(record)
      }
      return { heading, found }
    }),
  )
  await Promise.race([looking, once(signal, 'abort')])
  signal.throwIfAborted()
  return looking
}

/** The files of a report, section by section, and at the end the page that lists them. */
export async function* accessFiles(
  subject: AccessSubject,
  sections: readonly FoundSection[],
  office: { name: string; time_zone: string },
  now: Date,
): AsyncGenerator<ZippedFile> {
  const listed: { heading: string; files: ListedFile[] }[] = []
  for (const { heading, found } of sections) {
    const ofSection: ListedFile[] = []
    for (const record of found) {
      const value = await record.read()
      if (value === undefined) continue
      const paths: string[] = []
      for await (const file of writtenFiles(record, value, now)) {
        paths.push(file.path)
        yield file
      }
      ofSection.push({ title: record.title, date: record.date, paths })
    }
    listed.push({ heading, files: ofSection })
  }
  const page = accessPage({ subject, office, now, sections: listed })
  yield { path: 'index.html', date: now, open: () => bytesOf(page) }
}

/** The JSON of a record under the path of the interface, and its files below it. */
async function* writtenFiles(
  { path, files = [] }: AccessRecord,
  value: unknown,
  date: Date,
): AsyncGenerator<ZippedFile> {
  const at = `api/v1/${path}`
  yield { path: `${at}.json`, date, open: () => bytesOf(`${JSON.stringify(value, null, 2)}\n`) }
  for (const file of files) yield await opened(file, `${at}/${file.path}`, date)
}

/** The file, or a note in its place: a file whose bytes are gone must not make the report fail. */
async function opened({ open, isCompressed }: AccessFile, path: string, date: Date): Promise<ZippedFile> {
  const bytes = await open()
  if (bytes !== undefined) return { path, date, isCompressed, open: () => bytes }
  return { path: `${path}${missingEnd}`, date, open: () => bytesOf(missingNote) }
}

const missingNote = 'Die Datei ist verzeichnet, aber nicht mehr gespeichert.\n'

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
