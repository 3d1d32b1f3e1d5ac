import { expect, it } from 'vitest'
import { compareNames, compareReadings } from '#german-names/compare-names.ts'
import { parseName, readingsOf } from '#german-names/name-parts.ts'
import { namePairs, namesOfParties } from './name-pairs.ts'

it.each(namePairs)('“%s” and “%s”, in either order: %s', (one, other, expected) => {
  const levels = [
    compareNames(parseName(one), parseName(other)),
    compareNames(parseName(other), parseName(one)),
  ]

  expect(levels.map((level) => level?.match ?? 'none')).toEqual([expected, expected])
})

it.each(namesOfParties)('“%s” and the party “%s” (type %s): %s', (asked, filed, type, expected) => {
  const found = compareReadings(readingsOf(asked), parseName(filed, type))

  expect(found?.match ?? 'none').toBe(expected)
})
