import { setImmediate } from 'node:timers/promises'
import {
  type PdfContent,
  PdfDictionary,
  PdfNames,
  PdfReference,
  PdfText,
  type PdfValue,
  pdfObjects,
  pdfOperations,
  streamData,
} from './pdf-objects.ts'
import { textsOf } from './pdf-text-encodings.ts'

/** Why a PDF may show something else to another reader, on paper or later. */
export const changingReasons = [
  /** Something stands on the screen and not on paper, or the other way round. */
  'differs_on_paper',
  /** A field or a note that each reader draws in its own way, or whose value is not what is drawn. */
  'drawn_by_reader',
  /** It runs scripts, starts programs, sends or changes forms, or shows and hides parts. */
  'acts',
  /** Parts that can be shown and hidden. */
  'layers',
  /** Parts that lie outside of the file. */
  'external_parts',
  /** Films, sounds, models, or a collection of files in place of pages. */
  'media',
  /** A form that only Adobe's programs show (XFA): its pages are drawn anew from data at each opening. */
  'dynamic_form',
] as const

export type ChangingReason = (typeof changingReasons)[number]

/**
 * Finds what in a PDF can change, or differs between readers, or between screen and paper (S11). A document of which this
 * finds nothing says the same in every reader: text, pictures, links, outlines, attachments, and forms whose fields print
 * what they show.
 *
 * Every object that any reader may find is looked at (`pdfObjects`), also those that nothing refers to: what a reader would
 * reach by other ways is found as well.
 *
 * @returns the reasons, each once, in the order of `changingReasons`
 * @throws FormatFault `corrupt`, `too_large`
 */
export async function changesOf(file: Buffer): Promise<ChangingReason[]> {
  const found = new Set<ChangingReason>()
  const places = new Map<number, () => PdfContent>()
  const annotations = new Map<number, PdfDictionary[]>()
  const actions: NamedAction[] = []
  let objects = 0
  for (const { number, has, read } of pdfObjects(file, decidingNames)) {
    objects += 1
    if (objects % objectsOfTurn === 0) await setImmediate()
    // Of several objects with one number the last one counts.
    places.set(number, read)
    annotations.delete(number)
    if (!has) continue
    const { value, data } = read()
    const here: PdfDictionary[] = []
    visit(value, (dictionary) => {
      for (const reason of reasonsOf(dictionary, actions)) found.add(reason)
      if (isAnnotation(dictionary)) here.push(dictionary)
    })
    if (here.length > 0) annotations.set(number, here)
    const ofName = typeof value === 'string' ? reasonsOfName.get(value) : undefined
    if (ofName !== undefined) found.add(ofName)
    if (data !== undefined && value instanceof PdfDictionary && isExternal(value)) found.add('external_parts')
  }
  const parts = new Parts(places)
  if (someActs(actions, parts)) found.add('acts')
  for (const annotation of [...annotations.values()].flat()) {
    objects += 1
    if (objects % objectsOfTurn === 0) await setImmediate()
    if (!isDrawnAlike(annotation, parts)) found.add('drawn_by_reader')
  }
  return changingReasons.filter((reason) => found.has(reason))
}

/** The objects between which other work of the process runs. */
const objectsOfTurn = 1_000

/** The objects that others refer to, each read once. */
class Parts {
  private readonly places: ReadonlyMap<number, () => PdfContent>
  private readonly contents = new Map<number, PdfContent>()
  private readonly texts = new Map<number, string[] | undefined>()
  private effort = maxEffort

  constructor(places: ReadonlyMap<number, () => PdfContent>) {
    this.places = places
  }

  /** What a value names; undefined for a stream, and where there is nothing. */
  value(value: PdfValue | undefined): PdfValue | undefined {
    let current = value
    for (let depth = 0; current instanceof PdfReference; depth += 1) {
      const content = this.content(current)
      if (content === undefined || content.data !== undefined || depth > 20) return undefined
      current = content.value
    }
    return current
  }

  dictionary(value: PdfValue | undefined): PdfDictionary | undefined {
    const found = this.value(value)
    return found instanceof PdfDictionary ? found : undefined
  }

  isStream(value: PdfValue | undefined): boolean {
    return value instanceof PdfReference && this.content(value)?.data !== undefined
  }

  /** What the text of an appearance may be; undefined if it cannot be read, or shows more than text. */
  textsDrawnBy(appearance: PdfValue | undefined): string[] | undefined {
    if (!(appearance instanceof PdfReference)) return undefined
    const { number } = appearance
    if (!this.texts.has(number)) this.texts.set(number, this.readTexts(appearance))
    return this.texts.get(number)
  }

  /** Whether so much may still be compared: what many fields refer to may be large. */
  may(effort: number): boolean {
    this.effort -= effort
    return this.effort >= 0
  }

  private readTexts(appearance: PdfReference): string[] | undefined {
    const content = this.content(appearance)
    if (!(content?.value instanceof PdfDictionary) || content.data === undefined || !this.may(0))
      return undefined
    const drawn = contentOf(content.value, content.data)
    return drawn !== undefined && this.may(drawn.length) ? textsShownBy(drawn) : undefined
  }

  private content({ number }: PdfReference): PdfContent | undefined {
    const known = this.contents.get(number)
    const content = known ?? this.places.get(number)?.()
    if (content !== undefined) this.contents.set(number, content)
    return content
  }
}

/** Bytes of appearances, values and choices that are compared; more than any real form has. */
const maxEffort = 4 * 1024 * 1024

/** All dictionaries of an object, with those inside others. */
function visit(value: PdfValue, look: (dictionary: PdfDictionary) => void): void {
  if (Array.isArray(value)) for (const part of value) visit(part, look)
  if (!(value instanceof PdfDictionary)) return
  look(value)
  for (const [, part] of value.entries) visit(part, look)
}

/** An action as it is named. `isUnasked`: it is done without a click on it. `isTable`: the value has several by their events. */
type NamedAction = { value: PdfValue; isUnasked: boolean; isTable: boolean }

/**
 * What a dictionary by itself tells.
 *
 * @param actions takes what it names as its actions
 */
function reasonsOf(dictionary: PdfDictionary, actions: NamedAction[]): ChangingReason[] {
  const reasons: ChangingReason[] = []
  const isAction = dictionary.get('/S') !== undefined
  for (const [key, value] of dictionary.entries) {
    const reason = reasonOfKey(key, value)
    if (reason !== undefined) reasons.push(reason)
    // Entries of an outline follow each other as well.
    if (!actionKeys.has(key) || (key === '/Next' && !isAction)) continue
    actions.push({ value, isUnasked: key !== '/A' && key !== '/PA', isTable: key === '/AA' })
  }
  if (isActing(dictionary)) reasons.push('acts')
  if (isAnnotation(dictionary)) reasons.push(...reasonsOfAnnotation(dictionary))
  return reasons
}

function reasonOfKey(key: string, value: PdfValue): ChangingReason | undefined {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined
  switch (key) {
    case '/JS':
    case '/JavaScript':
      return 'acts'
    case '/OCGs':
      return 'layers'
    case '/Type':
      return value === '/OCG' || value === '/OCMD' ? 'layers' : undefined
    // A link that is a script.
    case '/URI':
      return value instanceof PdfText && /^\s*javascript:/i.test(value.bytes.toString('latin1'))
        ? 'acts'
        : undefined
    case '/XFA':
      return 'dynamic_form'
    case '/Alternates':
      return 'differs_on_paper'
    case '/AlternatePresentations':
      return 'media'
    // The box that is shown or printed; by default the same for both.
    case '/ViewArea':
    case '/ViewClip':
    case '/PrintArea':
    case '/PrintClip':
      return value === '/CropBox' ? undefined : 'differs_on_paper'
    case '/PrintPageRange':
      return 'differs_on_paper'
    // Changes every colour, in some readers and printers.
    case '/TR':
    case '/TR2':
    case '/TransferFunction':
      return isFunction(value) ? 'differs_on_paper' : undefined
    // PostScript that only a printer draws.
    case '/Subtype':
    case '/Subtype2':
      return value === '/PS' ? 'differs_on_paper' : undefined
    case '/OPI':
      return 'external_parts'
    case '/Collection':
      return value instanceof PdfDictionary || value instanceof PdfReference ? 'media' : undefined
    default:
      return undefined
  }
}

function isFunction(value: PdfValue): boolean {
  if (Array.isArray(value)) return value.some(isFunction)
  return value instanceof PdfReference || value instanceof PdfDictionary
}

/** The keys whose values are actions (ISO 32000-1, 12.6), or for `AA` and `Next` hold some. */
const actionKeys = new Set(['/A', '/PA', '/OpenAction', '/Next', '/AA'])

/** Actions that lead to another place, and change nothing. */
const harmlessActions = new Set(['/GoTo', '/GoToR', '/GoToE', '/GoToDp', '/Thread', '/URI', '/Named'])
/** Those that show nothing else than the document, and so may be done when it is opened. */
const unaskedActions = new Set(['/GoTo', '/GoToDp', '/Named'])

/** Whether one of these actions, or one that they refer to, does more than to lead to another place. */
function someActs(actions: readonly NamedAction[], parts: Parts): boolean {
  const seen = new Set<string>()
  const open = [...actions]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, isUnasked, isTable } = next
    if (value instanceof PdfReference) {
      const id = `${value.number} ${isUnasked} ${isTable}`
      if (seen.has(id)) continue
      seen.add(id)
    }
    const named = parts.value(value)
    if (Array.isArray(named)) for (const one of named) open.push({ value: one, isUnasked, isTable })
    if (!(named instanceof PdfDictionary)) continue
    const kinds = named.all('/S').map((kind) => parts.value(kind))
    // What has no such name is no action: it may stand under a key that elsewhere names one.
    if (kinds.some((kind) => typeof kind === 'string' && !isHarmless(kind, isUnasked))) return true
    if (!isTable) continue
    for (const [, action] of named.entries) open.push({ value: action, isUnasked, isTable: false })
  }
  return false
}

function isHarmless(kind: string, isUnasked: boolean): boolean {
  return (isUnasked ? unaskedActions : harmlessActions).has(kind)
}

/** The other actions of ISO 32000, which readers also run where `AA` of an object elsewhere names them. */
const actingActions = new Set(
  'Launch SubmitForm ResetForm ImportData JavaScript Hide SetOCGState Rendition Trans GoTo3DView RichMediaExecute Sound Movie'
    .split(' ')
    .map((name) => `/${name}`),
)

function isActing(dictionary: PdfDictionary): boolean {
  // Elements of the structure of a text have a type under the same key.
  if (dictionary.get('/Type') === '/StructElem') return false
  return dictionary.all('/S').some((kind) => typeof kind === 'string' && actingActions.has(kind))
}

/** A stream whose data lies in another file, or that shows a page of one. */
function isExternal(dictionary: PdfDictionary): boolean {
  return ['/F', '/FFilter', '/Ref'].some((key) => dictionary.all(key).some((value) => value !== null))
}

function isAnnotation(dictionary: PdfDictionary): boolean {
  if (dictionary.get('/Type') === '/Annot') return true
  return (
    dictionary.get('/Rect') !== undefined &&
    ['/Subtype', '/AP'].some((key) => dictionary.get(key) !== undefined)
  )
}

const media = new Set(['/Movie', '/Sound', '/Screen', '/3D', '/RichMedia'])

/** The flags of annotations (ISO 32000-1, 12.5.3). */
const flags = { invisible: 1, hidden: 2, print: 4, noView: 32, toggleNoView: 256 } as const
const notAlike = flags.invisible | flags.hidden | flags.noView | flags.toggleNoView

/** What is placed by the size of the paper, or stands there for the printer alone. */
const forPaper = new Set(['/Watermark', '/PrinterMark', '/TrapNet'])

function reasonsOfAnnotation(annotation: PdfDictionary): ChangingReason[] {
  const type = annotation.get('/Subtype') ?? null
  if (typeof type === 'string' && media.has(type)) return ['media']
  const reasons: ChangingReason[] = []
  // A window that is open covers what stands there.
  const isClosed = annotation.all('/Open').every((value) => value === false || value === null)
  if (!isClosed || (typeof type === 'string' && forPaper.has(type))) reasons.push('differs_on_paper')
  if (type === '/Popup') return reasons
  const isDrawn = hasDrawing(annotation)
  if (type === '/Link' && !isDrawn) return reasons
  if (type === '/Widget' && !isDrawn && isEmptyField(annotation)) return reasons
  if (!isDrawn) reasons.push('drawn_by_reader')
  const isAlike = (value: PdfValue) =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value > 0 &&
    value < 2 ** 31 &&
    (value & flags.print) !== 0 &&
    (value & notAlike) === 0
  const values = annotation.all('/F')
  if (values.length === 0 || !values.every(isAlike)) reasons.push('differs_on_paper')
  return reasons
}

/** Whether it says how it is drawn. A drawing that is named may be none: `isDrawnAlike` asks for it. */
function hasDrawing(annotation: PdfDictionary): boolean {
  return annotation
    .all('/AP')
    .some((drawn) => drawn instanceof PdfReference || (drawn instanceof PdfDictionary && hasNormal(drawn)))
}

function hasNormal(drawn: PdfDictionary): boolean {
  return drawn.all('/N').some((normal) => normal !== null)
}

/** Whether all readers draw an annotation alike, as far as other objects decide that. */
function isDrawnAlike(annotation: PdfDictionary, parts: Parts): boolean {
  const type = parts.value(annotation.get('/Subtype'))
  if (type === '/Link' && !hasThinFrame(annotation, parts)) return false
  if (hasDrawing(annotation) && !annotation.all('/AP').every((drawn) => isSteady(drawn, type, parts)))
    return false
  return type !== '/Widget' || showsItsValue(annotation, parts)
}

/** A frame around a link is no content, unless it is so thick that it covers some. */
function hasThinFrame(link: PdfDictionary, parts: Parts): boolean {
  const border = parts.value(link.get('/Border'))
  const widths = [
    Array.isArray(border) ? border[2] : undefined,
    ...link.all('/BS').map((style) => parts.dictionary(style)?.get('/W')),
  ].map((width) => parts.value(width))
  return widths.every((width) => typeof width !== 'number' || width <= thinFrame)
}

/** In points. */
const thinFrame = 4

/** Whether a drawing is there, and no other one while the mouse is over it or presses what is no button. */
function isSteady(value: PdfValue, type: PdfValue | undefined, parts: Parts): boolean {
  const drawn = parts.dictionary(value)
  if (drawn === undefined) return false
  if (drawn.get('/R') !== undefined || (type !== '/Widget' && drawn.get('/D') !== undefined)) return false
  return drawn
    .all('/N')
    .every((normal) => parts.isStream(normal) || (parts.dictionary(normal)?.entries.length ?? 0) > 0)
}

/** A field in which nothing is to be seen: no value, no caption and no frame. `showsItsValue` asks for its parents' values. */
function isEmptyField(field: PdfDictionary): boolean {
  return ['/V', '/MK'].every((key) => field.all(key).every((value) => isEmptyValue(value)))
}

function isEmptyValue(value: PdfValue): boolean {
  if (value instanceof PdfText) return value.bytes.length === 0
  if (value instanceof PdfDictionary) return value.entries.length === 0
  return value === null || value === '/Off' || (Array.isArray(value) && value.length === 0)
}

/**
 * Whether what is drawn of a field is its value. Some readers draw the value, some what is drawn, and with `NeedAppearances`
 * more of them draw the value.
 */
function showsItsValue(widget: PdfDictionary, parts: Parts): boolean {
  const value = inherited(widget, '/V', parts)
  const type = inherited(widget, '/FT', parts)
  const normal = parts.dictionary(widget.get('/AP'))?.get('/N')
  if (type === '/Btn')
    return showsItsState(widget, value, normal, parts) && showsItsCaption(widget, normal, parts)
  if (type === '/Sig') return true
  const rich = inherited(widget, '/RV', parts)
  if ((type !== '/Tx' && type !== '/Ch') || (rich !== undefined && !isEmptyValue(rich))) return false
  const isEmpty = value === undefined || isEmptyValue(value)
  if (isEmpty && normal === undefined) return true
  const drawn = parts.textsDrawnBy(normal)
  if (isEmpty) return drawn?.[0] === ''
  if (!(value instanceof PdfText) || drawn === undefined) return false
  const options = parts.value(inherited(widget, '/Opt', parts))
  const effort = value.bytes.length + (Array.isArray(options) ? options.length : 0)
  if (!parts.may(effort)) return false
  const wanted = [value, ...labelsOf(value, options)].flatMap(({ bytes }) => textsOf(bytes).map(plain))
  return wanted.some((text) => drawn.includes(text))
}

/** Of a box or a button: whether the state that is drawn is the one that the value names. */
function showsItsState(
  widget: PdfDictionary,
  value: PdfValue | undefined,
  normal: PdfValue | undefined,
  parts: Parts,
): boolean {
  if (parts.isStream(normal)) return true
  const states = parts.dictionary(normal)
  if (states === undefined) return value === undefined || isEmptyValue(value)
  const on = new Set<PdfValue | undefined>(states.entries.map(([state]) => state))
  on.delete('/Off')
  const drawn = parts.value(widget.get('/AS'))
  return (on.has(drawn) ? drawn : '/Off') === (on.has(value) ? value : '/Off')
}

/** Of a button: whether what is drawn is its caption, which some readers draw. */
function showsItsCaption(widget: PdfDictionary, normal: PdfValue | undefined, parts: Parts): boolean {
  const caption = parts.value(parts.dictionary(widget.get('/MK'))?.get('/CA'))
  if (!(caption instanceof PdfText) || !parts.isStream(normal)) return true
  const drawn = parts.textsDrawnBy(normal)
  return textsOf(caption.bytes).some((text) => drawn?.includes(plain(text)) === true)
}

/** What a field has itself, or its nearest parent. */
function inherited(field: PdfDictionary, key: string, parts: Parts): PdfValue | undefined {
  let current: PdfDictionary | undefined = field
  for (let depth = 0; current !== undefined && depth < 50; depth += 1) {
    if (!parts.may(current.entries.length)) return undefined
    const value = current.get(key)
    if (value !== undefined) return parts.isStream(value) ? value : parts.value(value)
    current = parts.dictionary(current.get('/Parent'))
  }
  return undefined
}

/** The text that a list shows for a value, if it has one. */
function labelsOf({ bytes }: PdfText, options: PdfValue | undefined): PdfText[] {
  if (!Array.isArray(options)) return []
  for (const option of options) {
    const [value, label] = Array.isArray(option) ? option : []
    if (value instanceof PdfText && label instanceof PdfText && value.bytes.equals(bytes)) return [label]
  }
  return []
}

/** An appearance has some lines of text. */
const appearanceBytes = 1024 * 1024

function contentOf(dictionary: PdfDictionary, data: Buffer): Buffer | undefined {
  const isPlain = dictionary.get('/Filter') === undefined
  const end = isPlain ? data.indexOf('endstream') : -1
  if (isPlain) return end < 0 || end > appearanceBytes ? undefined : data.subarray(0, end)
  try {
    return streamData(dictionary, data, appearanceBytes)
  } catch {
    return undefined
  }
}

/**
 * What the text of an appearance may be, without white space, by the encodings of fonts; undefined if it draws anything that
 * may be read beside that: pictures, other drawings, curves, letters that are not to be seen.
 */
function textsShownBy(content: Buffer): string[] | undefined {
  const shown: Buffer[] = []
  try {
    for (const { operator, operands } of pdfOperations(content)) {
      if (!usualOperators.has(operator) || (operator === 'Tr' && operands[0] !== 0)) return undefined
      if (!showingOperators.has(operator)) continue
      const last = operands.at(-1)
      for (const text of Array.isArray(last) ? last : [last])
        if (text instanceof PdfText) shown.push(text.bytes)
    }
  } catch {
    return undefined
  }
  const [first = '', second = first] = textsOf(Buffer.concat(shown))
  return [plain(first), plain(second)]
}

const showingOperators = new Set(['Tj', 'TJ', "'", '"'])
/** Texts, and the frames and areas behind them. */
const usualOperators = new Set(
  `Tj TJ ' " BT ET Tf Td TD Tm T* Tc Tw Tz TL Ts Tr BMC BDC EMC MP DP q Q cm g G rg RG k K cs CS sc SC scn SCN w J j M d i ri
re m l h S s f F f* B B* b b* n W W*`.split(/\s/),
)

/** Lines and gaps are drawn without their white space. */
function plain(text: string): string {
  return text.replace(/[\s\0]/g, '')
}

/** A name that is an object of its own decides about an object elsewhere; no usual program writes these so. */
const reasonsOfName: ReadonlyMap<string, ChangingReason> = new Map([
  ...[...actingActions].map((name) => [name, 'acts'] as const),
  ...[...media].map((name) => [name, 'media'] as const),
  ...[...forPaper, '/PS'].map((name) => [name, 'differs_on_paper'] as const),
  ...['/OCG', '/OCMD'].map((name) => [name, 'layers'] as const),
  ...['/Annot', '/Link', '/Popup', '/Widget', '/Tx', '/Ch', '/Btn'].map(
    (name) => [name, 'drawn_by_reader'] as const,
  ),
])

/** Each name that anything here asks for. An object without them is passed over. */
const decidingNames = new PdfNames(
  [
    ...reasonsOfName.keys(),
    ...actionKeys,
    ...'JS JavaScript OCGs XFA Alternates AlternatePresentations ViewArea ViewClip PrintArea PrintClip PrintPageRange'.split(
      ' ',
    ),
    ...'TR TR2 TransferFunction OPI Collection URI Rect F FFilter Ref'.split(' '),
  ].map((name) => name.replace('/', '')),
)
