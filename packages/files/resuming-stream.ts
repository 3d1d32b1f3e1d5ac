import { Readable } from 'node:stream'

/**
 * A stream that resumes if its connection breaks.
 *
 * @param reopen opens a stream that skips the first `received` bytes. If it throws, the resumed stream fails with that
 *   error
 */
export function resumingStream(
  first: Readable,
  reopen: (received: number, error: Error) => Promise<Readable>,
): Readable {
  let body = first
  let received = 0
  const resumed = new Readable({
    read: () => void body.resume(),
    destroy: (error, done) => {
      body.destroy()
      done(error)
    },
  })

  const follow = (next: Readable): void => {
    body = next
    // `read` resumes it when the consumer reads.
    next
      .pause()
      .on('data', (chunk: Buffer) => {
        received += chunk.length
        if (!resumed.push(chunk)) next.pause()
      })
      .on('end', () => resumed.push(null))
      .on('error', (error) => void resume(error))
  }

  const resume = async (error: Error): Promise<void> => {
    if (resumed.destroyed) return
    try {
      const rest = await reopen(received, error)
      if (resumed.destroyed) {
        rest.destroy()
        return
      }
      follow(rest)
      rest.resume()
    } catch (failure) {
      resumed.destroy(failure as Error)
    }
  }

  follow(first)
  return resumed
}
