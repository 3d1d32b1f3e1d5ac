import type { PDFObject } from '@cantoo/pdf-lib'

export function serialized(object: PDFObject): Uint8Array {
  const bytes = new Uint8Array(object.sizeInBytes())
  object.copyBytesInto(bytes, 0)
  return bytes
}
