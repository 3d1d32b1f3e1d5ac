import { expect, it } from 'vitest'
import { compareNames } from '#german-names/compare-names.ts'
import { parseName } from '#german-names/name-parts.ts'
import { namePairs } from './name-pairs.ts'

it.each(namePairs)('“%s” and “%s”: %s, whichever comes first', (one, other, expected) => {
  const levels = [
    compareNames(parseName(one), parseName(other)),
    compareNames(parseName(other), parseName(one)),
  ]

  expect(levels.map((level) => level?.match ?? 'none')).toEqual([expected, expected])
})
