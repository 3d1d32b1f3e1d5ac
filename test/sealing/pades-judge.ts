import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as asn1js from 'asn1js'
import { Certificate, ContentInfo, SignedData } from 'pkijs'
import { bytesOf, verifyCms } from '#sealing/cms.ts'

/** The outer shape of a seal as it stands in the file. */
export type ReadSeal = {
  dictionary: string
  byteRange: number[]
  cms: Uint8Array
  signedData: SignedData
}

/** Reads the last signature of a PDF from its bytes, without a PDF library. */
export function readSeal(pdf: Uint8Array): ReadSeal {
  const file = Buffer.from(pdf)
  const text = file.toString('latin1')
  const found = [...text.matchAll(/\/ByteRange \[ (\d+) (\d+) (\d+) (\d+) *\]/g)].at(-1)
  if (found === undefined) throw new Error('The PDF has no signature.')
  const byteRange = found.slice(1).map(Number)
  const [, length = 0, second = 0] = byteRange
  const hex = text.slice(length + 1, second - 1)
  const padded = Buffer.from(hex, 'hex')
  // DER says its own length; zeros follow.
  const cms = padded.subarray(0, 4 + padded.readUInt16BE(2))
  if (padded.subarray(cms.length).some((byte) => byte !== 0))
    throw new Error('Something follows the signature.')
  const start = text.lastIndexOf(' obj', found.index)
  const dictionary = text.slice(start, length) + text.slice(second, text.indexOf('endobj', second))
  const signedData = new SignedData({ schema: ContentInfo.fromBER(cms).content })
  return { dictionary, byteRange, cms, signedData }
}

/**
 * The rules of PAdES-B-B, read strictly, that a PDF breaks; empty if it breaks none. Sources: ETSI EN 319 142-1 V1.2.1,
 * 6.3 with table 1; EN 319 122-1, 5; RFC 5652.
 */
export function faultsOf(pdf: Uint8Array): string[] {
  const faults: string[] = []
  const demand = (holds: boolean, what: string) => {
    if (!holds) faults.push(what)
  }
  const { dictionary, byteRange, cms, signedData } = readSeal(pdf)
  const [first, length = 0, second = 0, rest = 0] = byteRange
  demand(dictionary.includes('/SubFilter /ETSI.CAdES.detached'), 'SubFilter is ETSI.CAdES.detached')
  demand(/\/Type \/Sig\b/.test(dictionary), 'Type is Sig')
  demand(/\/Filter \/\w/.test(dictionary), 'Filter is there')
  demand(/\/M \(D:\d{14}/.test(dictionary), 'M is there')
  demand(!/\/Cert\b/.test(dictionary), 'Cert is not there')
  demand(first === 0 && second + rest === pdf.length, 'ByteRange is the whole file')
  demand(pdf[length] === 0x3c && pdf[second - 1] === 0x3e, 'ByteRange leaves out exactly the signature')

  const whole = Buffer.concat([pdf.subarray(0, length), pdf.subarray(second)])
  try {
    verifyCms(cms, whole)
  } catch (error) {
    faults.push(`The signature holds: ${error}`)
  }
  const [signer, ...others] = signedData.signerInfos
  demand(signer !== undefined && others.length === 0, 'There is one signer')
  demand(signedData.version === 1 && signer?.version === 1, 'The versions are 1')
  demand(signedData.encapContentInfo.eContent === undefined, 'The signature is detached')
  const algorithms = signedData.digestAlgorithms.map(({ algorithmId }) => algorithmId)
  demand(algorithms.join() === '2.16.840.1.101.3.4.2.1', 'The digest is SHA-256')
  const attributes = signer?.signedAttrs?.attributes ?? []
  demand(
    attributes
      .map(({ type }) => type)
      .toSorted()
      .join() === '1.2.840.113549.1.9.16.2.47,1.2.840.113549.1.9.3,1.2.840.113549.1.9.4',
    'The signed attributes are content type, message digest and signing-certificate-v2 alone',
  )
  demand(
    attributes.every(({ values }) => values.length === 1),
    'Each attribute has one value',
  )
  const encoded = attributes.map((one) => Buffer.from(one.toSchema().toBER()))
  demand(
    encoded.every((one, index) => index === 0 || Buffer.compare(encoded[index - 1] ?? one, one) < 0),
    'The attributes are in DER order',
  )
  const messageDigest = attributes.find(({ type }) => type.endsWith('.9.4'))?.values[0]
  demand(
    messageDigest instanceof asn1js.OctetString &&
      createHash('sha256').update(whole).digest().equals(bytesOf(messageDigest)),
    'The message digest is that of the ByteRange',
  )
  demand(signedData.certificates?.[0] instanceof Certificate, 'The certificate is there')
  return faults
}

const hasProgram = (name: string) => spawnSync(name, ['-v']).error === undefined

/** Whether an independent judge, Poppler's pdfsig, is on this machine. */
export const hasPdfsig = hasProgram('pdfsig')

/** The output of pdfsig for the signatures of a PDF. */
export function pdfsig(pdf: Uint8Array): string {
  return withFile(pdf, (path) => {
    const { stdout } = spawnSync('pdfsig', ['-nocert', path], { encoding: 'utf8' })
    return stdout
  })
}

/** Whether pdfsig finds the one signature valid and over the whole file. */
export function isValidToPdfsig(pdf: Uint8Array): boolean {
  const said = pdfsig(pdf)
  const isOne = said.match(/^Signature #/gm)?.length === 1
  return isOne && said.includes('Signature is Valid.') && said.includes('Total document signed')
}

export const hasQpdf = hasProgram('qpdf')

/** The faults that qpdf finds in a PDF; empty if its structure is sound. */
export function qpdfFaults(pdf: Uint8Array): string {
  return withFile(pdf, (path) => {
    const { stdout, stderr, status } = spawnSync('qpdf', ['--check', path], { encoding: 'utf8' })
    return status === 0 ? '' : `${stdout}${stderr}`
  })
}

/** OpenSSL verifies the signature over the bytes of the ByteRange, with the attributes that CAdES requires. */
export function isValidToOpenSsl(pdf: Uint8Array): boolean {
  const { cms, byteRange, signedData } = readSeal(pdf)
  const [, length = 0, second = 0] = byteRange
  const content = Buffer.concat([pdf.subarray(0, length), pdf.subarray(second)])
  const own = signedData.certificates?.[0]
  if (!(own instanceof Certificate)) return false
  const pem = new X509Certificate(new Uint8Array(own.toSchema(true).toBER())).toString()
  return withFile(cms, (signature) =>
    withFile(content, (signed) =>
      withFile(Buffer.from(pem), (trusted) => {
        const how = ['cms', '-verify', '-binary', '-inform', 'DER', '-cades', '-purpose', 'any']
        const trust = ['-CAfile', trusted, '-partial_chain', '-no_check_time']
        const files = ['-in', signature, '-content', signed, '-out', '/dev/null']
        return spawnSync('openssl', [...how, ...trust, ...files]).status === 0
      }),
    ),
  )
}

export const hasOpenSsl = spawnSync('openssl', ['version']).error === undefined

/** The pixels of each page as Poppler draws them, as digests. */
export function drawnPages(pdf: Uint8Array): string[] {
  return withFile(pdf, (path) => {
    const pages = Number(/Pages:\s+(\d+)/.exec(execFileSync('pdfinfo', [path], { encoding: 'utf8' }))?.[1])
    return Array.from({ length: pages }, (_, index) => {
      const page = String(index + 1)
      const drawn = execFileSync('pdftoppm', ['-r', '60', '-f', page, '-l', page, path], {
        maxBuffer: 2 ** 28,
        stdio: 'pipe',
      })
      return createHash('sha256').update(drawn).digest('hex')
    })
  })
}

/** The pixels of a page in greys as Poppler draws them, row by row. */
export function greysOf(
  pdf: Uint8Array,
  page: number,
): { width: number; height: number; pixels: Uint8Array } {
  return withFile(pdf, (path) => {
    const pgm = execFileSync('pdftoppm', ['-r', '60', '-gray', '-f', `${page}`, '-l', `${page}`, path])
    const [header = '', width, height] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(pgm.toString('latin1', 0, 40)) ?? []
    return { width: Number(width), height: Number(height), pixels: pgm.subarray(header.length) }
  })
}

/** The first page as a picture that Poppler writes. */
export function drawnByPoppler(pdf: Uint8Array, ending: 'png' | 'tif', options: string[]): Uint8Array {
  return withFile(pdf, (path) => {
    execFileSync('pdftoppm', ['-r', '60', '-singlefile', ...options, path, path])
    return readFileSync(`${path}.${ending}`)
  })
}

function withFile<Result>(bytes: Uint8Array, work: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'seal-'))
  try {
    const path = join(folder, 'file')
    writeFileSync(path, bytes)
    return work(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
