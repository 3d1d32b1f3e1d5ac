import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { byteSource } from '#formats/byte-source.ts'
import { inflateAll, openZip } from '#formats/zip.ts'
import { mailFolder } from '#infra/local/mail-folder.ts'
import { itemsOf } from './table-file.ts'
import { sharedService } from './the-shared-service.ts'

/** Something that a firm has stored: where it lies, and its bytes as they are and as they are unpacked. */
type Stored = { place: string; contents: Buffer[] }

/** Everything that a firm has stored in the table, in the bucket and in the folder of sent mails of a service. */
async function* storedOf(workspaceId: string, dataDir: string): AsyncGenerator<Stored> {
  for (const item of itemsOf(workspaceId, dataDir)) {
    const packed = Object.values(item).filter((value) => value instanceof Uint8Array)
    const contents = [
      Buffer.from(JSON.stringify(sorted(item))),
      ...packed.flatMap((bytes) => unpacked(Buffer.from(bytes))),
    ]
    yield { place: `${item.pk} ${item.sk}`, contents }
  }
  const bucket = join(dataDir, 's3')
  for (const place of filesUnder(bucket, workspaceId)) {
    const bytes = unlessGone(() => readFileSync(place))
    if (bytes === undefined) continue
    yield {
      place: place.slice(bucket.length),
      contents: [bytes, ...unpacked(bytes), ...(await unzipped(bytes))],
    }
  }
  yield* sentOf(workspaceId, join(dataDir, 'mail'))
}

async function* sentOf(workspaceId: string, folder: string): AsyncGenerator<Stored> {
  const sent = mailFolder(folder)
  for (const name of await sent.names()) {
    const envelope = await sent.envelope(name)
    const raw = envelope?.tags.workspace === workspaceId ? await sent.read(name) : undefined
    if (raw === undefined) continue
    yield { place: `mail/${name}`, contents: [raw, Buffer.from(JSON.stringify(envelope))] }
  }
}

/** The files of a firm in a folder whose files and folders others may remove meanwhile. */
function* filesUnder(folder: string, workspaceId: string): Generator<string> {
  for (const entry of unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const place = join(folder, entry.name)
    const isOfOther = entry.name.startsWith('ws_') && !entry.name.startsWith(workspaceId)
    if (entry.isDirectory() && !isOfOther) yield* filesUnder(place, workspaceId)
    else if (entry.isFile() && place.includes(workspaceId)) yield place
  }
}

function unlessGone<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

const ways = [gunzipSync, inflateSync, inflateRawSync, brotliDecompressSync, zstdDecompressSync]

function unpacked(bytes: Buffer): Buffer[] {
  return ways.flatMap((unpack) => {
    try {
      return [unpack(bytes)]
    } catch {
      return []
    }
  })
}

async function unzipped(bytes: Buffer): Promise<Buffer[]> {
  const zip = await openZip(byteSource(bytes), 10_000).catch(() => undefined)
  const parts = await Promise.all(
    (zip?.names ?? []).map(async (name) => [
      Buffer.from(name),
      await inflateAll(zip as never, name, { bytes: 1e8 }),
    ]),
  )
  return parts.flat().map((part) => Buffer.from(part))
}

/**
 * The places of a firm in which one of these words stands, in upper or lower case, as UTF-8, in Base64 or
 * quoted-printable.
 */
export async function placesOf(
  workspaceId: string,
  words: readonly string[],
  dataDir: string = sharedService().dataDir,
): Promise<string[]> {
  const wanted = words.map((word) => [word, Buffer.from(word.toLowerCase()).toString('latin1')] as const)
  const found: string[] = []
  for await (const { place, contents } of storedOf(workspaceId, dataDir)) {
    // Thousands of places are searched for hundreds of words: each text is read once.
    const texts = contents.flatMap(textsOf)
    for (const [word, form] of wanted)
      if (texts.some((text) => text.includes(form))) found.push(`${word}: ${place}`)
  }
  return found
}

/** Bytes as text in small letters: as they are, and where they are a message or a part of one, as it is decoded. */
function textsOf(bytes: Buffer): string[] {
  const text = bytes.toString('latin1')
  const base64 = [...text.matchAll(/(?:^|\r\n)((?:[\w+/]{60,76}\r\n)*[\w+/]+={0,2})(?=\r\n)/g)].map(
    ([, block = '']) => Buffer.from(block, 'base64').toString('latin1'),
  )
  const quoted = /=\r\n|=[\dA-F]{2}/.test(text)
    ? [
        text
          .replaceAll('=\r\n', '')
          .replaceAll(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`))),
      ]
    : []
  return [text, ...quoted, ...base64].map((one) => one.toLowerCase())
}

/** Everything of a firm by its places, as digests, to be compared with later. */
export async function everythingOf(workspaceId: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for await (const { place, contents } of storedOf(workspaceId, sharedService().dataDir))
    all[place] = hash('sha256', contents[0] ?? '', 'hex')
  return all
}

/** The table gives the attributes of an item in any order. */
function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]))
}
