import { byteSource } from '#formats/byte-source.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { oleSignature } from '#formats/ole.ts'
import { openZip, type Zip } from '#formats/zip.ts'
import { checkTextLength, limits } from './limits.ts'
import { ExtractionRefusal } from './refusal.ts'
import { parseXml } from './xml.ts'

/**
 * The text of a DOCX: headers, body with text boxes and tables, footnotes, endnotes, footers. Of a drop-down field it
 * reads the chosen entry. It leaves out field codes, comments, and text that was deleted with tracked changes. Every
 * part is inflated and parsed as a stream: memory holds only the text, not a tree of elements.
 *
 * @throws ExtractionRefusal or FormatFault: `password_protected`, `corrupt`, `too_large`, `too_complex`, `unsafe`.
 */
export async function readDocx(bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  if (oleSignature.every((byte, index) => bytes[index] === byte)) {
    throw new ExtractionRefusal('password_protected', 'The document opens only with a password.')
  }
  const zip = await openZip(byteSource(bytes), limits.zipEntries)
  const budget = { bytes: limits.inflatedBytes }
  const inflate: Inflate = (name) => zip.inflate(name, budget)
  const parts = await findParts(zip, inflate, signal)
  const texts = new Set<string>()
  let characters = 0
  for (const name of partKinds.flatMap((kind) => parts[kind])) {
    const text = await readPart(inflate(name), signal)
    characters += text.length
    checkTextLength(characters)
    texts.add(text.trim())
  }
  return [...texts].filter((text) => text !== '').join('\n\n')
}

type Inflate = (name: string) => AsyncIterable<Uint8Array>

/** The parts that carry text, in the order in which they are read. */
const partKinds = ['header', 'document.main', 'footnotes', 'endnotes', 'footer'] as const
type PartKind = (typeof partKinds)[number]

const contentTypes = '[Content_Types].xml'

/**
 * Finds the parts by their content types: a part may have any name. A part without a type of its own has the type of its
 * ending (ECMA-376 part 2, 7.2.3). Programs with Microsoft's Open XML SDK write the type of the body so.
 */
async function findParts(
  zip: Zip,
  inflate: Inflate,
  signal: AbortSignal,
): Promise<Record<PartKind, string[]>> {
  const parts: Record<PartKind, string[]> = {
    header: [],
    'document.main': [],
    footnotes: [],
    endnotes: [],
    footer: [],
  }
  const types = { byName: new Map<string, PartKind | undefined>(), byEnding: new Map<string, PartKind>() }
  await parseXml(inflate(contentTypes), signal, {
    open: (_element, { ContentType = '', PartName, Extension }) => {
      const kind = partKinds.find((candidate) => ContentType.endsWith(`wordprocessingml.${candidate}+xml`))
      if (PartName !== undefined) types.byName.set(PartName.replace(/^\//, '').toLowerCase(), kind)
      else if (Extension !== undefined && kind !== undefined)
        types.byEnding.set(Extension.toLowerCase(), kind)
    },
  })
  // Then no other part is a second body because of its ending.
  const hasNamedBody = [...types.byName.values()].includes('document.main')
  for (const name of zip.names) {
    const key = name.toLowerCase()
    const ending = hasNamedBody ? '' : key.slice(key.lastIndexOf('.') + 1)
    const kind = types.byName.has(key) ? types.byName.get(key) : types.byEnding.get(ending)
    if (kind !== undefined && name !== contentTypes) parts[kind].push(name)
  }
  if (parts['document.main'].length !== 1) throw new FormatFault('corrupt', 'The document has no body.')
  for (const names of Object.values(parts)) names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return parts
}

/** Elements that hold no text of the document: properties, field codes, text deleted with tracked changes. */
const silentElements = new Set([
  ...['pPr', 'rPr', 'sectPr', 'tblPr', 'tblGrid', 'trPr', 'tcPr', 'sdtPr'],
  ...['instrText', 'delInstrText', 'del', 'delText', 'moveFrom'],
])

/** Characters that a run contains as elements. */
const marks: Record<string, string> = { tab: '\t', ptab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' }

/**
 * The text of one part. A text box is nested in the paragraph that it is anchored to, often twice: for newer and for
 * older programs (`AlternateContent` with `Choice` and `Fallback`). It is read once, and its text follows the
 * paragraph.
 */
async function readPart(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  /** A stack of outputs: the part, then every open text box and table cell. Text is written to the last. */
  const outputs: string[][] = [[]]
  /** For each open paragraph, the texts of its text boxes. */
  const boxes: string[][] = []
  /** For each open `AlternateContent`, the characters written before it began. */
  const alternatives: number[] = []
  let written = 0
  let silentDepth = 0
  let inText = false
  /** The drop-down field that was opened last: its chosen entry, and the number of entries read. */
  let field: { chosen?: number; entries: number } = { entries: 0 }
  const write = (text: string): void => {
    outputs.at(-1)?.push(text)
  }
  const take = (text: string): void => {
    written += text.length
    checkTextLength(written)
    write(text)
  }
  const finishOutput = (): string => outputs.pop()?.join('') ?? ''

  await parseXml(chunks, signal, {
    open: (element, attributes) => {
      const isRepeated = element === 'Fallback' && written > (alternatives.at(-1) ?? 0)
      if (silentDepth > 0 || silentElements.has(element) || isRepeated) {
        silentDepth += 1
        return
      }
      inText = element === 't'
      if (element === 'AlternateContent') alternatives.push(written)
      if (element === 'txbxContent' || element === 'tc') outputs.push([])
      if (element === 'p') boxes.push([])
      const mark = marks[element]
      if (mark !== undefined) write(mark)
      if (element === 'ddList') field = { entries: 0 }
      if (element === 'result') field.chosen = Number(valueIn(attributes))
      if (element === 'default') field.chosen ??= Number(valueIn(attributes))
      if (element === 'listEntry') {
        if (field.entries === (field.chosen ?? 0)) take(valueIn(attributes))
        field.entries += 1
      }
    },
    text: (text) => {
      if (inText && silentDepth === 0) take(text)
    },
    close: (element) => {
      if (silentDepth > 0) {
        silentDepth -= 1
        return
      }
      inText = false
      if (element === 'AlternateContent') alternatives.pop()
      if (element === 'txbxContent') boxes.at(-1)?.push(finishOutput())
      if (element === 'tc') write(`${finishOutput().trim()}\t`)
      if (element === 'tr') write('\n')
      if (element === 'p') write(`\n${boxes.pop()?.join('') ?? ''}`)
    },
  })
  return outputs.flat().join('')
}

/** The value of an element, such as `<w:listEntry w:val="Klage"/>`. */
function valueIn(attributes: Record<string, string>): string {
  return Object.entries(attributes).find(([name]) => /(^|:)val$/.test(name))?.[1] ?? ''
}
