import {
  PdfDictionary,
  PdfReference,
  PdfText,
  type PdfValue,
  pdfObjects,
  pdfTexts,
  streamData,
} from './pdf-objects.ts'

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
  const fields = new Map<number, PdfDictionary>()
  const streams = new Map<number, { dictionary: PdfDictionary; data: Buffer }>()
  const widgets = new Map<number, PdfDictionary[]>()
  const kinds = new Map<number, PdfValue[]>()
  const actions = new Set<number>()
  for await (const object of pdfObjects(file)) {
    const { number, value, data } = object
    const drawn: PdfDictionary[] = []
    visit(value, (dictionary) => {
      for (const reason of reasonsOf(dictionary, actions)) found.add(reason)
      if (dictionary.get('/Subtype') === '/Widget') drawn.push(dictionary)
    })
    // Of several objects with one number the last one counts.
    if (drawn.length > 0) widgets.set(number, drawn)
    else widgets.delete(number)
    if (!(value instanceof PdfDictionary)) continue
    if (data !== undefined) {
      if (isExternal(value)) found.add('external_parts')
      streams.set(number, { dictionary: value, data })
    } else {
      if (isField(value)) fields.set(number, value)
      else fields.delete(number)
      if (value.get('/S') !== undefined) kinds.set(number, value.all('/S'))
    }
  }
  if ([...actions].some((number) => kinds.get(number)?.some((kind) => !isHarmless(kind)))) found.add('acts')
  const shows = (widget: PdfDictionary) => showsItsValue(widget, fields, streams)
  if ([...widgets.values()].flat().some((widget) => !shows(widget))) found.add('drawn_by_reader')
  return changingReasons.filter((reason) => found.has(reason))
}

/** All dictionaries of an object, with those inside others. */
function visit(value: PdfValue, look: (dictionary: PdfDictionary) => void): void {
  if (Array.isArray(value)) for (const part of value) visit(part, look)
  if (!(value instanceof PdfDictionary)) return
  look(value)
  for (const [, part] of value.entries) visit(part, look)
}

/**
 * What a dictionary by itself tells.
 *
 * @param actions takes the numbers of the objects that it names as its actions
 */
function reasonsOf(dictionary: PdfDictionary, actions: Set<number>): ChangingReason[] {
  const reasons: ChangingReason[] = []
  for (const [key, value] of dictionary.entries) {
    const reason = reasonOfKey(key, value)
    if (reason !== undefined) reasons.push(reason)
    if (actionKeys.has(key))
      for (const one of namedActions(key, value)) {
        if (one instanceof PdfReference) actions.add(one.number)
        else if (one instanceof PdfDictionary && one.all('/S').some((kind) => !isHarmless(kind)))
          reasons.push('acts')
      }
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
    case '/XFA':
      return 'dynamic_form'
    case '/Alternates':
      return 'differs_on_paper'
    // The box that is shown or printed; by default the same for both.
    case '/ViewArea':
    case '/ViewClip':
    case '/PrintArea':
    case '/PrintClip':
      return value === '/CropBox' ? undefined : 'differs_on_paper'
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

/** The keys whose values are actions (ISO 32000-1, 12.6), or for `AA` and `Next` hold some. */
const actionKeys = new Set(['/A', '/PA', '/OpenAction', '/Next', '/AA'])

function namedActions(key: string, value: PdfValue): PdfValue[] {
  if (Array.isArray(value)) return value
  return key === '/AA' && value instanceof PdfDictionary ? value.entries.map(([, action]) => action) : [value]
}

/** Actions that lead to another place, and change nothing. */
const harmlessActions = new Set(['/GoTo', '/GoToR', '/GoToE', '/GoToDp', '/Thread', '/URI', '/Named'])

/** Values of `S` in what is no action: it may stand under a key that elsewhere names one. */
function isHarmless(kind: PdfValue): boolean {
  return typeof kind !== 'string' || harmlessActions.has(kind)
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

function reasonsOfAnnotation(annotation: PdfDictionary): ChangingReason[] {
  const type = annotation.get('/Subtype') ?? null
  if (typeof type === 'string' && media.has(type)) return ['media']
  const isDrawn = annotation.all('/AP').some((drawn) => drawn !== null)
  // A frame around a link and the window of a note are no content; a window that is open covers some.
  if (type === '/Link' && !isDrawn) return []
  if (type === '/Popup') return annotation.all('/Open').includes(true) ? ['differs_on_paper'] : []
  if (type === '/Widget' && !isDrawn && isEmptyField(annotation)) return []
  const isSteady = isDrawn && annotation.all('/AP').every((drawn) => !changesUnderMouse(drawn, type))
  const reasons: ChangingReason[] = isSteady ? [] : ['drawn_by_reader']
  const isAlike = (value: PdfValue) =>
    typeof value === 'number' && (value & flags.print) !== 0 && (value & notAlike) === 0
  const values = annotation.all('/F')
  if (values.length === 0 || !values.every(isAlike)) reasons.push('differs_on_paper')
  return reasons
}

/** Whether it is drawn in another way while the mouse is over it, or presses what is no button. */
function changesUnderMouse(drawn: PdfValue, type: PdfValue): boolean {
  if (!(drawn instanceof PdfDictionary)) return false
  const isPressed = type !== '/Widget' && drawn.get('/D') !== undefined
  return isPressed || drawn.get('/R') !== undefined
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

function isField(dictionary: PdfDictionary): boolean {
  return ['/FT', '/V', '/Parent', '/Kids'].some((key) => dictionary.get(key) !== undefined)
}

type Streams = ReadonlyMap<number, { dictionary: PdfDictionary; data: Buffer }>
type Fields = ReadonlyMap<number, PdfDictionary>

/**
 * Whether what is drawn of a field is its value. Some readers draw the value, some what is drawn, and with `NeedAppearances`
 * more of them draw the value.
 */
function showsItsValue(widget: PdfDictionary, fields: Fields, streams: Streams): boolean {
  const value = inherited(widget, '/V', fields)
  const type = inherited(widget, '/FT', fields)
  const appearance = widget.get('/AP')
  const normal = appearance instanceof PdfDictionary ? appearance.get('/N') : undefined
  if (type === '/Btn') return showsItsState(widget, value, normal) && showsItsCaption(widget, normal, streams)
  if (type !== '/Tx' && type !== '/Ch') return true
  if (value === undefined || isEmptyValue(value)) return true
  const stream = normal instanceof PdfReference ? streams.get(normal.number) : undefined
  if (!(value instanceof PdfText) || stream === undefined) return false
  const drawn = textDrawnBy(stream)
  const wanted = [value, ...labelsOf(value, inherited(widget, '/Opt', fields))]
  return drawn !== undefined && wanted.some((text) => plain(textOf(text.bytes)) === drawn)
}

/** Of a box or a button: whether the state that is drawn is the one that the value names. */
function showsItsState(
  widget: PdfDictionary,
  value: PdfValue | undefined,
  normal: PdfValue | undefined,
): boolean {
  if (normal === undefined) return value === undefined || isEmptyValue(value)
  if (!(normal instanceof PdfDictionary)) return true
  const on = normal.entries.map(([state]) => state).filter((state) => state !== '/Off')
  const isOn = (state: PdfValue | undefined) => on.some((one) => one === state)
  return isOn(widget.get('/AS')) === isOn(value)
}

/** Of a button: whether what is drawn is its caption, which some readers draw. */
function showsItsCaption(widget: PdfDictionary, normal: PdfValue | undefined, streams: Streams): boolean {
  const style = widget.get('/MK')
  const caption = style instanceof PdfDictionary ? style.get('/CA') : undefined
  if (!(caption instanceof PdfText) || !(normal instanceof PdfReference)) return true
  const stream = streams.get(normal.number)
  return stream !== undefined && textDrawnBy(stream) === plain(textOf(caption.bytes))
}

/** What a field has itself, or its nearest parent. */
function inherited(field: PdfDictionary, key: string, fields: Fields): PdfValue | undefined {
  let current: PdfDictionary | undefined = field
  for (let depth = 0; current !== undefined && depth < 50; depth += 1) {
    const value = current.get(key)
    if (value !== undefined) return value
    const parent: PdfValue | undefined = current.get('/Parent')
    current = parent instanceof PdfReference ? fields.get(parent.number) : undefined
  }
  return undefined
}

/** The texts that a list shows for a value. */
function labelsOf({ bytes }: PdfText, options: PdfValue | undefined): PdfText[] {
  if (!Array.isArray(options)) return []
  return options.flatMap((option) => {
    if (!Array.isArray(option)) return []
    const [value, label] = option
    return value instanceof PdfText && label instanceof PdfText && value.bytes.equals(bytes) ? [label] : []
  })
}

/** An appearance has some lines of text. */
const appearanceBytes = 1024 * 1024

/** The text of an appearance, without white space; undefined if it cannot be read. */
function textDrawnBy({ dictionary, data }: { dictionary: PdfDictionary; data: Buffer }): string | undefined {
  const isPlain = dictionary.get('/Filter') === undefined
  const end = isPlain ? data.indexOf('endstream') : -1
  if (isPlain && (end < 0 || end > appearanceBytes)) return undefined
  try {
    const content = isPlain ? data.subarray(0, end) : streamData(dictionary, data, appearanceBytes)
    return plain(
      pdfTexts(content)
        .map((text) => textOf(text))
        .join(''),
    )
  } catch {
    return undefined
  }
}

/** The characters of a string in UTF-16, or in one of the encodings with a byte for each, which agree on German letters. */
function textOf(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xfe && bytes[1] === 0xff && bytes.length % 2 === 0
  if (isUtf16) return Buffer.from(bytes.subarray(2)).swap16().toString('utf16le')
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    ? bytes.toString('utf8', 3)
    : bytes.toString('latin1')
}

/** Lines and gaps are drawn without their white space. */
function plain(text: string): string {
  return text.replace(/[\s\0]/g, '')
}
