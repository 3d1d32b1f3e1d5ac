import { beginningOf } from '#kernel/text.ts'
import type { CsvDialect, ExportFormat } from './schema.ts'

/** Most file systems allow 255 bytes for a name. A character in UTF-8 has up to four bytes. */
const maxBytes = 240

/** Device names of Windows. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/**
 * The file name of an export: the configuration's name with the extension of its format. Characters that are not
 * allowed in file names on Windows, macOS or Linux become `_`: slashes, quotes, control characters, direction marks.
 * DATEV imports only files whose name begins with `EXTF_`.
 */
export function exportFilename(name: string, format: ExportFormat, csvDialect: CsvDialect | null): string {
  const ending = `.${format}`
  const beginning = csvDialect === 'datev' ? 'EXTF_' : ''
  const allowed = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|]+/gu, '_')
    .trim()
  const stem = allowed.toLowerCase().endsWith(ending) ? allowed.slice(0, -ending.length) : allowed
  const visible = shortened(stem.replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, ''))
  if (visible === '') return `${beginning}Export${ending}`
  if (beginning !== '') return `${visible.startsWith(beginning) ? '' : beginning}${visible}${ending}`
  return `${devices.test(visible) ? '_' : ''}${visible}${ending}`
}

function shortened(text: string): string {
  for (let length = maxBytes; ; length -= 10) {
    const kept = beginningOf(text, length)
    if (Buffer.byteLength(kept) <= maxBytes) return kept.trimEnd()
  }
}
