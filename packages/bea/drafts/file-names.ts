/** The maximum number of characters of a file name, with its extension (2. ERVB 2022). */
const maxFileName = 90

const letters = 'A-Za-zÄÖÜäöüß0-9_-'
const allowed = new RegExp(`^[${letters}]+\\.[${letters}]+$`)
const forbidden = new RegExp(`[^${letters}]+`, 'g')

/** Files that the network adds to a message, by `fileNameKey`. */
export const addedByNetwork: ReadonlySet<string> = new Set(['nachrichtentext.pdf', 'xjustiz_nachricht.xml'])

/** The fault of a file name for the network (B7); undefined if it is valid. */
export function fileNameFault(name: string): string | undefined {
  if ([...name].length > maxFileName) return `A file name has at most ${maxFileName} characters.`
  if (addedByNetwork.has(fileNameKey(name))) return 'The network itself adds a file with this name.'
  if (allowed.test(name)) return undefined
  return 'A file name has letters, ä, ö, ü, ß, digits, "_" and "-", and one dot before its extension.'
}

/** The same for names that differ only in upper and lower case: many computers treat these as the same file. */
export function fileNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/**
 * Corrects the names of files for the network, so that all are valid and unique. Returns them in the same order. A valid
 * name stays, unless an earlier file has it. An extension must contain a letter, so `Bescheid vom 12.05.2026` has none.
 *
 * @param extensionOf the extension for a file that has none, or a wrong one
 * @param isRight whether the extension of a file is right
 */
export function correctedFileNames<File extends { filename: string }>(
  files: readonly File[],
  extensionOf: (file: File) => string,
  isRight: (file: File) => boolean = () => true,
): string[] {
  const taken = new Set<string>(addedByNetwork)
  return files.map((file) => {
    const { filename } = file
    const key = fileNameKey(filename)
    const isValid = fileNameFault(filename) === undefined && hasLetter(extensionIn(filename)) && isRight(file)
    if (isValid && !taken.has(key)) {
      taken.add(key)
      return filename
    }
    const [stem, extension] = partsOf(filename, extensionOf(file), isRight(file))
    for (let number = 1; ; number += 1) {
      const suffix = number === 1 ? '' : `_${number}`
      const room = maxFileName - extension.length - 1 - suffix.length
      const name = `${stem.slice(0, room)}${suffix}.${extension}`
      if (taken.has(fileNameKey(name))) continue
      taken.add(fileNameKey(name))
      return name
    }
  })
}

function partsOf(filename: string, defaultExtension: string, isRight: boolean): [string, string] {
  const name = filename.normalize('NFC')
  const extension = corrected(extensionIn(name)).slice(0, 10)
  const isExtension = isRight && /^[A-Za-z0-9]+$/.test(extension) && hasLetter(extension)
  const stem = corrected(isExtension ? name.slice(0, name.lastIndexOf('.')) : name)
  return [stem || 'Anlage', isExtension ? extension : defaultExtension]
}

/** The text after the last dot; empty if the name has no other dot than its first character. */
function extensionIn(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1) : ''
}

function hasLetter(extension: string): boolean {
  return /[A-Za-z]/.test(extension)
}

/** Removes accents that are not German, and replaces other invalid characters by "_". */
function corrected(text: string): string {
  const plain = [...text].map((letter) =>
    /[äöüßÄÖÜ]/.test(letter) ? letter : letter.normalize('NFD').replace(/\p{M}/gu, ''),
  )
  return plain.join('').replace(forbidden, '_').replace(/_{2,}/g, '_').replace(/^_|_$/g, '')
}
