import { execFileSync } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PDFDocument } from '@cantoo/pdf-lib'
import { manifest } from '#functions/manifest.ts'
import { bundle } from '#infra/constructs/bundling.ts'
import { inRepository } from '#infra/in-repository.ts'
import { openByReferences } from '#sealing/open-by-references.ts'
import { requireLasting } from '#sealing/require-lasting.ts'
import type { sealer } from '#sealing/sealer.ts'
import { selfSignedCertificate } from '#sealing/self-signed-certificate.ts'
import { anna, certificateOf } from '#test/sealing/a-certificate.ts'
import { keySigner } from '#test/sealing/key-signer.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { scannedPdf, textHeavyPdf } from './law-firm-pdf.ts'
import { median, type Part, round } from './report.ts'
import type { SealingRun } from './sealing-process.ts'

const maxRatio = 1.5
const maxMegabytes = 400
const maxGuardPercent = 1
const mebibyte = 1024 * 1024
const largestBytes = 50 * mebibyte

/** How long sealing a document takes, against what no program could do without, and the memory for the largest one. */
export async function measureSealing(folder: string, rounds: number): Promise<Part> {
  const place = await deploy(join(folder, 'sealing'))
  const { pem, der } = await keyOfOffice()
  const document = await textHeavyPdf()
  const { ours, base, guards, first } = await timesOf(place, document, { pem, der }, rounds)
  const ratios = ours.map((milliseconds, round) => milliseconds / (base[round] ?? Number.NaN))
  const contract = await timesOf(place, corpusFile('vertrag.pdf'), { pem, der }, rounds)
  const shareOf = (times: Times) => (100 * median(times.guards)) / median(times.ours)
  const share = shareOf({ ours, guards })

  writeFileSync(join(place, 'key.pem'), pem)
  writeFileSync(join(place, 'certificate.der'), der)
  writeFileSync(join(place, 'certificate.json'), JSON.stringify(certificate(null)))
  writeFileSync(join(place, 'document.pdf'), await scannedPdf(largestBytes))
  const run: SealingRun = JSON.parse(
    execFileSync(process.execPath, ['sealing-process.mjs', place], { cwd: place, encoding: 'utf8' }),
  )
  if (run.form !== 'appended') throw new Error(`The largest document was ${run.form}.`)

  return {
    title: 'Sealing: one document with its certificate',
    method: `The worker's bundle with its process, warm; a PDF of 460 pages against load and save of pdf-lib and one RSA-3072 signature, by turns, the median of ${rounds} rounds. Guard: what finds that a PDF can change, once it is opened, in the same rounds. Memory: the first document of a new process, 200 scanned pages; the resident memory of the process and of its child, each at its most, added.`,
    rows: [
      {
        document: 'text',
        MiB: (document.length / mebibyte).toFixed(2),
        'first ms': round(first),
        'ms, median': round(median(ours)),
        'load, save and sign ms': round(median(base)),
        ratio: median(ratios).toFixed(2),
        'guard ms': median(guards).toFixed(2),
        'guard %': share.toFixed(2),
      },
      {
        document: 'contract of one page',
        'first ms': round(contract.first),
        'ms, median': round(median(contract.ours)),
        'load, save and sign ms': round(median(contract.base)),
        'guard ms': median(contract.guards).toFixed(2),
        'guard %': shareOf(contract).toFixed(2),
      },
      {
        document: 'scans',
        MiB: '50',
        'first ms': round(run.milliseconds),
        'peak MiB': round(run.peakMegabytes),
      },
    ],
    targets: [
      {
        name: 'sealing 1 MiB against load, save and sign',
        measured: median(ratios),
        unit: '',
        max: maxRatio,
      },
      { name: 'guard of PDFs in sealing 1 MiB', measured: share, unit: '%', max: maxGuardPercent },
      {
        name: 'guard of PDFs in sealing a contract',
        measured: shareOf(contract),
        unit: '%',
        max: maxGuardPercent,
      },
      { name: 'peak memory of sealing 50 MiB', measured: run.peakMegabytes, unit: 'MiB', max: maxMegabytes },
    ],
  }
}

const certificate = (picture: typeof anna.picture) =>
  certificateOf('Akte.pdf', 'application/pdf', { signers: [{ ...anna, picture }] })

/** The bundles of the worker's sealer and its process with the fonts, as they are deployed. @returns their folder */
async function deploy(folder: string): Promise<string> {
  mkdirSync(folder)
  const { assets = [] } = manifest.find(({ name }) => name === 'seal') ?? {}
  for (const module of ['packages/sealing/sealer.ts', 'test/bench/sealing-process.ts'])
    await bundle(module, join(folder, `${basename(module, '.ts')}.mjs`))
  for (const asset of assets) copyFileSync(inRepository(asset), join(folder, basename(asset)))
  return folder
}

type Times = { ours: number[]; guards: number[] }

/** Milliseconds of each round; the first seal, which starts everything, for itself. */
async function timesOf(
  folder: string,
  document: Uint8Array,
  { pem, der }: Key,
  rounds: number,
): Promise<Times & { base: number[]; first: number }> {
  const bundled: { sealer: typeof sealer } = await import(pathToFileURL(join(folder, 'sealer.mjs')).href)
  const { seal } = bundled.sealer({ findSigner: async () => keySigner(pem, [der]) })
  const key = createPrivateKey(pem)
  const ourSeal = async () => {
    const { form } = await seal(document, certificate(anna.picture))
    if (form !== 'appended') throw new Error(`The document was ${form}.`)
  }
  const loadSaveSign = async () => {
    const loaded = await PDFDocument.load(document, { parseSpeed: Number.POSITIVE_INFINITY })
    sign('sha256', await loaded.save({ objectsPerTick: Number.POSITIVE_INFINITY }), key)
  }
  const first = await timed(ourSeal)
  const warmUps = 5
  const [ours, base, guards]: [number[], number[], number[]] = [[], [], []]
  for (let turn = -warmUps; turn < rounds; turn += 1) {
    const opened = await openByReferences(document)
    const guard = () => requireLasting(document, opened?.places)
    const times = [await timed(loadSaveSign), await timed(ourSeal), await timed(guard)] as const
    if (turn < 0) continue
    base.push(times[0])
    ours.push(times[1])
    guards.push(times[2])
  }
  return { ours, base, guards, first }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

type Key = { pem: string; der: Uint8Array }

async function keyOfOffice(): Promise<Key> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const der = await selfSignedCertificate({
    ...keySigner(pem, []),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    organization: 'Kanzlei',
    validFrom: new Date('2020-01-01T00:00:00Z'),
    validTo: new Date('2056-01-01T00:00:00Z'),
  })
  return { pem, der }
}
