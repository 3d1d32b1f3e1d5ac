import { expect, test } from 'vitest'
import { canonicalJson } from '#kernel/canonical-json.ts'

test('the example of RFC 8785 (3.2.2 to 3.2.4) has the text that the RFC gives', () => {
  const value = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`)

  expect(canonicalJson(value)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

test('members are sorted by UTF-16 code units (RFC 8785, 3.2.3)', () => {
  const names = ['€', '\r', '\ufb33', '1', '😀', '\u0080', 'ö']

  const sorted = JSON.parse(canonicalJson(Object.entries(Object.fromEntries(names.map((name) => [name, 0])))))
  const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])))

  expect(sorted).toHaveLength(names.length)
  const places = ['\\r', '1', '\u0080', 'ö', '€', '😀', '\ufb33'].map((name) => text.indexOf(`"${name}"`))
  expect(places.every((place) => place >= 0)).toBe(true)
  expect(places).toEqual(places.toSorted((one, other) => one - other))
})

test.each([
  undefined,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  () => 1,
  '\ud800',
  { a: undefined },
])('values that JSON cannot express are refused: %s', (value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError)
})
