import type { ChangingReason } from './changing-reasons.ts'
import type { PdfPlace } from './pdf-objects.ts'
import { Parts, plain } from './pdf-parts.ts'
import { PdfDictionary, PdfReference, PdfText, type PdfValue } from './pdf-syntax.ts'
import { textsOf } from './pdf-text-encodings.ts'

export function isAnnotation(dictionary: PdfDictionary): boolean {
  if (dictionary.get('/Type') === '/Annot') return true
  return (
    dictionary.get('/Rect') !== undefined &&
    (dictionary.get('/Subtype') !== undefined || dictionary.get('/AP') !== undefined)
  )
}

/** The flags of annotations (ISO 32000-1, 12.5.3). */
const flags = { invisible: 1, hidden: 2, print: 4, noView: 32, toggleNoView: 256 } as const
const notAlike = flags.invisible | flags.hidden | flags.noView | flags.toggleNoView

/** The reasons that follow from an annotation alone. */
export function reasonsOfAnnotation(annotation: PdfDictionary): ChangingReason[] {
  const type = annotation.get('/Subtype') ?? null
  if (typeof type === 'string' && media.has(type)) return ['media']
  const reasons: ChangingReason[] = hasKeyTwice(annotation) ? ['drawn_by_reader'] : []
  // An open window covers the content below it.
  const isClosed = annotation.all('/Open').every((value) => value === false || value === null)
  if (!isClosed || (typeof type === 'string' && forPaper.has(type))) reasons.push('differs_on_paper')
  if (type === '/Popup') {
    // Some readers show that drawing, and none of them prints it.
    if (annotation.all('/AP').some((drawn) => drawn !== null)) reasons.push('drawn_by_reader')
    return reasons
  }
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

/** Readers do not agree on which one counts. If there are several flags, each is checked. */
function hasKeyTwice({ entries }: PdfDictionary): boolean {
  const keys = new Set<string>()
  return entries.some(([key]) => key !== '/F' && keys.size === keys.add(key).size)
}

/** Whether it names a drawing, which may not exist: `isDrawnAlike` checks that. */
function hasDrawing(annotation: PdfDictionary): boolean {
  return annotation
    .all('/AP')
    .some((drawn) => drawn instanceof PdfReference || (drawn instanceof PdfDictionary && hasNormal(drawn)))
}

function hasNormal(drawn: PdfDictionary): boolean {
  return drawn.all('/N').some((normal) => normal !== null)
}

/** Whether all readers draw an annotation alike, as far as that depends on other objects. */
export function isDrawnAlike(annotation: PdfDictionary, parts: Parts): boolean {
  const type = parts.value(annotation.get('/Subtype'))
  if (type === '/Link' && !isWithoutFrame(annotation, parts)) return false
  if (hasDrawing(annotation) && !annotation.all('/AP').every((drawn) => isSteady(drawn, type, parts)))
    return false
  return type !== '/Widget' || showsItsValue(annotation, parts)
}

/** Whether all readers draw an annotation alike, independently of other objects. */
export function isAlikeByItself(annotation: PdfDictionary): boolean {
  const parts = new Parts(nothing)
  return isDrawnAlike(annotation, parts) && !parts.isUsed
}

const nothing = new Map<number, PdfPlace>()

/**
 * Some readers show the frame around a link but do not print it. A narrow frame looks like a digit, and several can
 * cover or strike out text. The default width is one point (ISO 32000-1, table 164).
 */
function isWithoutFrame(link: PdfDictionary, parts: Parts): boolean {
  const styles = link.all('/BS').map((style) => parts.dictionary(style)?.get('/W') ?? 1)
  const borders = link.all('/Border').map((value) => {
    const border = parts.value(value)
    return Array.isArray(border) ? border[2] : undefined
  })
  const widths = [...styles, ...borders].map((width) => parts.value(width))
  return widths.length > 0 && widths.every((width) => width === 0)
}

/** Whether there is a drawing, and no other one for mouse over or mouse down (except for buttons). */
function isSteady(value: PdfValue, type: PdfValue | undefined, parts: Parts): boolean {
  const drawn = parts.dictionary(value)
  if (drawn === undefined) return false
  if (drawn.get('/R') !== undefined || (type !== '/Widget' && drawn.get('/D') !== undefined)) return false
  return drawn
    .all('/N')
    .every((normal) => parts.isStream(normal) || (parts.dictionary(normal)?.entries.length ?? 0) > 0)
}

/** A field that shows nothing: no value, no caption and no frame. `showsItsValue` checks the values of its parents. */
function isEmptyField(field: PdfDictionary): boolean {
  return ['/V', '/MK'].every((key) => field.all(key).every((value) => isEmptyValue(value)))
}

function isEmptyValue(value: PdfValue): boolean {
  if (value instanceof PdfText) return value.bytes.length === 0
  if (value instanceof PdfDictionary) return value.entries.length === 0
  return value === null || value === '/Off' || (Array.isArray(value) && value.length === 0)
}

/**
 * Whether the drawing of a field shows its value. Some readers draw the value, some use the stored drawing, and with
 * `NeedAppearances` more of them draw the value.
 */
function showsItsValue(widget: PdfDictionary, parts: Parts): boolean {
  const value = inherited(widget, '/V', parts)
  const type = inherited(widget, '/FT', parts)
  const normal = parts.dictionary(widget.get('/AP'))?.get('/N')
  if (type === '/Btn')
    return showsItsState(widget, value, normal, parts) && showsItsCaption(widget, normal, parts)
  if (type === '/Sig') return true
  if (type === '/Ch' && showsChoices(widget, value, normal, parts)) return false
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

/** For a list: whether readers draw its choices themselves, or a choice is selected by its index. */
function showsChoices(
  list: PdfDictionary,
  value: PdfValue | undefined,
  normal: PdfValue | undefined,
  parts: Parts,
): boolean {
  const isEmpty = (key: string) => isEmptyValue(inherited(list, key, parts) ?? null)
  if (value === undefined || isEmptyValue(value)) if (!isEmpty('/I')) return true
  const flags = inherited(list, '/Ff', parts)
  const isOpen = typeof flags !== 'number' || (flags & dropDown) === 0
  return normal === undefined && isOpen && !isEmpty('/Opt')
}

/** The flag of a list that shows only the selected choice (ISO 32000-1, table 230). */
const dropDown = 1 << 17

/** For a box or a button: whether the drawn state is the state of the value, and looks like it. */
function showsItsState(
  widget: PdfDictionary,
  value: PdfValue | undefined,
  normal: PdfValue | undefined,
  parts: Parts,
): boolean {
  const isUnset = value === undefined || isEmptyValue(value)
  // A button has one drawing. A box has different drawings for on and off.
  if (parts.isStream(normal)) return isUnset
  const states = parts.dictionary(normal)
  if (states === undefined) return isUnset
  const on = new Set<PdfValue | undefined>(states.entries.map(([state]) => state))
  on.delete('/Off')
  const drawn = parts.value(widget.get('/AS'))
  const [state, named] = [on.has(drawn) ? drawn : '/Off', on.has(value) ? value : '/Off']
  if (state !== named || typeof state !== 'string') return false
  const [appearance, ...others] = states.all(state)
  if (others.length > 0) return false
  const contents = parts.contentsDrawnBy(appearance)
  if (state === '/Off') return appearance === undefined || contents?.hasText === false
  const off = states.get('/Off')
  const isOff =
    appearance instanceof PdfReference && off instanceof PdfReference && appearance.number === off.number
  return contents?.hasAnything === true && !isOff
}

/** For a button: whether the drawing shows its caption, because some readers draw the caption. */
function showsItsCaption(widget: PdfDictionary, normal: PdfValue | undefined, parts: Parts): boolean {
  const caption = parts.value(parts.dictionary(widget.get('/MK'))?.get('/CA'))
  if (!(caption instanceof PdfText) || !parts.isStream(normal)) return true
  const drawn = parts.textsDrawnBy(normal)
  return textsOf(caption.bytes).some((text) => drawn?.includes(plain(text)) === true)
}

/** The value of the field itself, or of its nearest parent. */
function inherited(field: PdfDictionary, key: string, parts: Parts): PdfValue | undefined {
  let current: PdfDictionary | undefined = field
  for (let depth = 0; current !== undefined && depth < 50; depth += 1) {
    if (!parts.may(current.entries.length)) return undefined
    const [value, ...others] = current.all(key)
    // Readers do not agree on which one counts, so the field matches none of them.
    if (others.length > 0) return true
    if (value !== undefined) return parts.isStream(value) ? value : parts.value(value)
    current = parts.dictionary(current.get('/Parent'))
  }
  return undefined
}

/** The text that a choice list shows for a value, if it has one. */
function labelsOf({ bytes }: PdfText, options: PdfValue | undefined): PdfText[] {
  if (!Array.isArray(options)) return []
  for (const option of options) {
    const [value, label] = Array.isArray(option) ? option : []
    if (value instanceof PdfText && label instanceof PdfText && value.bytes.equals(bytes)) return [label]
  }
  return []
}

/** Types of annotations that are films, sounds and models. */
export const media = new Set(['/Movie', '/Sound', '/Screen', '/3D', '/RichMedia'])

/** Annotations that are placed by the size of the paper, or exist only for the printer. */
export const forPaper = new Set(['/Watermark', '/PrinterMark', '/TrapNet'])
