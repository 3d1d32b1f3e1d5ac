import { type PDFContext, PDFName, PDFNumber, type PDFObject, PDFRawStream, PDFRef } from '@cantoo/pdf-lib'
import type { PdfPlace } from '#formats/pdf-objects.ts'
import { integerOf } from './cross-references.ts'
import { parseObject } from './parse-object.ts'
import type { StreamReader } from './stream-data.ts'
import { Unsure } from './unsure.ts'

/** An object stream (ISO 32000-1, 7.5.7). */
export type ObjectStream = {
  /** The numbers of its objects. */
  numbers: readonly number[]
  data: Buffer
  places: readonly PdfPlace[]
  /** Reads an object. The first call parses all of them, so one damaged object makes it fail, as in some readers. */
  read: (index: number, context: PDFContext) => PDFObject | undefined
}

/**
 * @param lengthOf reads the length of the stream if it is an object of its own
 * @throws Unsure if it breaks a rule
 */
export function readObjectStream(
  stream: PDFObject,
  lengthOf: (ref: PDFRef) => PDFObject | undefined,
  readStream: StreamReader,
): ObjectStream {
  if (!(stream instanceof PDFRawStream) || stream.dict.get(PDFName.of('Type')) !== PDFName.of('ObjStm')) {
    throw new Unsure('There is no object stream where one must be.')
  }
  const { dict, contents } = stream
  const length = dict.get(PDFName.of('Length'))
  const declared = length instanceof PDFRef ? lengthOf(length) : length
  if (!(declared instanceof PDFNumber) || declared.asNumber() !== contents.length) {
    throw new Unsure('A stream has another length.')
  }
  const data = readStream(stream)
  const [count = 0, first = 0] = [integerOf(dict, 'N'), integerOf(dict, 'First')]
  const head = data.toString('latin1', 0, first)
  const digits = first <= maxHeadBytes && /^[\d\0\t\n\f\r ]*$/.test(head) ? (head.match(/\d+/g) ?? []) : []
  const integers = digits.map(Number)
  if (integers.length !== 2 * count || !integers.every(Number.isSafeInteger)) {
    throw new Unsure('The head of an object stream is malformed.')
  }
  const numbers = integers.filter((_, index) => index % 2 === 0)
  const bodies = integers.filter((_, index) => index % 2 === 1).map((place) => first + place)
  const ends = [...bodies.slice(1), data.length]
  if (bodies.some((body, index) => body >= (ends[index] ?? 0)) || new Set(numbers).size !== count) {
    throw new Unsure('The head of an object stream is malformed.')
  }
  const parsed = new Map<PDFContext, PDFObject[]>()
  return {
    numbers,
    data,
    places: numbers.map((number, index) => ({ number, bytes: data, body: bodies[index] ?? 0 })),
    read: (index, context) => {
      const objects =
        parsed.get(context) ?? bodies.map((body, at) => parseObject(data.subarray(body, ends[at]), context))
      parsed.set(context, objects)
      return objects[index]
    },
  }
}

/** Programs put a hundred or two hundred objects into a stream, each with about ten bytes in its head. */
const maxHeadBytes = 1024 * 1024
