import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { lookUp } from '#guarded-http/look-up.ts'

/** Look-ups of names, at a name server that does not answer for some. */

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/**
 * A name server. It does not answer for `hanging.…`, answers 192.0.2.7 for `known.…`, fails for `failing.…`, refuses
 * `refused.…`, and does not know other names.
 */
async function nameServer(): Promise<string> {
  const socket = createSocket('udp4')
  closing.push(() => socket.close())
  socket.on('message', (query, { port, address }) => {
    const name = nameIn(query)
    if (!name.startsWith('hanging.')) socket.send(answerTo(query, name), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await new Promise((resolve) => socket.once('listening', resolve))
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`
}

const headerOctets = 12

function nameIn(query: Buffer): string {
  const labels: string[] = []
  for (let at = headerOctets; query[at]; at += 1 + (query[at] ?? 0))
    labels.push(query.subarray(at + 1, at + 1 + (query[at] ?? 0)).toString())
  return labels.join('.')
}

/** The codes of answers (RFC 1035, 4.1.1). */
const codes = { known: 0, failing: 2, refused: 5 } as const
const unknownName = 3

/** RFC 1035: the question comes back, with an address if the name is known and an A record is asked for. */
function answerTo(query: Buffer, name: string): Buffer {
  const [first = ''] = name.split('.')
  const code = first in codes ? codes[first as keyof typeof codes] : unknownName
  const endOfName = query.indexOf(0, headerOctets)
  const question = query.subarray(headerOctets, endOfName + 5)
  const hasAddress = code === codes.known && query.readUInt16BE(endOfName + 1) === 1
  const header = Buffer.alloc(headerOctets)
  header.writeUInt16BE(query.readUInt16BE(0), 0)
  header.writeUInt16BE(0x8180 + code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(hasAddress ? 1 : 0, 6)
  const record = Buffer.from([0xc0, headerOctets, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7])
  return Buffer.concat([header, question, ...(hasAddress ? [record] : [])])
}

it('names whose servers do not answer do not delay other look-ups', async () => {
  const servers = [await nameServer()]
  const hanging = Array.from({ length: 20 }, (_, at) => lookUp(`hanging.${at}.example`, servers))
  const ended = Promise.allSettled(hanging)
  const begun = performance.now()

  const found = await lookUp('known.example', servers)
  const ours = await lookUp('localhost')

  expect(found).toEqual([{ address: '192.0.2.7', family: 4 }])
  expect(ours).toEqual(await lookup('localhost', { all: true, verbatim: true }))
  expect(performance.now() - begun).toBeLessThan(1_500)
  expect((await ended).map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
})

it('the system looks up a name that the name servers do not know', async () => {
  const servers = [await nameServer()]

  await expect(lookUp('nobody.invalid', servers)).rejects.toMatchObject({
    code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
  })
})

it.each([
  ['fails', 'failing.invalid', 'ESERVFAIL'],
  ['refuses', 'refused.invalid', 'EREFUSED'],
])('a name whose name server %s is not looked up by the system', async (_, name, code) => {
  const servers = [await nameServer()]

  await expect(lookUp(name, servers)).rejects.toMatchObject({ code })
})

it('a name whose name server cannot be reached is not looked up by the system', async () => {
  const server = await nameServer()
  for (const close of closing.splice(0)) close()

  await expect(lookUp('nobody.invalid', [server])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
