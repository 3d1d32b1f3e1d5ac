import { hash, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cp, readdir, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { build, type ImportKind, type Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allEndpoints, manifest } from '#functions/manifest.ts'
import type { QueueName } from '#functions/queues.ts'
import { bundleAll, bundling } from '#infra/constructs/bundling.ts'
import { receivedMail } from '#infra/local/received-mail.ts'
import { functionName, stackName } from '#infra/stage.ts'
import { queueVariable } from '#queue/queue-variable.ts'
import { type LocalAccount, startLocalAccount } from '#test/support/local-account.ts'
import { callBundle } from './call-bundle.ts'
import { sampleFiles, samplesOf } from './sample-events.ts'
import { stageVariables } from './stage-variables.ts'
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

const variables = stageVariables(resources)
const deployments = manifest.flatMap((declaration) =>
  variables.of(declaration).map((inStages) => ({ ...declaration, ...inStages })),
)

let account: LocalAccount
const calls = new Map<object, ReturnType<typeof callBundle>>()
const resultOf = async (deployment: object) => {
  const called = await calls.get(deployment)
  if (called === undefined) throw new Error('It was not called.')
  return called
}

beforeAll(async () => {
  account = await startLocalAccount('aktenlage-stage')
  // The message that the sample event of `receive-mail` names.
  await receivedMail(account.give({ BUCKET_NAME: {} }).BUCKET_NAME ?? '').put(
    'o3vrnil0e2ic28trm7dfhrc2v0cnbeccq4nbp0g1',
    Buffer.from('From: poststelle@ag-koeln.example.de\r\nSubject: Ladung\r\n\r\nText\r\n'),
  )
  const { apiKey } = account.firm
  for (const { name } of manifest) await cp(deployed(name), join(folder, name), { recursive: true })
  const left = deployments.values()
  const callNext = async (): Promise<void> => {
    for (const deployment of left) {
      const task = join(folder, deployment.name)
      const events = [...samplesOf(deployment, apiKey).values()]
      const environment = { ...account.give(deployment.variables), ...account.environment }
      const calling = callBundle({ ...deployment, folder: task, events }, environment)
      calls.set(deployment, calling)
      await calling
    }
  }
  // One for each of two processors.
  await Promise.all([callNext(), callNext()])
}, 900_000)
afterAll(() => account?.stop())

test.each(
  deployments,
)('$name answers its sample events with the variables of $stages, with nothing else installed', async (deployment) => {
  const files = [...samplesOf(deployment, '').keys()]

  const { error, outcomes, log } = await resultOf(deployment)

  expect(error).toBeUndefined()
  expect(outcomes.map(({ result }, at) => [files[at], faultOf(result, deployment)])).toEqual(
    files.map((file) => [file, undefined]),
  )
  expect(log.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual([])
})

/** The fault in the result of a call; undefined if the result is as good as a sample event allows. */
function faultOf(result: unknown, { variables, consumes }: (typeof deployments)[number]): unknown {
  if (consumes) return isDeepStrictEqual(result, { batchItemFailures: [] }) ? undefined : result
  if (result === null || result === undefined) return undefined
  const { statusCode, body } = result as { statusCode: number; body: string }
  // Sample events name records that this account does not have, or has of another call, and tokens that nobody has.
  if (
    statusCode < 400 ||
    [404, 409].includes(statusCode) ||
    /"code":"\w*(?:TOKEN|SIGNATURE)_INVALID"/.test(body)
  )
    return undefined
  if (variables.MAIL_CONFIGURATION_SET === undefined && /"code":"MAIL_NOT_SENT"/.test(body)) return undefined
  return { statusCode, body }
}

test('with AWS_ENDPOINT_URL alone five functions open a case, read the text of an upload, and send a mail', async () => {
  const call = async (name: string, event: unknown): Promise<{ statusCode: number; body: string }> => {
    const declaration = manifest.find((one) => one.name === name)
    if (declaration === undefined) throw new Error(`There is no function ${name}.`)
    const environment = {
      ...account.give(variables.inFull(declaration)),
      ...account.environment,
      MAIL_CONFIGURATION_SET: 'aktenlage-stage',
    }
    const { error, outcomes } = await callBundle(
      { ...declaration, folder: join(folder, name), events: [event] },
      environment,
    )
    expect(error).toBeUndefined()
    return outcomes[0]?.result as { statusCode: number; body: string }
  }
  const ask = async (name: string, method: string, path: string, body?: object) => {
    const answer = await call(name, requestEvent(account.firm.apiKey, method, path, body))
    expect([answer.statusCode, answer.body]).toEqual([
      expect.toSatisfy((status) => status < 300),
      expect.anything(),
    ])
    return answer.body
  }
  const pdf = readFileSync('test/corpus/schriftsatz.pdf')

  // Act
  const { id: case_id } = JSON.parse(
    await ask('cases', 'POST', '/api/v1/cases', { name: 'Meier ./. Schulze' }),
  )
  const announced = JSON.parse(
    await ask('documents', 'POST', '/api/v1/documents/uploads', {
      filename: 'Schriftsatz.pdf',
      mime_type: 'application/pdf',
      size_bytes: pdf.length,
      case_id,
    }),
  )
  const { url, ...upload } = announced.upload
  const uploaded = await fetch(url, { ...upload, body: pdf })
  await ask('documents', 'POST', `/api/v1/documents/${announced.document.id}/complete`)
  const read = await call('extract', await messageEvent('extract', announced.document.id))
  const text = await ask('documents-text', 'POST', `/api/v1/documents/${announced.document.id}/extract`)
  const { id: draft_id } = JSON.parse(
    await ask('email', 'POST', '/api/v1/email/outbound/drafts', {
      case_id,
      to: ['mandant@example.de'],
      subject: 'Schriftsatz',
      body_html: '<p>Guten Tag</p>',
    }),
  )
  const sent = JSON.parse(await ask('email', 'POST', `/api/v1/email/outbound/drafts/${draft_id}/send`))

  // Assess
  expect(uploaded.status).toBe(200)
  expect(new URL(url).origin).toBe(account.environment.AWS_ENDPOINT_URL)
  expect(read).toEqual({ batchItemFailures: [] })
  expect(JSON.parse(text).text).toContain('Klageerwiderung im Verfahren 12 O 3456/26')
  expect(sent.success).toBe(true)
  expect([...account.called].toSorted()).toEqual(['dynamodb', 's3', 'ses', 'sqs'])
}, 240_000)

/** The event of a request, made of a sample event. */
function requestEvent(apiKey: string, method: string, path: string, body?: object): unknown {
  const sample = JSON.parse(sampleFiles.get('cases-create.json') ?? '')
  const { path: resource } =
    allEndpoints
      .map(({ endpoint }) => endpoint)
      .find((endpoint) => endpoint.method === method && patternOf(endpoint.path).test(path)) ?? {}
  const headers = { ...sample.headers, Authorization: `Bearer ${apiKey}` }
  return {
    ...sample,
    resource,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    pathParameters: patternOf(resource ?? '').exec(path)?.groups ?? null,
    requestContext: {
      ...sample.requestContext,
      resourcePath: resource,
      httpMethod: method,
      path,
      requestId: randomUUID(),
    },
    body: body === undefined ? null : JSON.stringify(body),
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
}

/** Takes a message that names this from a queue, as an event of the queue's consumer. */
async function messageEvent(queue: QueueName, named: string): Promise<unknown> {
  const client = new SQSClient({ useQueueUrlAsEndpoint: false })
  const QueueUrl = account.give({ [queueVariable(queue)]: {} })[queueVariable(queue)]
  for (;;) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5, MessageSystemAttributeNames: ['All'] }),
    )
    const [message] = Messages
    if (message === undefined) throw new Error(`The queue ${queue} has no message that names ${named}.`)
    const { MessageId: messageId, ReceiptHandle: receiptHandle, Body: body, Attributes: attributes } = message
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle }))
    if (body?.includes(named))
      return { Records: [{ messageId, receiptHandle, body, attributes, eventSource: 'aws:sqs' }] }
  }
}

describe.each(manifest)('the bundle of $name', (declaration) => {
  const { name, needs, consumes, endpoints } = declaration
  const sources = () =>
    readdirSync(deployed(name))
      .filter((file) => file.endsWith('.mjs'))
      .map((file) => readFileSync(join(deployed(name), file), 'utf8'))
      .join('\n')

  test('contains only clients of AWS services to which it has rights', () => {
    const clients = new Set(
      [...sources().matchAll(/serviceId:\w+\??\.serviceId\?\?"(\w+)"/g)].map(([, service]) => service),
    )

    expect([...clients].toSorted()).toEqual([
      ...(needs.table ? ['DynamoDB'] : []),
      ...(needs.secrets || needs.signs ? ['KMS'] : []),
      ...(needs.bucket ? ['S3'] : []),
      ...(needs.mail === 'send' ? ['SES'] : []),
      ...(needs.sends || consumes ? ['SQS'] : []),
      ...(needs.textract ? ['Textract'] : []),
    ])
  })

  test('names the assets with which it is deployed, and no others', () => {
    const all = new Set(manifest.flatMap(({ assets = [] }) => assets))
    const source = sources()

    const named = [...all].filter((path) => source.includes(basename(path)))

    expect(named.toSorted()).toEqual((declaration.assets ?? []).toSorted())
  })

  test('are senders to the queues that it may send to', async () => {
    const deployment = deployments.find((one) => one.name === name)

    const { readAtStart } = await resultOf(deployment ?? {})

    const queues = readAtStart.filter((variable) => variable.endsWith('_QUEUE_URL'))
    expect(queues.toSorted()).toEqual((needs.sends ?? []).map(queueVariable).toSorted())
  })

  test('reads no other variables than it is given', () => {
    const source = sources()

    const read = known.filter((variable) => new RegExp(`\\b${variable}\\b`).test(source))

    const given = Object.keys(variables.inFull(declaration)).filter((variable) => known.includes(variable))
    // The limit of requests has a default, and only functions behind the API read it.
    const unasked = endpoints ? [] : ['RATE_LIMIT_PER_SECOND']
    expect(read.filter((variable) => !unasked.includes(variable)).toSorted()).toEqual(given.toSorted())
  })
})

/** The variables that functions read by their names. Those of queues are put together. */
const known = [
  ...new Set(manifest.flatMap((declaration) => Object.keys(variables.inFull(declaration)))),
].filter((variable) => variable !== 'NODE_OPTIONS' && !variable.endsWith('_QUEUE_URL'))

test.each(
  manifest.map((declaration) => [declaration.name, declaration] as const),
)('%s is deployed with its bundle, the files that it loads or starts as processes, its assets and nothing else', async (name, {
  assets = [],
}) => {
  const loaded = loadedBy(deployed(name), ['index.mjs'])
  expect((await readdir(deployed(name))).toSorted()).toEqual(
    [...loaded, ...assets.map((path) => basename(path))].toSorted(),
  )
  for (const path of assets) {
    expect(readFileSync(join(deployed(name), basename(path))).equals(await readFile(path))).toBe(true)
  }
})

test('bundles import modules of Node as CommonJS: an ES import of node:http loads the client for fetch', () => {
  const isLoader = (module: string) => /^(?:node:)?module$/.test(module)
  const imported = manifest.flatMap(({ name }) =>
    [...loadedBy(deployed(name), ['index.mjs'])].flatMap((file) => {
      const source = readFileSync(join(deployed(name), file), 'utf8')
      return [...source.matchAll(importsPackage)].map(([, module = '']) => module)
    }),
  )

  expect(imported).toContain('node:module')
  expect(imported.filter((module) => isBuiltin(module) && !isLoader(module))).toEqual([])
})

/** These files of a folder, and the files that they name in one of these ways. */
function loadedBy(task: string, files: string[], ways = [importsAtOnce, importsLater, starts]): Set<string> {
  const loaded = new Set(files)
  for (const file of loaded) {
    const source = readFileSync(join(task, file), 'utf8')
    for (const way of ways) for (const [, name] of source.matchAll(way)) loaded.add(`${name}.mjs`)
  }
  return loaded
}

/** The ways in which a file names another one of its folder. */
const importsAtOnce = /\b(?:from|import)"\.\/([\w.-]+)\.mjs"/g
const importsLater = /\bimport\("\.\/([\w.-]+)\.mjs"/g
/** What is not a file of the folder. */
const importsPackage = /\b(?:from|import) ?\(?["']([\w@][\w@:/.-]*)["']/g
/** As a process or a thread: `new URL(`./pdf-thread${…}`, import.meta.url)`. */
const starts = /\bnew URL\(["'`]\.\/([\w-]+)(?:\$\{|\.)/g

test('each function is deployed with its own bundle', async () => {
  // Prepare: some by themselves, which shows that it makes no difference that all are made at once.
  const own = join(folder, 'own')
  const some = manifest.filter(({ name }) => ['cases', 'seal', 'docs'].includes(name))
  await bundleAll(Object.fromEntries(some.map(({ name, entry }) => [name, entry])), own)

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

describe('the modules of a bundle', () => {
  const startingLight = ['bea', 'bea-messages', 'bea-files', 'bea-drafts', 'search']
  const entryOf = (name: string) => {
    const { entry } = manifest.find((declaration) => declaration.name === name) ?? {}
    if (entry === undefined) throw new Error(`There is no function ${name}.`)
    return entry
  }

  let outputs: Metafile['outputs']
  beforeAll(async () => {
    const { metafile } = await build({
      ...bundling,
      entryPoints: [...startingLight, 'extract'].map(entryOf),
      write: false,
      metafile: true,
      outdir: 'bundle',
    })
    outputs = metafile.outputs
  })

  /** The modules in the file of a function, and in all files that these import in one of these ways. */
  function modulesOf(name: string, ways: ImportKind[]): string[] {
    const entry = entryOf(name)
    const files = new Set(Object.keys(outputs).filter((file) => outputs[file]?.entryPoint === entry))
    for (const file of files)
      for (const { kind, path } of outputs[file]?.imports ?? [])
        if (ways.includes(kind as ImportKind) && outputs[path] !== undefined) files.add(path)
    return [...files].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}))
  }

  test.each(
    startingLight,
  )('%s starts without libraries of certificates, readers of files, and clients that no list needs', (name) => {
    const atStart = modulesOf(name, ['import-statement'])

    expect(atStart.some((path) => path.includes('@aws-sdk/client-dynamodb'))).toBe(true)
    expect(atStart.filter((path) => neverAtStart.test(path))).toEqual([])
  })

  test('the local reader of pictures is not deployed: on AWS, Textract reads them', () => {
    const all = modulesOf('extract', ['import-statement', 'dynamic-import'])

    expect(all).toContain('packages/extraction/textract.ts')
    expect(all.filter((path) => /tesseract|canvas|pdfjs-dist|utif/.test(path))).toEqual([])
  })
})

const neverAtStart =
  /packages\/bea-gateway\/|node_modules\/(?:node-forge|pkijs|asn1js|saxes|yauzl|@fastify\/busboy|@aws-sdk\/client-(?:kms|s3|sqs))\//
