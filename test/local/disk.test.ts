import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { CannotStart } from '#infra/local/cannot-start.ts'
import { diskOf, requireSpace, syncFile } from '#infra/local/disk.ts'
import { type Gateway, openGateway } from '#infra/local/gateway.ts'
import type { LocalFunction } from '#infra/local/load-functions.ts'

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const megabyte = 1024 * 1024

/** The body of the last answer. */
let last = ''

/** A function that answers 201 at once, behind the gateway of a disk. */
async function served(disk: Parameters<Gateway['serve']>[2]): Promise<(method: string) => Promise<number>> {
  const fn: LocalFunction = {
    name: 'toy',
    paths: ['/things'],
    needsNothing: false,
    everyMinutes: undefined,
    consumes: undefined,
    timeoutSeconds: 5,
    memoryMegabytes: 128,
    handler: async () => ({ statusCode: 201, headers: {}, body: '{}' }),
    stream: undefined,
  }
  const gateway = await openGateway(0)
  ending.push(() => gateway.close())
  gateway.serve([fn], undefined, disk)
  return async (method) => {
    const answer = await fetch(`${gateway.baseUrl}/things`, { method })
    last = await answer.text()
    return answer.status
  }
}

it('an answer to a request that may have written waits until the table is on the disk', async () => {
  const flushed = Promise.withResolvers<void>()
  const ask = await served({ isFull: async () => false, flush: () => flushed.promise })

  const posted = ask('POST')
  const early = await Promise.race([posted, sleep(500, 'waits')])
  const read = await ask('GET')
  flushed.resolve()

  expect([early, read, await posted]).toEqual(['waits', 201, 201])
})

it('a request whose data cannot be flushed is not answered 201', async () => {
  const ask = await served({ isFull: async () => false, flush: () => Promise.reject(new Error('EIO')) })

  expect(await ask('POST')).toBe(500)
})

it('requests that come while the disk is at work share the next flush', async () => {
  const flushes: (() => void)[] = []
  const disk = diskOf('/data', '/data/table', {
    sync: () => new Promise((done) => flushes.push(() => done())),
  })

  const first = disk.flush()
  const [second, third] = [disk.flush(), disk.flush()]
  flushes[0]?.()
  await first
  await sleep(0)
  const begun = flushes.length
  let isLateDone = false
  void third.then(() => {
    isLateDone = true
  })
  await sleep(10)
  const early = isLateDone
  flushes[1]?.()
  await Promise.all([second, third])

  expect([begun, early, flushes.length]).toEqual([2, false, 2])
})

it('a full disk accepts nothing, says so in one sentence, and accepts again when there is space', async () => {
  let free = 10 * megabyte
  const said: string[] = []
  const disk = diskOf('/data', undefined, {
    freeBytes: async () => free,
    complain: (text: string) => said.push(text),
  })
  const ask = await served(disk)

  const refused = [await ask('POST'), await ask('POST')]
  const told = JSON.parse(last).error
  const read = await ask('GET')
  free = 1_000 * megabyte
  await sleep(1_100)
  const accepted = await ask('POST')

  expect([refused, read, accepted]).toEqual([[503, 503], 201, 201])
  expect(told).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The disk of the service is full. Nothing was changed: make room, then try again.',
  })
  expect(said).toEqual([
    'The disk of the data folder /data is full: nothing is accepted until it has 64 MB of free space again.',
  ])
})

it('a service does not start on a full disk', async () => {
  await expect(requireSpace('/data', async () => 0)).rejects.toThrow(CannotStart)
  await expect(requireSpace(tmpdir(), async () => 100 * megabyte)).resolves.toBeUndefined()
})

it('a file is flushed, and a file that is not there is no fault', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  ending.push(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), 'x')

  await expect(
    Promise.all([syncFile(join(folder, 'file')), syncFile(join(folder, 'none'))]),
  ).resolves.toBeDefined()
})
