import { setImmediate } from 'node:timers/promises'
import { type ChangingReason, changingReasons } from './changing-reasons.ts'
import {
  forPaper,
  isAlikeByItself,
  isAnnotation,
  isDrawnAlike,
  media,
  reasonsOfAnnotation,
} from './pdf-annotations.ts'
import { ObjectReader, type PdfContent, type PdfObject, type PdfPlace, pdfObjects } from './pdf-objects.ts'
import { Parts } from './pdf-parts.ts'
import { PdfDictionary, PdfNames, PdfReference, PdfText, type PdfValue } from './pdf-syntax.ts'
import { textsOf } from './pdf-text-encodings.ts'

/**
 * Finds parts of a PDF that can change, or differ between readers, or between screen and paper (S11). If it finds
 * nothing, the document shows the same in every reader: text, pictures, links without a frame, outlines, attachments,
 * and forms whose fields print what they show.
 *
 * It checks every object that any reader may find (`pdfObjects`), also objects without references to them.
 *
 * @param pdf the file, or the known places of all its objects, with the valid ones last
 * @param numbering which of several objects with the same number counts. If readers may disagree (`uncertain`),
 *   everything that depends on another object counts as different. They may disagree if an object in an object stream
 *   replaces an older one.
 * @returns the reasons, each once, in the order of `changingReasons`
 * @throws FormatFault `corrupt`, `too_large`
 */
export async function changesOf(
  pdf: Buffer | Iterable<PdfPlace>,
  numbering: 'last' | 'uncertain' = 'last',
): Promise<ChangingReason[]> {
  const found = new Set<ChangingReason>()
  const placed: PdfPlace[] = []
  const annotations: { place: PdfPlace; dictionaries: PdfDictionary[] }[] = []
  const actions: NamedAction[] = []
  let objects = 0
  const look = (place: PdfPlace, { value, data }: PdfContent): void => {
    const dictionaries: PdfDictionary[] = []
    visit(value, (dictionary) => {
      for (const reason of reasonsOf(dictionary, actions)) found.add(reason)
      if (isAnnotation(dictionary) && !isAlikeByItself(dictionary)) dictionaries.push(dictionary)
    })
    if (dictionaries.length > 0) annotations.push({ place, dictionaries })
    const ofName = typeof value === 'string' ? reasonsOfName.get(value) : undefined
    if (ofName !== undefined) found.add(ofName)
    if (data !== undefined && value instanceof PdfDictionary && isExternal(value)) found.add('external_parts')
  }
  for (const { place, content } of Buffer.isBuffer(pdf) ? pdfObjects(pdf, decidingNames) : objectsAt(pdf)) {
    objects += 1
    if (objects % objectsOfTurn === 0) await setImmediate()
    placed.push(place)
    if (content !== undefined) look(place, content)
  }
  // Most documents have nothing that depends on another object.
  if (actions.length === 0 && annotations.length === 0) return inOrder(found)

  const { places, isReplaced } = placesOf(placed)
  if (someActs(actions, new Parts(places))) found.add('acts')
  const parts = new Parts(places)
  for (const { place, dictionaries } of annotations) {
    if (numbering === 'last' && places.get(place.number) !== place) continue
    for (const annotation of dictionaries) {
      objects += 1
      if (objects % objectsOfTurn === 0) await setImmediate()
      if (parts.isExhausted || !isDrawnAlike(annotation, parts)) found.add('drawn_by_reader')
    }
  }
  const isCertain = numbering === 'last' && !(Buffer.isBuffer(pdf) && isReplaced(pdf))
  if (parts.isExhausted || (!isCertain && parts.isUsed)) found.add('drawn_by_reader')
  return inOrder(found)
}

function* objectsAt(places: Iterable<PdfPlace>): Generator<PdfObject> {
  const reader = new ObjectReader(decidingNames)
  for (const place of places) yield { place, content: reader.known(place) }
}

function inOrder(found: ReadonlySet<ChangingReason>): ChangingReason[] {
  return changingReasons.filter((reason) => found.has(reason))
}

/** The valid places, by number, and whether a place inside an object stream replaces an older one. */
function placesOf(placed: readonly PdfPlace[]) {
  const places = new Map<number, PdfPlace>()
  const replacing: PdfPlace[] = []
  for (const place of placed) {
    if (places.has(place.number)) replacing.push(place)
    places.set(place.number, place)
  }
  return { places, isReplaced: (file: Buffer) => replacing.some(({ bytes }) => bytes !== file) }
}

/** Objects handled before the event loop gets a turn. */
const objectsOfTurn = 1_000

/** All dictionaries of an object, with those inside others. */
function visit(value: PdfValue, look: (dictionary: PdfDictionary) => void): void {
  if (Array.isArray(value)) for (const part of value) visit(part, look)
  if (!(value instanceof PdfDictionary)) return
  look(value)
  for (const [, part] of value.entries) visit(part, look)
}

/**
 * A named action. `isUnasked`: it runs without a click on it. `isTable`: the value has several actions, by their
 * events.
 */
type NamedAction = { value: PdfValue; isUnasked: boolean; isTable: boolean }

/**
 * The reasons that follow from a dictionary alone.
 *
 * @param actions receives the values that the dictionary names as actions
 */
function reasonsOf(dictionary: PdfDictionary, actions: NamedAction[]): ChangingReason[] {
  const reasons: ChangingReason[] = []
  const isAction = dictionary.get('/S') !== undefined
  for (const [key, value] of dictionary.entries) {
    const reason = reasonOfKey(key, value)
    if (reason !== undefined) reasons.push(reason)
    // Entries of an outline follow each other as well.
    if (!actionKeys.has(key) || (key === '/Next' && !isAction)) continue
    const action = { value, isUnasked: key !== '/A' && key !== '/PA', isTable: key === '/AA' }
    if (!isHarmlessByItself(action)) actions.push(action)
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
    // Some readers need neither a type nor a list of layers.
    case '/OC':
    case '/ViewState':
    case '/PrintState':
    case '/ExportState':
      return 'layers'
    case '/Type':
      return value === '/OCG' || value === '/OCMD' ? 'layers' : undefined
    // A link that is a script.
    case '/URI':
      return isScript(value) ? 'acts' : undefined
    case '/XFA':
      return 'dynamic_form'
    case '/Alternates':
      return 'differs_on_paper'
    case '/AlternatePresentations':
      return 'media'
    // The box that is shown or printed; by default both are the same.
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
    // How much black a printer uses for a colour.
    case '/BG2':
    case '/UCR':
    case '/UCR2':
      return isFunction(value) ? 'differs_on_paper' : undefined
    // PostScript that only printers draw.
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

/** Browsers ignore control characters in an address. */
function isScript(uri: PdfValue | undefined): boolean {
  if (!(uri instanceof PdfText)) return false
  return textsOf(uri.bytes).some((text) => /^javascript:/i.test(text.replace(/[\s\p{Cc}]/gu, '')))
}

function isFunction(value: PdfValue): boolean {
  if (Array.isArray(value)) return value.some(isFunction)
  return value instanceof PdfReference || value instanceof PdfDictionary
}

/** The keys whose values are actions (ISO 32000-1, 12.6); the values of `AA` and `Next` contain actions. */
const actionKeys = new Set(['/A', '/PA', '/OpenAction', '/Next', '/AA'])

/** Actions that only go to another place. */
const harmlessActions = new Set(['/GoTo', '/GoToR', '/GoToE', '/GoToDp', '/Thread', '/URI', '/Named'])
/** Actions that only show the document, so they may run when it is opened. */
const unaskedActions = new Set(['/GoTo', '/GoToDp', '/Named'])

/** Whether one of these actions, or one that they refer to, does more than going to another place. */
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
    if (named.all('/URI').some((uri) => isScript(parts.value(uri)))) return true
    const kinds = named.all('/S').map((kind) => parts.value(kind))
    // A value without such a name is not an action: its key names an action only in other dictionaries.
    if (kinds.some((kind) => typeof kind === 'string' && !isHarmless(kind, isUnasked))) return true
    if (!isTable) continue
    for (const [, action] of named.entries) open.push({ value: action, isUnasked, isTable: false })
  }
  // Then some following actions were not seen.
  return parts.isExhausted
}

/** Whether the action itself is harmless. `/Next` actions are separate entries. */
function isHarmlessByItself({ value, isUnasked, isTable }: NamedAction): boolean {
  const [kind, ...others] = value instanceof PdfDictionary && !isTable ? value.all('/S') : []
  if (typeof kind !== 'string' || others.length > 0 || !isHarmless(kind, isUnasked)) return false
  return !(value instanceof PdfDictionary && value.all('/URI').some((uri) => uri instanceof PdfReference))
}

function isHarmless(kind: string, isUnasked: boolean): boolean {
  return (isUnasked ? unaskedActions : harmlessActions).has(kind)
}

/** The other actions of ISO 32000. Readers also run them if `AA` in another object names them. */
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

/** A stream whose data is in another file, or that shows a page of another file. */
function isExternal(dictionary: PdfDictionary): boolean {
  return ['/F', '/FFilter', '/Ref'].some((key) => dictionary.all(key).some((value) => value !== null))
}

/** Names that are separate objects and change the meaning of another object; common programs do not write such names. */
const reasonsOfName: ReadonlyMap<string, ChangingReason> = new Map([
  ...[...actingActions].map((name) => [name, 'acts'] as const),
  ...[...media].map((name) => [name, 'media'] as const),
  ...[...forPaper, '/PS'].map((name) => [name, 'differs_on_paper'] as const),
  ...['/OCG', '/OCMD'].map((name) => [name, 'layers'] as const),
  ...['/Annot', '/Link', '/Popup', '/Widget', '/Tx', '/Ch', '/Btn'].map(
    (name) => [name, 'drawn_by_reader'] as const,
  ),
])

/** Every name that this module uses. An object without any of them is skipped. */
const decidingNames = new PdfNames(
  [
    ...reasonsOfName.keys(),
    ...actionKeys,
    ...'JS JavaScript OCGs XFA Alternates AlternatePresentations ViewArea ViewClip PrintArea PrintClip PrintPageRange'.split(
      ' ',
    ),
    ...'TR TR2 TransferFunction BG2 UCR UCR2 OPI Collection URI Rect F FFilter Ref OC ViewState PrintState ExportState'.split(
      ' ',
    ),
  ].map((name) => name.replace('/', '')),
)
