import { FormatFault } from './format-fault.ts'

/** The size of one page of a picture, as its header declares it. */
export type PictureSize = { width: number; height: number }

/**
 * The size of each page of a PNG, JPG or TIFF, from the headers alone: nothing is decoded. It stops after one page more
 * than `maxPages`; a result of that length means that the file has too many pages.
 *
 * @throws FormatFault `corrupt` for a missing or invalid header
 */
export function pictureSizes(
  bytes: Uint8Array,
  format: 'png' | 'jpg' | 'tiff',
  maxPages: number,
): PictureSize[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (format === 'png') return [checked(pngSize(view))]
    if (format === 'jpg') return [checked(jpgSize(view))]
    return tiffSizes(view, maxPages).map(checked)
  } catch (error) {
    if (error instanceof RangeError) throw corrupt()
    throw error
  }
}

/** A PNG begins with IHDR: width at byte 16, height at byte 20, big-endian. */
function pngSize(view: DataView): PictureSize {
  if (view.getUint32(12) !== 0x49484452) throw corrupt()
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** Finds the frame header of a JPEG (SOF0 to SOF15 without DHT, JPG, DAC) marker by marker. */
function jpgSize(view: DataView): PictureSize {
  for (let offset = 2; ; ) {
    if (view.getUint8(offset) !== 0xff) throw corrupt()
    const marker = view.getUint8(offset + 1)
    if (marker === 0xff) {
      offset += 1
      continue
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(offset + 7), height: view.getUint16(offset + 5) }
    }
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    offset += standsAlone ? 2 : 2 + view.getUint16(offset + 2)
  }
}

/** TIFF 6.0: every page is a directory that points to the next. A chain of directories with a loop is refused. */
function tiffSizes(view: DataView, maxPages: number): PictureSize[] {
  const little = view.getUint16(0) === 0x4949
  const pages: PictureSize[] = []
  const seen = new Set<number>()
  let fields = 0
  for (let offset = view.getUint32(4, little); offset !== 0; ) {
    if (seen.has(offset)) throw corrupt()
    if (pages.length > maxPages) break
    seen.add(offset)
    const fieldCount = view.getUint16(offset, little)
    fields += fieldCount
    if (fields > maxTiffFields) throw corrupt()
    pages.push(tiffPage(view, offset + 2, fieldCount, little))
    offset = view.getUint32(offset + 2 + fieldCount * 12, little)
  }
  if (pages.length === 0) throw corrupt()
  return pages
}

/** The limit for the fields of all pages. Directories can overlap, so a short file can have millions; a page has about 20. */
const maxTiffFields = 200_000

const tag = { width: 256, height: 257, tileWidth: 322, tileHeight: 323 } as const

/** The size of one value in bytes, by type of field. */
const tiffTypeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
const [short, long] = [3, 4]

/**
 * The size of a page: the size of its picture, or of a tile if that is larger. Width and height must be one number each,
 * and all fields must be inside the file; otherwise a decoder could find another size than this check.
 */
function tiffPage(view: DataView, firstField: number, fieldCount: number, little: boolean): PictureSize {
  const sizes = new Map<number, number>()
  for (let index = 0; index < fieldCount; index += 1) {
    const field = firstField + index * 12
    const name = view.getUint16(field, little)
    const type = view.getUint16(field + 2, little)
    const count = view.getUint32(field + 4, little)
    const sizeBytes = count * (tiffTypeBytes[type] ?? 0)
    if (sizeBytes > 4 && view.getUint32(field + 8, little) + sizeBytes > view.byteLength) throw corrupt()
    if (!Object.values<number>(tag).includes(name)) continue
    if (count !== 1 || (type !== short && type !== long) || sizes.has(name)) throw corrupt()
    sizes.set(name, type === short ? view.getUint16(field + 8, little) : view.getUint32(field + 8, little))
  }
  const [width = 0, height = 0] = [sizes.get(tag.width), sizes.get(tag.height)]
  if (width === 0 || height === 0) throw corrupt()
  return {
    width: Math.max(width, sizes.get(tag.tileWidth) ?? 0),
    height: Math.max(height, sizes.get(tag.tileHeight) ?? 0),
  }
}

function checked(size: PictureSize): PictureSize {
  if (size.width === 0 || size.height === 0) throw corrupt()
  return size
}

function corrupt(): FormatFault {
  return new FormatFault('corrupt', 'The picture is damaged.')
}
