/** The maximum number of characters of a file name, with its extension (2. ERVB 2022). */
export const maxFileName = 90

const letters = 'A-Za-zÄÖÜäöüß0-9_-'
const allowed = new RegExp(`^[${letters}]+\\.[${letters}]+$`)
const forbidden = new RegExp(`[^${letters}]+`, 'g')

/** Files that the network adds to a message, by `fileNameKey`. */
export const madeByNetwork: ReadonlySet<string> = new Set(['nachrichtentext.pdf', 'xjustiz_nachricht.xml'])

/** The fault of a file name for the network (B7); undefined if it is valid. */
export function fileNameFault(name: string): string | undefined {
  if ([...name].length > maxFileName) return `A file name has at most ${maxFileName} characters.`
  if (madeByNetwork.has(fileNameKey(name))) return 'The network itself adds a file with this name.'
  if (allowed.test(name)) return undefined
  return 'A file name has letters, ä, ö, ü, ß, digits, "_" and "-", and one dot before its extension.'
}

/** Names that differ only in upper and lower case are the same file on many computers. */
export function fileNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/**
 * These names corrected for the network, unique and in their order. An extension has a letter: the year in
 * `Bescheid vom 12.05.2026` is none. A valid name with such an extension stays, unless an earlier file has it.
 *
 * @param extensionOf the extension of a file that has none
 */
export function mendedFileNames<File extends { filename: string }>(
  files: readonly File[],
  extensionOf: (file: File) => string,
): string[] {
  const taken = new Set<string>(madeByNetwork)
  return files.map((file) => {
    const { filename } = file
    const key = fileNameKey(filename)
    if (fileNameFault(filename) === undefined && hasLetter(extensionIn(filename)) && !taken.has(key)) {
      taken.add(key)
      return filename
    }
    const [stem, extension] = partsOf(filename, extensionOf(file))
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

function partsOf(filename: string, defaultExtension: string): [string, string] {
  const name = filename.normalize('NFC')
  const extension = mended(extensionIn(name)).slice(0, 10)
  const isExtension = /^[A-Za-z0-9]+$/.test(extension) && hasLetter(extension)
  const stem = mended(isExtension ? name.slice(0, name.lastIndexOf('.')) : name)
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
function mended(text: string): string {
  const plain = [...text].map((letter) =>
    /[äöüßÄÖÜ]/.test(letter) ? letter : letter.normalize('NFD').replace(/\p{M}/gu, ''),
  )
  return plain.join('').replace(forbidden, '_').replace(/_{2,}/g, '_').replace(/^_|_$/g, '')
}
