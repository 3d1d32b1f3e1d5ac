import { getDocumentProxy } from 'unpdf'
import { limits } from './limits.ts'
import { Unalterable } from './unalterable.ts'

/**
 * Checks that a reader which follows the cross-references finds the same pages in the later file. They are the same
 * objects in the same order, of the same size, turned the same way. But pdf-lib reads a file from its beginning to its
 * end. A file can be made so that the two readers see different documents.
 *
 * @param before the pages of the original, by `pagesOf`
 * @param added pages that the later file has more
 * @throws Unalterable `damaged`, `too_complex`
 */
export async function requireSamePages(
  before: readonly string[],
  later: Uint8Array,
  added: number,
): Promise<void> {
  const after = await pagesOf(later)
  const isSame = before.length > 0 && after.length === before.length + added
  if (!isSame || before.some((page, index) => page !== after[index])) {
    throw new Unalterable('damaged', 'Readers do not agree on the pages of the PDF.')
  }
}

/** The pages as pdf.js finds them, each in one line. @throws Unalterable `damaged`, `too_complex` */
export async function pagesOf(pdf: Uint8Array): Promise<string[]> {
  const document = await open(pdf)
  try {
    if (document.numPages > limits.pages) {
      throw new Unalterable('too_complex', `The PDF has more than ${limits.pages} pages.`)
    }
    const pages: string[] = []
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number)
      pages.push(JSON.stringify([page.ref, page.view, page.rotate, page.userUnit]))
      page.cleanup()
    }
    return pages
  } catch (error) {
    throw asUnalterable(error)
  } finally {
    await document.loadingTask.destroy()
  }
}

/** pdf.js takes the bytes for itself, hence the copy, and refuses a Buffer. */
async function open(pdf: Uint8Array) {
  try {
    return await getDocumentProxy(new Uint8Array(pdf), {
      verbosity: 0,
      enableXfa: false,
      useSystemFonts: false,
    })
  } catch (error) {
    throw asUnalterable(error)
  }
}

function asUnalterable(error: unknown): Unalterable {
  if (error instanceof Unalterable) return error
  return new Unalterable('damaged', 'The PDF is damaged.', { cause: error })
}
