import { PDFArray, type PDFContext, type PDFObject, PDFObjectParser } from '@cantoo/pdf-lib'
import { Unsure } from './unsure.ts'
import { requireUsualSyntax } from './usual-syntax.ts'

/**
 * Parses a text that consists of exactly one object.
 *
 * @throws Unsure if something follows the object, or if readers may understand it differently; errors of pdf-lib if it
 *   is damaged
 */
export function parseObject(text: Buffer, context: PDFContext): PDFObject {
  requireUsualSyntax(text)
  // pdf-lib ignores text after an object, except in an array.
  const array = PDFObjectParser.forBytes(Buffer.concat([open, text, close]), context).parseObject()
  if (!(array instanceof PDFArray) || array.size() !== 1)
    throw new Unsure('An object does not end where it must.')
  return array.get(0)
}

const [open, close] = [Buffer.from('['), Buffer.from('\n]')]
