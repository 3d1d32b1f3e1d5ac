import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { bundle, bundleAll, bundling } from '#infra/constructs/bundling.ts'
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

  // Act
  const script =
    "globalThis.awslambda = { streamifyResponse: (handler) => handler }; import('./index.mjs').then(({ handler }) => console.log(typeof handler))"
  const output = execFileSync(process.execPath, ['-e', script], { env, cwd: task })

  // Assess
  expect(output.toString().trim()).toBe('function')
})

test.each(
  manifest.map((declaration) => [declaration.name, declaration] as const),
)('%s is deployed with its bundle, its processes, its assets and nothing else', async (name, {
  processes = [],
  assets = [],
}) => {
  expect((await readdir(deployed(name))).toSorted()).toEqual(
    [
      'index.mjs',
      ...processes.map((path) => `${basename(path, '.ts')}.mjs`),
      ...assets.map((path) => basename(path)),
    ].toSorted(),
  )
  for (const path of assets) {
    expect(readFileSync(join(deployed(name), basename(path))).equals(await readFile(path))).toBe(true)
  }
})

test('each function is deployed with its own bundle', async () => {
  // Prepare: all at once, which is quick, and one by itself, which shows that this makes no difference.
  const own = join(folder, 'own')
  await bundleAll(Object.fromEntries(manifest.map(({ name, entry }) => [name, entry])), own)
  const single = await readFile(await bundle('functions/cases/index.ts', join(own, 'single.mjs')))

  // Act
  const mistaken = manifest.filter(
    ({ name }) =>
      !readFileSync(join(own, `${name}.mjs`)).equals(readFileSync(join(deployed(name), 'index.mjs'))),
  )

  // Assess
  expect(mistaken.map(({ name }) => name)).toEqual([])
  expect(single.equals(readFileSync(join(deployed('cases'), 'index.mjs')))).toBe(true)
}, 120_000)

test('the local reader of pictures is not deployed: on AWS, Textract reads them', async () => {
  const { metafile } = await build({
    ...bundling,
    entryPoints: ['functions/workers/extract/index.ts'],
    write: false,
    metafile: true,
    outfile: 'index.mjs',
  })

  const inputs = Object.keys(metafile.inputs)

  expect(inputs).toContain('packages/extraction/textract.ts')
  expect(inputs.filter((path) => /tesseract|canvas|pdfjs-dist|utif/.test(path))).toEqual([])
})
