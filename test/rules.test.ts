import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** Code, tests and pages cite rules by number: packages/rules.md has each of them. */

const root = fileURLToPath(new URL('..', import.meta.url))
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** The client is generated, and the examples of this test are not citations. */
const isRead = (path: string) => !['packages/client/client.ts', 'test/rules.test.ts'].includes(path)
const files = globSync('{README.md,{packages,functions,infra,test}/**/*.{ts,md}}', { cwd: root }).filter(
  isRead,
)

const rows = [...textOf('packages/rules.md').matchAll(/^\| ([A-Z]\d.*?) \| *(.*?) *\|$/gm)].map(
  ([, rule = '', text = '']) => ({ rule, text }),
)
const rules = new Set(rows.map(({ rule }) => rule))

describe('the page of rules', () => {
  it('has every rule that is cited', () => {
    const unknown = files.flatMap((path) =>
      citationsIn(textOf(path))
        .filter((rule) => !rules.has(rule))
        .map((rule) => `${path}: ${rule}`),
    )

    expect(files.length).toBeGreaterThan(1_500)
    expect(unknown).toEqual([])
  })

  it('has each rule once, with a text, under its letter and in the order of the numbers', () => {
    const numbers = rows.map(({ rule }) => rule)
    const sections = textOf('packages/rules.md').split(/^## /m).slice(1)
    const strangers = sections.flatMap((section) =>
      [...section.matchAll(/^\| ([A-Z])\d/gm)].filter(([, letter]) => letter !== section[0]),
    )

    expect(numbers.length).toBeGreaterThan(150)
    expect(rows.filter(({ text }) => !/^\S.{20,}\.$/.test(text))).toEqual([])
    expect(strangers).toEqual([])
    expect(numbers).toEqual(
      [...rules].toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })),
    )
  })
})

describe('a citation', () => {
  it.each([
    ['alone', 'Refuses it (K4).', ['K4']],
    ['with a letter', 'as JSON (G2a)', ['G2a']],
    ['in a list', 'events (E1, E10)', ['E1', 'E10']],
    ['in a list of two lines of a comment', ' * the same one (G4,\n * G13).', ['G4', 'G13']],
    ['in a range', '(C9 to C11), (K3–K5)', ['C9', 'C10', 'C11', 'K3', 'K4', 'K5']],
    ['beside something else', '(F16; BGH I ZB 108/17), (S1: 50 MiB)', ['F16', 'S1']],
  ])('is found %s', (_, text, found) => {
    expect(citationsIn(text)).toEqual(found)
  })

  it.each([
    ['a paper size', 'a page to print (size A4)'],
    ['a cell of a sheet', "'=SUM(A1)', sheet.cell(`B2`)"],
    ['a name of AWS', "only(inStorage('AWS::S3::Bucket')), (S3 bucket), ('S3')"],
    ['a standard', '(RFC 3161), (`C62`), (EN 16931)'],
    ['a class of a pattern', '/([A-Z][A-Z0-9_]+)/'],
  ])('is not %s', (_, text) => {
    expect(citationsIn(text)).toEqual([])
  })
})

/**
 * The rules that a text cites: a capital letter and one or two digits in parentheses, also as an item of a list. The
 * parentheses of a call follow a letter, and are none.
 */
function citationsIn(text: string): string[] {
  const lists = text.matchAll(/(?<!\w)\(([^()]+)\)/g)
  return [...lists].flatMap(([, list = '']) =>
    list
      .replace(/\s+(?:\*|\/\/)?\s*/g, ' ')
      .split(/[,;] |: /)
      .flatMap((item) => rulesOf(item.trim())),
  )
}

/** `K4`, or the rules from `K3` to `K5`; none of something else. */
function rulesOf(item: string): string[] {
  if (/^[A-Z]\d{1,2}[a-z]?$/.test(item)) return [item]
  const [, letter = '', first = '', last = ''] = /^([A-Z])(\d{1,2})(?: to |–)\1(\d{1,2})$/.exec(item) ?? []
  if (letter === '') return []
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `${letter}${Number(first) + at}`)
}
