import { inflateSync } from 'node:zlib'
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, type PDFRawStream } from '@cantoo/pdf-lib'
import { limits } from './limits.ts'
import { Unsure } from './unsure.ts'

/**
 * Reads the data of a stream that is not compressed, or deflated with or without a PNG predictor. Programs write object
 * streams and cross-reference streams in no other form.
 *
 * @throws Unsure for any other stream; RangeError beyond the limits, which apply to all streams of a reader together
 */
export type StreamReader = (stream: PDFRawStream) => Buffer

export function streamReader(): StreamReader {
  let bytesLeft: number = limits.inflatedBytes
  return ({ dict, contents }) => {
    // Filter names of inline pictures, which some readers prefer, and data in another file.
    if (['F', 'DP', 'FFilter', 'FDecodeParms'].some((name) => dict.has(PDFName.of(name)))) {
      throw new Unsure('A stream is encoded in an unusual way.')
    }
    const filter = onlyElement(dict.get(PDFName.of('Filter')))
    const parameters = onlyElement(dict.get(PDFName.of('DecodeParms')))
    if (filter === undefined) return Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength)
    if (filter !== PDFName.of('FlateDecode')) throw new Unsure('A stream is encoded in an unusual way.')
    const maxOutputLength = Math.min(bytesLeft, limits.inflatedStreamBytes)
    const data = inflateSync(contents, { maxOutputLength })
    bytesLeft -= data.length
    if (parameters === undefined) return data
    if (!(parameters instanceof PDFDict)) throw new Unsure('A stream is encoded in an unusual way.')
    return withoutPredictor(data, parameters)
  }
}

/** The single element of an array; any other value unchanged. */
function onlyElement(object: PDFObject | undefined): PDFObject | undefined {
  if (!(object instanceof PDFArray)) return object
  if (object.size() !== 1) throw new Unsure('A stream has several filters or none.')
  return object.get(0)
}

/** Undoes a PNG predictor (ISO 32000-1, 7.4.4.4) for samples of one byte. */
function withoutPredictor(data: Buffer, parameters: PDFDict): Buffer {
  const value = (name: string, otherwise: number) => {
    const object = parameters.get(PDFName.of(name)) ?? PDFNumber.of(otherwise)
    return object instanceof PDFNumber ? object.asNumber() : Number.NaN
  }
  const [predictor, columns] = [value('Predictor', 1), value('Columns', 1)]
  if (predictor === 1) return data
  const isBytes = value('Colors', 1) === 1 && value('BitsPerComponent', 8) === 8
  if (!isBytes || !(predictor >= 10 && predictor <= 15) || !(columns >= 1 && columns <= 64)) {
    throw new Unsure('A stream is encoded in an unusual way.')
  }
  const rows = data.length / (columns + 1)
  if (!Number.isInteger(rows)) throw new Unsure('A stream is cut off.')
  const result = Buffer.alloc(rows * columns)
  for (let row = 0; row < rows; row += 1) {
    const filter = data[row * (columns + 1)]
    for (let column = 0; column < columns; column += 1) {
      const at = row * columns + column
      const left = column > 0 ? (result[at - 1] ?? 0) : 0
      const up = row > 0 ? (result[at - columns] ?? 0) : 0
      const predicted = filter === none ? 0 : filter === sub ? left : filter === upward ? up : Number.NaN
      if (Number.isNaN(predicted)) throw new Unsure('A stream is encoded in an unusual way.')
      result[at] = (data[at + row + 1] ?? 0) + predicted
    }
  }
  return result
}

/** The PNG filters that programs use for cross-references. */
const [none, sub, upward] = [0, 1, 2]
