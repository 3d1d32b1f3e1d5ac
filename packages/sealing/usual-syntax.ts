import { Unsure } from './unsure.ts'

/**
 * Checks that a text is one object, or the dictionary of a stream with its data, with one meaning for all readers (ISO
 * 32000-1, 7.2, 7.3). Readers disagree on `[0 0 300.-0 200]`, on repeated keys and the like, and pdf-lib writes these
 * differently.
 *
 * @throws Unsure if a check fails
 */
export function requireUsualSyntax(bytes: Buffer): void {
  const text = textWithoutData(bytes)
  const open: Container[] = []
  let place = 0
  do {
    token.lastIndex = place
    const found = token.exec(text)
    if (found === null) throw new Unsure('An object is written unusually.')
    place = token.lastIndex
    const [, word = '', name] = found
    const container = open.at(-1)
    if (word === ']' || word === '>>') {
      if (container?.end !== word || container.key !== undefined) {
        throw new Unsure('An object is written unusually.')
      }
      open.pop()
      finishValue(open.at(-1))
      continue
    }
    if (container?.keys && container.key === undefined) {
      container.key = newKey(container.keys, name)
      continue
    }
    if (word === '(') place = endOfString(text, place)
    if (word === '[') open.push({ end: ']' })
    else if (word === '<<') open.push({ end: '>>', keys: new Set() })
    else finishValue(container)
    if (open.length > maxDepth) throw new Unsure('An object is nested deeply.')
  } while (open.length > 0)
  if (!/^[\0\t\n\f\r ]*(?:stream\r?\n|$)/.test(text.slice(place))) {
    throw new Unsure('An object does not end where it must.')
  }
}

/** An open array or dictionary. `key`: the key of the value that must follow. */
type Container = { end: ']' | '>>'; keys?: Set<string>; key?: string | undefined }

/** A bracket, the beginning of a string, a name, a hexadecimal string, or a whole word that is a value. */
const token =
  /[\0\t\n\f\r ]*(<<|>>|\[|\]|\(|\/((?:[^\0-\x20()<>[\]{}/%#]|#(?!23|[01])[\dA-Fa-f]{2})+)|<[\dA-Fa-f\t\n\r ]*>|(?:\d{1,10}[\t\n\r ]+\d{1,5}[\t\n\r ]+R|[+-]?(?:\d{1,15}(?:\.\d{0,20})?|\.\d{1,20})|true|false|null)(?![^\0\t\n\f\r ()<>[\]{}/%]))/y

const maxDepth = 100

function newKey(keys: Set<string>, name: string | undefined): string {
  const key = name?.replace(/#(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  if (key === undefined || keys.has(key)) throw new Unsure('A key is missing or occurs twice.')
  keys.add(key)
  return key
}

function finishValue(container: Container | undefined): void {
  if (container) container.key = undefined
}

/** The end of a string, in which brackets occur in pairs or after a backslash. */
function endOfString(text: string, start: number): number {
  const brackets = /\\[\s\S]|[()]/g
  brackets.lastIndex = start
  for (let depth = 1; depth > 0; ) {
    const [found] = brackets.exec(text) ?? []
    if (found === undefined) throw new Unsure('A string does not end.')
    if (found === '(') depth += 1
    if (found === ')') depth -= 1
  }
  return brackets.lastIndex
}

/** The data of a large stream is not decoded. */
function textWithoutData(bytes: Buffer): string {
  const end = bytes.length > 65_536 ? bytes.indexOf('stream') : -1
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end + 'stream\r\n'.length)
}
