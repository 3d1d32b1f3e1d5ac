import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { build } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import { bundle, bundling } from '#infra/constructs/bundling.ts'
import { inRepository } from '#infra/in-repository.ts'
import { limits } from '#sealing/limits.ts'
import { prepareDocument } from '#sealing/prepare-document.ts'
import { prepareInProcess } from '#sealing/prepare-in-process.ts'
import { selfSignedCertificate } from '#sealing/self-signed-certificate.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { pdfOf } from '#test/support/pdf-writer.ts'
import { blackAndWhite, tiffOf } from '#test/support/tiff-writer.ts'
import { anna, certificateOf } from './a-certificate.ts'
import { keySigner } from './key-signer.ts'
import { note } from './office-signer.ts'
import { faultsOf } from './pades-judge.ts'

const space = { note, signatureBytes: 4_096 }
const ofPdf = certificateOf('vertrag.pdf', 'application/pdf')
const vertrag = corpusFile('vertrag.pdf')

/** Its cross-reference stream says that it has a thousand million entries of no bytes; pdf-lib makes each of them. */
const endless = pdfOf([
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Count 1/Kids[3 0 R]>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>',
  '<</Type/XRef/Size 5/W[0 0 0]/Index[0 1000000000]/Length 0>>stream\n\nendstream',
])

describe('a document is prepared in a process of its own with limits', () => {
  it('as it is without', async () => {
    const isolated = await prepareInProcess(vertrag, ofPdf, space)

    const direct = await prepareDocument(vertrag, ofPdf, space)
    expect(isolated).toEqual({ ...direct, bytes: new Uint8Array(direct.bytes) })
    expect(isolated.form).toBe('appended')
  })

  it.each([
    ['time', { prepareMilliseconds: 3_000, heapMegabytes: 4_096 }],
    ['memory', { heapMegabytes: 128 }],
  ])('a PDF on which the parser needs endless %s is attached unchanged, and the process runs on', async (_what, bounds) => {
    const { bytes, form } = await prepareInProcess(endless, ofPdf, space, null, { ...limits, ...bounds })

    expect(form).toBe('too_complex')
    expect(Buffer.from(bytes).toString('latin1')).toContain('/EmbeddedFile')
  })

  it('a picture whose pixels need more bytes than a process may have is attached', async () => {
    const scan = tiffOf(blackAndWhite(4_900, 5_000))
    const certificate = certificateOf('scan.tif', 'image/tiff')

    const { form } = await prepareInProcess(scan, certificate, space, null, {
      ...limits,
      residentBytes: 200 * 1024 * 1024,
    })

    expect(form).toBe('too_complex')
  })

  it('a document that is to be attached is not read', async () => {
    const { form } = await prepareInProcess(endless, ofPdf, space, 'too_complex')

    expect(form).toBe('too_complex')
  })

  it('a process whose document came out whole takes the next one, and the bytes are those of a new process', async () => {
    const bounds = { ...limits, heapMegabytes: 901 }
    const first = await prepareInProcess(vertrag, ofPdf, space, null, bounds)

    const { result: second, started } = await countingProcesses(() =>
      prepareInProcess(vertrag, ofPdf, space, null, bounds),
    )

    expect(started).toBe(0)
    expect(Buffer.compare(second.bytes, first.bytes)).toBe(0)
  })

  it.each([
    ['that is damaged', corpusFile('abgeschnitten.pdf'), {}],
    ['that reaches a limit of the process', endless, { prepareMilliseconds: 1_000, heapMegabytes: 902 }],
  ])('after a document %s the next one gets a new process', async (_what, hostile, less) => {
    const bounds = { ...limits, heapMegabytes: 902 }
    await prepareInProcess(vertrag, ofPdf, space, null, bounds)
    const { form } = await prepareInProcess(hostile, ofPdf, space, null, { ...bounds, ...less })

    const { result, started } = await countingProcesses(() =>
      prepareInProcess(vertrag, ofPdf, space, null, bounds),
    )

    expect([form === 'appended', result.form, started]).toEqual([false, 'appended', 1])
  })

  it('that of a process which ends for another reason than this document is given to a new one', async () => {
    const bounds = { ...limits, heapMegabytes: 903 }
    const others = new Set(childrenOf(process.pid))
    await prepareInProcess(vertrag, ofPdf, space, null, bounds)
    const [waiting] = childrenOf(process.pid).filter((id) => !others.has(id))
    process.kill(waiting ?? 0, 'SIGKILL')

    const { form } = await prepareInProcess(vertrag, ofPdf, space, null, bounds)

    expect([waiting, form]).toEqual([expect.any(Number), 'appended'])
  })

  it('a process that cannot be started is no fault of the document', async () => {
    const { execPath } = process
    process.execPath = '/nowhere/node'
    const preparing = prepareInProcess(vertrag, ofPdf, space, null, { ...limits, heapMegabytes: 904 })
    process.execPath = execPath

    await expect(preparing).rejects.toThrow('could not be started')
  })

  it('attaching is limited as well', async () => {
    const bounds = { ...limits, prepareMilliseconds: 1, attachMilliseconds: 1 }

    await expect(prepareInProcess(vertrag, ofPdf, space, null, bounds)).rejects.toThrow('within 1 ms')
  })

  it('a fault that is not in the document is an error', async () => {
    const signers = [{ ...anna, picture: Buffer.from('kein Bild') }]

    const preparing = prepareInProcess(vertrag, { ...ofPdf, signers }, space)

    await expect(preparing).rejects.toThrow('not a PNG')
  })

  it('four at a time get each their own document', async () => {
    const names = Array.from({ length: 4 }, (_, index) => `Vertrag ${index}.pdf`)

    const prepared = await Promise.all(
      names.map((name) => prepareInProcess(vertrag, certificateOf(name, 'text/plain'), space)),
    )

    const titleOf = (name: string) => Buffer.from(name, 'utf16le').swap16().toString('hex').toUpperCase()
    const holds = prepared.map(({ bytes }, index) =>
      Buffer.from(bytes)
        .toString('latin1')
        .includes(titleOf(names[index] ?? '')),
    )
    expect(holds).toEqual(names.map(() => true))
  })
})

it('a process ends itself, whatever it does, after the one that started it was killed', async () => {
  // Prepare: a program that waits for a document on which the parser is busy.
  const program = `
    const { prepareInProcess } = await import('${new URL('../../packages/sealing/prepare-in-process.ts', import.meta.url)}')
    const [pdf, certificate, space, bounds] = JSON.parse(process.argv[1])
    prepareInProcess(new Uint8Array(Buffer.from(pdf, 'base64')), certificate, space, null, bounds)
  `
  const bounds = { ...limits, prepareMilliseconds: 2_000, heapMegabytes: 4_096 }
  const given = [Buffer.from(endless).toString('base64'), { ...ofPdf, signers: [] }, space, bounds]
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program, JSON.stringify(given)])
  const child = await eventually(() => childrenOf(parent.pid ?? 0)[0])

  // Act
  parent.kill('SIGKILL')

  // Assess
  await eventually(() => (isAlive(child) ? undefined : true))
})

/** Waits for the first defined value of `read`. */
async function eventually<Value>(read: () => Value | undefined): Promise<Value> {
  for (;;) {
    const value = read()
    if (value !== undefined) return value
    await setTimeout(50)
  }
}

function childrenOf(id: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(id)], { encoding: 'utf8' })
  return (stdout.match(/\d+/g) ?? []).map(Number)
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

/** How many processes are started meanwhile. */
async function countingProcesses<Result>(work: () => Promise<Result>) {
  let started = 0
  const count = () => {
    started += 1
  }
  subscribe('child_process', count)
  try {
    return { result: await work(), started }
  } finally {
    unsubscribe('child_process', count)
  }
}

describe('what is deployed of the worker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sealing-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const seal = manifest.find(({ name }) => name === 'seal')

  it('finds its process and its fonts where nothing else is installed', async () => {
    // Prepare
    await bundle('packages/sealing/sealer.ts', join(folder, 'index.mjs'))
    for (const asset of seal?.assets ?? []) copyFileSync(inRepository(asset), join(folder, basename(asset)))
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const der = await selfSignedCertificate({
      ...keySigner(pem, []),
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      organization: 'Kanzlei',
      validFrom: new Date('2026-01-01T00:00:00Z'),
      validTo: new Date('2056-01-01T00:00:00Z'),
    })
    const certificate = { ...ofPdf, signers: [{ ...anna, picture: null }] }
    for (const [name, content] of Object.entries({
      'key.pem': pem,
      'certificate.der': der,
      'original.pdf': vertrag,
      'certificate.json': JSON.stringify(certificate),
      'program.mjs': program,
    }))
      writeFileSync(join(folder, name), content)

    // Act
    const said = execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' })

    // Assess
    expect(said).toBe('appended\n')
    expect(faultsOf(readFileSync(join(folder, 'sealed.pdf')))).toEqual([])
  })

  it('has the libraries of PDFs in its process alone', async () => {
    const inputsOf = async (entry: string) => {
      const { metafile } = await build({
        ...bundling,
        entryPoints: [inRepository(entry)],
        write: false,
        metafile: true,
        outdir: 'bundle',
      })
      return Object.keys(metafile.inputs).filter((path) => /pdf-lib|fontkit|unpdf|utif/.test(path))
    }

    expect(await inputsOf(seal?.entry ?? '')).toEqual([])
    expect(await inputsOf('packages/sealing/prepare-process.ts')).not.toEqual([])
  })
})

/** Seals `original.pdf` of its folder with the bundle that lies there. */
const program = `
import { sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { sealer } from './index.mjs'
const key = readFileSync('key.pem', 'utf8')
const signer = {
  algorithm: 'ecdsa_p256_sha256',
  certificates: [readFileSync('certificate.der')],
  sign: async ({ bytes }) => sign('sha256', bytes, key),
}
const { seal } = sealer({ findSigner: async () => signer })
const { pdf, form } = await seal(readFileSync('original.pdf'), JSON.parse(readFileSync('certificate.json', 'utf8')))
writeFileSync('sealed.pdf', pdf)
console.log(form)
`
