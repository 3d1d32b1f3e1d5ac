import { beginningOf } from '#kernel/text.ts'

const suffix = ' (signiert).pdf'

/** The longest file name, in characters, that common file systems allow. */
const maxCharacters = 255

/** The extensions of each media type. Any other text after a dot belongs to the name: `Az. 3 C 12.26`. */
const extensions: Record<string, RegExp> = {
  'application/pdf': /\.pdf$/i,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': /\.docx$/i,
  'application/msword': /\.doc$/i,
  'image/png': /\.png$/i,
  'image/jpeg': /\.(jpe?g|jpe|jfif)$/i,
  'image/tiff': /\.tiff?$/i,
  'text/plain': /\.te?xt$/i,
}

/** The name of a sealed copy: `Vollmacht.docx` becomes `Vollmacht (signiert).pdf`. */
export function sealedFilename({ filename, mime_type }: { filename: string; mime_type: string }): string {
  const stem = filename.replace(extensions[mime_type] ?? '', '')
  return beginningOf(stem || filename, maxCharacters - suffix.length) + suffix
}
