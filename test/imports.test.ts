import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = globSync('{infra,functions,packages}/**/*.ts', { cwd: root })

type Import = { from: string; to: string; typeOnly: boolean }

/** What the beginnings of our subpath imports stand for, the longest first. */
const aliases = Object.entries<string>(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).imports)
  .map(([from, to]) => [from.replace(/\*$/, ''), to.replace(/\*$/, '')] as const)
  .toSorted(([one], [other]) => other.length - one.length)

/** Every import of our own files, and (as `npm:<name>`) of packages. */
const imports: Import[] = files.flatMap((from) =>
  [
    ...readFileSync(join(root, from), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'"`;]*?from\s+'([^']+)'|import\s*\(?'([^']+)'/g,
    ),
  ].map((match) => ({
    from,
    to: target(from, match[2] ?? match[3] ?? ''),
    typeOnly: match[1] !== undefined,
  })),
)

function target(from: string, specifier: string): string {
  const alias = aliases.find(([start]) => specifier.startsWith(start))
  if (alias !== undefined) return target('', alias[1] + specifier.slice(alias[0].length))
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(from), specifier))
  return `npm:${specifier}`
}

/** The room of a file: `packages/<name>`, `functions`, `infra/local`, `infra/tools`, `infra`. */
function room(path: string): string {
  const [top = '', second = ''] = path.split('/')
  if (top === 'packages') return `packages/${second}`
  return top === 'infra' && ['local', 'tools'].includes(second) ? `infra/${second}` : top
}

const adapters = new Set([
  'packages/store',
  'packages/files',
  'packages/extraction',
  'packages/queue',
  'packages/mail',
  'packages/bea',
  'packages/sync',
])
const tools = new Set(['packages/http', 'packages/jobs', 'packages/client', 'packages/formats'])
/** What every package may build on: no domain's business, and free of what runs it. */
const common = new Set(['packages/kernel', 'packages/german-time'])
const isDomain = (name: string) =>
  name.startsWith('packages/') && !common.has(name) && !adapters.has(name) && !tools.has(name)
const isOurs = (path: string) => !path.startsWith('npm:')
const isZod = (to: string) => /^npm:zod($|\/)/.test(to)
const isSchema = (path: string) => /\/(\w+-)?schema\.ts$/.test(path)
const isContract = (path: string) => isSchema(path) || /\/(ports|detect-type)\.ts$/.test(path)
const isRoot = (path: string) => /^functions\/(.+\/)?index\.ts$/.test(path) || path.startsWith('infra/tools/')

const offenders = (rule: (one: Import) => boolean) =>
  imports.filter(rule).map(({ from, to }) => `${from} → ${to}`)
const ours = (rule: (one: Import) => boolean) =>
  offenders((one) => isOurs(one.to) && room(one.from) !== room(one.to) && rule(one))

describe('who imports whom', () => {
  it('has been read at all', () => {
    expect(imports.length).toBeGreaterThan(200)
    expect(
      imports.some(
        ({ from, to }) => from === 'packages/cases/service.ts' && to === 'packages/kernel/failure.ts',
      ),
    ).toBe(true)
  })

  it('kernel imports nothing of ours and no package but zod', () => {
    const allowed = (to: string) => isZod(to) || to.startsWith('npm:node:')
    expect(
      offenders(
        ({ from, to }) => room(from) === 'packages/kernel' && room(to) !== 'packages/kernel' && !allowed(to),
      ),
    ).toEqual([])
  })

  it('schemas are written with one zod, the whole one', () => {
    expect(offenders(({ to }) => isZod(to) && to !== 'npm:zod')).toEqual([])
  })

  it('german-time imports the kernel and no package but zod', () => {
    const allowed = (to: string) => common.has(room(to)) || isZod(to)
    expect(offenders(({ from, to }) => room(from) === 'packages/german-time' && !allowed(to))).toEqual([])
  })

  it('a domain imports the kernel, german-time, readers of formats, job definitions and other domains’ schemas', () => {
    const allowed = (to: string) =>
      common.has(room(to)) ||
      room(to) === 'packages/formats' ||
      to === 'packages/jobs/job.ts' ||
      (isDomain(room(to)) && isSchema(to))
    expect(ours(({ from, to }) => isDomain(room(from)) && !allowed(to))).toEqual([])
  })

  it('http and jobs import the kernel', () => {
    expect(
      ours(
        ({ from, to }) =>
          (room(from) === 'packages/http' || room(from) === 'packages/jobs') &&
          room(to) !== 'packages/kernel',
      ),
    ).toEqual([])
  })

  it('adapters import the kernel, german-time, job definitions, and domains’ schemas and ports', () => {
    const allowed = (to: string) =>
      common.has(room(to)) ||
      ['packages/jobs', 'packages/formats'].includes(room(to)) ||
      (isDomain(room(to)) && isContract(to))
    expect(ours(({ from, to }) => adapters.has(room(from)) && !allowed(to))).toEqual([])
  })

  it('endpoints import schemas and http, and services as types', () => {
    const isEndpoints = (path: string) => path.endsWith('/endpoints.ts')
    const allowed = ({ to, typeOnly }: Import) =>
      common.has(room(to)) || ['packages/http', 'functions'].includes(room(to)) || isSchema(to) || typeOnly
    expect(offenders((one) => isEndpoints(one.from) && isOurs(one.to) && !allowed(one))).toEqual([])
  })

  it('only composition roots import adapters', () => {
    expect(
      ours(
        ({ from, to, typeOnly }) =>
          adapters.has(room(to)) &&
          !isRoot(from) &&
          !adapters.has(room(from)) &&
          !typeOnly &&
          to !== 'packages/store/table.ts',
      ),
    ).toEqual([])
  })

  it('infra imports the manifest and the table', () => {
    const allowed = (to: string) => ['functions/manifest.ts', 'packages/store/table.ts'].includes(to)
    expect(ours(({ from, to }) => room(from) === 'infra' && !allowed(to))).toEqual([])
    const mayLoad = (to: string) =>
      allowed(to) || ['functions', 'infra', 'infra/tools', 'packages/kernel'].includes(room(to))
    expect(ours(({ from, to }) => room(from) === 'infra/local' && !mayLoad(to))).toEqual([])
  })

  it('nothing imports infra', () => {
    expect(
      ours(({ from, to }) => /^(functions|packages)\//.test(from) && room(to).startsWith('infra')),
    ).toEqual([])
  })

  it('the SDK, ElectroDB and other heavy libraries stay in adapters', () => {
    const heavy = /^npm:(@aws-sdk\/|@smithy\/|electrodb|exceljs|tesseract|unpdf|mammoth|tsdav)/
    const allowed = (from: string) => adapters.has(room(from)) || isRoot(from) || room(from) === 'infra/local'
    expect(offenders(({ from, to, typeOnly }) => heavy.test(to) && !typeOnly && !allowed(from))).toEqual([])
  })

  it('nothing goes up and over: no path with ../.. ', () => {
    expect(files.filter((file) => /from '(\.\.\/){2}/.test(readFileSync(join(root, file), 'utf8')))).toEqual(
      [],
    )
  })

  it('nothing imports itself in a circle', () => {
    const next = new Map<string, string[]>()
    for (const { from, to, typeOnly } of imports) {
      if (isOurs(to) && !typeOnly) next.set(from, [...(next.get(from) ?? []), to])
    }
    const done = new Set<string>()
    const circles: string[] = []
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      if (done.has(file) || path.includes(file)) return
      for (const to of next.get(file) ?? []) visit(to, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    expect(circles).toEqual([])
  })
})
