import { describe, expect, it } from 'vitest'
import { bookkeeping, noteChange, watchChanges } from '#kernel/changes.ts'
import { type Claim, idempotently, takeClaim } from '#kernel/idempotency.ts'
import { isTransient } from '#kernel/transient.ts'
import { unavailable } from '#kernel/unavailable.ts'

const request = { workspace_id: 'ws_1', user_id: 'usr_1', key: 'key', content: 'content' }
const claimOf = (): Claim => ({ ...request, answer: { status: 201, body: '', etag: undefined } })

describe('a dependency that does not answer', () => {
  const failureAfter = (work: () => Promise<void>) =>
    watchChanges(async () => {
      await work()
      return unavailable('It did not answer.')
    })
  const nothing = async () => {}
  const change = async () => noteChange()
  const nothingChanged = 'It did not answer. Nothing was changed: try again in a moment.'

  it('is asked again at once if nothing was changed, with a key or without', async () => {
    const failures = [
      await failureAfter(nothing),
      await idempotently(request, claimOf).run(() => failureAfter(nothing)),
    ]

    for (const { message, retryAfterSeconds } of failures)
      expect([message, retryAfterSeconds]).toEqual([nothingChanged, 2])
  })

  it('after a change is asked again only with a key, also if it was wanted for something beside the request', async () => {
    const beside = async () => {
      await change()
      expect((await bookkeeping(async () => unavailable('It did not answer.'))).message).not.toBe(
        nothingChanged,
      )
    }

    const [bare, keyed] = [
      await failureAfter(beside),
      await idempotently(request, claimOf).run(() => failureAfter(beside)),
    ]

    expect([bare.retryAfterSeconds, keyed.retryAfterSeconds]).toEqual([undefined, 2])
    expect(keyed.message).toContain('send it again with the same Idempotency-Key')
  })
})

it('the first transaction with an answer stores the claim of its request, and no other one does', async () => {
  const work = idempotently(request, claimOf)

  const taken = await work.run(async () => {
    const [preparation, first] = [takeClaim(undefined), takeClaim({ id: 'x' })]
    first?.written()
    return [preparation, first?.claim, takeClaim({ id: 'y' })]
  })

  expect(taken).toEqual([undefined, claimOf(), undefined])
})

it.each([
  [{ $metadata: { httpStatusCode: 429 } }, true],
  [{ $metadata: { httpStatusCode: 500 } }, true],
  [{ $metadata: { httpStatusCode: 503 } }, true],
  [{ $metadata: { httpStatusCode: 400 } }, false],
  [{ $fault: 'server' }, true],
  [{ $fault: 'client' }, false],
  [{ code: 'ECONNRESET' }, true],
  [{ code: 'EACCES' }, false],
  [{ name: 'SlowDown' }, true],
  [{}, false],
])('an error of a service with %j may be temporary: %s', (properties, expected) => {
  const error = Object.assign(new Error('Refused.'), properties)

  expect(isTransient(error, new Set(['SlowDown']))).toBe(expected)
})
