import { beginningsIn } from '#formats/pdf-objects.ts'
import { percent } from '#formats/pdf-syntax.ts'
import { limits } from './limits.ts'
import { Unsure } from './unsure.ts'

/** An object in a file: `12 0 obj`, its contents, and everything up to the next object. */
export type Definition = {
  number: number
  generation: number
  /** The position of its number. */
  offset: number
  /** The position of its contents. */
  body: number
  /** The position of the next object, or of the end of the file. */
  end: number
}

/**
 * All objects that a reader may find by reading the file from start to end, in this order. This includes text in
 * streams and comments that only looks like an object.
 *
 * @throws Unsure if an object may begin in an unusual way, such as with a comment between its numbers
 */
export function definitionsIn(file: Buffer): Definition[] {
  const definitions: Definition[] = []
  for (const { number, generation, offset, body } of beginningsIn(file)) {
    const isUsual = !file.subarray(offset, body).includes(percent)
    if (number === undefined || generation === undefined || !isUsual)
      throw new Unsure('An object begins in an unusual way.')
    if (definitions.length >= limits.pdfObjects) throw new Unsure('There are too many objects.')
    const last = definitions.at(-1)
    if (last) last.end = offset
    definitions.push({ number, generation, offset, body, end: file.length })
  }
  return definitions
}
