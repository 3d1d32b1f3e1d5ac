/** A place in a text. Line and column are counted from 1. */
type TextPlace = { line: number; column: number }

/**
 * The place of the first fault in a text that is not JSON (RFC 8259): the first character that cannot follow the text
 * before it, or the end of the text. The time is linear in the length of the text.
 */
export function jsonFaultIn(text: string): TextPlace {
  const at = faultAt(text)
  const before = text.slice(0, at)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let end = before.indexOf('\n'); end !== -1; end = before.indexOf('\n', end + 1)) line += 1
  return { line, column: at - lineStart + 1 }
}

type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | 'end'

function faultAt(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at += 1
    const character = text[at]
    if (character === undefined) return at
    const isClosing =
      (character === ']' && open.at(-1) === '[' && (expected === 'end' || expected === 'value or ]')) ||
      (character === '}' && open.at(-1) === '{' && (expected === 'end' || expected === 'name or }'))
    if (isClosing) {
      open.pop()
      expected = 'end'
      at += 1
    } else if (expected === 'end') {
      if (character !== ',' || open.length === 0) return at
      expected = open.at(-1) === '{' ? 'name' : 'value'
      at += 1
    } else if (expected === ':') {
      if (character !== ':') return at
      expected = 'value'
      at += 1
    } else if (expected === 'name' || expected === 'name or }') {
      if (character !== '"') return at
      const string = endOfString(text, at)
      if (string.isFault) return string.at
      expected = ':'
      at = string.at
    } else if (character === '{' || character === '[') {
      open.push(character)
      expected = character === '{' ? 'name or }' : 'value or ]'
      at += 1
    } else {
      const value = character === '"' ? endOfString(text, at) : endOfWord(text, at)
      if (value.isFault) return value.at
      expected = 'end'
      at = value.at
    }
  }
}

type Token = { at: number; isFault: boolean }

const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

function endOfString(text: string, start: number): Token {
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return { at: at + 1, isFault: false }
    if (code < 0x20) return { at, isFault: true }
    if (code === 0x5c) {
      escaped.lastIndex = at
      if (!escaped.test(text)) return { at, isFault: true }
      at = escaped.lastIndex
    } else at += 1
  }
  return { at, isFault: true }
}

function endOfWord(text: string, start: number): Token {
  word.lastIndex = start
  return word.test(text) ? { at: word.lastIndex, isFault: false } : { at: start, isFault: true }
}
