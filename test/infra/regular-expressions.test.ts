import { describe, expect, it } from 'vitest'
import { slowExpressions } from '#infra/tools/lint-regular-expressions.ts'

/** How many expressions of this source are refused. */
const refusals = (source: string) => slowExpressions('planted.ts', source).length

describe('the check of regular expressions', () => {
  it.each([
    ['nested repetitions', 'const slow = /^(a+)+$/'],
    ['three runs that share a character', String.raw`const slow = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i`],
    ['alternatives that overlap', String.raw`const slow = /^(\w|\d)*$/`],
    [
      'a run at the end that is looked for everywhere',
      String.raw`const slow = (text) => text.replace(/\s+$/, '')`,
    ],
    ['two runs around what may be missing', String.raw`const slow = /^x\s*;?\s*y/`],
    ['a text', "const slow = new RegExp('^(?:[a-z]+-?)*$', 'u')"],
    ['constants that are joined', `const run = '[ -]*'; const slow = new RegExp(\`\${run} *x\`)`],
    ['an argument, which nobody can judge', 'const slow = (own) => new RegExp(own)'],
    ['the newest syntax', String.raw`const slow = /^([\p{L}--a]+)*$/v`],
  ])('refuses %s', (_, source) => {
    expect(refusals(source)).toBeGreaterThan(0)
  })

  it.each([
    ['bounded runs', String.raw`const fast = /^\s{0,9}cid:([^\s]{1,750})\s{0,9}$/`],
    ['a run that begins where no other does', String.raw`const fast = /(?<!\/)\/+$/`],
    ['runs that share nothing', String.raw`const fast = /^bytes=[ \t]*(\d*)-(\d*)$/i`],
    ['a count that is computed', `const fast = (n) => new RegExp(\`^[0-9]{1,\${n - 1}}$\`)`],
  ])('admits %s', (_, source) => {
    expect(refusals(source)).toBe(0)
  })

  it('says where an expression stands', () => {
    const faults = slowExpressions('planted.ts', 'const one = 1\nconst slow = /(x+x+)+y/')

    expect(faults.length).toBeGreaterThan(0)
    for (const fault of faults) expect(fault).toMatch(/^planted\.ts:2 .*: \/\(x\+x\+\)\+y\//)
  })
})
