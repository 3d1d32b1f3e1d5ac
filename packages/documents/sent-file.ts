import { Failure, invalid } from '#kernel/failure.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { detectType } from './detect-type.ts'
import { cleanFilename } from './filename.ts'
import { type DocumentType, documentTypes } from './schema.ts'

/** A file as a client sent it. */
export type SentFile = { filename: string; bytes: Uint8Array }

/** A checked file. `about`: the fields of its record. */
export type CheckedFile = {
  about: { filename: string; mime_type: DocumentType; size_bytes: number; sha256: string }
  bytes: Uint8Array
}

/**
 * Checks a file. Determines its type from the content (D2), its clean name and its digest.
 *
 * @param place the path of the file in the request, for error details
 * @throws Failure VALIDATION_ERROR for an empty file or a name that is too long, UNSUPPORTED_MEDIA_TYPE
 */
export async function checkFile(
  file: SentFile,
  place: string,
  types: readonly DocumentType[] = documentTypes,
): Promise<CheckedFile> {
  requireContent(file, place)
  const mime_type = await detectType(file.bytes)
  if (mime_type === undefined || !types.includes(mime_type)) {
    const message = `${quoted(file)} has a type that is not accepted: send PDF, DOCX, DOC, PNG, JPG${types.includes('text/plain') ? ', TIFF or plain text' : ' or TIFF'}.`
    throw new Failure('unsupported_media', 'UNSUPPORTED_MEDIA_TYPE', message, {
      details: [{ path: place, message }],
    })
  }
  const about = {
    filename: requireFilename(file.filename, mime_type, place),
    mime_type,
    size_bytes: file.bytes.length,
    sha256: hexDigest(file.bytes),
  }
  return { about, bytes: file.bytes }
}

/** @throws Failure VALIDATION_ERROR for an empty file */
export function requireContent(file: SentFile, place: string): void {
  if (file.bytes.length > 0) return
  throw invalid(`${quoted(file)} is empty.`, [{ path: place, message: 'An empty file cannot be stored.' }])
}

/** The file name as it is stored. @throws Failure VALIDATION_ERROR if it is too long */
export function requireFilename(sent: string, mimeType: string, place: string): string {
  const name = cleanFilename(sent, mimeType)
  if (name !== undefined) return name
  throw invalid('The name of the file is too long.', [{ path: place, message: 'At most 500 characters.' }])
}

function quoted({ filename }: SentFile): string {
  return `The file "${(cleanFilename(filename, '') ?? filename).slice(0, 200)}"`
}
