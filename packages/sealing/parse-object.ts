import { PDFArray, type PDFContext, type PDFObject, PDFObjectParser } from '@cantoo/pdf-lib'
import { Unsure } from './unsure.ts'
import { requireUsualSyntax } from './usual-syntax.ts'

/**
 * Parses a text that is one object and nothing more.
 *
 * @throws Unsure if something follows or readers may see something else in it; whatever pdf-lib throws if the object is
 *   damaged
 */
export function parseObject(text: Buffer, context: PDFContext): PDFObject {
  requireUsualSyntax(text)
  // pdf-lib stops after an object without a word about what follows, except in an array.
  const array = PDFObjectParser.forBytes(Buffer.concat([open, text, close]), context).parseObject()
  if (!(array instanceof PDFArray) || array.size() !== 1)
    throw new Unsure('An object does not end where it must.')
  return array.get(0)
}

const [open, close] = [Buffer.from('['), Buffer.from('\n]')]
