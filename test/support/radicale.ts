import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A real CalDAV server on this machine, with one user. */
export type Radicale = {
  baseUrl: string
  username: string
  password: string
  /** Sends it a request as its user. */
  send: (method: string, path: string, body?: string, headers?: Record<string, string>) => Promise<Response>
  /** Every calendar object that it holds, by path. */
  objects: () => Promise<Map<string, string>>
  stop: () => Promise<void>
}

/**
 * Whether Radicale (Debian package `radicale`) is installed. If `CI` is set, it must be.
 *
 * @throws Error if it is missing in CI
 */
export function radicaleIsThere(): boolean {
  const there = (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'radicale'), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  if (there) return true
  if (process.env.CI) throw new Error('Radicale is missing: apt-get install -y radicale')
  console.warn('SKIPPED: the tests with a real CalDAV server need Radicale: apt-get install -y radicale')
  return false
}

/** Starts Radicale on a free port of the loopback interface, with its own folder. */
export async function startRadicale(): Promise<Radicale> {
  const folder = mkdtempSync(join(tmpdir(), 'radicale-'))
  const [username, password] = ['vogt', 'Geheimnis: ünd "mehr"']
  writeFileSync(join(folder, 'users'), `${username}:${password}\n`)
  const port = await findFreePort()
  const server = spawn(
    'radicale',
    [
      ['--server-hosts', `127.0.0.1:${port}`],
      ['--auth-type', 'htpasswd'],
      ['--auth-htpasswd-filename', join(folder, 'users')],
      ['--auth-htpasswd-encryption', 'plain'],
      ['--auth-delay', '0'],
      ['--storage-filesystem-folder', join(folder, 'collections')],
      ['--logging-level', 'warning'],
    ].flat(),
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, RADICALE_CONFIG: '' } },
  )
  const closed = once(server, 'close')
  const stopAtEnd = () => void server.kill('SIGKILL')
  process.on('exit', stopAtEnd)
  const baseUrl = `http://127.0.0.1:${port}`
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const send: Radicale['send'] = (method, path, body, headers = {}) =>
    fetch(baseUrl + path, {
      method,
      headers: { authorization, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
  await untilItAnswers(baseUrl)

  return {
    baseUrl,
    username,
    password,
    send,
    objects: async () => {
      const found = new Map<string, string>()
      const answer = await send(
        'PROPFIND',
        `/${username}/`,
        '<propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>',
        { Depth: 'infinity' },
      )
      const paths = [...(await answer.text()).matchAll(/<(?:\w+:)?href>([^<]+)</g)].map(
        ([, path = '']) => path,
      )
      for (const collection of paths.filter((path) => path.endsWith('/'))) {
        const listing = await send(
          'PROPFIND',
          collection,
          '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>',
          { Depth: '1' },
        )
        for (const [, path = ''] of (await listing.text()).matchAll(/<(?:\w+:)?href>([^<]+\.ics)</g))
          found.set(decodeURIComponent(path), await (await send('GET', path)).text())
      }
      return found
    },
    stop: async () => {
      process.off('exit', stopAtEnd)
      server.kill('SIGTERM')
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilItAnswers(baseUrl: string): Promise<void> {
  // A busy machine needs several seconds to start it.
  for (const end = performance.now() + 90_000; performance.now() < end; ) {
    const there = await fetch(baseUrl, { redirect: 'manual' }).catch(() => undefined)
    if (there !== undefined) return
    await sleep(100)
  }
  throw new Error('Radicale did not answer within 90 seconds.')
}

/** A port of the loopback interface that is free at this moment. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
