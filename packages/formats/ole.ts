import { once } from '#kernel/once.ts'
import type { ByteSource } from './byte-source.ts'
import { FormatFault } from './format-fault.ts'

/** An open OLE compound file ([MS-CFB]): the streams of its root storage, which Word uses. */
export type Ole = {
  names: string[]
  /** The bytes of a stream of the root storage; undefined if no stream has this name. */
  read(name: string): Promise<Uint8Array | undefined>
}

export const oleSignature = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1)

/**
 * Reads the header and directory of a compound file. A chain with more sectors than the file, such as a loop, is
 * `corrupt`. No memory is allocated for a size that is only declared.
 *
 * @throws FormatFault `corrupt` for a damaged file, or one of another format
 */
export async function openOle(source: ByteSource): Promise<Ole> {
  const header = await readHeader(source)
  const table = allocationTable(source, header)
  const directory = await readDirectory(source, header, table)
  const root = directory.find((entry) => entry.type === 5)
  if (root === undefined) throw corrupt()
  const streams = rootStreams(directory, root)
  const miniature = once(() => openMiniature(source, header, table, root))
  return {
    names: [...streams.keys()],
    read: async (name) => {
      const entry = streams.get(name)
      if (entry === undefined) return undefined
      if (entry.sizeBytes >= header.miniatureCutoffBytes) {
        return readChain(source, header, await table.chain(entry.startSector), entry.sizeBytes)
      }
      return (await miniature()).read(entry)
    },
  }
}

type Header = {
  sectorBytes: number
  sectorCount: number
  miniatureSectorBytes: number
  miniatureCutoffBytes: number
  firstDirectorySector: number
  firstMiniatureTableSector: number
  /** The sectors that hold the allocation table. */
  tableSectors: number[]
}

async function readHeader(source: ByteSource): Promise<Header> {
  const view = viewOf(await source.read(0, 512))
  if (view.byteLength < 512 || oleSignature.some((byte, index) => view.getUint8(index) !== byte))
    throw corrupt()
  const sectorShift = view.getUint16(30, true)
  const miniatureShift = view.getUint16(32, true)
  if ((sectorShift !== 9 && sectorShift !== 12) || miniatureShift !== 6) throw corrupt()
  const header: Header = {
    sectorBytes: 1 << sectorShift,
    sectorCount: Math.ceil(source.sizeBytes / (1 << sectorShift)),
    miniatureSectorBytes: 1 << miniatureShift,
    miniatureCutoffBytes: view.getUint32(56, true),
    firstDirectorySector: view.getInt32(48, true),
    firstMiniatureTableSector: view.getInt32(60, true),
    tableSectors: [],
  }
  for (let index = 0; index < 109; index += 1) collect(header, view.getInt32(76 + index * 4, true))
  const seen = new Set<number>()
  for (let sector = view.getInt32(68, true); sector >= 0; ) {
    if (seen.has(sector)) throw corrupt()
    seen.add(sector)
    const more = await readSector(source, header, sector)
    const last = header.sectorBytes - 4
    for (let offset = 0; offset < last; offset += 4) collect(header, more.getInt32(offset, true))
    sector = more.getInt32(last, true)
  }
  return header
}

function collect(header: Header, sector: number): void {
  if (sector < 0) return
  if (header.tableSectors.length >= header.sectorCount) throw corrupt()
  header.tableSectors.push(sector)
}

type AllocationTable = { chain(firstSector: number): Promise<number[]> }

/** Reads each sector of the table when a chain needs it. Detecting the type of a file needs only a few sectors. */
function allocationTable(source: ByteSource, header: Header): AllocationTable {
  const perSector = header.sectorBytes / 4
  const loaded = new Map<number, DataView>()
  const nextOf = async (sector: number): Promise<number> => {
    const index = Math.floor(sector / perSector)
    const tableSector = header.tableSectors[index]
    if (tableSector === undefined) throw corrupt()
    const view = loaded.get(index) ?? (await readSector(source, header, tableSector))
    loaded.set(index, view)
    return view.getInt32((sector % perSector) * 4, true)
  }
  return {
    chain: async (firstSector) => {
      const sectors: number[] = []
      for (let sector = firstSector; sector >= 0; sector = await nextOf(sector)) {
        if (sectors.length >= header.sectorCount) throw corrupt()
        sectors.push(sector)
      }
      return sectors
    },
  }
}

type DirectoryEntry = {
  name: string
  type: number
  left: number
  right: number
  child: number
  startSector: number
  sizeBytes: number
}

/** Word writes about twenty entries; every embedded object adds some. */
const maxDirectoryEntries = 20_000

async function readDirectory(
  source: ByteSource,
  header: Header,
  table: AllocationTable,
): Promise<DirectoryEntry[]> {
  const entries: DirectoryEntry[] = []
  for (const sector of await table.chain(header.firstDirectorySector)) {
    const view = await readSector(source, header, sector)
    for (let offset = 0; offset < header.sectorBytes; offset += 128) entries.push(readEntry(view, offset))
    if (entries.length > maxDirectoryEntries) throw corrupt()
  }
  return entries
}

function readEntry(view: DataView, offset: number): DirectoryEntry {
  const nameBytes = Math.min(Math.max(view.getUint16(offset + 64, true) - 2, 0), 62)
  return {
    name: new TextDecoder('utf-16le').decode(
      new Uint8Array(view.buffer, view.byteOffset + offset, nameBytes),
    ),
    type: view.getUint8(offset + 66),
    left: view.getInt32(offset + 68, true),
    right: view.getInt32(offset + 72, true),
    child: view.getInt32(offset + 76, true),
    startSector: view.getInt32(offset + 116, true),
    sizeBytes: view.getUint32(offset + 120, true),
  }
}

function rootStreams(directory: DirectoryEntry[], root: DirectoryEntry): Map<string, DirectoryEntry> {
  const streams = new Map<string, DirectoryEntry>()
  const seen = new Set<number>()
  const open = [root.child]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const entry = directory[index]
    if (entry === undefined || seen.has(index)) continue
    seen.add(index)
    if (entry.type === 2) streams.set(entry.name, entry)
    open.push(entry.left, entry.right)
  }
  return streams
}

/** Short streams are stored in sectors of 64 bytes in the stream of the root entry. */
async function openMiniature(
  source: ByteSource,
  header: Header,
  table: AllocationTable,
  root: DirectoryEntry,
) {
  const container = await readChain(source, header, await table.chain(root.startSector), root.sizeBytes)
  const tableChain = await table.chain(header.firstMiniatureTableSector)
  const next = viewOf(await readChain(source, header, tableChain, tableChain.length * header.sectorBytes))
  const size = header.miniatureSectorBytes
  return {
    read: (entry: DirectoryEntry): Uint8Array => {
      const parts: Uint8Array[] = []
      for (let sector = entry.startSector; sector >= 0; sector = next.getInt32(sector * 4, true)) {
        if (parts.length * size >= entry.sizeBytes) break
        // A chain with more sectors than the container is a loop.
        if (sector * 4 + 4 > next.byteLength || parts.length * size > container.length) throw corrupt()
        parts.push(container.subarray(sector * size, (sector + 1) * size))
      }
      return Buffer.concat(parts).subarray(0, entry.sizeBytes)
    },
  }
}

async function readChain(
  source: ByteSource,
  header: Header,
  sectors: number[],
  sizeBytes: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (const sector of sectors) {
    if (parts.length * header.sectorBytes >= sizeBytes) break
    parts.push(await source.read((sector + 1) * header.sectorBytes, header.sectorBytes))
  }
  return Buffer.concat(parts).subarray(0, sizeBytes)
}

async function readSector(source: ByteSource, header: Header, sector: number): Promise<DataView> {
  const bytes = await source.read((sector + 1) * header.sectorBytes, header.sectorBytes)
  if (bytes.length < header.sectorBytes) throw corrupt()
  return viewOf(bytes)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function corrupt(): FormatFault {
  return new FormatFault('corrupt', 'The Word file is damaged.')
}
