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
  const allowed = allowedIn(name)
  const stem = allowed.toLowerCase().endsWith(ending) ? allowed.slice(0, -ending.length) : allowed
  const visible = visibleIn(stem, maxBytes)
  if (visible === '') return `${beginning}Export${ending}`
  if (beginning !== '') return `${visible.startsWith(beginning) ? '' : beginning}${visible}${ending}`
  return `${markOf(visible)}${visible}${ending}`
}

/** The name of a document in a folder of files, by the same rules. It keeps its extension. */
export function documentFilename(filename: string): string {
  const allowed = allowedIn(filename)
  const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(allowed)?.[0] ?? ''
  const stem = allowed.slice(0, allowed.length - ending.length)
  const visible = visibleIn(stem, maxBytes - Buffer.byteLength(ending)) || 'Dokument'
  return `${markOf(visible)}${visible}${ending}`
}

function allowedIn(name: string): string {
  return name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\\/:*?"<>|]+/gu, '_')
    .trim()
}

/** The name without dots and blanks at its ends, in this number of bytes. */
function visibleIn(stem: string, bytes: number): string {
  return shortened(stem.replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, ''), bytes)
}

/** What makes a name differ from the device of Windows with this name. */
function markOf(name: string): string {
  return devices.test(name) ? '_' : ''
}

function shortened(text: string, bytes: number): string {
  for (let length = bytes; ; length -= 10) {
    const kept = beginningOf(text, length)
    if (Buffer.byteLength(kept) <= bytes) return kept.trimEnd()
  }
}
