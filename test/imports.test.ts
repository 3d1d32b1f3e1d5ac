import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** The permitted imports: rules by folder and kind of file, as the architecture states them. */

const root = fileURLToPath(new URL('..', import.meta.url))
const files = globSync('{infra,functions,packages,test}/**/*.ts', { cwd: root })

type Import = { from: string; to: string; typeOnly: boolean }

/** The folders behind our subpath imports, the longest first. */
const aliases = Object.entries<string>(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).imports)
  .map(([from, to]) => [from.replace(/\*$/, ''), to.replace(/\*$/, '')] as const)
  .toSorted(([one], [other]) => other.length - one.length)

const statement = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm
const expression = /\bimport\(\s*'([^']+)'\s*\)/g

/** Every import of a file of ours, and (as `npm:<name>`) of a package. */
const imports: Import[] = files.flatMap((from) => {
  const source = readFileSync(join(root, from), 'utf8')
  const statements = [...source.matchAll(statement)].map(([, type, specifier = '']) => ({
    from,
    to: target(from, specifier),
    typeOnly: type !== undefined,
  }))
  const expressions = [...source.matchAll(expression)].map(([, specifier = '']) => ({
    from,
    to: target(from, specifier),
    typeOnly: false,
  }))
  return [...statements, ...expressions]
})

function target(from: string, specifier: string): string {
  const alias = aliases.find(([start]) => specifier.startsWith(start))
  if (alias !== undefined) return target('', alias[1] + specifier.slice(alias[0].length))
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(from), specifier))
  return `npm:${specifier}`
}

const adapters = [
  'store',
  'files',
  'queue',
  'extraction',
  'sync',
  'mail',
  'bea-gateway',
  'secrets',
  'sealing',
  'tables',
  'invoicing',
  'search',
]

/** Packages that are neither a domain nor an adapter; each is a kind of its own. */
const shared = [
  'kernel',
  'german-time',
  'german-names',
  'formats',
  'guarded-http',
  'http',
  'jobs',
  'client',
  'bea-wire',
] as const

/** Packages of the local account only: nothing that is deployed imports them. */
const localOnly = ['bea-simulator', 'loopback-http'] as const

type Kind =
  | (typeof shared)[number]
  | (typeof localOnly)[number]
  | 'foundation'
  | 'domain'
  | 'adapter'
  | 'endpoints'
  | 'fixtures'
  | 'manifest'
  | 'function file'
  | 'composition root'
  | 'infra'
  | 'infra/local'
  | 'infra/tools'
  | 'test'

/** The list of functions, what it is made of, and the queues. */
const manifestFiles = ['manifest', 'api-functions', 'worker-functions', 'declaration', 'queues'].map(
  (name) => `functions/${name}.ts`,
)

function kindOf(path: string): Kind {
  const [top, second = ''] = path.split('/')
  const name = path.split('/').at(-1) ?? ''
  if (top === 'packages' && second === 'foundation') return 'foundation'
  if (top === 'packages')
    return adapters.includes(second)
      ? 'adapter'
      : ([...shared, ...localOnly].find((it) => it === second) ?? 'domain')
  if (top === 'infra') return second === 'local' || second === 'tools' ? `infra/${second}` : 'infra'
  if (top === 'test') return 'test'
  if (name === 'index.ts') return 'composition root'
  if (/^([\w-]+-)?endpoints\.ts$/.test(name)) return 'endpoints'
  if (name === 'fixtures.ts') return 'fixtures'
  return manifestFiles.includes(path) ? 'manifest' : 'function file'
}

const isSchema = (path: string) => kindOf(path) === 'domain' && /\/([\w-]+-)?schema\.ts$/.test(path)
const isPorts = (path: string) => kindOf(path) === 'domain' && /\/(\w+-)?ports\.ts$/.test(path)
/**
 * Whether templates, the local account and functions must share this file: the table, the variables that name queues, and
 * the refusal of an unknown path.
 */
const isSharedWithInfra = (path: string) =>
  /^packages\/(store\/(table|layout)|queue\/queue-variable|http\/route-not-found)\.ts$/.test(path)

type Rule = {
  /** Kinds of which every file may be imported. */
  kinds?: Kind[]
  /** Single files that may be imported besides. */
  files?: (path: string) => boolean
  /** Kinds of which only types may be imported. */
  types?: Kind[]
  /** The permitted packages of npm; packages of Node are always permitted. Absent: all. */
  npm?: RegExp
}

const zod = /^zod$/
const functions: Kind[] = ['endpoints', 'manifest', 'function file']
const packages: Kind[] = [...shared, 'domain', 'adapter']

const rules: Record<Exclude<Kind, 'test'>, Rule> = {
  kernel: { npm: /^(zod|big\.js)$/ },
  'german-time': { kinds: ['kernel'], npm: zod },
  'german-names': { kinds: ['kernel'], npm: /^$/ },
  'guarded-http': { npm: /^undici$/ },
  formats: { kinds: ['kernel'], npm: /^(yauzl|zip-stream|saxes|pkijs|asn1js)$/ },
  http: { kinds: ['kernel'], npm: /^(zod|@middy\/.+|aws-lambda)$/ },
  jobs: { kinds: ['kernel'], npm: /^(zod|aws-lambda)$/ },
  client: { kinds: ['http'], npm: zod },
  'bea-wire': { npm: /^$/ },
  'loopback-http': { npm: /^$/ },
  'bea-simulator': {
    kinds: ['bea-wire', 'loopback-http'],
    npm: /^(zod|@cantoo\/pdf-lib|asn1js|node-forge|pkijs|xmlbuilder2)$/,
  },
  domain: { kinds: ['kernel', 'german-time', 'german-names', 'formats', 'jobs'], files: isSchema, npm: zod },
  adapter: {
    kinds: ['kernel', 'german-time', 'german-names', 'formats', 'guarded-http', 'jobs', 'bea-wire'],
    files: (path) => isSchema(path) || isPorts(path),
  },
  endpoints: {
    kinds: ['kernel', 'german-time', 'http', 'function file', 'endpoints'],
    files: isSchema,
    types: ['domain'],
    npm: zod,
  },
  fixtures: { types: ['endpoints', 'test'], npm: /^$/ },
  'function file': { kinds: ['kernel', 'german-time', 'http', 'domain', 'manifest'], npm: zod },
  manifest: { kinds: ['http', 'endpoints', 'function file'], npm: /^$/ },
  // The code that composition roots share.
  foundation: { kinds: packages, npm: /^$/ },
  'composition root': { kinds: [...packages, 'foundation', ...functions], npm: /^aws-lambda$/ },
  infra: {
    kinds: ['manifest'],
    files: isSharedWithInfra,
    npm: /^(aws-cdk-lib\/.+|constructs|cdk-nag|esbuild|zod)$/,
  },
  'infra/local': {
    kinds: ['kernel', 'jobs', 'manifest', 'infra', 'infra/tools', 'bea-simulator', 'loopback-http'],
    files: (path) => isSharedWithInfra(path) || path === 'packages/store/due-moments.ts',
  },
  'infra/tools': { kinds: [...packages, 'foundation', ...functions, 'composition root', 'infra'] },
}

/** Files of one kind import each other, but domains and adapters only within their own package. */
function isAtHome({ from, to }: Import): boolean {
  if (!from.startsWith('packages/')) return kindOf(from) === kindOf(to)
  return from.split('/')[1] === to.split('/')[1] && to.startsWith('packages/')
}

function isAllowed(one: Import): boolean {
  const { to, typeOnly } = one
  const { kinds = [], files = () => false, types = [], npm } = rules[kindOf(one.from) as keyof typeof rules]
  if (to.startsWith('npm:node:')) return true
  if (to.startsWith('npm:')) return npm === undefined || npm.test(to.slice('npm:'.length))
  return isAtHome(one) || kinds.includes(kindOf(to)) || files(to) || (typeOnly && types.includes(kindOf(to)))
}

const shown = ({ from, to }: Import) => `${from} → ${to}`

describe('who imports whom', () => {
  it('is read from the imports of the files', () => {
    const found = (one: Import) => imports.filter((it) => shown(it) === shown(one)).map((it) => it.typeOnly)

    expect(imports.length).toBeGreaterThan(1_000)
    const service = 'packages/cases/cases.ts'
    expect(found({ from: service, to: 'packages/kernel/id.ts', typeOnly: false })).toEqual([false])
    const endpoints = 'functions/cases/endpoints.ts'
    expect(found({ from: endpoints, to: service, typeOnly: true })).toEqual([true])
    const start = 'infra/local/run.ts'
    expect(found({ from: start, to: 'infra/tools/admin/index.ts', typeOnly: false })).toEqual([false])
    expect(imports.map(({ to }) => to)).toContain('npm:electrodb')
  })

  it.each([
    ['kernel', 'imports nothing of ours'],
    ['german-time', 'imports the kernel'],
    ['german-names', 'imports the kernel'],
    ['formats', 'imports the kernel'],
    ['guarded-http', 'imports nothing of ours'],
    ['http', 'imports the kernel'],
    ['jobs', 'imports the kernel'],
    ['client', 'imports http'],
    ['loopback-http', 'imports nothing of ours'],
    ['bea-simulator', 'imports the wire format of the gateway and what local servers share'],
    ['domain', 'imports the kernel, german-time, german-names, formats, jobs and other domains’ schemas'],
    [
      'adapter',
      'imports the kernel, german-time, german-names, formats, guarded-http, jobs, bea-wire and domains’ schemas and ports',
    ],
    ['endpoints', 'imports schemas, http, files of functions and other endpoints, and services as types'],
    ['function file', 'imports http, domains and the manifest'],
    ['manifest', 'imports endpoints'],
    ['composition root', 'imports every package, and other composition roots'],
    ['infra', 'imports the manifest and what it must share with functions'],
    [
      'infra/local',
      'imports infra, the manifest, what it must share with functions, what is due in the table, and the beA simulator',
    ],
    ['infra/tools', 'imports whatever its programs need'],
  ] as [Kind, string][])('%s %s', (kind) => {
    const ofKind = imports.filter(({ from }) => kindOf(from) === kind)

    expect(ofKind.length).toBeGreaterThan(0)
    expect(ofKind.filter((one) => !isAllowed(one)).map(shown)).toEqual([])
  })

  it('the wire format of beA imports nothing', () => {
    expect(imports.filter(({ from }) => kindOf(from) === 'bea-wire').map(shown)).toEqual([])
  })

  it('only adapters and the programs of infra use the SDK, ElectroDB and other libraries of their kind', () => {
    const libraries = new Set(
      Object.entries(rules).flatMap(([kind, { npm }]) => (npm === undefined ? [kind] : [])),
    )

    expect(libraries).toEqual(new Set(['adapter', 'infra/local', 'infra/tools']))
  })

  it('triage is pure: it imports the kernel, german-time, german-names and schemas, and nothing that reads or writes', () => {
    const ofTriage = imports.filter(({ from }) => from.startsWith('packages/triage/'))
    const allowed = ({ to }: Import) =>
      to.startsWith('packages/triage/') ||
      ['kernel', 'german-time', 'german-names'].includes(kindOf(to)) ||
      isSchema(to) ||
      to === 'npm:zod'

    expect(ofTriage.length).toBeGreaterThan(20)
    expect(ofTriage.filter((one) => !allowed(one)).map(shown)).toEqual([])
  })

  it('schemas are written with one zod, the whole one', () => {
    const others = imports.filter(({ to }) => to.startsWith('npm:zod/'))

    expect(others.map(shown)).toEqual([])
  })

  it('no path goes up two folders: a subpath import is used instead', () => {
    const climbing = files.filter((file) => /from '(\.\.\/){2}/.test(readFileSync(join(root, file), 'utf8')))

    expect(climbing).toEqual([])
  })

  it('nothing imports itself in a circle, not even types', () => {
    expect(circles(imports.filter(({ to }) => !to.startsWith('npm:')))).toEqual([])
  })

  it('a circle is found, of types as well', () => {
    const circle = ['a', 'b', 'c', 'a'].map((from, at, all) => ({
      from,
      to: all[at + 1] ?? 'd',
      typeOnly: true,
    }))

    expect(circles(circle)).toEqual(['a → b → c → a'])
  })
})

/** Each way on which a file imports itself, once. */
function circles(all: readonly Import[]): string[] {
  const next = Map.groupBy(all, ({ from }) => from)
  const done = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return found
}
