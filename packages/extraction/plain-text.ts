import { dosEdaText } from '#formats/eda.ts'
import { attempted } from '#kernel/attempted.ts'
import { checkTextLength } from './limits.ts'

/**
 * The text of a plain text file: as UTF-8 if valid (with or without byte order mark), otherwise as Windows-1252;
 * an EDA file also in a code page of DOS. Its length is checked before it is cleaned, because V8 ends the process if an
 * array of lines becomes too long.
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
