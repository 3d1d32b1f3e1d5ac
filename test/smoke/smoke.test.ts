import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runSmoke, type Target } from '#infra/tools/smoke/run-smoke.ts'
import { scopes } from '#kernel/scope.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** The smoke test (U4) against the real service, and against services that fail in the middle. */
let firm: Firm
let first: Awaited<ReturnType<Firm['colleague']>>
let second: string
beforeEach(async () => {
  firm = await newFirm()
  ;[first, { key: second }] = [await firm.colleague(), await firm.colleague()]
})

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A service in front of the real one, or in its place. */
async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Passes a request on to the real service. @param answered takes its answer in place of the caller */
function passOn(request: IncomingMessage, response: ServerResponse, answered?: () => void): void {
  const { method = '', headers } = request
  const passed = send(new URL(request.url ?? '', sharedService().baseUrl), { method, headers }, (answer) => {
    if (answered) {
      answer.resume().on('end', answered)
      return
    }
    response.writeHead(answer.statusCode ?? 0, answer.headers)
    answer.pipe(response)
  })
  request.pipe(passed)
}

const isCall = (request: IncomingMessage, method: string, path: string) =>
  request.method === method && request.url === path

type Changes = Partial<Target> & { interrupted?: AbortSignal; seen?: (line: string) => void }

async function smoke({ interrupted = new AbortController().signal, seen, ...target }: Changes = {}) {
  const lines: string[] = []
  const hasPassed = await runSmoke(
    { url: sharedService().baseUrl, key: first.key, secondKey: second, ...target },
    {
      say: (line) => {
        lines.push(line)
        seen?.(line)
      },
      interrupted,
      limits: { callSeconds: 10, textSeconds: 60, searchSeconds: 10 },
    },
  )
  return { hasPassed, lines, output: lines.join('\n') }
}

const lists = [
  'cases',
  'parties',
  'documents',
  'deadlines?from=1900-01-01',
  'events',
  'email/outbound/drafts',
  'exports/configs',
  'inbox',
]

/** Everything that the firm has, in any list. */
async function left(): Promise<unknown[]> {
  const answers = await Promise.all(lists.map((list) => first.api('GET', `/api/v1/${list}`)))
  return answers.flatMap(({ body }) => body.data)
}

describe('the smoke test', () => {
  it('passes, says a line a step, and leaves nothing; no line has a key', async () => {
    const { hasPassed, lines, output } = await smoke()

    expect([hasPassed, output]).toEqual([true, expect.not.stringMatching('FAIL|skipped')])
    expect(lines).toHaveLength(13)
    expect(lines[4]).toMatch(/^ok {2} +\d+\.\d s {2}upload a PDF and wait for its text$/)
    for (const key of [first.key, second]) expect(output).not.toContain(key)
    expect(await left()).toEqual([])
  })

  it('without a second key says that nobody verified the deadline', async () => {
    const { hasPassed, output } = await smoke({ secondKey: undefined })

    expect([hasPassed, output]).toEqual([true, expect.stringMatching(/^- .* verify the deadline: skipped/m)])
    expect(await left()).toEqual([])
  })

  it('makes nothing with a wrong key, one that lacks a scope, a second key of the same user or of another firm', async () => {
    const body = {
      user_id: first.user.id,
      name: 'Narrow',
      scopes: scopes.filter((scope) => scope !== 'cases:delete'),
    }
    const narrow = (await firm.owner('POST', '/api/v1/api-keys', { body })).body.key
    const stranger = (await (await newFirm()).colleague()).key

    const refused = [
      await smoke({ key: 'ak_wrong' }),
      await smoke({ key: narrow }),
      await smoke({ secondKey: first.key }),
      await smoke({ secondKey: stranger }),
      await smoke({ secondKey: 'ak_wrong' }),
    ]

    expect(refused.map(({ hasPassed, lines }) => [hasPassed, lines.length])).toEqual(
      Array(5).fill([false, 2]),
    )
    const reasons = [
      'AUTH_INVALID_KEY',
      'does not have cases:delete',
      'same user',
      'another firm',
      'The second key: 401',
    ]
    for (const [at, reason] of reasons.entries()) expect(refused[at]?.output).toContain(reason)
    expect(await left()).toEqual([])
  })

  it('shows the answer of the step that fails, and deletes what it made', async () => {
    const error = { code: 'SERVICE_UNAVAILABLE', message: 'The data is being upgraded.', request_id: 'r-1' }
    const url = await serve((request, response) => {
      if (!isCall(request, 'POST', '/api/v1/exports/configs')) return passOn(request, response)
      request.resume()
      response.writeHead(503, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }))
    })

    const { hasPassed, lines } = await smoke({ url })

    expect(hasPassed).toBe(false)
    expect(lines.at(-2)).toMatch(
      /^FAIL .* export a CSV: 503 SERVICE_UNAVAILABLE: The data is being upgraded\. \(request r-1\)$/,
    )
    expect(lines.at(-1)).toContain('delete the created records')
    expect(await left()).toEqual([])
  })

  it.each([
    ['the case', '/api/v1/cases'],
    ['the event', '/api/v1/events'],
    ['the draft', '/api/v1/email/outbound/drafts'],
    ['the deadline', '/api/v1/deadlines'],
  ])('deletes %s also where the answer to making it was lost', async (_, path) => {
    const url = await serve((request, response) => {
      const isLost = isCall(request, 'POST', path)
      passOn(request, response, isLost ? () => response.destroy() : undefined)
    })

    const { hasPassed, lines } = await smoke({ url })

    expect([hasPassed, lines.at(-1)]).toEqual([
      false,
      expect.stringMatching(/^ok .* delete the created records$/),
    ])
    expect(await left()).toEqual([])
  })

  it('says what is left where it cannot be deleted, and deletes the rest', async () => {
    const url = await serve((request, response) => {
      if (request.method !== 'DELETE' || !request.url?.startsWith('/api/v1/events/'))
        return passOn(request, response)
      request.resume()
      response.writeHead(500).end()
    })

    const { hasPassed, lines } = await smoke({ url })

    expect([hasPassed, lines.at(-1)]).toEqual([
      false,
      expect.stringMatching(/^FAIL .* These records with the mark smoke\w+ could not be deleted: an event/),
    ])
    expect(await left()).toEqual([expect.objectContaining({ type: 'event' })])
  })

  it('stops after the present call and deletes what it made where it is interrupted', async () => {
    const interrupt = new AbortController()
    const seen = (line: string) => line.includes('add a party') && interrupt.abort(new Error('Interrupted.'))

    const { hasPassed, lines } = await smoke({ interrupted: interrupt.signal, seen })

    expect(hasPassed).toBe(false)
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^FAIL .* upload a PDF and wait for its text: Interrupted\.$/),
      expect.stringMatching(/^ok .* delete the created records$/),
    ])
    expect(await left()).toEqual([])
  })
})

describe('in front of what is not this service', () => {
  it.each([
    ['a page', (response: ServerResponse) => response.setHeader('Content-Type', 'text/html').end('<html>')],
    ['other JSON', (response: ServerResponse) => response.end('{"status":"up"}')],
    ['a redirect', (response: ServerResponse) => response.writeHead(302, { Location: '/login' }).end()],
    ['nothing at all', () => {}],
  ])('%s, the smoke test ends at once', async (_, answer) => {
    const lines: string[] = []
    const hasPassed = await runSmoke(
      {
        url: await serve((_request, response) => void answer(response)),
        key: first.key,
        secondKey: undefined,
      },
      {
        say: (line) => lines.push(line),
        interrupted: new AbortController().signal,
        limits: { callSeconds: 0.5, textSeconds: 1, searchSeconds: 1 },
      },
    )

    expect([hasPassed, lines]).toEqual([false, [expect.stringMatching(/^FAIL .* reach the service: ./)]])
  })
})

describe('npm run smoke', () => {
  const cli = fileURLToPath(new URL('../../infra/tools/smoke/cli.ts', import.meta.url))

  const start = (options: string[], environment: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, [cli, ...options], {
      env: { ...process.env, KEY: '', SECOND_KEY: '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    open.push(() => child.kill('SIGKILL'))
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    return { child, output: () => output }
  }
  const exitCode = async (child: ChildProcess) => Number((await once(child, 'close'))[0])

  it.each([
    ['no address', ['--key', 'ak_1'], '--url is missing'],
    ['what is no address', ['--url', 'api.example.de', '--key', 'ak_1'], 'is not a URL'],
    ['an address of files', ['--url', 'file:///etc', '--key', 'ak_1'], 'https:// or http://'],
    [
      'another machine without TLS',
      ['--url', 'http://api.example.de', '--key', 'ak_1'],
      'readable on its way',
    ],
    ['a password in the address', ['--url', 'https://a:b@api.example.de', '--key', 'ak_1'], 'no user'],
    ['no key', ['--url', 'https://api.example.de'], '--key is missing'],
    ['a key with a line break', ['--url', 'https://api.example.de', '--key', 'ak_1\nx'], 'is not an API key'],
    ['an unknown option', ['--url', 'https://api.example.de', '--keys', 'ak_1'], "Unknown option '--keys'"],
  ])('refuses %s in one line', async (_, options, reason) => {
    const { child, output } = start(options)

    expect(await exitCode(child)).toBe(1)
    expect(output().trim().split('\n')).toEqual([expect.stringContaining(reason)])
    expect(output()).not.toContain('ak_1')
  })

  it('deletes what it made before it ends with 130 after Ctrl-C; keys may come from the environment', async () => {
    const { child, output } = start(['--url', sharedService().baseUrl], {
      KEY: first.key,
      SECOND_KEY: second,
    })
    const ended = exitCode(child)
    await expect.poll(output, { interval: 20, timeout: 60_000 }).toContain('open a case')
    child.kill('SIGINT')

    expect(await ended).toBe(130)
    expect(output()).toContain('Interrupted.')
    expect(await left()).toEqual([])
  })
})
