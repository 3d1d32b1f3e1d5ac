import { describe, expect, it } from 'vitest'
import { type Credential, isCredential } from '#http/access.ts'
import type { Endpoint } from '#http/endpoint.ts'
import type { Send } from './api.ts'
import { type Prepared, pathWithQuery, sendOf } from './fixture.ts'

/** An endpoint with its own credential, and the way to prepare and send a request for it. */
export type CredentialCase = {
  operation: string
  endpoint: Endpoint<never>
  prepareOwn: () => Promise<Prepared>
  /** The same for requests that are refused: they change nothing of it. */
  prepareRefused: () => Promise<Prepared>
  /** The same in another workspace. */
  prepareForeign: () => Promise<Prepared>
  ask: (method: string, path: string, send: Send) => Promise<Pick<Response, 'status'> & { body: unknown }>
  /** A header with a valid API key. */
  apiKey: () => Promise<Record<string, string>>
}

type Shown = Prepared['credential']

/** The tests for every endpoint with its own credential: it accepts this credential and nothing else. */
export function describeCredentials(cases: CredentialCase[]): void {
  describe.each(cases.map((one) => [title(one), one] as const))('%s', (_, one) => {
    it('opens to its credential', async () => {
      const own = await one.prepareOwn()

      const { status, body } = await request(one, own, own.credential)

      expect(status).toBe(one.endpoint.status)
      if (own.shows !== undefined) expect(JSON.stringify(body)).toContain(own.shows)
    })

    it('opens neither without it nor to an API key', async () => {
      const own = await one.prepareRefused()

      const answers = [
        await request(one, own, undefined),
        await request(one, own, undefined, await one.apiKey()),
      ]

      for (const answer of answers) expectRefusal(one, answer)
    })

    it('opens to none that is wrong, empty or shown twice', async () => {
      const own = await one.prepareRefused()
      const wrong = [
        ...changed(own.credential).map((credential) => ({ credential, twice: false })),
        { credential: mapped(own.credential, () => 'x'.repeat(43)), twice: false },
        // Without it, a path is another path, and it has only one place for it.
        ...(credentialOf(one).in === 'path'
          ? []
          : [
              { credential: mapped(own.credential, () => ''), twice: false },
              { credential: own.credential, twice: true },
            ]),
      ]

      for (const { credential, twice } of wrong)
        expectRefusal(one, await request(one, own, credential, {}, twice))
    })

    it('shows nothing of a workspace to the credential of another', async () => {
      const own = await one.prepareRefused()
      const foreign = await one.prepareForeign()

      const answer = await request(one, own, foreign.credential)

      // If only the credential selects the workspace, the answer shows the other workspace; otherwise it is a
      // refusal.
      if (own.shows === undefined) expectRefusal(one, answer)
      else expect(JSON.stringify(answer.body)).not.toContain(own.shows)
    })
  })
}

function title({ operation, endpoint }: CredentialCase): string {
  return `${operation} (${endpoint.method} ${endpoint.path})`
}

function credentialOf({ endpoint }: Pick<CredentialCase, 'endpoint'>): Credential<never> {
  if (!isCredential(endpoint.access)) throw new Error(`${endpoint.path} takes API keys.`)
  return endpoint.access
}

/** Sends the prepared request with this credential at its place. */
export function request(
  one: Pick<CredentialCase, 'endpoint' | 'ask'>,
  prepared: Prepared,
  shown: Shown,
  headers: Record<string, string> = {},
  twice = false,
) {
  const { endpoint, ask } = one
  const credential = credentialOf(one)
  const send = { ...sendOf(endpoint, prepared), headers: { Accept: 'application/json', ...headers } }
  const path = pathWithQuery(endpoint, prepared)
  const values = shown === undefined ? [] : Array<NonNullable<Shown>>(twice ? 2 : 1).fill(shown)
  if (credential.in === 'header') {
    const added = values.length > 0 && { [credential.name]: values.join(', ') }
    return ask(endpoint.method, path, { ...send, headers: { ...send.headers, ...added } })
  }
  if (credential.in === 'query') {
    const url = new URL(path, 'http://localhost')
    for (const value of values) url.searchParams.append(credential.name, String(value))
    return ask(endpoint.method, url.pathname + url.search, send)
  }
  if (credential.in === 'path') {
    const params = { ...prepared.params, [credential.name]: String(values[0] ?? 'none') }
    return ask(endpoint.method, pathWithQuery(endpoint, { ...prepared, params }), send)
  }
  for (const value of values) append(send.raw, value as Record<string, string>)
  return ask(endpoint.method, path, send)
}

function append(form: Send['raw'], fields: Record<string, string>): void {
  if (!(form instanceof FormData || form instanceof URLSearchParams))
    throw new Error('A credential in a form needs a form.')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
}

/** The credential with its last character changed; if it has several fields, one field at a time. */
function changed(credential: Shown): NonNullable<Shown>[] {
  const change = (text: string) => `${text.slice(0, -1)}${text.endsWith('a') ? 'b' : 'a'}`
  if (typeof credential !== 'object') return [change(credential ?? '')]
  return Object.entries(credential).map(([name, text]) => ({ ...credential, [name]: change(text) }))
}

function mapped(credential: Shown, map: (text: string) => string): NonNullable<Shown> {
  if (typeof credential !== 'object') return map(credential ?? '')
  return Object.fromEntries(Object.entries(credential).map(([name, text]) => [name, map(text)]))
}

function expectRefusal(
  { endpoint }: CredentialCase,
  { status, body }: { status: number; body: unknown },
): void {
  const { code } = (body as { error?: { code: string } }).error ?? {}
  const codes: Record<number, readonly string[] | undefined> = {
    401: endpoint.errors[401],
    // An address without its secret part matches no route.
    404: [...(endpoint.errors[404] ?? []), 'ROUTE_NOT_FOUND'],
  }
  expect({ status, code }).toEqual({ status: expect.toSatisfy((one) => one === 401 || one === 404), code })
  expect(codes[status]).toContain(code)
}
