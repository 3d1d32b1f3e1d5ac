import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { RefusedAddress } from '#guarded-http/address.ts'
import { guardedPoster, TimeLimitExceeded } from '#guarded-http/guarded-post.ts'
import { certificateFor } from '#test/support/certificate-for.ts'

/** Posts to receivers that behave badly (E3, E4). */

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function listening(server: TcpServer): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return (server.address() as AddressInfo).port
}

const serve = (listener: RequestListener) => listening(createServer(listener))

/** A server that calls `say` for each connection when its first data arrives. */
const saying = (say: (socket: Socket) => void) =>
  listening(
    createTcpServer((socket) => {
      socket.once('data', () => say(socket))
    }),
  )

function poster(port: number, options: object = {}) {
  const one = guardedPoster(`http://127.0.0.1:${port}/`, {
    allowLoopback: true,
    milliseconds: 1_000,
    ...options,
  })
  closing.push(one.close)
  return one
}

describe('a post', () => {
  it('sends the text and the headers, and resolves with the status', async () => {
    const got: unknown[] = []
    const port = await serve(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += chunk
      got.push([request.method, request.headers['content-type'], text])
      response.writeHead(202, { 'retry-after': '7' }).end('thank you')
    })

    const answer = await poster(port).post('{"ä":1}', { 'content-type': 'application/json' })

    expect(answer).toEqual({ status: 202, retryAfter: '7' })
    expect(got).toEqual([['POST', 'application/json', '{"ä":1}']])
  })

  it('looks up the name again if the last look-up failed', async () => {
    const port = await serve((_, response) => void response.writeHead(204).end())
    let asked = 0
    const resolve = async () => {
      asked += 1
      if (asked === 1) throw new Error('SERVFAIL')
      return [{ address: '127.0.0.1', family: 4 as const }]
    }
    const { post } = poster(port, { resolve })

    await expect(post('{}', {})).rejects.toThrow('SERVFAIL')

    expect((await post('{}', {})).status).toBe(204)
    expect(asked).toBe(2)
  })

  it('reuses its connection', async () => {
    const ports = new Set<number | undefined>()
    const port = await serve((request, response) => {
      ports.add(request.socket.remotePort)
      request.resume().on('end', () => response.writeHead(204).end())
    })
    const { post } = poster(port)

    for (let round = 0; round < 3; round += 1) await post('{}', {})

    expect(ports.size).toBe(1)
  })

  it('shares its connections with other posts, and close ends all of them', async () => {
    let begun = 0
    const open = new Set<object>()
    const port = await serve((request, response) => {
      open.add(request.socket)
      request.socket.on('close', () => open.delete(request.socket))
      begun += 1
      request.resume().on('end', () => response.writeHead(204).end())
    })
    const { post, close } = poster(port, { connections: 2 })

    const statuses = await Promise.all(Array.from({ length: 8 }, () => post('{}', {})))

    expect(statuses.map(({ status }) => status)).toEqual(Array(8).fill(204))
    expect([begun, open.size]).toEqual([8, 2])
    close()
    await expect.poll(() => open.size).toBe(0)
    await expect(post('{}', {})).rejects.toThrow('This poster is closed.')
  })

  it('is not sent if its time limit or the close comes before it has a connection', async () => {
    const got: string[] = []
    const port = await serve(async (request) => {
      for await (const chunk of request) got.push(String(chunk))
    })
    const { post, close } = poster(port, { milliseconds: 300 })
    const posts = [post('first', {}), post('second', {}), post('third', {})]
    const ended = await Promise.allSettled(posts)
    const late = Promise.allSettled([post('fourth', {}), post('fifth', {})])
    await expect.poll(() => got).toEqual(['first', 'fourth'])
    close()

    expect(ended.map((one) => (one as PromiseRejectedResult).reason)).toEqual(
      Array(3).fill(expect.any(TimeLimitExceeded)),
    )
    expect((await late).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(got).toEqual(['first', 'fourth'])
  })

  it('does not wait for the connection attempt of an earlier post that timed out', async () => {
    let connections = 0
    const waiting: Socket[] = []
    const { key, cert } = certificateFor('kanzlei.example')
    const trusted = getCACertificates()
    setDefaultCACertificates([...trusted, cert])
    const tls = await listening(
      createTlsServer({ key, cert }, (_, response) => void response.writeHead(204).end()),
    )
    // The first handshake is never answered.
    const port = await listening(
      createTcpServer((socket) => {
        connections += 1
        if (connections === 1) waiting.push(socket.resume())
        else socket.pipe(connect(tls, '127.0.0.1').on('error', () => {})).pipe(socket)
      }),
    )
    const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
    const one = guardedPoster(`https://kanzlei.example:${port}/`, {
      ...{ allowLoopback: true, milliseconds: 1_500, resolve },
    })
    closing.push(one.close)
    try {
      const first = one.post('{}', {}).catch((error: unknown) => error)
      await sleep(1_000)
      const second = one.post('{}', {})

      expect(await first).toBeInstanceOf(TimeLimitExceeded)
      await second.catch(() => {})
      expect((await one.post('{}', {})).status).toBe(204)
      expect(waiting.map(({ destroyed }) => destroyed)).toEqual([true])
    } finally {
      setDefaultCACertificates(trusted)
    }
  })

  it('ends its attempt to connect if the poster is closed', async () => {
    const open = new Set<Socket>()
    const port = await listening(
      createTcpServer((socket) => {
        open.add(socket)
        socket.resume().on('close', () => open.delete(socket))
      }),
    )
    const one = guardedPoster(`https://127.0.0.1:${port}/`, {
      ...{ allowLoopback: true, milliseconds: 60_000 },
    })
    const ended = one.post('{}', {}).catch((error: unknown) => error)
    await expect.poll(() => open.size).toBe(1)

    one.close()

    expect(await ended).toBeInstanceOf(Error)
    await expect.poll(() => open.size).toBe(0)
  })

  it('sends nothing if the poster is closed during the look-up', async () => {
    const port = await serve((_, response) => void response.writeHead(204).end())
    const { promise, resolve: answer } = Promise.withResolvers<{ address: string; family: 4 }[]>()
    const { post, close } = poster(port, { resolve: () => promise })
    const ended = Promise.allSettled([post('{}', {})])

    close()
    answer([{ address: '127.0.0.1', family: 4 }])

    expect((await ended)[0]?.status).toBe('rejected')
  })

  it('resolves with the status although 100 MB follow, and ends the connection', async () => {
    let written = 0
    let isClosed = false
    const port = await serve((_, response) => {
      response.writeHead(200)
      response.on('close', () => {
        isClosed = true
      })
      const chunk = Buffer.alloc(65_536)
      const more = () => {
        for (; written < 1_600 && !response.destroyed; written += 1) if (!response.write(chunk)) break
        if (written < 1_600 && !response.destroyed) response.once('drain', more)
      }
      more()
    })

    const { status } = await poster(port).post('{}', {})
    await expect.poll(() => isClosed).toBe(true)

    expect(status).toBe(200)
    expect(written).toBeLessThan(1_600)
  })

  it('does not wait for a body that comes byte by byte', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })

    const begun = performance.now()
    const { status } = await poster(port).post('{}', {})

    expect([status, performance.now() - begun < 900]).toEqual([200, true])
  })

  it('does not follow a redirect to the metadata service', async () => {
    const port = await serve((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end()
    })

    expect(await poster(port).post('{}', {})).toEqual({ status: 302, retryAfter: null })
  })

  it.each([
    ['never answers', () => {}],
    [
      'never ends its headers',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const timer = setInterval(() => socket.write('x: y\r\n'), 10)
        socket.on('close', () => clearInterval(timer))
      },
    ],
    [
      'sends 102 Processing for ever',
      (socket: Socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10)
        socket.on('close', () => clearInterval(timer))
      },
    ],
  ])('ends at its time limit if the server %s', async (_, say) => {
    const port = await saying(say)
    const begun = performance.now()

    await expect(poster(port).post('{}', {})).rejects.toThrow()

    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  it('throws TimeLimitExceeded at the time limit', async () => {
    const port = await saying(() => {})

    await expect(poster(port, { milliseconds: 100 }).post('{}', {})).rejects.toBeInstanceOf(TimeLimitExceeded)
  })

  it.each([
    ['closes at once', (socket: Socket) => socket.destroy()],
    [
      'sends 100 Continue without being asked',
      (socket: Socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
    ],
    ['speaks another protocol', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'sends endless headers',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`),
    ],
    [
      'switches protocols',
      (socket: Socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    ],
  ])('fails if the server %s', async (_, say) => {
    const port = await saying(say as (socket: Socket) => void)

    await expect(poster(port).post('{}', {})).rejects.toThrow()
  })

  it('fails if no server listens', async () => {
    const port = await serve(() => {})
    for (const close of closing.splice(0)) close()

    await expect(poster(port).post('{}', {})).rejects.toThrow('ECONNREFUSED')
  })

  it('fails if a certificate of a trusted issuer is for another name', async () => {
    const { key, cert } = certificateFor('kanzlei.example')
    const trusted = getCACertificates()
    setDefaultCACertificates([...trusted, cert])
    const port = await listening(
      createTlsServer({ key, cert }, (_, response) => void response.writeHead(204).end()),
    )
    const postTo = (name: string) => {
      const resolve = async () => [{ address: '127.0.0.1', family: 4 as const }]
      const one = guardedPoster(`https://${name}:${port}/`, {
        allowLoopback: true,
        milliseconds: 2_000,
        resolve,
      })
      closing.push(one.close)
      return one.post('{}', {})
    }
    try {
      expect((await postTo('kanzlei.example')).status).toBe(204)
      await expect(postTo('praxis.example')).rejects.toThrow('altnames')
    } finally {
      setDefaultCACertificates(trusted)
    }
  })
})

describe('an address', () => {
  it.each([
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://0.0.0.0/',
    'http://168.63.129.16/',
  ])('%s is refused even if this machine is allowed', async (url) => {
    const { post } = guardedPoster(url, { allowLoopback: true, milliseconds: 1_000 })

    await expect(post('{}', {})).rejects.toBeInstanceOf(RefusedAddress)
  })

  it.each([
    'http://8.8.8.8/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://localhost/',
  ])('%s is refused if only public addresses with https are allowed', async (url) => {
    const { post } = guardedPoster(url, { milliseconds: 1_000 })

    await expect(post('{}', {})).rejects.toBeInstanceOf(RefusedAddress)
  })

  it('is looked up once, so a later look-up that returns this machine has no effect', async () => {
    const asked: string[] = []
    const port = await serve((_, response) => void response.writeHead(204).end())
    const resolve = async (host: string) => {
      asked.push(host)
      return asked.length === 1
        ? [{ address: '127.0.0.1', family: 4 as const }]
        : [{ address: '127.0.0.2', family: 4 as const }]
    }
    const { post, close } = guardedPoster(`http://kanzlei.example:${port}/`, {
      allowLoopback: true,
      milliseconds: 1_000,
      resolve,
    })
    closing.push(close)

    const statuses = [await post('{}', {}), await post('{}', {})].map(({ status }) => status)

    expect([statuses, asked]).toEqual([[204, 204], ['kanzlei.example']])
  })

  it('is refused if the name resolves to this machine', async () => {
    const { post } = guardedPoster('https://localhost:1/', { milliseconds: 1_000 })

    await expect(post('{}', {})).rejects.toBeInstanceOf(RefusedAddress)
  })
})
