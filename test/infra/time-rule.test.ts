import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inRepository } from '#infra/in-repository.ts'

/** The rule that nothing reads the time elsewhere than from the clock (E9). */

/** Texts of programs, with a blank in them so that the rule does not find them here. */
const readings = [
  'new Date( )',
  'new Date',
  'Date( )',
  'Date. now()',
  "Date['now']()",
  'globalThis. Date. now()',
  'performance.timeOrigin',
  "new Intl.DateTimeFormat('de').format()",
  "new Intl.DateTimeFormat('de', { timeZone: 'Europe/Berlin' }).format( )",
  "'console.log(new Date( ))'",
  '`Date. now()`',
  "'SELECT CURRENT _TIMESTAMP'",
].map((text) => text.replace('( )', '()').replaceAll('Date. ', 'Date.').replace(' _', '_'))
const others = [
  'new Date(0)',
  'Date.parse("2027-01-04")',
  "new Intl.DateTimeFormat('de').format(new Date(0))",
  'performance.now()',
]

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'aktenlage-rule-'))
  const plugins = [inRepository('infra/tools/time-from-clock.grit')]
  const linter = { rules: { recommended: false } }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, plugins, linter }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Whether the rule finds anything in a program. */
function isFound(program: string): boolean {
  const file = join(folder, 'program.ts')
  writeFileSync(file, `${program}\n`)
  const biome = inRepository('node_modules/.bin/biome')
  const { stdout, stderr } = spawnSync(biome, ['lint', `--config-path=${folder}`, file], { encoding: 'utf8' })
  return `${stdout}${stderr}`.includes('Read the time from packages/kernel/clock.ts')
}

it.each(readings)('finds %s', (expression) => {
  expect(isFound(`export const value = ${expression}`)).toBe(true)
})

it('finds a function that is taken out of its object', () => {
  expect(isFound('export const { now } = Date')).toBe(true)
})

it.each(others)('lets %s be', (expression) => {
  expect(isFound(`export const value = ${expression}`)).toBe(false)
})
