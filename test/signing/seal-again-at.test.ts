import { expect, it } from 'vitest'
import { sealAgainAt } from '#signing/sealing/seal-again-at.ts'

it('an unfinished completion is retried after pauses that grow up to six hours', () => {
  const begun = new Date('2026-11-20T10:00:00.000Z')
  let now = begun
  const minutes = Array.from({ length: 7 }, () => {
    now = new Date(sealAgainAt(begun.toISOString(), now))
    return (now.getTime() - begun.getTime()) / 60_000
  })
  expect(minutes).toEqual([45, 90, 180, 360, 720, 1_080, 1_440])
})
