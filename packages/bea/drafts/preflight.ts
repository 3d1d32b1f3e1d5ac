import type { FailureDetail } from '#kernel/failure.ts'
import { isCourt } from '../messages/message-schema.ts'
import type { BeaDocument } from './draft-ports.ts'
import { correctedFileNames, fileNameFault, fileNameKey } from './file-names.ts'

/**
 * Limits of a message (B7). The network accepts 200 MB. Our limit is lower, because the gateway takes the whole message
 * as base64 in one call.
 */
export const maxFiles = 1_000
export const maxMessageBytes = 60_000_000

/** A file as it will be sent. */
type FileToSend = Pick<BeaDocument, 'key' | 'mime_type' | 'size_bytes'> & {
  document_id: string
  sha256: string
  /** Its name in the message; with `rename`, it may differ from the name of the document. */
  filename: string
}

/** The input of the checks: the draft, and its documents in the order of `attachments`; undefined for a deleted one. */
export type PreflightInput = {
  to: { bea_id: string }[]
  subject: string
  eeb_requested: boolean
  attachments: string[]
  documents: (BeaDocument | undefined)[]
}

/**
 * Checks a message before it is sent (B7), and reports all faults at once.
 *
 * @param rename corrects file names instead of refusing them
 */
export function preflight(
  input: PreflightInput,
  { rename }: { rename: boolean },
): { faults: FailureDetail[]; files: FileToSend[] } {
  const { faults: faultsOfFiles, files } = checkedFiles(input, rename)
  return { faults: [...recipientFaults(input), ...subjectFaults(input), ...faultsOfFiles], files }
}

function recipientFaults({ to }: PreflightInput): FailureDetail[] {
  if (to.length === 0) return [{ path: 'to', message: 'Name a recipient.' }]
  const ids = to.map(({ bea_id }) => bea_id.toLowerCase())
  const twice = ids.flatMap((id, at) =>
    ids.indexOf(id) < at ? [{ path: `to.${at}.bea_id`, message: 'This recipient is named already.' }] : [],
  )
  if (to.length > 1 && to.some(({ bea_id }) => isCourt(bea_id)))
    return [
      ...twice,
      { path: 'to', message: 'A message to a court has one recipient: send a separate message to each.' },
    ]
  return twice
}

function subjectFaults({ subject }: PreflightInput): FailureDetail[] {
  if (subject === '') return [{ path: 'subject', message: 'Write a subject.' }]
  if (/[\n\r\u2028\u2029]/.test(subject)) return [{ path: 'subject', message: 'A subject has one line.' }]
  return []
}

function checkedFiles(
  input: PreflightInput,
  rename: boolean,
): { faults: FailureDetail[]; files: FileToSend[] } {
  const { to, attachments, documents, eeb_requested } = input
  const faults: FailureDetail[] = []
  const present: (BeaDocument & { at: number; sha256: string })[] = []
  for (const [at] of attachments.entries()) {
    const document = documents[at]
    const path = `attachments.${at}`
    if (document === undefined) faults.push({ path, message: 'This document was deleted.' })
    else if (!document.is_complete || document.sha256 === null)
      faults.push({ path, message: 'The bytes of this document have not arrived yet: complete its upload.' })
    else present.push({ ...document, at, sha256: document.sha256 })
  }

  if (attachments.length > maxFiles)
    faults.push({ path: 'attachments', message: `A message has at most ${maxFiles} files.` })
  const size = present.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  if (size > maxMessageBytes)
    faults.push({ path: 'attachments', message: 'The files of a message have at most 60 MB together.' })
  if (eeb_requested && attachments.length === 0)
    faults.push({
      path: 'eeb_requested',
      message: 'A request for an electronic receipt needs at least one file.',
    })
  const isToCourt = to.some(({ bea_id }) => isCourt(bea_id))
  if (isToCourt) faults.push(...courtFaults(present))

  const names = rename
    ? correctedFileNames(present, extensionOf, showsFormat)
    : present.map(({ filename }) => filename)
  if (!rename) faults.push(...nameFaults(present, isToCourt))
  const files = present.map(({ id, key, mime_type, size_bytes, sha256 }, index) => ({
    document_id: id,
    filename: names[index] as string,
    key,
    mime_type,
    size_bytes,
    sha256,
  }))
  return { faults, files }
}

function nameFaults(documents: (BeaDocument & { at: number })[], isToCourt: boolean): FailureDetail[] {
  const taken = new Set<string>()
  return documents.flatMap((document) => {
    const { filename, at } = document
    const isTaken = taken.has(fileNameKey(filename))
    taken.add(fileNameKey(filename))
    const fault =
      fileNameFault(filename) ??
      (isTaken ? 'Another file has this name.' : undefined) ??
      (isToCourt && !showsFormat(document)
        ? `For a court the name must end in ".${extensionOf(document)}".`
        : undefined)
    const message = `${fault} Rename the document, or send with \`rename: true\`.`
    return fault === undefined ? [] : [{ path: `attachments.${at}`, message }]
  })
}

/** Whether the name of a PDF or TIFF ends as the format does. Programs of courts choose the format by the name. */
function showsFormat({ mime_type, filename }: BeaDocument): boolean {
  if (mime_type === 'application/pdf') return /\.pdf$/i.test(filename)
  return mime_type !== 'image/tiff' || /\.tiff?$/i.test(filename)
}

/**
 * The formats that a court accepts (§ 2 ERVV): PDF or TIFF, XML only together with one of these, and no password. An
 * application for a payment order is an EDA file alone (§ 702 ZPO).
 */
function courtFaults(documents: (BeaDocument & { at: number })[]): FailureDetail[] {
  const hasReadable = documents.some(({ mime_type }) => readable.has(mime_type))
  return documents.flatMap((document) => {
    const path = `attachments.${document.at}`
    if (document.is_protected)
      return [{ path, message: 'A court cannot open this file: it is protected by a password.' }]
    if (readable.has(document.mime_type) || isEda(document)) return []
    if (!isXml(document))
      return [{ path, message: 'A court accepts PDF or TIFF, XML together with one of them, and EDA.' }]
    return hasReadable ? [] : [{ path, message: 'A court accepts XML only together with a PDF or TIFF.' }]
  })
}

const readable: ReadonlySet<string> = new Set(['application/pdf', 'image/tiff'])

/** XML is detected as plain text (D2), so the extension decides. */
function isXml({ mime_type, filename }: BeaDocument): boolean {
  return (
    /^(application|text)\/xml$/.test(mime_type) || (mime_type === 'text/plain' && /\.xml$/i.test(filename))
  )
}

/** EDA is plain text too. */
function isEda({ mime_type, filename }: BeaDocument): boolean {
  return mime_type === 'text/plain' && /\.eda$/i.test(filename)
}

const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/tiff': 'tiff',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'text/plain': 'txt',
  'application/xml': 'xml',
  'text/xml': 'xml',
}

function extensionOf({ mime_type }: Pick<BeaDocument, 'mime_type'>): string {
  return extensions[mime_type] ?? 'dat'
}
