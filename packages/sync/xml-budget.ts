import { setImmediate } from 'node:timers/promises'
import { SaxesParser } from 'saxes'

/** The maximum length of one answer. */
const maxCharacters = 1_000_000

/**
 * The maximum number of pieces of one answer, and of all answers of one operation. A piece is an element, attribute,
 * text, comment, character reference or similar. A list of 100 calendars has 10 000.
 */
const maxPieces = { ofOne: 20_000, ofAll: 60_000 }

/** The maximum number of different element and attribute names in one answer. The calendar standards define fewer. */
const maxNames = 300
const maxDepth = 50
const maxMilliseconds = 1_000

const charactersAtOnce = 64 * 1024

/**
 * Returns a function that refuses XML that is not well-formed, declares a document type, or exceeds the limits. Call
 * the returned function before a parser that has no limits: such a parser needs quadratic time for hostile text.
 *
 * @throws Error from the returned function, naming the fault
 */
export function xmlBudget(): (xml: string) => Promise<void> {
  let piecesOfAll = 0
  return async (xml) => {
    let pieces = 0
    let milliseconds = 0
    const names = new Set<string>()
    const count = (found: number) => {
      pieces += found
      piecesOfAll += found
      if (pieces > maxPieces.ofOne || piecesOfAll > maxPieces.ofAll)
        throw new Error('The XML has too many pieces.')
    }
    const noteName = (name: string) => {
      if (!plainName.test(name))
        throw new Error('The XML has a name with unusual characters, or a very long one.')
      if (names.add(name).size > maxNames) throw new Error('The XML has too many different names.')
    }

    if (xml.length > maxCharacters) throw new Error('The XML is too long.')
    count(xml.split('&').length - 1)
    const parser = strictParser(count, noteName)
    for (let start = 0; start < xml.length; start += charactersAtOnce) {
      const startedAt = performance.now()
      parser.write(xml.slice(start, start + charactersAtOnce))
      milliseconds += performance.now() - startedAt
      if (milliseconds > maxMilliseconds) throw new Error('Parsing the XML takes too long.')
      await setImmediate()
    }
    parser.close()
  }
}

const plainName = /^[\w.:-]{1,100}$/

/**
 * A parser that throws at the first fault. It passes the number of pieces to `count` as it finds them, and each name to
 * `noteName`.
 */
function strictParser(count: (pieces: number) => void, noteName: (name: string) => void): SaxesParser {
  const parser = new SaxesParser()
  let depth = 0
  parser.on('error', (error) => {
    throw new Error('The XML is not well-formed.', { cause: error })
  })
  parser.on('doctype', () => {
    throw new Error('The XML declares a document type.')
  })
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1
    if (depth > maxDepth) throw new Error('The XML is nested too deeply.')
    const names = [name, ...Object.keys(attributes)]
    count(names.length)
    names.forEach(noteName)
  })
  parser.on('closetag', () => {
    depth -= 1
  })
  parser.on('text', (text) => {
    if (text.trim() !== '') count(1)
  })
  parser.on('cdata', () => count(1))
  parser.on('comment', () => count(1))
  parser.on('processinginstruction', () => count(1))
  return parser
}
