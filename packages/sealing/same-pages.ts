import { getDocumentProxy } from 'unpdf'
import { limits } from './limits.ts'
import { Unalterable } from './unalterable.ts'

/**
 * Checks that a reader which follows the cross-references finds the same pages in the later file. They must be the same
 * objects in the same order, with the same size and rotation. The check is needed because pdf-lib reads a file from
 * start to end, and a crafted file can show the two readers different documents.
 *
 * @param before the pages of the original, by `pagesOf`
 * @param added the number of additional pages in the later file
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
    throw new Unalterable('damaged', 'Readers disagree on the pages of the PDF.')
  }
}

/** The pages as pdf.js finds them, each as one line of JSON. @throws Unalterable `damaged`, `too_complex` */
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

/** pdf.js keeps the bytes and refuses a Buffer, so it gets a copy. */
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
