/** Letters in the code pages 850 and 437 of DOS, by their bytes as Latin-1. Both pages have them at the same place. */
const dosLetters: Readonly<Record<string, string>> = {
  '\x81': 'ü',
  '\x82': 'é',
  '\x84': 'ä',
  '\x8e': 'Ä',
  '\x94': 'ö',
  '\x99': 'Ö',
  '\x9a': 'Ü',
  '\xe1': 'ß',
}

const onlyDosLetters = /^[\p{ASCII}\x81\x82\x84\x8e\x94\x99\x9a\xe1]*$/u

/**
 * Whether a text, read as Latin-1, begins like an EDA file, the application for a payment order (§ 702 ZPO): its first
 * record has the type `AA`.
 */
export function beginsLikeEda(latin1: string): boolean {
  return latin1.startsWith('AA')
}

/** Whether all characters beyond ASCII are letters in a code page of DOS. Programs write EDA files in it. */
export function hasOnlyDosLetters(latin1: string): boolean {
  return onlyDosLetters.test(latin1)
}

/** The text of an EDA file in a code page of DOS, for bytes that are not UTF-8; undefined for other bytes. */
export function dosEdaText(bytes: Uint8Array): string | undefined {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (!beginsLikeEda(latin1) || !hasOnlyDosLetters(latin1)) return undefined
  return latin1.replace(/[\x81-\xe1]/g, (letter) => dosLetters[letter] ?? letter)
}
