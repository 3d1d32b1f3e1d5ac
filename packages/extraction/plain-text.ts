/** The text of a plain text file: as UTF-8 if valid (with or without byte order mark), otherwise as Windows-1252. */
export function readPlainText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
