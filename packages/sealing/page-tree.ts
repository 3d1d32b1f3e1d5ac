import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef } from '@cantoo/pdf-lib'
import { integerOf } from './cross-references.ts'
import { Unsure } from './unsure.ts'

/**
 * The pages of a page tree (ISO 32000-1, 7.7.3). Every node must occur exactly once and count its pages correctly,
 * because some readers use the counts and others the nodes.
 *
 * @param resolve reads the object that a reference names
 * @throws Unsure if a check fails
 */
export function pagesOfTree(root: PDFObject | undefined, resolve: Resolve): PDFRef[] {
  const visited = new Set<PDFRef>()
  const pagesOf = (ref: PDFObject | undefined, depth: number): PDFRef[] => {
    if (!(ref instanceof PDFRef) || visited.has(ref) || depth > maxDepth)
      throw new Unsure('There is no tree of pages.')
    visited.add(ref)
    const node = resolve(ref)
    if (!(node instanceof PDFDict)) throw new Unsure('A node of the pages is missing.')
    const type = node.get(PDFName.of('Type'))
    const kids = resolve(node.get(PDFName.of('Kids')))
    if (type === PDFName.of('Page') && kids === undefined && depth > 0) return [ref]
    if (type !== PDFName.of('Pages') || !(kids instanceof PDFArray))
      throw new Unsure('A node of the pages is odd.')
    const pages = kids.asArray().flatMap((kid) => pagesOf(kid, depth + 1))
    if (integerOf(node, 'Count') !== pages.length) throw new Unsure('A node of the pages counts wrongly.')
    return pages
  }
  return pagesOf(root, 0)
}

/** Returns a direct value unchanged, and undefined for a reference without an object. */
export type Resolve = (object: PDFObject | undefined) => PDFObject | undefined

const maxDepth = 50
