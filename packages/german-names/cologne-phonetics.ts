/**
 * The code of a word in the Kölner Phonetik (Postel 1969): words that sound alike in German have the same code, such as
 * `Meier` and `Mayr` (`67`). The word must be folded: lower case, `ae` for `ä`. Characters other than a to z are
 * ignored; '' if none remains.
 */
export function colognePhonetics(word: string): string {
  const letters = word.replace(/[^a-z]/g, '')
  let code = ''
  let last = ''
  for (let at = 0; at < letters.length; at += 1) {
    for (const digit of codeOf(letters[at - 1] ?? '', letters[at] ?? '', letters[at + 1] ?? '')) {
      // Equal digits in a row count once. With a vowel between them both count, although the vowel gets no digit.
      if (digit !== last && (digit !== '0' || code === '')) code += digit
      last = digit
    }
  }
  return code
}

function codeOf(before: string, letter: string, after: string): string {
  switch (letter) {
    case 'h':
      return ''
    case 'b':
      return '1'
    case 'p':
      return after === 'h' ? '3' : '1'
    case 'd':
    case 't':
      return isOneOf('csz', after) ? '8' : '2'
    case 'f':
    case 'v':
    case 'w':
      return '3'
    case 'g':
    case 'k':
    case 'q':
      return '4'
    case 'c':
      return isHardC(before, after) ? '4' : '8'
    case 'x':
      return isOneOf('ckq', before) ? '8' : '48'
    case 'l':
      return '5'
    case 'm':
    case 'n':
      return '6'
    case 'r':
      return '7'
    case 's':
    case 'z':
      return '8'
    default:
      return '0'
  }
}

function isHardC(before: string, after: string): boolean {
  if (before === '') return isOneOf('ahkloqrux', after)
  return !isOneOf('sz', before) && isOneOf('ahkoqux', after)
}

function isOneOf(letters: string, letter: string): boolean {
  return letter !== '' && letters.includes(letter)
}
