import { PDFArray, PDFName, PDFNumber, PDFPage, PDFPageLeaf } from '@cantoo/pdf-lib'
import { type PdfUpdate, pageRoot, touch } from './pdf-update.ts'

/** Appends an empty page. Only the root of the pages is replaced in the base. */
export function appendPage(update: PdfUpdate, width: number, height: number): PDFPage {
  const { document } = update
  const { context } = document
  const { root, ref: rootRef } = pageRoot(update)
  const leaf = PDFPageLeaf.withContextAndParent(context, rootRef)
  leaf.set(PDFName.of('MediaBox'), context.obj([0, 0, width, height]))
  // Without these, the page would inherit them from the root.
  leaf.set(PDFName.of('CropBox'), context.obj([0, 0, width, height]))
  leaf.set(PDFName.of('Rotate'), PDFNumber.of(0))
  const ref = context.register(leaf)
  const kids = context.lookup(root.get(PDFName.of('Kids')), PDFArray)
  const count = context.lookup(root.get(PDFName.of('Count')), PDFNumber).asNumber()
  kids.push(ref)
  root.set(PDFName.of('Count'), PDFNumber.of(count + 1))
  touch(update, rootRef)
  touch(update, root.get(PDFName.of('Kids')))
  return PDFPage.of(leaf, ref, document)
}
