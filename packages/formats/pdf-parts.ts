import { contentAt, type PdfContent, type PdfPlace, streamData } from './pdf-objects.ts'
import { PdfDictionary, PdfReference, PdfText, type PdfValue, pdfOperations } from './pdf-syntax.ts'
import { textsOf } from './pdf-text-encodings.ts'

/** The objects that others refer to, each read once. */
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

  /** Whether this effort is still allowed: objects that many fields refer to may be large. */
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
    this.isUsed = true
    const place = this.places.get(number)
    if (place === undefined || this.contents.has(number)) return this.contents.get(number)
    const content = contentAt(place)
    this.contents.set(number, content)
    return content
  }
}

/** Bytes of appearances, values and choices that are compared; more than any real form has. */
const maxEffort = 4 * 1024 * 1024

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
 * The possible texts of an appearance, without white space, in the encodings of fonts. Undefined if it also draws
 * anything else that may be read: pictures, other drawings, curves, invisible letters.
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
export function plain(text: string): string {
  return text.replace(/[\s\0]/g, '')
}
