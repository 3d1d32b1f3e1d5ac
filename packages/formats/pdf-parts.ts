import { attempted } from '#kernel/attempted.ts'
import { isPlainDrawing, type PdfOperation } from './pdf-appearance.ts'
import { isUsualFont } from './pdf-fonts.ts'
import { contentAt, type PdfContent, type PdfPlace, streamData } from './pdf-objects.ts'
import { PdfDictionary, PdfReference, PdfText, type PdfValue, pdfOperations } from './pdf-syntax.ts'
import { textsOf } from './pdf-text-encodings.ts'

/**
 * The objects that others refer to, each read once. Each use counts with the object's size, so that the total work is
 * limited.
 */
export class Parts {
  /** Whether any object was requested. */
  isUsed = false
  private readonly places: ReadonlyMap<number, PdfPlace>
  private readonly contents = new Map<number, PdfContent>()
  private readonly texts = new Map<number, string[] | undefined>()
  private effort = maxEffort

  constructor(places: ReadonlyMap<number, PdfPlace>) {
    this.places = places
  }

  /** The object that a value refers to; undefined for a stream, or if there is none. */
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

  /** The possible texts of an appearance; undefined if it cannot be read, or shows more than text. */
  textsDrawnBy(appearance: PdfValue | undefined): string[] | undefined {
    if (!(appearance instanceof PdfReference)) return undefined
    const { number } = appearance
    if (!this.texts.has(number)) this.texts.set(number, this.readTexts(appearance))
    return this.texts.get(number)
  }

  /** Whether an appearance shows letters or anything at all; undefined if it cannot be read. */
  contentsDrawnBy(appearance: PdfValue | undefined): { hasText: boolean; hasAnything: boolean } | undefined {
    const operations = appearance instanceof PdfReference ? this.operationsDrawnBy(appearance) : undefined
    if (operations === undefined) return undefined
    const hasText = operations.some(
      ({ operator, operands }) => showingOperators.has(operator) && operands.flat().some(isText),
    )
    return { hasText, hasAnything: hasText || operations.some(({ operator }) => painting.has(operator)) }
  }

  /** Whether this effort is still allowed. */
  may(effort: number): boolean {
    this.effort -= effort
    return !this.isExhausted
  }

  /** Whether the limit was exceeded. Then nothing is found, and no answer is certain. */
  get isExhausted(): boolean {
    return this.effort < 0
  }

  private readTexts(appearance: PdfReference): string[] | undefined {
    const dictionary = this.content(appearance)?.value
    const operations = this.operationsDrawnBy(appearance)
    if (!(dictionary instanceof PdfDictionary) || operations === undefined) return undefined
    return this.isPlain(dictionary, operations) ? textsShownBy(operations) : undefined
  }

  private operationsDrawnBy(appearance: PdfReference): PdfOperation[] | undefined {
    const content = this.content(appearance)
    if (!(content?.value instanceof PdfDictionary) || content.data === undefined) return undefined
    const drawn = contentOf(content.value, content.data)
    // To fail may take as long as to read the largest one.
    return this.may(drawn?.length ?? appearanceBytes) && drawn !== undefined ? operationsOf(drawn) : undefined
  }

  private isPlain(appearance: PdfDictionary, operations: readonly PdfOperation[]): boolean {
    if (operations.length === 0) return true
    const fonts = this.dictionary(this.dictionary(appearance.get('/Resources'))?.get('/Font'))
    const box = this.value(appearance.get('/BBox'))
    const matrix = this.value(appearance.get('/Matrix')) ?? unit
    const [[a, b, c, d], sides] = [matrix, box].map((value) =>
      (Array.isArray(value) ? value : []).map((one) => (typeof one === 'number' ? one : Number.NaN)),
    ) as [number[], number[]]
    const isTurned = isQuarter(a) && isQuarter(b) && isQuarter(c) && isQuarter(d)
    if (!isTurned || Math.abs((a ?? 0) * (d ?? 0) - (b ?? 0) * (c ?? 0)) !== 1) return false
    return isPlainDrawing(operations, {
      box: sides,
      isUsualFont: (name) => typeof name === 'string' && isUsualFont(this.dictionary(fonts?.get(name)), this),
    })
  }

  private content({ number }: PdfReference): PdfContent | undefined {
    this.isUsed = true
    const known = this.contents.get(number)
    const place = this.places.get(number)
    if (place === undefined) return undefined
    const content = known ?? contentAt(place)
    if (known === undefined) this.contents.set(number, content)
    return this.may(sizeOf(content.value)) ? content : undefined
  }
}

/** The cost of searching a value. */
function sizeOf(value: PdfValue): number {
  if (value instanceof PdfDictionary) return value.entries.length
  if (value instanceof PdfText) return value.bytes.length
  return Array.isArray(value) ? value.length : 1
}

/** Bytes of appearances, values and choices that are compared, and entries of dictionaries; more than any real form has. */
const maxEffort = 4 * 1024 * 1024

/** The limit for one appearance, which has some lines of text. */
const appearanceBytes = 1024 * 1024

function contentOf(dictionary: PdfDictionary, data: Buffer): Buffer | undefined {
  const isPlain = dictionary.get('/Filter') === undefined
  if (isPlain) {
    const end = data.subarray(0, appearanceBytes + 'endstream'.length).indexOf('endstream')
    return end < 0 ? undefined : data.subarray(0, end)
  }
  return attempted(() => streamData(dictionary, data, appearanceBytes))
}

const unit = [1, 0, 0, 1, 0, 0]

function isQuarter(part: number | undefined): boolean {
  return part === 0 || part === 1 || part === -1
}

/** The operations of an appearance; undefined if it cannot be read. */
function operationsOf(content: Buffer): PdfOperation[] | undefined {
  return attempted(() => [...pdfOperations(content)])
}

/**
 * The possible texts of an appearance, without white space, in the encodings of fonts. Undefined if it also draws
 * anything else that may look like text: pictures, other drawings, curves, invisible letters.
 */
function textsShownBy(operations: readonly PdfOperation[]): string[] | undefined {
  const shown: Buffer[] = []
  for (const { operator, operands } of operations) {
    if (!usualOperators.has(operator) || (operator === 'Tr' && operands[0] !== 0)) return undefined
    if (!showingOperators.has(operator)) continue
    const last = operands.at(-1)
    for (const text of Array.isArray(last) ? last : [last])
      if (text instanceof PdfText) shown.push(text.bytes)
  }
  const [first = '', second = first] = textsOf(Buffer.concat(shown))
  return [plain(first), plain(second)]
}

function isText(value: PdfValue): boolean {
  return value instanceof PdfText && value.bytes.length > 0
}

const painting = new Set('f F f* B B* b b* s S sh Do EI'.split(' '))
const showingOperators = new Set(['Tj', 'TJ', "'", '"'])
/** Texts, and the frames and areas behind them. */
const usualOperators = new Set(
  `Tj TJ ' " BT ET Tf Td TD Tm T* Tc Tw Tz TL Ts Tr BMC BDC EMC MP DP q Q cm g G rg RG k K cs CS sc SC scn SCN w J j M d i ri
re m l h S s f F f* B B* b b* n W W*`.split(/\s/),
)

/** Lines and gaps are drawn without their white space. */
export function plain(text: string): string {
  return text.replace(/[\s\0]/g, '')
}
