import { SaxesParser, type SaxesTagNS } from 'saxes'
import { attempted } from '#kernel/attempted.ts'
import { base64Bytes, isNothing } from './envelope.ts'
import { UnreadableAnswer } from './fields.ts'

/** The content of a decrypted XML object. */
export type Container = {
  /** Names of attachments and their keys in base64, both in document order. */
  attachmentNames: string[]
  attachmentKeys: string[]
  /** The decoded `Base64Content` elements by their attribute `Id`; the first one without an id under `''`. */
  contents: Map<string, Buffer>
}

const namespaces = {
  osci: 'http://www.osci.de/2002/04/osci',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
}

/** Containers hold texts and names, not the contents of attachments. */
const maxBytes = 16 * 1024 * 1024
const maxDepth = 50
const maxElements = 50_000

/**
 * Reads the XML of a decrypted object: the container of OSCI contents, in both layouts, and the encrypted data of
 * `project_coco`. Only the five entities of XML itself are resolved; nothing is fetched.
 *
 * @throws UnreadableAnswer if it is not well-formed, declares a document type, or exceeds the limits
 */
export function readContainer(xml: Buffer): Container {
  if (xml.length > maxBytes) throw new UnreadableAnswer('A container is too large.')
  const container: Container = { attachmentNames: [], attachmentKeys: [], contents: new Map() }
  const open: SaxesTagNS[] = []
  let elements = 0
  let text: string[] = []
  const parser = parserOf('A container')
  parser.on('opentag', (tag: SaxesTagNS) => {
    elements += 1
    if (open.length >= maxDepth || elements > maxElements)
      throw new UnreadableAnswer('A container has too many elements.')
    open.push(tag)
    text = []
    const name = attachmentNameOf(tag, open)
    if (name !== undefined) container.attachmentNames.push(name)
  })
  parser.on('text', (piece) => text.push(piece))
  parser.on('cdata', (piece) => text.push(piece))
  parser.on('closetag', (tag: SaxesTagNS) => {
    if (isEncryptedDataOfRoot(open) && is(tag, 'signature', 'MgmtData')) {
      container.attachmentKeys.push(text.join('').trim())
    }
    if (is(tag, 'osci', 'Base64Content') && isContentOfRoot(open)) {
      const id = tag.attributes.Id?.value ?? open.at(-2)?.attributes.Id?.value ?? ''
      if (!container.contents.has(id)) container.contents.set(id, base64Bytes(text.join('')))
    }
    open.pop()
    text = []
  })
  try {
    parser.write(new TextDecoder('utf-8', { fatal: true }).decode(xml)).close()
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw error
    throw new UnreadableAnswer('A container is not UTF-8.', error)
  }
  return container
}

/**
 * Assigns keys to attachments: each name in the container has one key, even if names repeat. If there are fewer keys
 * than names, all attachments have the first key. So does an attachment without a name here and without its own key.
 *
 * @returns a function of the name of an attachment and its own key in base64, which may be empty. It throws
 *   UnreadableAnswer if the key is not base64
 */
export function keysOfAttachments(container: Container): (name: string, own: unknown) => Buffer {
  const { attachmentNames: names, attachmentKeys: keys } = container
  const taken = new Set<number>()
  return (name, own) => {
    if (names.length !== keys.length) return base64Bytes(keys[0] ?? own)
    const places = [...names.keys()].filter((at) => sameName(names[at] ?? '', name))
    const free = places.filter((at) => !taken.has(at))
    const place = free.find((at) => names[at] === name) ?? free[0] ?? places[0] ?? -1
    taken.add(place)
    return base64Bytes(keys[place] ?? (isNothing(own) ? keys[0] : own))
  }
}

/** Compares file names, ignoring Unicode composition, percent-encoding, and whitespace that XML normalises. */
export function sameName(one: string, other: string): boolean {
  return plainName(one) === plainName(other)
}

function plainName(name: string): string {
  const composed = name.normalize('NFC').replace(/\s+/g, ' ')
  if (!/%[\da-f]{2}/i.test(composed)) return composed
  return attempted(() => decodeURIComponent(composed).normalize('NFC')) ?? composed
}

/** The name of an attachment after `cid:`, from an `EncryptedData` child of the root. */
function attachmentNameOf(tag: SaxesTagNS, open: SaxesTagNS[]): string | undefined {
  if (!is(tag, 'encryption', 'CipherReference') || !isEncryptedDataOfRoot(open)) return undefined
  return tag.attributes.URI?.value.replace(/^cid:/i, '')
}

function isEncryptedDataOfRoot([, child]: SaxesTagNS[]): boolean {
  return child !== undefined && is(child, 'encryption', 'EncryptedData')
}

/** Direct children of the root, or below `Content`: both layouts occur. */
function isContentOfRoot(open: SaxesTagNS[]): boolean {
  const parent = open.at(-2)
  return open.length === 2 || (parent !== undefined && is(parent, 'osci', 'Content'))
}

function is(tag: SaxesTagNS, namespace: keyof typeof namespaces, local: string): boolean {
  return tag.local === local && tag.uri === namespaces[namespace]
}

/** @returns a parser that throws UnreadableAnswer for malformed XML and for a document type */
function parserOf(what: string) {
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', () => {
    throw new UnreadableAnswer(`${what} is not well-formed XML.`)
  })
  parser.on('doctype', () => {
    throw new UnreadableAnswer(`${what} declares a document type.`)
  })
  return parser
}

/** The texts of the direct children of the root, by their local names. @throws UnreadableAnswer */
export function childTexts(xml: Buffer): Map<string, string> {
  const texts = new Map<string, string>()
  const parser = parserOf('A record')
  let depth = 0
  let text: string[] = []
  parser.on('opentag', () => {
    depth += 1
    if (depth > maxDepth) throw new UnreadableAnswer('A record is nested too deeply.')
    if (depth === 2) text = []
  })
  parser.on('text', (piece) => text.push(piece))
  parser.on('cdata', (piece) => text.push(piece))
  parser.on('closetag', ({ local }: SaxesTagNS) => {
    if (depth === 2 && !texts.has(local)) texts.set(local, text.join('').trim())
    depth -= 1
  })
  parser.write(new TextDecoder().decode(xml)).close()
  return texts
}
