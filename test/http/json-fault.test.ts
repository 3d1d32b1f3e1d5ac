import { describe, expect, it } from 'vitest'
import { jsonFaultIn } from '#http/json-fault.ts'
import fc from '#test/support/properties.ts'

describe('the place at which a text stops being JSON', () => {
  it.each([
    ['', 1, 1],
    ['{"name":', 1, 9],
    ['{"name": "A",}', 1, 14],
    ["{'name': 1}", 1, 2],
    ['{\n  "name": "Müller",\n  "file" "1"\n}', 3, 10],
    ['{"a":1}{"b":2}', 1, 8],
    ['[1, 2', 1, 6],
    ['[1 2]', 1, 4],
    ['[1,]', 1, 4],
    ['{"a":01}', 1, 7],
    ['{"a":.5}', 1, 6],
    ['{"a":tru}', 1, 6],
    ['{"a":"x\ny"}', 1, 8],
    ['{"a":"\\x"}', 1, 7],
    ['{"a":"\\u12G4"}', 1, 7],
    ['{"a":1]', 1, 7],
    ['undefined', 1, 1],
    ['{"a":1}\r\n\r\n}', 3, 1],
    ['\ufeff{}', 1, 1],
    ['[[[[', 1, 5],
  ])('%j: line %i, column %i', (text, line, column) => {
    expect(() => JSON.parse(text)).toThrow()
    expect(jsonFaultIn(text)).toEqual({ line, column })
  })

  it('is at the end of the valid JSON, and at a foreign character in it', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, place) => {
        expect(jsonFaultIn(text)).toEqual({ line: 1, column: text.length + 1 })
        const at = place % (text.length + 1)
        const broken = `${text.slice(0, at)}\u0000${text.slice(at)}`
        expect(jsonFaultIn(broken).column).toBeLessThanOrEqual(at + 1)
      }),
    )
  })

  it('is found in a text of any depth', () => {
    expect(jsonFaultIn('['.repeat(1_000_000))).toEqual({ line: 1, column: 1_000_001 })
  })
})
