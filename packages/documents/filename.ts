import { composed } from '#kernel/composed.ts'
import { isVisible } from '#kernel/text.ts'

/** Characters of a name (G8), and the code units in which they may be sent: a character of NFC has four at most. */
const maxLength = 500
const maxSentLength = maxLength * 4

/**
 * A file's name as it is kept: without the folders it came from, in NFC, control characters as blanks, and not
 * empty. Everything else stays as it was, quotes and marks of writing direction included.
 *
 * @returns undefined for a name that is too long.
 */
export function cleanFilename(sent: string, mimeType: string): string | undefined {
  const name = nameIn(sent)
  if (name === undefined) return undefined
  if (isNoName(name)) return `Unbenannt.${extensions[mimeType] ?? 'bin'}`
  return [...name].length > maxLength ? undefined : name
}

/** Whether nothing that names a file is left of what was sent. */
export function isNameless(sent: string): boolean {
  const name = nameIn(sent)
  return name !== undefined && isNoName(name)
}

/** Undefined for a name that is too long to be looked at. */
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

/** As `cleanFilename`, for a file that cannot be refused: a name that is too long keeps its beginning and its extension. */
export function shortenedFilename(sent: string, mimeType: string): string {
  const begin = sent.slice(Math.max(sent.lastIndexOf('/'), sent.lastIndexOf('\\')) + 1).trim()
  const name = cleanFilename(begin, mimeType)
  if (name !== undefined) return name
  const [extension = ''] = /\.[\p{L}\p{N}]{1,10}$/u.exec(begin) ?? []
  const kept = [...begin.slice(0, maxLength).toWellFormed()].slice(0, maxLength - 20).join('')
  return cleanFilename(`${kept}…${extension}`, mimeType) ?? `Unbenannt.${extensions[mimeType] ?? 'bin'}`
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
