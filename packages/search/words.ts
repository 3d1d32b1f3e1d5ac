/** A sorted list of words in one string, each between two line feeds. It takes a tenth of the memory of an array. */
export type WordList = string

export function wordList(words: Iterable<string>): WordList {
  return `\n${[...words].sort().join('\n')}\n`
}

export function hasWord(list: WordList, word: string): boolean {
  return list.startsWith(`${word}\n`, positionOf(list, word))
}

/**
 * Returns a Bloom filter: a function that tests whether a text may be a word of these lists. It takes a tenth of the
 * time of `hasWord`. False, the result for most texts, means that no list has the text.
 */
export function mayHaveWord(...lists: WordList[]): (text: string) => boolean {
  const letters = lists.reduce((sum, { length }) => sum + length, 0)
  // About two bytes per word: one false positive in fifty texts.
  const bits = new Uint8Array(2 ** Math.ceil(Math.log2(letters / 4 + 64)))
  const mask = bits.length * 8 - 1
  const other = (hash: number): number => Math.imul(hash, 0x9e3779b1)
  const put = (hash: number): void => {
    const place = hash & mask
    bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  }
  const has = (hash: number): boolean => {
    const place = hash & mask
    return ((bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0
  }
  for (const list of lists)
    for (let at = 1, hash = 0; at < list.length; at += 1) {
      const code = list.charCodeAt(at)
      if (code !== lineFeed) {
        hash = nextHash(hash, code)
        continue
      }
      put(hash)
      put(other(hash))
      hash = 0
    }
  return (text) => {
    let hash = 0
    for (let at = 0; at < text.length; at += 1) hash = nextHash(hash, text.charCodeAt(at))
    return has(hash) && has(other(hash))
  }
}

const lineFeed = 10

const nextHash = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193) ^ (hash >>> 15)

/** The words with this prefix, in order. @param longest the maximum length of a word, in characters */
export function wordsBeginningWith(list: WordList, prefix: string, longest = Infinity): string[] {
  const found: string[] = []
  for (let at = positionOf(list, prefix); list.startsWith(prefix, at); ) {
    const end = list.indexOf('\n', at)
    if (end - at <= longest) found.push(list.slice(at, end))
    at = end + 1
  }
  return found
}

/** The words that contain this part and are longer. */
export function wordsContaining(list: WordList, part: string): string[] {
  const found: string[] = []
  for (let at = list.indexOf(part); at !== -1; ) {
    const start = list.lastIndexOf('\n', at) + 1
    const end = list.indexOf('\n', at)
    if (end - start > part.length) found.push(list.slice(start, end))
    at = list.indexOf(part, end)
  }
  return found
}

export function wordsIn(list: WordList): string[] {
  return list.split('\n').filter((word) => word !== '')
}

/** The position of the first word that does not precede this one (binary search). */
function positionOf(list: WordList, word: string): number {
  let low = 1
  let high = list.length
  while (low < high) {
    const start = list.lastIndexOf('\n', Math.max(low, (low + high) >> 1) - 1) + 1
    const end = list.indexOf('\n', start)
    if (list.slice(start, end) < word) low = end + 1
    else high = start
  }
  return low
}
