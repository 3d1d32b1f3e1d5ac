import { composed } from '#kernel/composed.ts'
import { isVisible } from '#kernel/text.ts'

/** The maximum length of a stored name, in characters (G8). */
const maxLength = 500
/** The maximum length of a sent name, in UTF-16 units: NFC composes a character from at most four of them. */
const maxSentLength = maxLength * 4

/**
 * A file name as it is stored: without folders, in NFC, with spaces instead of control characters, and not empty.
 * Everything else stays, including quotes and direction marks.
 *
 * @returns undefined for a name that is too long
 */
export function cleanFilename(sent: string, mimeType: string): string | undefined {
  const name = nameIn(sent)
  if (name === undefined) return undefined
  if (isNoName(name)) return defaultName(mimeType)
  return [...name].length > maxLength ? undefined : name
}

/** Whether the sent name has no usable part. */
export function isNameless(sent: string): boolean {
  const name = nameIn(sent)
  return name !== undefined && isNoName(name)
}

/** The name without folders and control characters; undefined if it is too long. */
function nameIn(sent: string): string | undefined {
  const lastPart = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1).trim()
  if (lastPart.length > maxSentLength) return undefined
  return composed(lastPart.toWellFormed())
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

function isNoName(name: string): boolean {
  return !isVisible(name) || name === '.' || name === '..'
}

/**
 * Like `cleanFilename`, for a received file, which cannot be refused. A name that is too long is shortened to its
 * beginning and its extension. Mail programs send no folders, so a slash is a part of the name and becomes `_`, as in
 * `Rechnung 12345/26.pdf`.
 */
export function shortenedFilename(sent: string, mimeType: string): string {
  const parts = sent.split('/').filter((part) => !['', '.', '..'].includes(part.trim()))
  const name = parts.join('_')
  const begin = name.slice(name.lastIndexOf('\\') + 1).trim()
  const whole = cleanFilename(begin, mimeType)
  if (whole !== undefined) return whole
  const [extension = ''] = /\.[\p{L}\p{N}]{1,10}$/u.exec(begin) ?? []
  const kept = [...begin.slice(0, maxLength).toWellFormed()].slice(0, maxLength - 20).join('')
  return cleanFilename(`${kept}…${extension}`, mimeType) ?? defaultName(mimeType)
}

function defaultName(mimeType: string): string {
  return `Unbenannt.${extensions[mimeType] ?? 'bin'}`
}

const extensions: Record<string, string> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/msword': 'doc',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/tiff': 'tif',
  'text/plain': 'txt',
}
