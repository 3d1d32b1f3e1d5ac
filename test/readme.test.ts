import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { services } from '#infra/local/emulators/start-emulators.ts'
import { type Service, startService } from '#test/support/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

it('the README’s tour runs as printed and gives the answers that it shows', async () => {
  const tour = readme.slice(readme.indexOf('\n## A tour'), readme.indexOf('\n### From TypeScript'))
  const steps = [...tour.matchAll(/```(sh|json)\n(.*?)```/gs)].map(([, language, text = '']) => ({
    language,
    text,
  }))
  const commands = steps.filter(({ language }) => language === 'sh').map(({ text }) => text)
  const shown = steps.filter(({ language }) => language === 'json').map(({ text }) => JSON.parse(text))

  const given = await runInShell(commands)

  expect(shown.length).toBeGreaterThan(4)
  expect(given.filter((output) => output !== '').map((output) => likeness(JSON.parse(output)))).toEqual(
    shown.map(likeness),
  )
})

it('the README names every command that is not part of another', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const listed = firstCellsOf('## Commands')

  for (const script of Object.keys(scripts).filter((name) => !name.includes(':')))
    expect(listed).toContain(script === 'start' || script === 'test' ? `npm ${script}` : `npm run ${script}`)
})

it('every path that the README names is there', () => {
  const paths = [...readme.matchAll(/`((?:functions|packages|infra|events|test)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  )

  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it('the README’s picture shows every function and no other', () => {
  const [, groups = ''] = /Lambda per group<br\/>([^"]+)"/.exec(readme) ?? []
  const scheduled = [...readme.matchAll(/"Lambda (?!per group)([\w-]+)/g)].map(([, name = '']) => name)

  expect([...groups.split(' · '), ...scheduled].toSorted()).toEqual(
    manifest.map(({ name }) => name).toSorted(),
  )
})

it('the README explains every variable that our code reads, and none that it does not', () => {
  const source = globSync('{functions,packages,infra}/**/*.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const read = new Set([
    ...[...source.matchAll(/\b(?:process\.env|environment)\.([A-Z][A-Z0-9_]+)/g)].map(
      ([, name = '']) => name,
    ),
    ...services.map((service) => `AWS_ENDPOINT_URL_${service}`),
  ])

  const explained = firstCellsOf('### Configuration').filter((name) => /^[A-Z0-9_]+$/.test(name))

  expect(explained.filter((name) => !read.has(name))).toEqual([])
  expect([...read].filter((name) => !explained.includes(name) && !knownToAll.has(name))).toEqual([])
})

/** Read by every program, or by every tool of AWS, in the same sense as by ours. */
const knownToAll = new Set([
  'PATH',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
])

/** What the rows of a section's table are about: the text in backticks that each begins with. */
function firstCellsOf(heading: string): string[] {
  const [, section = ''] = readme.split(`\n${heading}\n`)
  return [...(section.split('\n#')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(([, text = '']) => text)
}

/** Runs the blocks one after another in one shell and gives what each prints. */
async function runInShell(blocks: string[]): Promise<string[]> {
  const script = blocks
    .join('\nprintf "\\0"\n')
    .replaceAll('http://127.0.0.1:3000', service.baseUrl)
    .replaceAll('./.local/', `${service.dataDir}/`)
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of shell.stdout.setEncoding('utf8')) output += chunk
  return output.split('\0').map((text) => text.trim())
}

/** A value with what differs from run to run made alike. */
function likeness(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/\d{4}\/\d\d/g, '<number>')
      .replace(/"cursor":"[^"]+"/g, '"cursor":"<cursor>"'),
  )
}
