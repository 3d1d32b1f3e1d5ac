import { fileNameKey } from './file-names.ts'
import type { BeaMessageRecord } from './ports.ts'

/** A larger file is no text that somebody wrote into a message, which has at most 100 000 characters. */
const maxBytes = 4 * 1024 * 1024

/**
 * The file in which the network gives the text of a message: newer messages have it there, and may have it nowhere else
 * (facts, 3.6). Undefined where there is none, or one that is too large for a text.
 */
export function textFileOf({
  attachments,
}: Pick<BeaMessageRecord, 'attachments'>): BeaMessageRecord['attachments'][number] | undefined {
  return attachments.find(
    ({ filename, size_bytes }) =>
      fileNameKey(filename) === 'nachrichtentext.pdf' && size_bytes > 0 && size_bytes <= maxBytes,
  )
}
