import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { services } from '#infra/local/emulators/start-emulators.ts'
import { type Service, startService } from '#test/support/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readmes = globSync('{README.md,{packages,infra,functions,test}/**/README.md}', { cwd: root })
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
const readme = textOf('README.md')

/** The parts of a README from a heading that names a tour to the next heading of its level. */
const tourOf = (path: string) => /\n## (?:A tour|Tour)\b.*?(?=\n## |$(?![\s\S]))/s.exec(textOf(path))?.[0]
const tours = readmes.filter((path) => tourOf(path) !== undefined)

describe('a tour', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ bea: true })
  })
  afterAll(() => service.stop())

  it('is given by the project and by each of its larger domains', () => {
    expect(tours).toEqual(
      expect.arrayContaining([
        'README.md',
        'packages/bea/README.md',
        'packages/billing/README.md',
        'packages/calendar/README.md',
        'packages/client/README.md',
        'packages/correspondence/README.md',
        'packages/deadlines/README.md',
        'packages/documents/README.md',
        'packages/exports/README.md',
        'packages/inbox/README.md',
      ]),
    )
  })

  it.each(tours)('in %s runs as printed and gives the answers that it shows', async (path) => {
    const blocks = [...(tourOf(path) ?? '').matchAll(/```(sh|json|text)\n(.*?)```/gs)].map(
      ([, language, text = '']) => ({ language, text: text.trim() }),
    )
    const commands = blocks.filter(({ language }) => language === 'sh')
    // The answer to a command is the block after it.
    const shown = commands.map((command) => {
      const next = blocks[blocks.indexOf(command) + 1]
      return next === undefined || next.language === 'sh' ? '' : likeness(next.text)
    })

    const given = await runInShell(
      commands.map(({ text }) => text),
      service,
    )

    expect(shown.filter((answer) => answer !== '').length).toBeGreaterThan(2)
    expect(given.map(likeness)).toEqual(shown)
  })
})

it('the README names every command that is not part of another', () => {
  const { scripts } = JSON.parse(textOf('package.json'))
  const listed = firstCellsOf('README.md', '## Commands')

  for (const script of Object.keys(scripts).filter((name) => !name.includes(':')))
    expect(listed).toContain(script === 'start' || script === 'test' ? `npm ${script}` : `npm run ${script}`)
})

it.each(readmes)('every path that %s names is there', (path) => {
  const text = textOf(path)
  const named = [...text.matchAll(/`((?:functions|packages|infra|events|test)\/[\w./-]*)`/g)].map(
    ([, name = '']) => join(root, name),
  )
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) =>
    join(root, dirname(path), link),
  )

  expect([...named, ...linked].filter((name) => !existsSync(name))).toEqual([])
})

it('the README’s picture shows every function and no other', () => {
  const [, groups = ''] = /Lambda per group<br\/>([^"]+)"/.exec(readme) ?? []
  const scheduled = [...readme.matchAll(/"Lambda (?!per group)([\w-]+)/g)].map(([, name = '']) => name)

  expect([...groups.split(' · '), ...scheduled].toSorted()).toEqual(
    manifest.map(({ name }) => name).toSorted(),
  )
})

it('the READMEs explain every variable that our code reads, and none that it does not', () => {
  const source = globSync('{functions,packages,infra}/**/*.ts', { cwd: root }).map(textOf).join('\n')
  const read = new Set([
    ...[...source.matchAll(/\b(?:process\.env|environment)\.([A-Z][A-Z0-9_]+)/g)].map(
      ([, name = '']) => name,
    ),
    ...services.map((service) => `AWS_ENDPOINT_URL_${service}`),
  ])

  const explained = readmes
    .flatMap((path) => firstCellsOf(path, '## Configuration'))
    .filter((name) => /^[A-Z0-9_]+$/.test(name))

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

/** The first cells of a section's table, as far as they are code: what its rows are about. */
function firstCellsOf(path: string, heading: string): string[] {
  const [, section = ''] = textOf(path).split(`\n${heading}\n`)
  return [...(section.split('\n#')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(([, text = '']) => text)
}

/** Runs the blocks one after another in one shell, in the project's folder, and returns what each prints. */
async function runInShell(blocks: string[], service: Service): Promise<string[]> {
  const script = blocks
    .join('\nprintf "\\0"\n')
    .replaceAll('http://127.0.0.1:3000', service.baseUrl)
    .replaceAll('./.local/', `${service.dataDir}/`)
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of shell.stdout.setEncoding('utf8')) output += chunk
  return output.split('\0').map((text) => text.trim())
}

/** An answer with what differs from run to run made alike. */
function likeness(text: string): string {
  return compact(text)
    .replaceAll('\r\n', '\n')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/\d{4}\/\d\d|R-\d{4}-\d{4}/g, '<number>')
    .replace(/"cursor":"[^"]+"/g, '"cursor":"<cursor>"')
}

/** JSON without its layout; other text as it is. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
