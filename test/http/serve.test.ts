import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isCredential } from '#http/access.ts'
import { defaultLimits } from '#http/form-fields.ts'
import { readUrlencoded } from '#http/urlencoded.ts'
import { describeCredentials } from '#test/support/credential-suite.ts'
import type { Prepared } from '#test/support/fixture.ts'
import { serveToys, type ToyGateway } from '#test/support/toy-gateway.ts'
import * as toys from './toy-service.ts'

const { secrets, shops, signingKey, toyId } = toys
const services = toys.toyServices()
const { receiveToyMail, pushToy, startToySync, showToys, orderToy, showToyManual, exportToys } = toys
const { showBrokenPage, streamUndeclaredType } = toys
const endpoints = {
  receiveToyMail,
  pushToy,
  startToySync,
  showToys,
  orderToy,
  showToyManual,
  exportToys,
  showBrokenPage,
  streamUndeclaredType,
}

let gateway: ToyGateway
beforeAll(async () => {
  gateway = await serveToys(endpoints, services)
})
afterAll(() => gateway.close())
beforeEach(() => {
  services.received.length = 0
  gateway.log.length = 0
})

type Options = RequestInit & { headers?: Record<string, string> }

async function ask(method: string, path: string, options: Options = {}) {
  const response = await fetch(gateway.baseUrl + path, { method, redirect: 'manual', ...options })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape they state themselves
  const body: any = isJson && text !== '' ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, body, code: body?.error?.code }
}

const html = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const json = { Accept: 'application/json' }

/** The fields of a mail, signed as the mail service signs it. */
function signed(fields: Record<string, string> = {}, token = secrets.one): Record<string, string> {
  const timestamp = '1770000000'
  const signature = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex')
  return { from: 'a@example.de', recipient: 'b@example.de', ...fields, timestamp, token, signature }
}

function multipart(
  fields: Record<string, string>,
  files: [name: string, filename: string, text: string][] = [],
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, filename, text] of files)
    form.append(name, new Blob([text], { type: 'image/png' }), filename)
  return { body: form }
}

const urlencoded = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) })
const post = { 'Content-Type': 'application/x-www-form-urlencoded' }

describe('an endpoint that answers before the work is done', () => {
  it('answers 202', async () => {
    const { status, body } = await ask('POST', `/api/v1/toys/${toyId}/sync`)

    expect([status, body]).toEqual([202, { status: 'running' }])
  })
})

describe('every answer', () => {
  it.each([
    ['POST', `/api/v1/toys/${toyId}/sync`, 202],
    ['GET', '/api/v1/nothing', 404],
  ])('is kept by nobody, is what it says it is, and asks for TLS from now on: %s %s', async (method, path, status) => {
    const answer = await ask(method, path)

    expect([answer.status, ...headersOfAll.map(([name]) => answer.headers.get(name))]).toEqual([
      status,
      ...headersOfAll.map(([, value]) => value),
    ])
  })

  const headersOfAll = [
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
    ['strict-transport-security', 'max-age=63072000; includeSubDomains'],
  ] as const
})

describe('credentials of toys', () => {
  const preparedWith = (operation: string, secret: string, shop: string): Prepared => {
    if (operation === 'receiveToyMail') {
      const { from, recipient, ...credential } = signed({}, secret)
      return { credential, shows: shop }
    }
    // A redirect shows nothing but where it leads.
    if (operation === 'orderToy') return { credential: secret, shows: secret }
    const params = { id: toyId, name: 'Bagger.pdf', token: secret }
    return { params, credential: secret, ...(operation !== 'showToyManual' && { shows: shop }) }
  }

  describeCredentials(
    Object.entries(endpoints)
      .filter(([, endpoint]) => isCredential(endpoint.access))
      // Every shop has the same manuals.
      .filter(([operation]) => operation !== 'showToyManual')
      .map(([operation, endpoint]) => ({
        operation,
        endpoint,
        prepareOwn: async () => preparedWith(operation, secrets.one, shops.one),
        prepareRefused: async () => preparedWith(operation, secrets.one, shops.one),
        prepareForeign: async () => preparedWith(operation, secrets.other, shops.other),
        ask: async (method, path, { raw, headers = {} }) => {
          const {
            status,
            headers: answered,
            body,
          } = await ask(method, path, {
            headers,
            ...(raw !== undefined && { body: raw }),
          })
          return { status, body: typeof body === 'object' ? body : { body, to: answered.get('location') } }
        },
        apiKey: async () => ({ Authorization: 'Bearer ak_1' }),
      })),
  )
})

describe('a form field as credential', () => {
  it.each([
    ['multipart', multipart],
    ['urlencoded', urlencoded],
  ])('opens the endpoint, %s', async (_, encode) => {
    const { status } = await ask('POST', '/toys/mail', encode(signed()))

    expect(status).toBe(200)
    expect(services.received).toMatchObject([{ shop: shops.one, from: 'a@example.de' }])
  })

  it.each([
    ['none', {}],
    ['a wrong one', { ...signed(), from: '', signature: 'f'.repeat(64) }],
    ['that of another token', { ...signed(), from: '', token: secrets.other }],
  ])('refuses %s before it looks at the other fields', async (_, fields: Record<string, string>) => {
    const answers = [
      await ask('POST', '/toys/mail', multipart(fields)),
      await ask('POST', '/toys/mail', urlencoded(fields)),
    ]

    expect(answers.map(({ status, code }) => [status, code])).toEqual(
      Array(2).fill([401, 'WEBHOOK_TOKEN_INVALID']),
    )
    expect(services.received).toEqual([])
  })

  it('counts as missing when a field of it is sent twice', async () => {
    const body = `${new URLSearchParams(signed())}&signature=${signed().signature}`

    const { status } = await ask('POST', '/toys/mail', { body, headers: post })

    expect(status).toBe(401)
  })

  it('in a body of another type is refused with every type that the endpoint takes', async () => {
    const { status, body } = await ask('POST', '/toys/mail', {
      body: 'from=a',
      headers: { 'Content-Type': 'text/plain' },
    })

    expect([status, body.error.message]).toEqual([
      415,
      'Send the body as multipart/form-data or application/x-www-form-urlencoded.',
    ])
  })

  it('that is right leads to the check of the other fields', async () => {
    const { recipient, ...fields } = signed()

    const { status, body } = await ask('POST', '/toys/mail', urlencoded(fields))

    expect([status, body.error.details]).toMatchObject([400, [{ path: 'body.recipient' }]])
  })

  it('may be refused for good', async () => {
    const { status, code } = await ask(
      'POST',
      '/toys/mail',
      urlencoded(signed({ recipient: 'nobody@example.de' })),
    )

    expect([status, code]).toEqual([406, 'USER_NOT_FOUND'])
  })

  it('may be over', async () => {
    const { status } = await ask('POST', '/toys/mail', urlencoded(signed({}, secrets.expired)))

    expect(status).toBe(410)
  })
})

describe('files of a form', () => {
  const attachments = (count: number) =>
    Array.from({ length: count }, (_, at): [string, string, string] => [
      `attachment-${at + 1}`,
      `${at}.png`,
      `${at}`,
    ])

  it('are returned by a pattern of their names, in their order, with the sender’s data about them', async () => {
    const { status, body } = await ask('POST', '/toys/mail', multipart(signed(), attachments(3)))

    expect([status, body.attachments]).toEqual([
      200,
      ['attachment-1|0.png|image/png|0', 'attachment-2|1.png|image/png|1', 'attachment-3|2.png|image/png|2'],
    ])
  })

  it('may be fifty if fifty are declared; 51 are refused', async () => {
    const fifty = await ask('POST', '/toys/mail', multipart(signed(), attachments(50)))
    const one = await ask('POST', '/toys/mail', multipart(signed(), attachments(51)))

    expect([fifty.status, fifty.body.attachments.length]).toEqual([200, 50])
    expect([one.status, one.body.error.details]).toEqual([
      400,
      [{ path: 'body.attachment-N', message: 'At most 50.' }],
    ])
    expect(services.received).toHaveLength(1)
  })

  it('that are not declared are collected if the endpoint says so', async () => {
    const { body } = await ask(
      'POST',
      '/toys/mail',
      multipart(signed(), [
        ['attachment-', 'a.png', 'a'],
        ['attachment-1', 'b.png', 'b'],
        ['something', 'c.png', 'c'],
      ]),
    )

    expect(body.attachments).toEqual(['attachment-1|b.png|image/png|b'])
    expect(body.rest).toEqual(['attachment-|a.png|image/png|a', 'something|c.png|image/png|c'])
  })

  it('that are not declared are refused if the endpoint says so', async () => {
    const { status, body } = await ask('POST', `/toy-box/${toyId}`, {
      ...multipart({ name: 'Bagger' }, [['virus', 'v.exe', 'v']]),
      headers: { 'X-Toy-Secret': secrets.one },
    })

    expect([status, body.error.details]).toMatchObject([422, [{ path: 'body.virus' }]])
  })

  it('may be missing if they are optional', async () => {
    const push = (files: [string, string, string][]) =>
      ask('POST', `/toy-box/${toyId}`, {
        ...multipart({ name: 'Bagger' }, files),
        headers: { 'X-Toy-Secret': secrets.one },
      })

    const [none, photo] = [await push([]), await push([['photo', 'Bagger.png', 'x']])]

    expect(none.body).toEqual({ photo: null, manuals: 0, shop: shops.one })
    expect(photo.body).toEqual({ photo: 'Bagger.png', manuals: 0, shop: shops.one })
  })

  it('may be one if one is declared', async () => {
    const { status, body } = await ask('POST', `/toy-box/${toyId}`, {
      ...multipart({ name: 'Bagger' }, [
        ['photo', 'a.png', 'x'],
        ['photo', 'b.png', 'y'],
      ]),
      headers: { 'X-Toy-Secret': secrets.one },
    })

    expect([status, body.error.details]).toEqual([422, [{ path: 'body.photo', message: 'At most 1.' }]])
  })
})

describe('an urlencoded body', () => {
  const order = (body: string | URLSearchParams, headers: Record<string, string> = post) =>
    ask('POST', `/toys/${secrets.one}/order`, { body, headers: { ...json, ...headers } })

  it('is read with spaces, umlauts and percent signs', async () => {
    const { status } = await order('name=Gro%C3%9Fer+Bagger+100%25&consent=yes')

    expect(status).toBe(303)
    expect(services.received).toMatchObject([{ name: 'Großer Bagger 100%' }])
  })

  it.each([
    ['a million pairs', 'a=1&'.repeat(1_000_000)],
    ['a million names', '&'.repeat(1_000_000)],
    ['a field that is too long', `consent=yes&name=${'x'.repeat(70_000)}`],
    ['a field twice that belongs once', 'name=a&name=b&consent=yes'],
  ])('with %s is refused', async (_, body) => {
    const { status, code } = await order(body)

    expect([status, code]).toEqual([422, 'VALIDATION_ERROR'])
    expect(services.received).toEqual([])
  })

  it('of a million pairs costs less than 20 milliseconds of CPU to refuse', () => {
    const event = { body: 'a=1&'.repeat(1_000_000), isBase64Encoded: false, headers: post }
    const refusing = () => {
      const before = process.cpuUsage()
      expect(() => readUrlencoded(event as never, defaultLimits)).toThrow('A form has at most 250 fields.')
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    }

    const milliseconds = Math.min(refusing(), refusing(), refusing())

    expect(milliseconds).toBeLessThan(20)
  })

  it.each([
    ['a=Gr%C3%B6%C3%9Fe&b=M%FCller+5+%80&%FC=&c', { a: 'Größe', b: 'Müller 5 €', ü: '', c: '' }],
    ['a=%FC&a=ü%2B&&=x', { a: ['ü', 'ü+'], '': 'x' }],
    ['a=%zz%F', { a: '%zz%F' }],
  ])('that is not UTF-8 is read as Windows-1252 if the endpoint says so: %s', (body, fields) => {
    const event = { body, isBase64Encoded: false, headers: post }

    expect(readUrlencoded(event as never, { ...defaultLimits, orWindows1252: true })).toEqual(fields)
  })

  it('over 4.4 MiB is too large', async () => {
    const { status } = await order(`name=${'x'.repeat(4.5 * 1024 * 1024)}`)

    expect(status).toBe(413)
  })

  it.each([
    'application/json',
    'multipart/form-data; boundary=x',
    'text/plain',
  ])('of the type %s is refused', async (type) => {
    const { status } = await order('name=Bagger&consent=yes', { 'Content-Type': type })

    expect(status).toBe(422)
  })

  it('may name prototypes without harm', async () => {
    const { status } = await order('__proto__=x&constructor=y&name=Bagger&consent=yes')

    expect([status, ({} as Record<string, unknown>).x]).toEqual([303, undefined])
  })
})

describe('a page', () => {
  it('is HTML in the language that the caller prefers', async () => {
    const languages = ['de-AT,de;q=0.9,en;q=0.5', 'en-GB', 'fr, en;q=0.2, de;q=0.1', 'fr', undefined]
    const pages = await Promise.all(
      languages.map((language) =>
        ask('GET', `/toys/${secrets.one}`, { headers: language ? { 'Accept-Language': language } : {} }),
      ),
    )

    expect(pages.map(({ body }) => /lang="(..)"/.exec(body)?.[1])).toEqual(['de', 'en', 'en', 'de', 'de'])
    expect(pages[0]?.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it.each([
    ['404 where its address is unknown', 'GET', '/toys/unbekannt', '', 404],
    ['410 where its address is over', 'GET', `/toys/${secrets.expired}`, '', 410],
    ['422 where its form is not complete', 'POST', `/toys/${secrets.one}/order`, 'name=Bagger', 422],
    ['422 where its form is none', 'POST', `/toys/${secrets.one}/order`, 'x'.repeat(3), 422],
    ['410 for a form of an address that is over', 'POST', `/toys/${secrets.expired}/order`, 'name=B', 410],
    ['404 for a file of an unknown address', 'GET', '/toys/unbekannt/manuals/a.pdf', '', 404],
  ])('refuses as a page: %s', async (_, method, path, body, status) => {
    const send = { ...(method === 'POST' && { body }) }
    const asPage = await ask(method, path, {
      ...send,
      headers: { ...html, ...post, 'Accept-Language': 'en' },
    })
    const asJson = await ask(method, path, { ...send, headers: { ...json, ...post } })

    expect([asPage.status, asPage.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    expect(asPage.body).toContain(`<title>That did not work</title><h1>${status}</h1>`)
    expect(asPage.headers.get('content-security-policy')).toBe(
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    )
    expect(asPage.headers.get('cache-control')).toBe('no-store')
    expect(asPage.headers.get('vary')).toBe('Accept')
    expect(asPage.headers.get('x-request-id')).toBeTruthy()
    expect([asJson.status, asJson.body.error.request_id]).toEqual([
      status,
      asJson.headers.get('x-request-id'),
    ])
  })

  it.each([
    ['fails', 'The template is broken.'],
    ['never ends', 'The error page took too long.'],
  ])('that refuses and %s is replaced by the envelope, and the log says why', async (how, message) => {
    const { status, code, headers } = await ask('GET', `/broken/${encodeURIComponent(how)}`, {
      headers: html,
    })

    expect([status, code, headers.get('vary')]).toEqual([404, 'CASE_NOT_FOUND', 'Accept'])
    expect(gateway.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'error page failed',
        error: [expect.objectContaining({ message })],
      }),
    )
  })

  it('is the answer for a caller that accepts everything', async () => {
    const { headers } = await ask('GET', '/toys/unbekannt', { headers: { Accept: '*/*' } })

    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('shows the entered values again, and the missing ones', async () => {
    const { status, body } = await ask('POST', `/toys/${secrets.one}/order`, {
      ...urlencoded({ name: '<script>"Bagger"' }),
      headers: html,
    })

    expect(status).toBe(422)
    expect(body).toContain('<p>body.consent</p>')
    expect(body).toContain('value="&#60;script&#62;&#34;Bagger&#34;"')
  })

  it('refuses a visitor without permission before the form is read, and knows the visitor', async () => {
    const { status, body } = await ask('POST', `/toys/${secrets.closed}/order`, {
      ...urlencoded({ name: 'Bagger' }),
      headers: html,
    })

    expect(status).toBe(410)
    expect(body).toContain(`<i>${shops.closed}</i>`)
  })

  it('of a good form leads to another address, and sets a cookie for it', async () => {
    const { status, headers, body } = await ask('POST', `/toys/${secrets.one}/order`, {
      ...urlencoded({ name: 'Bagger', consent: 'yes' }),
      headers: html,
    })

    expect([status, body, headers.get('location')]).toEqual([
      303,
      '',
      `${gateway.baseUrl}/toys/${secrets.one}`,
    ])
    expect(headers.get('set-cookie')).toBe(
      `toy_code=4711; Path=/toys/${secrets.one}; Max-Age=3600; HttpOnly; SameSite=Strict`,
    )
  })

  it('reads the cookie that it declares', async () => {
    const { body } = await ask('GET', `/toys/${secrets.one}`, {
      headers: { Cookie: 'a=b; toy_code=4711; c=d' },
    })

    expect(body).toContain('<p>4711</p>')
  })

  it('gets the address and the user agent of the connection, not the values that the caller claims', async () => {
    await ask('POST', `/toys/${secrets.one}/order`, {
      ...urlencoded({ name: 'Bagger', consent: 'yes' }),
      headers: { 'X-Forwarded-For': '1.2.3.4', 'User-Agent': `Toy ${'x'.repeat(600)}` },
    })

    expect(services.received).toMatchObject([
      { ip: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/), userAgent: `Toy ${'x'.repeat(496)}` },
    ])
  })
})

describe('a file to look at', () => {
  it.each([
    ['a PDF inline', 'Anleitung.pdf', 'inline', "script-src 'none'"],
    ['text inline, in a sandbox', 'Anleitung.txt', 'inline', 'sandbox'],
    ['what can run scripts only to be saved', 'Anleitung.svg', 'attachment', 'sandbox'],
  ])('is sent, %s', async (_, name, disposition, policy) => {
    const { status, headers, body } = await ask('GET', `/toys/${secrets.one}/manuals/${name}`)

    expect([status, body]).toEqual([200, '%PDF-1.7 Ein Bagger.'])
    expect(headers.get('content-disposition')).toBe(
      `${disposition}; filename="${name}"; filename*=UTF-8''${name}`,
    )
    expect(headers.get('content-security-policy')).toContain(policy)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('is sent in parts, too', async () => {
    const { status, body } = await ask('GET', `/toys/${secrets.one}/manuals/a.pdf`, {
      headers: { Range: 'bytes=9-11' },
    })

    expect([status, body]).toEqual([206, 'Ein'])
  })
})

describe('a stream of unknown length', () => {
  it('is sent as it comes, to be saved', async () => {
    const { status, headers, body } = await ask('GET', `/api/v1/toys/export?token=${secrets.one}&rows=2`)

    expect([status, body]).toEqual([200, `shop,row\r\n${shops.one},0\r\n${shops.one},1\r\n`])
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-length')).toBeNull()
    expect(headers.get('content-disposition')).toContain('attachment; filename="Spielzeug.csv"')
  })

  it('may be of many megabytes', async () => {
    const { body } = await ask('GET', `/api/v1/toys/export?token=${secrets.one}&rows=500000`)

    expect(body.length).toBeGreaterThan(10_000_000)
    expect(body.endsWith(',499999\r\n')).toBe(true)
  })

  it('of a type that is not declared is a fault of the service', async () => {
    const { status, code } = await ask('GET', '/api/v1/toys/undeclared')

    expect([status, code]).toEqual([500, 'INTERNAL_ERROR'])
  })

  it('that fails in the middle is broken off, and the log says why', async () => {
    const broken = ask('GET', `/api/v1/toys/export?token=${secrets.one}&rows=2000&breaksOff=yes`)

    await expect(broken).rejects.toThrow()
    expect(gateway.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: 'answer broken off',
        error: [expect.objectContaining({ message: 'The table went away.' })],
      }),
    )
  })

  it('is refused with 401 and 410 in the envelope', async () => {
    const answers = [
      await ask('GET', '/api/v1/toys/export'),
      await ask('GET', '/api/v1/toys/export?token=falsch'),
      await ask('GET', `/api/v1/toys/export?token=${secrets.one}&token=${secrets.one}`),
      await ask('GET', `/api/v1/toys/export?token=${secrets.expired}`),
    ]

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 410])
    expect(answers[3]?.code).toBe('ICAL_TOKEN_INVALID')
  })
})

describe('the log', () => {
  it('has one line per request, with the workspace and without any secret', async () => {
    await ask('GET', `/toys/${secrets.one}`)
    await ask('GET', `/toys/${secrets.expired}`)
    await ask('POST', '/toys/mail', urlencoded(signed()))

    const lines = gateway.log.map(({ message, resource, status, workspace_id }) => [
      message,
      resource,
      status,
      workspace_id,
    ])
    expect(lines).toEqual([
      ['request', '/toys/{token}', 200, shops.one],
      ['request', '/toys/{token}', 410, undefined],
      ['request', '/toys/mail', 200, shops.one],
    ])
    for (const secret of Object.values(secrets)) expect(JSON.stringify(gateway.log)).not.toContain(secret)
  })
})

describe('a request that takes too long', () => {
  it('is given up before the function is, and says whether something was changed', async () => {
    const { findToyForEver, changeToyForEver } = toys
    const impatient = await serveToys({ findToyForEver, changeToyForEver }, services, 1)
    const lost = `${impatient.baseUrl}/api/v1/toys/lost`

    const answers = await Promise.all([fetch(lost), fetch(lost, { method: 'POST' })])
    const bodies: { error: { message: string } }[] = await Promise.all(
      answers.map((answer) => answer.json() as Promise<never>),
    )
    await impatient.close()

    expect(answers.map(({ status }) => status)).toEqual([503, 503])
    expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', null])
    expect(bodies.map(({ error }) => error.message)).toEqual([
      'This took too long. Nothing was changed: try again in a moment.',
      'This took too long. It is not known whether the change was made: check before you send it again.',
    ])
    expect(impatient.log.map(({ message }) => message).sort()).toEqual([
      'request',
      'request',
      'request failed',
      'request failed',
    ])
  })
})
