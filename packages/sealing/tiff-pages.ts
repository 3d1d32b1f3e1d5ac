import utif, { type IFD } from 'utif2'
import { Unalterable } from './unalterable.ts'

/**
 * A page of a TIFF. `pixels`: RGBA, row by row. `orientation`: a value of Exif. `pixelHeight`: the height of a pixel
 * divided by its width, which is about 2 for a fax in standard resolution.
 */
type TiffPage = {
  width: number
  height: number
  pixels: Uint8Array
  orientation: number
  pixelHeight: number
}

/**
 * Decodes a TIFF page by page, so that memory holds the pixels of only one page.
 *
 * @throws Unalterable `no_pages` for a form that utif2 would show differently than other readers; Error if damaged
 */
export function* tiffPages(bytes: Uint8Array): Generator<TiffPage> {
  const buffer = new Uint8Array(bytes).buffer
  for (const page of utif.decode(buffer)) {
    if (!isDecodable(page)) throw new Unalterable('no_pages', 'The TIFF has a page of an unusual form.')
    if (!isWhole(page, bytes.length)) throw new Error('Some pixels are missing.')
    // utif2 decodes such a page to RGB.
    if (isJpeg(page) && first(page, tag.samples, 1) === 1) Object.assign(page, { t262: [2], t277: [3] })
    utif.decodeImage(buffer, page)
    const { width, height } = page
    if (!(width > 0 && height > 0)) throw new Error('A page has no size.')
    const pixels = utif.toRGBA8(page)
    page.data = new Uint8Array()
    const orientation = first(page, tag.orientation, 1)
    yield { width, height, pixels, orientation, pixelHeight: pixelHeight(page) }
  }
}

/** Names of fields (TIFF 6.0). */
const tag = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  interpretation: 262,
  fillOrder: 266,
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  xResolution: 282,
  yResolution: 283,
  planes: 284,
  predictor: 317,
  colours: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileBytes: 325,
  extraSamples: 338,
  sampleFormat: 339,
} as const

/** The values of a field; empty if the page does not have it. A value of a resolution is a pair. */
function all<Value = number>(page: IFD, field: number): Value[] {
  return Array.from((page[`t${field}`] ?? []) as Value[])
}

function first(page: IFD, field: number, otherwise: number): number {
  return all(page, field)[0] ?? otherwise
}

/** A pixel has this many samples with one of these numbers of bits. Grey begins at white (0) or at black (1). */
type Form = { interpretation: number; samples: number; bits: readonly number[] }

const forms: readonly Form[] = [
  { interpretation: 0, samples: 1, bits: [1, 4, 8, 16] },
  { interpretation: 1, samples: 1, bits: [1, 2, 8, 16] },
  // RGB, without and with opacity, and colours of a palette
  { interpretation: 2, samples: 3, bits: [8, 16] },
  { interpretation: 2, samples: 4, bits: [8, 16] },
  { interpretation: 3, samples: 1, bits: [1, 2, 4, 8] },
]

const formsInJpeg: readonly Form[] = [
  { interpretation: 1, samples: 1, bits: [8] },
  { interpretation: 2, samples: 3, bits: [8] },
  // YCbCr
  { interpretation: 6, samples: 3, bits: [8] },
]

const isJpeg = (page: IFD) => first(page, tag.compression, 1) === 7

/** Whether utif2 decodes the page. It shows other forms blank or garbled, without an error. */
function isDecodable(page: IFD): boolean {
  const bits = first(page, tag.bits, 1)
  const samples = first(page, tag.samples, 1)
  const interpretation = first(page, tag.interpretation, -1)
  const compression = first(page, tag.compression, 1)
  const predictor = first(page, tag.predictor, 1)
  const isFax = [2, 3, 4].includes(compression)
  const isLzwOrDeflate = [5, 8, 32_946].includes(compression)
  const isPlainOrPackBits = [1, 32_773].includes(compression)
  return (
    (isJpeg(page) ? formsInJpeg : forms).some(
      (form) =>
        form.interpretation === interpretation && form.samples === samples && form.bits.includes(bits),
    ) &&
    (isJpeg(page) || isFax || isLzwOrDeflate || isPlainOrPackBits) &&
    (isFax ? bits === 1 : first(page, tag.fillOrder, 1) === 1) &&
    (predictor === 1 || (predictor === 2 && isLzwOrDeflate && bits >= 8)) &&
    (samples === 1 || first(page, tag.planes, 1) === 1) &&
    // The colours must not contain the opacity already.
    (samples < 4 || first(page, tag.extraSamples, 0) === 2) &&
    // Some programs write a palette of 8 instead of 16 bits.
    (interpretation !== 3 || all(page, tag.colours).some((value) => value > 255)) &&
    all(page, tag.bits).every((other) => other === bits) &&
    all(page, tag.sampleFormat).every((format) => format === 1) &&
    !tagsOfCameras.some((field) => `t${field}` in page)
  )
}

/** Fields of raw pictures, which utif2 decodes by rules of their own. */
const tagsOfCameras = [45, 33_422, 50_885]

/** Whether the page has all strips or tiles, and they lie in the file. utif2 leaves missing ones blank. */
function isWhole(page: IFD, fileBytes: number): boolean {
  const [width, height] = [first(page, tag.width, 0), first(page, tag.height, 0)]
  const isTiled = `t${tag.tileWidth}` in page
  const rows = first(page, isTiled ? tag.tileHeight : tag.rowsPerStrip, height)
  const across = isTiled ? Math.ceil(width / first(page, tag.tileWidth, width)) : 1
  const offsets = all(page, isTiled ? tag.tileOffsets : tag.stripOffsets)
  const lengths = all(page, isTiled ? tag.tileBytes : tag.stripBytes)
  return (
    offsets.length >= across * Math.ceil(height / rows) &&
    offsets.every((offset, at) => offset + (lengths[at] ?? Number.NaN) <= fileBytes)
  )
}

/** Ratios outside this range are mistakes. */
function pixelHeight(page: IFD): number {
  const [across, down] = [tag.xResolution, tag.yResolution].map((field) => {
    const [[numerator, denominator] = [1, 1]] = all<[number, number]>(page, field)
    return numerator / denominator
  }) as [number, number]
  const ratio = across / down
  return ratio >= 0.25 && ratio <= 4 ? ratio : 1
}
