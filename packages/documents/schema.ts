import * as z from 'zod'
import { attempted } from '#kernel/attempted.ts'
import { idFilter, idOf, idText, shownId } from '#kernel/id.ts'
import { isObject } from '#kernel/is-object.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { pageQuery } from '#kernel/page.ts'
import { refuse } from '#kernel/refuse.ts'
import { Text, Timestamp, text } from '#kernel/text.ts'
import { updatedSince } from '#kernel/updated-since.ts'
import { isNameless } from './filename.ts'

/** The types that uploads can have, and whose text can be read (D2). */
export const documentTypes = [
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/msword',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'text/plain',
] as const

export type DocumentType = (typeof documentTypes)[number]

/** The types that other systems can push: plain text is not one of them (D2). */
export const pushedTypes = documentTypes.filter((type) => type !== 'text/plain')

const status = z.enum(['pending', 'processed', 'failed'])

export const maxParties = 100

/** The largest file of an announced upload (D3). */
export const maxUploadBytes = 200 * 1024 * 1024

/** How long the bytes of an announced upload may take to arrive (D3). */
export const uploadHours = 24

export const uploadMilliseconds = uploadHours * 3_600_000

/**
 * After this time, bytes without a record belong to a request that died. A request writes the record within a minute
 * after the bytes; an announced upload can be completed within a day.
 */
export const unrecordedMilliseconds = uploadMilliseconds + 30 * 60_000

/** If a document has no outcome after this time, its message is sent again. No worker takes that long for a message. */
export const resendMilliseconds = 60 * 60_000

/** A party that a document is about. */
export const DocumentParty = namedObject('DocumentParty', () => ({
  id: shownId('party'),
  name: Text,
  is_primary: z.boolean(),
}))

export type DocumentParty = z.infer<typeof DocumentParty>

export const Document = namedObject('Document', () => ({
  id: shownId('document'),
  filename: Text,
  mime_type: z.string().meta({
    description:
      'Determined from the content. An attachment of a type that is not read has the type that its mail states, or the type of its file name extension (beA).',
  }),
  size_bytes: z.int(),
  status: status.meta({
    description: '`pending` until it is read; `failed` keeps the bytes, and `status_reason` says why.',
  }),
  status_reason: Text.nullable().meta({
    description:
      '`password_protected`, `corrupt`, `empty`, `too_many_pages`, `too_many_pixels`, `too_large` (too much text, or too much after unpacking), `too_complex` (it takes too long to read), `unsafe`, `unsupported_version` (such as Word 95), `unsupported_type` (an attachment of a type that is not read), `out_of_resources`, `bytes_damaged`. For a processed document: `embedded_unread` (embedded files were not read, such as those of a PDF portfolio, or spreadsheets in a DOCX), `form_unread` (a damaged XFA form), `pages_unread` (scanned pages that OCR refused), or the reason why a later reading failed, in which case it has its earlier text. More values may be added.',
  }),
  search_error: Text.optional().meta({
    description:
      'Only if the search cannot find the text of a processed document: `text_missing`, `not_indexable`. Indexing is retried.',
  }),
  case_id: z.uuid().nullable(),
  folder_id: shownId('folder').nullable(),
  parties: z.array(DocumentParty),
  extracted_text_length: z.int().nullable().meta({ description: 'In characters; null until processed.' }),
  page_count: z.int().nullable(),
  sha256: Text.nullable().meta({
    description: 'The SHA-256 of the bytes. Until they arrive: the announced value, or null.',
  }),
  duplicate_of: z.array(Text).meta({
    description: 'Other documents of the workspace with the same bytes, at most 100, the oldest first.',
  }),
  metadata: z.record(Text, z.unknown()).nullable().meta({
    description: 'Data from the system that sent the document.',
  }),
  source: z.enum(['upload', 'inbox', 'email', 'webhook', 'bea', 'signing']),
  created_at: Timestamp,
  updated_at: Timestamp,
}))

export type Document = z.infer<typeof Document>

export const DocumentQuery = lazyObject(() => ({
  ...pageQuery,
  case_id: idFilter('case').optional(),
  folder_id: idFilter('folder').optional(),
  status: status.optional(),
  search: text(200).optional().meta({
    description: 'Words that must all occur in the file name; `ä` equals `ae`, `ß` equals `ss`.',
  }),
  updated_since: updatedSince(),
}))

export type DocumentQuery = z.infer<typeof DocumentQuery>

/** The id of a case or folder in a form; an empty field means none. */
function formId(kind: 'case' | 'folder') {
  const none = z.literal('', 'This must be one id, or empty.').transform(() => null)
  return z.union([none, idOf(kind)]).meta({ type: 'string' })
}

const partyIds = z.lazy(() => z.array(idOf('party')).max(maxParties, `At most ${maxParties}.`))

/** Party ids in a form: repeated fields, a single field, or a JSON array in one field (D4). */
const formPartyIds = z.lazy(() =>
  z
    .union([z.array(idText('party')), Text])
    .default([])
    .transform((value, context) => {
      const texts = typeof value === 'string' ? listIn(value) : value
      if (texts === undefined) return refuse(context, 'Repeat the field, or send one JSON array of ids.')
      return texts.filter((id) => id.trim() !== '')
    })
    .pipe(partyIds),
)

function listIn(value: string): string[] | undefined {
  if (!value.trim().startsWith('[')) return [value]
  const list: unknown = attempted(() => JSON.parse(value))
  return Array.isArray(list) && list.every((id) => typeof id === 'string') ? list : undefined
}

export const DocumentFields = lazyObject(() => ({
  case_id: formId('case').optional(),
  folder_id: formId('folder').optional(),
  party_ids: formPartyIds.meta({ description: 'The first is the primary one.' }).optional(),
}))

export type DocumentFields = z.output<typeof DocumentFields>

/** The case, folder and parties of a document. Only included fields change, and `null` clears a field (D7). */
const assignment = {
  case_id: idOf('case').nullish(),
  folder_id: idOf('folder').nullish(),
  party_ids: partyIds.nullish().meta({ description: 'Replaces all parties; the first is the primary one.' }),
  primary_party_id: idOf('party').nullish(),
}

export const Assignment = namedObject('Assignment', () => assignment)

export type Assignment = z.output<typeof Assignment>

export const BulkAssignment = namedObject('BulkAssignment', () => ({
  document_ids: z
    .array(idOf('document'))
    .min(1, 'Name at least one document.')
    .max(100, 'At most 100 at once.'),
  ...assignment,
}))

export type BulkAssignment = z.output<typeof BulkAssignment>

const metadataObject = z.lazy(() =>
  z
    .record(Text, z.unknown(), noJsonObject)
    .refine(
      (metadata) => lengthAsJson(metadata) <= maxMetadataLength,
      `At most ${maxMetadataLength} characters as JSON.`,
    ),
)

/** Only included fields change (D13). `metadata` is replaced as a whole; null removes it. */
export const DocumentChanges = namedObject('DocumentChanges', () => ({
  filename: z
    .string()
    .max(2_000)
    .refine((name) => !isNameless(name), 'This must not be empty.')
    .meta({ minLength: 1 })
    .optional(),
  metadata: metadataObject.nullish(),
}))

export type DocumentChanges = z.output<typeof DocumentChanges>

const announcedFile = lazyObject(() => ({
  filename: z.string().max(2_000),
  mime_type: text(200),
  size_bytes: z.int().gte(1, 'An empty file cannot be stored.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'SHA-256 in lower-case hexadecimal.')
    .nullish(),
  folder_id: idOf('folder').nullish(),
}))

/** The announcement of a file that is sent to S3 directly (D3). */
export const UploadInput = z.lazy(() =>
  announcedFile
    .unwrap()
    .extend({ case_id: idOf('case').nullish(), party_ids: partyIds.nullish() })
    .meta({ id: 'UploadInput' }),
)

export type UploadInput = z.output<typeof UploadInput>

/** The announcement of a file by a system that has the webhook token, with the fields of the webhook (D14). */
export const PushedUploadInput = z.lazy(() =>
  announcedFile
    .unwrap()
    .extend({
      metadata: z
        .union([metadataObject, formMetadata])
        .nullish()
        .meta({ description: 'A JSON object, or the same as a string, as in the form of the webhook.' }),
    })
    .meta({ id: 'PushedUploadInput' }),
)

export type PushedUploadInput = z.output<typeof PushedUploadInput>

export const AnnouncedUpload = namedObject('AnnouncedUpload', () => ({
  document: Document,
  upload: z
    .object({
      method: z.literal('PUT'),
      url: Text,
      headers: z.record(Text, Text).meta({ description: 'Send exactly these headers.' }),
      expires_at: Timestamp,
    })
    .meta({
      description: 'Where to send the bytes.',
    }),
}))

export type AnnouncedUpload = z.infer<typeof AnnouncedUpload>

export const ExtractedText = namedObject('ExtractedText', () => ({
  text: Text,
  page_count: z.int().meta({ description: '1 if the format has no pages.' }),
  word_count: z.int(),
}))

export type ExtractedText = z.infer<typeof ExtractedText>

/** A text as it is stored. `page_starts`: the offset at which each page begins; absent in the texts of old releases. */
export const StoredText = z.lazy(() =>
  ExtractedText.unwrap().extend({ page_starts: z.array(z.int()).optional() }),
)

export type StoredText = z.infer<typeof StoredText>

export const InboxFields = lazyObject(() => ({
  source: text(100).optional().meta({ description: 'The source of the document: `scanner`, `drag-drop`, …' }),
}))

export const InboxUpload = namedObject('InboxUpload', () => ({
  uploaded: z.array(
    z.object({ document_id: shownId('document'), filename: Text, status: z.literal('processing') }),
  ),
}))

export type InboxUpload = z.infer<typeof InboxUpload>

const maxMetadataLength = 8_000

const noJsonObject = 'This must be one JSON object, such as `{"sender":"Amtsgericht München"}`.'

/** The length of a value as JSON; infinite if it is nested too deeply to be written. */
function lengthAsJson(value: object): number {
  try {
    return JSON.stringify(value).length
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

/** The metadata of a pushed document: a JSON object in one field of the form. */
const formMetadata = z.lazy(() =>
  z
    .string(noJsonObject)
    .max(maxMetadataLength, `At most ${maxMetadataLength} characters.`)
    .transform((value, context): Record<string, unknown> | null => {
      if (value.trim() === '') return null
      try {
        const metadata: unknown = JSON.parse(value, onlyFinite)
        if (isObject(metadata)) return metadata
      } catch {}
      return refuse(context, noJsonObject)
    }),
)

/** Refuses a number that JSON cannot represent, such as `1e400`, which would become null. */
function onlyFinite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('This number is too large.')
  return value
}

export const IngestionFields = lazyObject(() => ({
  folder_id: formId('folder').optional(),
  metadata: formMetadata.optional().meta({ description: 'A JSON object.' }),
}))

export const Ingested = namedObject('Ingested', () => ({
  status: z.literal('ok'),
  document_id: z.uuid(),
  filename: Text,
}))

export type Ingested = z.infer<typeof Ingested>

/** The message that requests the reading of a document. */
export const DocumentToRead = lazyObject(() => ({ workspace_id: Text, document_id: Text }))

export type DocumentToRead = z.infer<typeof DocumentToRead>
