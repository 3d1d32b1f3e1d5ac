import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { bundleAll, bundling, modulesOf } from '#infra/constructs/bundling.ts'
import { functionName, stackName } from '#infra/stage.ts'
import { synthesise } from './synthesis.ts'

const folder = mkdtempSync(join(tmpdir(), 'bundling-'))
afterAll(() => rmSync(folder, { recursive: true }))

const bundled = [stackName('dev', 'api'), stackName('dev', 'work')]
const { directory, resources } = synthesise({
  stage: 'dev',
  'aws:cdk:bundling-stacks': bundled,
  'aws:cdk:enable-asset-metadata': true,
})

/** The folder that is deployed for a function; the template names it. */
function deployed(name: string): string {
  const functions = [
    ...resources('dev', 'api', 'AWS::Lambda::Function'),
    ...resources('dev', 'work', 'AWS::Lambda::Function'),
  ]
  const found = functions.find(([, { Properties }]) => Properties.FunctionName === functionName('dev', name))
  return join(directory, String(found?.[1].Metadata?.['aws:asset:path']))
}

test.each(
  manifest.map(({ name }) => name),
)('%s loads where nothing else is installed, with credentials from its environment', async (name) => {
  // Prepare
  const task = join(folder, name)
  await cp(deployed(name), task, { recursive: true })
  const env = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    TABLE_NAME: 'table',
    BUCKET_NAME: 'bucket',
  }

  const later = (await readdir(task)).filter((file) => /^index-.*\.mjs$/.test(file))

  // Act: what it loads at the start, and what it loads later
  const script = `
    globalThis.awslambda = { streamifyResponse: (handler) => handler }
    const { handler } = await import('./index.mjs')
    for (const file of ${JSON.stringify(later)}) await import('./' + file)
    console.log(typeof handler)`
  const options = ['--input-type=module', '-e', script]
  const output = execFileSync(process.execPath, options, { env, cwd: task })

  // Assess
  expect(output.toString().trim()).toBe('function')
})

test.each(
  manifest.map((declaration) => [declaration.name, declaration] as const),
)('%s is deployed with its bundle, its processes, what they load, its assets and nothing else', async (name, {
  assets = [],
}) => {
  const loaded = loadedBy(deployed(name), ['index.mjs', ...processesOf(name)])
  expect((await readdir(deployed(name))).toSorted()).toEqual(
    [...loaded, ...assets.map((path) => basename(path))].toSorted(),
  )
  for (const path of assets) {
    expect(readFileSync(join(deployed(name), basename(path))).equals(await readFile(path))).toBe(true)
  }
})

test.each(manifest.map(({ name }) => name))('%s has all that it imports at once in one file', (name) => {
  const importsAtOnce = /\b(?:from|import)"\.\//
  const started = ['index.mjs', ...processesOf(name)]

  const others = started.filter((file) =>
    importsAtOnce.test(readFileSync(join(deployed(name), file), 'utf8')),
  )

  expect(others).toEqual([])
})

test('only functions that call calendars over plain HTTP start with node:http, with which Node loads its client for fetch', () => {
  const withHttp = manifest.filter(({ name }) =>
    /\b(?:from|import)"(?:node:)?http"/.test(readFileSync(join(deployed(name), 'index.mjs'), 'utf8')),
  )

  expect(withHttp.map(({ name }) => name)).toEqual(['sync', 'calendar-withdrawals'])
})

test('every bundle is ASCII, which V8 reads faster', () => {
  const files = manifest.flatMap(({ name }) =>
    readdirSync(deployed(name))
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => join(deployed(name), file)),
  )

  const others = files.filter((file) => readFileSync(file).some((byte) => byte > 0x7f))

  expect(others).toEqual([])
})

/** The bundles of a function's processes. */
function processesOf(name: string): string[] {
  const { processes = [] } = manifest.find((declaration) => declaration.name === name) ?? {}
  return processes.map((path) => `${basename(path, '.ts')}.mjs`)
}

/** These files of a folder, and those that they import, at once or later. */
function loadedBy(task: string, files: string[]): Set<string> {
  const loaded = new Set(files)
  for (const file of loaded) {
    const source = readFileSync(join(task, file), 'utf8')
    for (const [, name = ''] of source.matchAll(imports)) loaded.add(name)
  }
  return loaded
}

/** The imports of another file of the folder, at once (`from"./x.mjs"`) or later (`import("./x.mjs")`). */
const imports = /\b(?:from|import|import\()"\.\/([\w.-]+\.mjs)"/g

test('each function is deployed with its own bundle', async () => {
  // Prepare: some by themselves, which shows that it makes no difference that all are made at once.
  const own = join(folder, 'own')
  const some = manifest.filter(({ name }) => ['cases', 'seal', 'docs'].includes(name))
  await bundleAll(
    Object.fromEntries(some.map((declaration) => [declaration.name, modulesOf(declaration)])),
    own,
  )

  // Act
  const mistaken = some.filter(
    ({ name, assets = [] }) =>
      !isDeepStrictEqual(digestsIn(join(own, name)), digestsIn(deployed(name), assets)),
  )
  const bundles = manifest.map(({ name }) => readFileSync(join(deployed(name), 'index.mjs'), 'utf8'))

  // Assess
  expect(some).toHaveLength(3)
  expect(mistaken.map(({ name }) => name)).toEqual([])
  expect(new Set(bundles).size).toBe(manifest.length)
}, 240_000)

/** The digest of each file in a folder, without these assets. */
function digestsIn(task: string, assets: readonly string[] = []): Record<string, string> {
  const files = readdirSync(task).filter((file) => !assets.some((path) => basename(path) === file))
  return Object.fromEntries(files.map((file) => [file, hash('sha256', readFileSync(join(task, file)))]))
}

test.each([
  'bea',
  'bea-messages',
  'bea-files',
  'bea-drafts',
])('%s starts without libraries of certificates, readers of files, and clients that no list needs', async (name) => {
  const { entry } = manifest.find((declaration) => declaration.name === name) ?? {}
  if (entry === undefined) throw new Error(`There is no function ${name}.`)

  const atStart = await loadedAtStart(entry)

  expect(atStart.some((path) => path.includes('@aws-sdk/client-dynamodb'))).toBe(true)
  expect(atStart.filter((path) => neverAtStart.test(path))).toEqual([])
})

const neverAtStart =
  /packages\/bea-gateway\/|node_modules\/(?:node-forge|pkijs|asn1js|saxes|yauzl|@fastify\/busboy|@aws-sdk\/client-(?:kms|s3|sqs))\//

/** The modules of a function that a cold start reads: those of its bundle, and of what this imports at once. */
async function loadedAtStart(entry: string): Promise<string[]> {
  const { metafile } = await build({
    ...bundling,
    entryPoints: [entry],
    write: false,
    metafile: true,
    outdir: 'bundle',
  })
  const { outputs } = metafile
  const files = new Set(Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === entry))
  for (const file of files)
    for (const { kind, path } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement' && outputs[path] !== undefined) files.add(path)
  return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
}

test('the local reader of pictures is not deployed: on AWS, Textract reads them', async () => {
  const { metafile } = await build({
    ...bundling,
    entryPoints: ['functions/workers/extract/index.ts'],
    write: false,
    metafile: true,
    outdir: 'bundle',
  })

  const inputs = Object.keys(metafile.inputs)

  expect(inputs).toContain('packages/extraction/textract.ts')
  expect(inputs.filter((path) => /tesseract|canvas|pdfjs-dist|utif/.test(path))).toEqual([])
})
