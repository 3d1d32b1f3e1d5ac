import { Readable } from 'node:stream'

/**
 * A stream that resumes if its connection breaks.
 *
 * @param reopen opens a stream of the bytes after the first `received` ones; if it throws, the stream fails with that
 *   error
 */
export function resumingStream(
  first: Readable,
  reopen: (received: number, error: Error) => Promise<Readable>,
): Readable {
  let body = first
  let received = 0
  const whole = new Readable({
    read: () => void body.resume(),
    destroy: (error, done) => {
      body.destroy()
      done(error)
    },
  })

  const follow = (next: Readable): void => {
    body = next
    // Paused until the consumer reads.
    next
      .pause()
      .on('data', (chunk: Buffer) => {
        received += chunk.length
        if (!whole.push(chunk)) next.pause()
      })
      .on('end', () => whole.push(null))
      .on('error', (error) => void resume(error))
  }

  const resume = async (error: Error): Promise<void> => {
    if (whole.destroyed) return
    try {
      const rest = await reopen(received, error)
      if (whole.destroyed) {
        rest.destroy()
        return
      }
      follow(rest)
      rest.resume()
    } catch (failure) {
      whole.destroy(failure as Error)
    }
  }

  follow(first)
  return whole
}
