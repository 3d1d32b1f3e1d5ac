import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PagePicture } from './page-reader.ts'

/** The time limits of drawing, in milliseconds: for one page, and for all pages of a file. */
type DrawingTimes = { page: number; all: number }

/** A usual page takes less than a second. */
const usual: DrawingTimes = { page: 20_000, all: 10 * 60_000 }
const heapMegabytes = 1_536

/**
 * The pages of a PDF, TIFF, PNG or JPG as pictures of up to 16 megapixels, one after the other. The pages of a PDF are
 * drawn at 200 dpi, large ones at less. Larger pictures are scaled down.
 *
 * A file of some kilobytes can keep a library drawing for days, without a pause. So pages are drawn in a thread,
 * which is ended if one page or all of them take too long or too much memory.
 *
 * @throws errors of the libraries for a damaged file, and of the thread beyond these limits
 */
export async function* picturesOf(bytes: Buffer, times = usual): AsyncGenerator<PagePicture> {
  const thread = new Worker(new URL('./draw-pages.ts', import.meta.url), {
    name: 'pictures',
    workerData: bytes,
    // Nothing there needs credentials.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  // If the thread dies while no page is requested, the next request notices it by its time limit.
  thread.on('error', () => {})
  try {
    for (let left = times.all; ; ) {
      const startedAt = performance.now()
      const picture = await nextPicture(thread, Math.min(times.page, left))
      left -= performance.now() - startedAt
      if (picture === null) return
      yield { ...picture, image: Buffer.from(picture.image) }
    }
  } finally {
    await thread.terminate()
  }
}

async function nextPicture(thread: Worker, milliseconds: number): Promise<PagePicture | null> {
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(milliseconds)))
  thread.postMessage('next')
  try {
    const [picture] = await once(thread, 'message', { signal })
    return picture
  } catch (error) {
    throw signal.aborted ? new Error('A page takes too long to draw.', { cause: error }) : error
  }
}
