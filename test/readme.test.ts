import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { services } from '#infra/local/emulators/start-emulators.ts'
import { dueMoments, jobShards, shards } from '#store/due-moments.ts'
import { moveClock } from '#test/support/move-clock.ts'
import { type Service, startService } from '#test/support/service.ts'
import { showingEventsAtOnce } from '#test/support/webhook-events.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const readmes = globSync('{README.md,{packages,infra,functions,test}/**/README.md}', { cwd: root })
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')

/** The parts of a README from a heading that names a tour to the next heading of its level. */
const tourOf = (path: string) => /\n## (?:A tour|Tour)\b.*?(?=\n## |$(?![\s\S]))/s.exec(textOf(path))?.[0]
/** A tour says what is done "a minute later", with the next sweep. */
const takesMinutes = (path: string) => /a minute\s+later/.test(tourOf(path) ?? '')
/** Those that take minutes come last, because the clock is moved for them. */
const tours = readmes
  .filter((path) => tourOf(path) !== undefined)
  .toSorted((one, other) => Number(takesMinutes(one)) - Number(takesMinutes(other)))

describe('a tour', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ bea: true, environment: showingEventsAtOnce })
  })
  afterAll(async () => {
    await service.stop()
    // Every function runs the jobs that its requests enqueue itself; the sweeper would run them a minute later.
    expect(service.output()).not.toContain('has no handler for the job')
  })

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
        'packages/fees/README.md',
        'packages/http/README.md',
        'packages/inbox/README.md',
        'packages/signing/README.md',
      ]),
    )
  })

  it.each(tours)('in %s runs as printed and gives the answers that it shows', async (path) => {
    const blocks = [...(tourOf(path) ?? '').matchAll(/```(sh|json|text)\n(.*?)```/gs)].map(
      ([, language, code = '']) => ({ language, text: code.trim() }),
    )
    const commands = blocks.filter(({ language }) => language === 'sh')
    // The answer to a command is the block after it.
    const shown = commands.map((command) => {
      const next = blocks[blocks.indexOf(command) + 1]
      return next === undefined || next.language === 'sh' ? '' : likeness(next.text)
    })

    const run = async () => {
      const running = runInShell(
        commands.map(({ text }) => text),
        service,
      )
      return takesMinutes(path) ? whileMinutesPass(service, running) : running
    }
    const given = await run()
    // The second time there are more records, so answers may have more in them. A postbox gives a receipt only once.
    const again = path.includes('/bea/') ? given : await run()

    expect(shown.filter((answer) => answer !== '').length).toBeGreaterThan(2)
    expect(given.map(likeness)).toEqual(shown)
    expect(again.map((answer) => answer !== '')).toEqual(given.map((answer) => answer !== ''))
  })

  it.each([
    [
      'an error',
      '{"error":{"code":"CASE_NOT_FOUND","message":"There is no such case."}}',
      'field id',
      'no such case',
    ],
    ['an error', '{"error":{"code":"FORBIDDEN"}}', "show 'id, name'", 'FORBIDDEN'],
    ['a page of something else', '<html>Bad Gateway', 'field id', 'Bad Gateway'],
    ['no answer', '', "show 'id'", 'nothing'],
    ['an answer of another form', '{"name":"Ö"}', 'field id', 'Ö'],
  ])('says so where it gets %s (%s)', async (_name, answer, helper, said) => {
    const failing = shell(`printf '%s' '${answer}' | ${helper}; echo not reached`, service)

    await expect(failing).rejects.toThrow(said)
    await expect(failing).rejects.not.toThrow('not reached')
  })

  it('reads the code of an error that it expects', async () => {
    const answer = '{"error":{"code":"CASE_NOT_FOUND"}}'

    expect(await shell(`echo '${answer}' | field error.code`, service)).toBe('CASE_NOT_FOUND\n')
  })

  it('stops waiting for what does not come, and shows the last answer', async () => {
    const waiting = shell('sleep() { :; }; wait_for done echo "still at it"', service)

    await expect(waiting).rejects.toThrow(/no done\. The last answer: still at it/)
  })
})

it('the README can be read in minutes', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(221)
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

it('the costs name the partitions that the scheduled functions read each minute', () => {
  // Unended runs of exports are looked for only after the queues were lost.
  const { outbox: _, 'exports#unended': __, ...others } = dueMoments
  const partitions = jobShards.length + Object.keys(others).length * shards.length

  // An empty query costs half a read unit.
  const [, read, units] =
    /functions read (\d+) partitions[^.]*?(\d+) read units/.exec(textOf('infra/README.md')) ?? []
  expect([Number(read), Number(units)], 'infra/README.md, Costs').toEqual([partitions, partitions / 2])
})

it('the picture of the functions shows every function and no other', () => {
  const picture = textOf('infra/README.md')
  const [, groups = ''] = /Lambda per group<br\/>([^"]+)"/.exec(picture) ?? []
  const scheduled = [...picture.matchAll(/"Lambda (?!per group)([\w-]+)/g)].map(([, name = '']) => name)

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

/** Moves the clock by a minute every second until the work is done. */
async function whileMinutesPass<Result>(service: Service, work: Promise<Result>): Promise<Result> {
  const done = work.then(
    () => true,
    () => true,
  )
  while (!(await Promise.race([done, sleep(1_000, false)]))) await moveClock(service, 'PT1M')
  return work
}

/** Runs the blocks one after another in one shell, in the project's folder, and returns what each prints. */
async function runInShell(blocks: string[], service: Service): Promise<string[]> {
  const script = blocks
    .join('\nprintf "\\0"\n')
    .replaceAll('http://127.0.0.1:3000', service.baseUrl)
    .replaceAll('./.local/', `${service.dataDir}/`)
  const output = await shell(script, service)
  return output.split('\0').map((text) => text.trim())
}

/**
 * Runs a script as a reader does: `node` is one that the README allows, which runs no TypeScript.
 *
 * @throws Error with what it wrote to standard error, if it fails
 */
async function shell(script: string, { baseUrl, dataDir }: Service): Promise<string> {
  const bin = mkdtempSync(join(tmpdir(), 'aktenlage-bin-'))
  writeFileSync(
    join(bin, 'node'),
    `#!/bin/sh\nexec '${process.execPath}' --no-experimental-strip-types "$@"\n`,
    {
      mode: 0o755,
    },
  )
  const others = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const running = spawn('bash', ['-eu', '-o', 'pipefail', '-c', `. infra/tools/tour.sh\n${script}`], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: [bin, ...others].join(delimiter),
      BASE: baseUrl,
      LOCAL_DATA_DIR: dataDir,
    },
  })
  const [output, errors, [exitCode]] = await Promise.all([
    text(running.stdout),
    text(running.stderr),
    once(running, 'close'),
  ])
  rmSync(bin, { recursive: true })
  if (exitCode !== 0) throw new Error(`${output}${errors}`)
  return output
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
