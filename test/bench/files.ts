import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { manifest } from '#functions/manifest.ts'
import { bundle } from '#infra/constructs/bundling.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { forkModule } from './fork-module.ts'
import { type LoadRequest, load } from './load.ts'
import { median, type Part, type Row, round, type Target } from './report.ts'
import { ask, eventOf, formOf, formType, type Handler, type Request } from './requests.ts'
import { runFunction } from './run-function.ts'
import type { BenchSetup } from './setup.ts'

const minShare = 0.6
const maxMegabytes = 150
const mebibyte = 1024 * 1024
const connections = 4

/** Almost as large as a form may be, and a large court file. */
const uploadBytes = 4 * mebibyte
const downloadBytes = 32 * mebibyte
const largestBytes = 200 * mebibyte

const documents = '/api/v1/documents'

/**
 * Compares uploads and downloads through the local gateway and its functions with a server without our layers, which
 * stores and gives the same bytes in the same S3. The work that follows an upload, which other machines do on AWS, stays
 * in its queue.
 */
export async function measureFileThroughput(
  setup: BenchSetup,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Part> {
  const environment = { ...setup.environment, LOG_LEVEL: 'WARN' }
  const [service, bare] = await Promise.all([
    forkModule<Address>('gateway-process.ts', environment, ['documents', 'documents-files']),
    forkModule<Address>('bare-file-server.ts', environment),
  ])
  try {
    const authorization = { Authorization: `Bearer ${setup.firm.key}` }
    const stored = await storeLarge(service.result.baseUrl, authorization)
    const storedBare = await fetch(bare.result.baseUrl, {
      method: 'POST',
      body: numberedPdf(downloadBytes)(),
    })
    const upload = { method: 'POST', expected: 201 }
    const download = { method: 'GET', expected: 200 }
    const operations: { name: string; bytes: number; ours: LoadRequest; onBare: LoadRequest }[] = [
      {
        name: `upload of ${uploadBytes / mebibyte} MiB`,
        bytes: uploadBytes,
        ours: {
          ...upload,
          path: documents,
          headers: { ...authorization, 'Content-Type': formType },
          body: numberedPdf(uploadBytes, (bytes) => formOf({ name: 'Gutachten.pdf', bytes })),
        },
        onBare: { ...upload, path: '/', headers: {}, body: numberedPdf(uploadBytes) },
      },
      {
        name: `download of ${downloadBytes / mebibyte} MiB`,
        bytes: downloadBytes,
        ours: { ...download, path: `${documents}/${stored}/download`, headers: authorization },
        onBare: { ...download, path: `/${await storedBare.text()}`, headers: {} },
      },
    ]
    const rows: Row[] = []
    const targets: Target[] = []
    for (const { name, bytes, ours, onBare } of operations) {
      const measureOne = async (baseUrl: string, request: LoadRequest) =>
        ((await load(baseUrl, request, connections, seconds)).perSecond * bytes) / mebibyte
      const pair = async () => [
        await measureOne(service.result.baseUrl, ours),
        await measureOne(bare.result.baseUrl, onBare),
      ]
      await pair()
      const pairs: number[][] = []
      for (let turn = 0; turn < rounds; turn += 1) pairs.push(await pair())
      const shares = pairs.map(([own = 0, bare = 1]) => own / bare)
      rows.push({
        operation: name,
        'service MiB/s': Math.round(median(pairs.map(([own = 0]) => own))),
        'bare MiB/s': Math.round(median(pairs.map(([, bare = 0]) => bare))),
        share: median(shares).toFixed(2),
        'of rounds': shares.map((share) => share.toFixed(2)).join(' '),
      })
      targets.push({
        name: `throughput of ${name} against the bare server`,
        measured: median(shares),
        unit: '',
        min: minShare,
      })
    }
    return {
      title: 'Files: throughput of the gateway with its functions against a bare server with the same S3',
      method: `${connections} kept-alive connections; ${rounds} rounds of ${seconds} s each, by turns; each upload of other bytes; the share is the median of the rounds'.`,
      rows,
      targets,
    }
  } finally {
    await Promise.all([service.stop(), bare.stop()])
  }
}

/** Measures the peak memory of the functions for the largest file, each in its own process. */
export async function measureFileMemory(setup: BenchSetup, handler: Handler): Promise<Part> {
  const folder = join(setup.folder, 'memory')
  mkdirSync(folder)
  const [runner, completing, streaming] = await Promise.all([
    bundle('test/bench/function-process.ts', join(folder, 'function-process.mjs')),
    ...['documents', 'documents-files'].map(async (wanted) => {
      const { entry = '', nodeOptions } = manifest.find(({ name }) => name === wanted) ?? {}
      return { bundleFile: await bundle(entry, join(folder, `${wanted}.mjs`)), nodeOptions }
    }),
  ])
  const { key } = setup.firm
  const announced = await ask(handler, {
    method: 'POST',
    resource: `${documents}/uploads`,
    body: { filename: 'Strafakte.pdf', mime_type: 'application/pdf', size_bytes: largestBytes },
    key,
  })
  const { document, upload } = JSON.parse(announced.body)
  await send(upload, numberedPdf(largestBytes)())
  const ofDocument = { params: { id: document.id }, key }
  const operations: [string, typeof completing, Request][] = [
    [
      'completion of an upload',
      completing,
      { method: 'POST', resource: `${documents}/{id}/complete`, ...ofDocument },
    ],
    ['download', streaming, { method: 'GET', resource: `${documents}/{id}/download`, ...ofDocument }],
  ]
  const rows: Row[] = []
  const targets: Target[] = []
  for (const [name, fn, request] of operations) {
    if (fn === undefined) continue
    const eventFile = `${fn.bundleFile}.json`
    writeFileSync(eventFile, JSON.stringify(eventOf(request)))
    const memory = await runFunction(setup, runner, { ...fn, eventFile })
    if (request.method === 'GET' && memory.bytes !== largestBytes)
      throw new Error(`The download has ${memory.bytes} bytes.`)
    rows.push({
      operation: name,
      'file MiB': largestBytes / mebibyte,
      'loaded MiB': round(memory.loadedMegabytes),
      'peak MiB': round(memory.peakMegabytes),
    })
    targets.push({
      name: `peak memory of a ${name} of ${largestBytes / mebibyte} MiB`,
      measured: memory.peakMegabytes,
      unit: 'MiB',
      max: maxMegabytes,
    })
  }
  return {
    title: 'Files: memory of the functions for the largest file',
    method:
      "The function's bundle in a process of its own with the options of its runtime; the resident memory of the process at its most.",
    rows,
    targets,
  }
}

type Address = { baseUrl: string }

type Announced = { method: string; url: string; headers: Record<string, string> }

async function send({ method, url, headers }: Announced, body: Buffer<ArrayBuffer>): Promise<void> {
  const sent = await fetch(url, { method, headers, body })
  if (!sent.ok) throw new Error(`S3 took no upload: ${sent.status} ${await sent.text()}`)
}

/** Stores a file through the service, for downloads. @returns its id */
async function storeLarge(baseUrl: string, authorization: Record<string, string>): Promise<string> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { ...authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const announced = (await post(`${documents}/uploads`, {
    filename: 'Gutachten.pdf',
    mime_type: 'application/pdf',
    size_bytes: downloadBytes,
  })) as { document: { id: string }; upload: Announced }
  await send(announced.upload, numberedPdf(downloadBytes)())
  await post(`${documents}/${announced.document.id}/complete`, {})
  return announced.document.id
}

/**
 * Makes PDF files of this size, each with another number: a real PDF of one page, filled up with a comment and ended once
 * more. `wrap` makes the body of a request of it.
 */
function numberedPdf(
  bytes: number,
  wrap: (file: Buffer<ArrayBuffer>) => Buffer<ArrayBuffer> = (file) => file,
): () => Buffer<ArrayBuffer> {
  const page = Buffer.from(corpusFile('vertrag.pdf'))
  const [, place] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(page.toString('latin1')) ?? []
  if (place === undefined) throw new Error('The PDF of the corpus does not say where its table is.')
  const end = Buffer.from(`\nstartxref\n${place}\n%%EOF\n`)
  const number = (count: number) => `%No. ${String(count).padStart(12, '0')}`
  const filling = Buffer.alloc(bytes - page.length - end.length, '%')
  filling.write(number(0))
  const sent = wrap(Buffer.concat([page, filling, end]))
  const at = sent.indexOf(number(0))
  let made = 0
  return () => {
    made += 1
    sent.write(number(made), at)
    return Buffer.from(sent)
  }
}
