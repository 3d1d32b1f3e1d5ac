import { posix } from 'node:path'
import { byteSource } from '#formats/byte-source.ts'
import { FormatFault } from '#formats/format-fault.ts'
import { oleSignature } from '#formats/ole.ts'
import { type InflationBudget, inflateAll, openZip, type Zip } from '#formats/zip.ts'
import { type TagBudget, textOfInserted } from './inserted-files.ts'
import { checkTextLength, limits } from './limits.ts'
import { ExtractionRefusal, refusalOf } from './refusal.ts'
import { parseXml } from './xml.ts'

/**
 * The text of a DOCX: headers, body with text boxes, tables and inserted files, the texts of SmartArt and charts,
 * footnotes, endnotes, footers. For a drop-down field it reads the chosen entry. It skips field codes, comments, and
 * text that was deleted with tracked changes. Every part is inflated and parsed as a stream, so that memory holds only
 * the text, not a tree of elements.
 *
 * `hasUnread`: the document contains a file that is not read, such as a spreadsheet.
 *
 * @throws ExtractionRefusal or FormatFault: `password_protected`, `corrupt`, `too_large`, `too_complex`, `unsafe`.
 */
export async function readDocx(
  bytes: Uint8Array,
  signal: AbortSignal,
  budget: InflationBudget & TagBudget = { bytes: limits.inflatedBytes, tags: limits.allInsertedTags },
  depth = 0,
): Promise<{ text: string; hasUnread: boolean }> {
  if (oleSignature.every((byte, index) => bytes[index] === byte)) {
    throw new ExtractionRefusal('password_protected', 'The document opens only with a password.')
  }
  const zip = await openZip(byteSource(bytes), limits.zipEntries)
  const inflate: Inflate = (name) => zip.inflate(name, budget)
  const parts = await findParts(zip, inflate, signal)
  const texts = new Set<string>()
  let characters = 0
  let hasUnread = false

  const textOf = async (file: Uint8Array): Promise<string | undefined> => {
    if (!zipSignature.every((byte, index) => file[index] === byte))
      return textOfInserted(file, budget).catch(() => undefined)
    if (depth === limits.insertedDepth) return undefined
    const inserted = await readDocx(file, signal, budget, depth + 1).catch(ignoreUnreadable)
    hasUnread ||= inserted?.hasUnread ?? false
    return inserted?.text
  }

  const insertedInto = async (part: string): Promise<Inserted> => {
    const inserted = new Map<string, string>()
    for (const [id, name] of await relatedParts(part, 'aFChunk', zip, inflate, signal)) {
      signal.throwIfAborted()
      const text = await textOf(await inflateAll(zip, name, budget))
      if (text !== undefined) inserted.set(id, text)
    }
    return inserted
  }

  for (const name of partKinds.flatMap((kind) => parts[kind])) {
    const part = await readPart(inflate(name), signal, await insertedInto(name))
    characters += part.text.length
    checkTextLength(characters)
    texts.add(part.text.trim())
    hasUnread ||= part.hasUnread
  }
  return { text: [...texts].filter((text) => text !== '').join('\n\n'), hasUnread }
}

type Inflate = (name: string) => AsyncIterable<Uint8Array>

/** The texts of the files that a part inserts, by relationship id. Files that are not read are missing. */
type Inserted = ReadonlyMap<string, string>

const zipSignature = [0x50, 0x4b, 0x03, 0x04]

/** Ignores an inserted file that is damaged or has a password, so that the rest of the document is read. */
function ignoreUnreadable(error: unknown): undefined {
  if (!['corrupt', 'password_protected'].includes(refusalOf(error)?.reason ?? '')) throw error
}

/**
 * The parts that a part refers to by relationships of this type, by relationship id (ECMA-376 part 2, 6.5.3). Parts
 * that do not exist are left out, and at most a thousand are returned. Names are compared without case.
 *
 * @param part '' for the relationships of the package itself
 */
async function relatedParts(
  part: string,
  type: string,
  { names }: Zip,
  inflate: Inflate,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const folder = posix.dirname(`/${part}`)
  const byPath = new Map(names.map((name) => [`/${name.toLowerCase()}`, name]))
  const related = new Map<string, string>()
  const relationships = byPath.get(posix.join(folder, '_rels', `${posix.basename(part)}.rels`).toLowerCase())
  if (relationships === undefined) return related
  await parseXml(inflate(relationships), signal, {
    open: (_element, { Id = '', Type = '', Target = '', TargetMode }) => {
      if (!Type.endsWith(`/${type}`) || TargetMode === 'External' || related.size === maxRelated) return
      const name = byPath.get(posix.resolve(folder, Target).toLowerCase())
      if (name !== undefined) related.set(Id, name)
    },
  })
  return related
}

const maxRelated = 1_000

/** The kinds of parts that contain text, in reading order. */
const partKinds = [
  ...(['header', 'document.main', 'diagramData', 'chart'] as const),
  ...(['footnotes', 'endnotes', 'footer'] as const),
]
type PartKind = (typeof partKinds)[number]

const contentTypes = '[Content_Types].xml'

/**
 * Finds the parts by their content types, because a part may have any name. A part without its own type has the default
 * type of its extension (ECMA-376 part 2, 7.2.3); programs with Microsoft's Open XML SDK declare the body like this. An
 * inserted DOCX may have the type of a body too, so a relationship of the package says which part is the body.
 */
async function findParts(
  zip: Zip,
  inflate: Inflate,
  signal: AbortSignal,
): Promise<Record<PartKind, string[]>> {
  const parts: Record<PartKind, string[]> = {
    header: [],
    'document.main': [],
    diagramData: [],
    chart: [],
    footnotes: [],
    endnotes: [],
    footer: [],
  }
  const types = { byName: new Map<string, PartKind | undefined>(), byExtension: new Map<string, PartKind>() }
  await parseXml(inflate(contentTypes), signal, {
    open: (_element, { ContentType = '', PartName, Extension }) => {
      const kind = partKinds.find((candidate) => ContentType.endsWith(`ml.${candidate}+xml`))
      if (PartName !== undefined) types.byName.set(PartName.replace(/^\//, '').toLowerCase(), kind)
      else if (Extension !== undefined && kind !== undefined)
        types.byExtension.set(Extension.toLowerCase(), kind)
    },
  })
  const [body] = (await relatedParts('', 'officeDocument', zip, inflate, signal)).values()
  // Without this relationship, a body that is declared by its name excludes bodies declared by their extension.
  const hasNamedBody = body === undefined && [...types.byName.values()].includes('document.main')
  for (const name of zip.names) {
    const key = name.toLowerCase()
    const extension = hasNamedBody ? '' : key.slice(key.lastIndexOf('.') + 1)
    const kind = types.byName.has(key) ? types.byName.get(key) : types.byExtension.get(extension)
    const isOtherBody = kind === 'document.main' && name !== (body ?? name)
    if (kind !== undefined && name !== contentTypes && !isOtherBody) parts[kind].push(name)
  }
  if (parts['document.main'].length !== 1) throw new FormatFault('corrupt', 'The document has no body.')
  for (const names of Object.values(parts)) names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return parts
}

/** Elements without text of the document: properties, field codes, text that was deleted with tracked changes. */
const skippedElements = new Set([
  ...['pPr', 'rPr', 'sectPr', 'tblPr', 'tblGrid', 'trPr', 'tcPr', 'sdtPr'],
  ...['instrText', 'delInstrText', 'del', 'delText', 'moveFrom'],
])

/** The characters that are written as elements. */
const characterElements: Record<string, string> = {
  tab: '\t',
  ptab: '\t',
  br: '\n',
  cr: '\n',
  noBreakHyphen: '-',
}

/**
 * The text of one part. A text box is nested in the paragraph to which it is anchored, often twice: for newer and for
 * older programs (`AlternateContent` with `Choice` and `Fallback`). It is read once, and its text comes after the
 * paragraph.
 */
async function readPart(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  inserted: Inserted,
): Promise<{ text: string; hasUnread: boolean }> {
  /** A stack of outputs: the part, then every open text box and table cell. Text is written to the last one. */
  const outputs: string[][] = [[]]
  /** For each open paragraph, the texts of its text boxes. */
  const boxes: string[][] = []
  /** For each open `AlternateContent`, the number of characters written before it. */
  const alternatives: number[] = []
  let written = 0
  let skippedDepth = 0
  let inText = false
  let hasUnread = false
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
      if (skippedDepth > 0 || skippedElements.has(element) || isRepeated) {
        skippedDepth += 1
        return
      }
      inText = element === 't'
      if (element === 'AlternateContent') alternatives.push(written)
      if (element === 'txbxContent' || element === 'tc') outputs.push([])
      if (element === 'p') boxes.push([])
      const character = characterElements[element]
      if (character !== undefined) write(character)
      if (element === 'altChunk') {
        const text = inserted.get(valueIn(attributes, 'id'))
        if (text === undefined) hasUnread = true
        else take(`${text}\n`)
      }
      if (element === 'OLEObject') hasUnread ||= isFile(attributes)
      if (element === 'ddList') field = { entries: 0 }
      if (element === 'result') field.chosen = Number(valueIn(attributes, 'val'))
      if (element === 'default') field.chosen ??= Number(valueIn(attributes, 'val'))
      if (element === 'listEntry') {
        if (field.entries === (field.chosen ?? 0)) take(valueIn(attributes, 'val'))
        field.entries += 1
      }
    },
    text: (text) => {
      if (inText && skippedDepth === 0) take(text)
    },
    close: (element) => {
      if (skippedDepth > 0) {
        skippedDepth -= 1
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
  return { text: outputs.flat().join(''), hasUnread }
}

/** The value of an attribute with any prefix, such as `<w:listEntry w:val="Klage"/>`. */
function valueIn(attributes: Record<string, string>, attribute: 'val' | 'id'): string {
  return Object.entries(attributes).find(([name]) => name.split(':').at(-1) === attribute)?.[1] ?? ''
}

/**
 * Whether an OLE object is an embedded file, such as a spreadsheet. Older versions of Word store formulas as objects.
 */
function isFile({ Type, ProgID = '' }: Record<string, string>): boolean {
  return Type !== 'Link' && !/^(?:Equation|MathType)/.test(ProgID)
}
