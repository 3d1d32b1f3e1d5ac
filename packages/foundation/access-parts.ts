import { isTheirs } from '#correspondence/participants.ts'
import { bucketFiles } from '#files/bucket.ts'
import { failureOf } from '#kernel/failure.ts'
import { isMissingObject } from '#kernel/files.ts'
import type { AccessFile, AccessSubject } from '#parties/access-ports.ts'

/** Whether a record belongs to a case in which the party is a client, or one of its texts names the party. */
export function concerns(
  { clientOf, isNamedIn }: AccessSubject,
  caseId: string | null,
  texts: readonly (string | null | undefined)[],
): boolean {
  return (caseId !== null && clientOf.has(caseId)) || isNamedIn(texts)
}

/** Whether an address, given as one text or as name and mailbox, belongs to the party. */
export function isTheirAddress({ party: { email }, sharesMailbox, isNamedIn }: AccessSubject) {
  return isTheirs({ email, sharesMailbox }, (text) => isNamedIn([text]))
}

/** A file of the bucket in a report. */
export function storedFile(
  path: string,
  { key, mimeType, sizeBytes }: { key: string; mimeType: string; sizeBytes: number },
): AccessFile {
  const files = bucketFiles()
  return {
    path,
    sizeBytes,
    isCompressed: isCompressed(mimeType),
    open: () => files.stream(key).catch(unlessGone),
  }
}

/** Whether files of this type are compressed already: deflating them takes 25 times as long and gains nothing. */
export function isCompressed(mimeType: string): boolean {
  return /^(image\/(?!svg|bmp|tiff)|audio\/|video\/|application\/(pdf|zip|gzip|x-7z|vnd\.(openxmlformats|oasis)))/.test(
    mimeType,
  )
}

/** The end of a file name, if it is a usual one. */
export function extensionOf(filename: string): string {
  return /\.[a-z0-9]{1,5}$/i.exec(filename)?.[0].toLowerCase() ?? ''
}

/** Undefined for a record that does not exist, or may not be read. @throws other errors */
export function unlessMissing(error: unknown): undefined {
  const kind = failureOf(error)?.kind
  if (kind === 'not_found' || kind === 'forbidden') return undefined
  return unlessGone(error)
}

/** Undefined for an object that does not exist. @throws other errors */
function unlessGone(error: unknown): undefined {
  if (!isMissingObject(error)) throw error
}
