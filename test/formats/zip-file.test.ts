import { describe, expect, it } from 'vitest'
import { inflateAll, openZip } from '#formats/zip.ts'
import { type ZippedFile, zipFile } from '#formats/zip-file.ts'

const date = new Date('2026-11-27T09:00:00.000Z')

async function* from<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items
}

async function bytesOf(files: Iterable<ZippedFile>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of zipFile(from(files))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const sourceOf = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
})

describe('a ZIP that is written file by file', () => {
  it('has every file byte for byte, under a path with umlauts too', async () => {
    const contents = [Buffer.alloc(0), Buffer.from('Schriftsatz'), Buffer.alloc(700_000, 'ab')]
    const files = contents.map((content, at) => ({
      path: `ordner/Anlage Ä ${at}.pdf`,
      date,
      open: () => from([content.subarray(0, 300_000), content.subarray(300_000)]),
    }))

    const zip = await openZip(sourceOf(await bytesOf(files)), 10)

    expect(zip.names).toEqual(files.map(({ path }) => path))
    for (const [at, { path }] of files.entries())
      expect(
        Buffer.from(await inflateAll(zip, path, { bytes: 1_000_000 })).equals(contents[at] as Buffer),
      ).toBe(true)
  })

  it('opens a file when the one before it is written, and reads no further than its bytes are taken', async () => {
    const opened: number[] = []
    const files = Array.from({ length: 5 }, (_, at) => ({
      path: `${at}`,
      date,
      open: () => {
        opened.push(at)
        // Random bytes do not shrink.
        return from([
          crypto.getRandomValues(Buffer.alloc(60_000)),
          crypto.getRandomValues(Buffer.alloc(60_000)),
        ])
      },
    }))

    const bytes = zipFile(from(files))[Symbol.asyncIterator]()
    await bytes.next()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const openedFirst = [...opened]
    await bytes.return?.(undefined)

    expect(openedFirst.length).toBeLessThan(4)
  })

  it('breaks off if a file cannot be read', async () => {
    const broken = {
      path: 'b',
      date,
      // biome-ignore lint/correctness/useYield: it fails before its first byte
      open: async function* () {
        throw new Error('missing')
      },
    }
    const refused = { path: 'c', date, open: () => Promise.reject(new Error('gone')) }

    await expect(
      bytesOf([{ path: 'a', date, open: () => from([Buffer.from('a')]) }, broken]),
    ).rejects.toThrow('missing')
    await expect(bytesOf([refused])).rejects.toThrow('gone')
  })
})
