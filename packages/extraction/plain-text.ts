import { dosEdaText } from '#formats/eda.ts'
import { attempted } from '#kernel/attempted.ts'
import { checkTextLength } from './limits.ts'

/**
 * The text of a plain text file. It is decoded as UTF-8 if it is valid UTF-8. Otherwise, an EDA file in a DOS code page
 * is decoded with that code page, and any other file as Windows-1252. The length is checked before callers split the
 * text, because V8 ends the process if an array of lines becomes too long.
 *
 * @throws ExtractionRefusal `too_large`
 */
export function readPlainText(bytes: Uint8Array): string {
  const text = decoded(bytes)
  checkTextLength(text.length)
  return text
}

function decoded(bytes: Uint8Array): string {
  return (
    attempted(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ??
    dosEdaText(bytes) ??
    new TextDecoder('windows-1252').decode(bytes)
  )
}
