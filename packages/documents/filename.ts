/** As long as a name may be (G8). */
const longest = 500

/**
 * A file's name as it is kept: without the folders it came from, in NFC, control characters as blanks, and not
 * empty. Everything else stays as it was, quotes and marks of writing direction included.
 *
 * @returns undefined for a name that is too long.
 */
export function cleanFilename(sent: string, mimeType: string): string | undefined {
  const name = sent
    .toWellFormed()
    .normalize('NFC')
    .replace(/^.*[\\/]/s, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  if (name === '' || name === '.' || name === '..') return `Unbenannt.${extensions[mimeType] ?? 'bin'}`
  return [...name].length > longest ? undefined : name
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
