/** The text of a plain text file: UTF-8 with or without byte order mark, and Windows-1252 where it is not UTF-8. */
export function readPlainText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
