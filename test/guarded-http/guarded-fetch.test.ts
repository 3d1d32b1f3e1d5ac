import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { addressesOf, isPublic, RefusedAddress } from '#guarded-http/address.ts'
import { guardedFetch } from '#guarded-http/guarded-fetch.ts'
import { certificateFor } from '#test/support/certificate-for.ts'

const servers: TcpServer[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

const serve = (listener: RequestListener) => listening(createServer(listener))

async function listening(server: TcpServer): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'))
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

const open = { allowPrivate: true, milliseconds: 2_000 }
const closed = { allowPrivate: false, milliseconds: 2_000 }

describe('an address', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.254',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '100.100.100.200',
    '169.254.170.2',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.254',
    '192.0.0.192',
    '192.0.2.1',
    '192.168.178.1',
    '198.18.0.1',
    '203.0.113.7',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2620:4f:8000::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'nonsense',
  ])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false)
  })

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '100.128.0.1',
    '172.32.0.1',
    '192.167.1.1',
    '223.255.255.254',
    '2606:4700::1',
    '2a01:4f8::1',
  ])('%s is public', (address) => {
    expect(isPublic(address)).toBe(true)
  })

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',

    'http://169.254.169.254/latest/meta-data/',
  ])('%s is refused before anything is sent', async (address) => {
    await expect(addressesOf(new URL(address).hostname, closed)).rejects.toThrow(RefusedAddress)
    await expect(guardedFetch(closed)(address.replace('http:', 'https:'))).rejects.toThrow(RefusedAddress)
  })
})

describe('a guarded fetch', () => {
  it.each([204, 205, 304])('answers with status %i and no body', async (status) => {
    const port = await serve((_, response) => void response.writeHead(status).end())

    const answer = await guardedFetch(open)(`http://127.0.0.1:${port}/`)

    expect([answer.status, await answer.text()]).toEqual([status, ''])
  })

  it('refuses a server without TLS, unless private networks are allowed', async () => {
    await expect(guardedFetch(closed)('http://1.1.1.1/')).rejects.toThrow(RefusedAddress)
  })

  it('connects to the address that was checked, even if the name resolves to another one later', async () => {
    const port = await serve((_, response) => response.end('der geprüfte'))
    const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]

    const answer = await guardedFetch({ ...open, resolve })(`http://rebinding.invalid:${port}/`)

    expect(await answer.text()).toBe('der geprüfte')
  })

  it('checks every redirect like the first address', async () => {
    const asked: string[] = []
    const port = await serve((_, response) =>
      response.writeHead(302, { Location: 'http://metadata.invalid/' }).end(),
    )
    const resolve = async (host: string) => {
      asked.push(host)
      if (host === 'metadata.invalid') throw new RefusedAddress('no')
      return [{ address: '127.0.0.1', family: 4 as const }]
    }

    const answer = guardedFetch({ ...open, resolve })(`http://first.invalid:${port}/`)

    await expect(answer).rejects.toThrow(RefusedAddress)
    expect(asked).toEqual(['first.invalid', 'metadata.invalid'])
  })

  it('sends credentials only to the same origin after a redirect', async () => {
    const seen: (string | undefined)[] = []
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization)
      response.end()
    })
    const port = await serve((request, response) => {
      seen.push(request.headers.authorization)
      const target = request.url === '/' ? '/same' : `http://127.0.0.1:${other}/`
      response.writeHead(307, { Location: target }).end()
    })

    await guardedFetch(open)(`http://127.0.0.1:${port}/`, { headers: { authorization: 'Basic x' } })

    expect(seen).toEqual(['Basic x', 'Basic x', undefined])
  })

  it('fails at once if the server switches to another protocol instead of answering', async () => {
    const port = await serve((_, response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    })

    await expect(guardedFetch(open)(`http://127.0.0.1:${port}/`)).rejects.toThrow('without an answer')
  })

  it('limits the size of all answers together', async () => {
    const port = await serve((_, response) => response.end(Buffer.alloc(900_000)))
    const fetch = guardedFetch(open)
    const get = async () => (await fetch(`http://127.0.0.1:${port}/`)).status

    expect([await get(), await get()]).toEqual([200, 200])
    await expect(get()).rejects.toThrow('too large')
  })

  describe('with a time limit for the connection', () => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
    const patient = { ...open, milliseconds: 60_000, connectMilliseconds: 4_000, resolve }
    const slowly: RequestListener = async (_, response) => {
      await sleep(2_500)
      response.writeHead(201).write('st')
      await sleep(2_500)
      response.end('ored')
    }

    it('allows more time for the answer', async () => {
      const port = await serve(slowly)

      const answer = await guardedFetch(patient)(`http://dav.example:${port}/`, { method: 'PUT', body: 'x' })

      expect([answer.status, await answer.text()]).toEqual([201, 'stored'])
    })

    it('allows more time for the answer of a server with TLS', async () => {
      const { key, cert } = certificateFor('dav.example')
      const trusted = getCACertificates()
      setDefaultCACertificates([...trusted, cert])
      const port = await listening(createTlsServer({ key, cert }, slowly))
      try {
        const answer = await guardedFetch(patient)(`https://dav.example:${port}/`)

        expect([answer.status, await answer.text()]).toEqual([201, 'stored'])
      } finally {
        setDefaultCACertificates(trusted)
      }
    })

    it('fails if the server never finishes the handshake', async () => {
      const sockets: Socket[] = []
      const port = await listening(createTcpServer((socket) => void sockets.push(socket.resume())))

      await expect(guardedFetch(patient)(`https://dav.example:${port}/`)).rejects.toThrow('reached in time')
      await expect.poll(() => sockets.map(({ closed }) => closed)).toEqual([true])
    })
  })

  it('fails at a circle of redirects, an endless answer, no answer, and an answer that stops', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/circle') response.writeHead(302, { Location: '/circle' }).end()
      if (request.url === '/endless') {
        const more = setInterval(() => response.write(Buffer.alloc(1_000_000)), 1)
        response.on('close', () => clearInterval(more))
      }
      if (request.url === '/half') response.write('half')
    })
    const get = (path: string) =>
      guardedFetch({ ...open, milliseconds: 1_000 })(`http://127.0.0.1:${port}${path}`)

    await expect(get('/circle')).rejects.toThrow('redirects')
    await expect(get('/endless')).rejects.toThrow('too large')
    await expect(get('/silence')).rejects.toThrow()
    await expect(get('/half')).rejects.toThrow()
    const resolve = () => new Promise<never>(() => {})
    const nameless = guardedFetch({ ...open, milliseconds: 100, resolve })('http://slow.invalid/')
    await expect(nameless).rejects.toThrow()
  })
})
