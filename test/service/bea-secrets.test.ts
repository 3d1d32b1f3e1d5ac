import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, api } from '#test/support/api.ts'
import { form } from '#test/support/documents.ts'
import { type Service, startService } from '#test/support/service.ts'

let service: Service
let owner: Api
beforeAll(async () => {
  service = await startService({ commandLine: ['--empty'], environment: { LOG_LEVEL: 'INFO' }, bea: true })
  owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key ?? '')
})
afterAll(() => service.stop())

const accounts = '/api/v1/bea/accounts'

it('no key, passphrase, certificate file or session is in an answer or in the log of a whole run (B2)', async () => {
  // Prepare
  const [lawyer] = service.credentials.bea ?? []
  if (lawyer === undefined) throw new Error('The demo network has no lawyer.')
  const { certificate_base64, passphrase, label, safe_id } = lawyer
  const bytes = Buffer.from(certificate_base64, 'base64')
  const answers: unknown[] = []
  const call = async (...request: Parameters<Api>) => {
    const answer = await owner(...request)
    answers.push(answer.body)
    return answer
  }

  // Act
  const wrong = { certificate_base64, passphrase: `${passphrase}-falsch`, label }
  const refused = await call('POST', accounts, { body: wrong })
  const connected = await call('POST', `${accounts}/upload`, {
    raw: form({ file: { bytes } }, { passphrase, label }),
  })
  const again = await call('POST', accounts, { body: { certificate_base64, passphrase, label } })
  const { id: account_id } = connected.body
  const path = `${accounts}/${account_id}`
  const session = await call('POST', '/api/v1/bea/auth/login', { body: { account_id } })
  const relayed = await call('POST', '/api/v1/bea/auth/local-login', { body: { account_id } })
  const { login_id } = relayed.body
  const signatures = [{ id: 'challengeVal', data: 'ZmFsc2No' }]
  const unsigned = await call('POST', '/api/v1/bea/auth/local-login', { body: { login_id, signatures } })
  const folders = await call('GET', `${path}/folders`)
  await call('GET', `${path}/administered-postboxes`)
  await call('GET', `${path}/permissions`)
  await call('GET', '/api/v1/bea/directory/search?q=fehler')
  await call('GET', path)
  await call('GET', accounts)
  await call('POST', `/api/v1/bea/auth/logout/${account_id}`)
  await call('DELETE', path)

  // Assess
  expect(
    [refused, connected, again, session, relayed, unsigned, folders].map(({ status }) => status),
  ).toEqual([422, 201, 409, 200, 200, 422, 200])
  expect(connected.body.safe_id).toBe(safe_id)
  const lines = service.output().split('\n')
  const log = lines.filter((line) => line.startsWith('{')).join('\n')
  expect(log).toContain('"resource":"/api/v1/bea/auth/login"')
  const secrets = [
    passphrase,
    certificate_base64.slice(100, 140),
    'PRIVATE KEY',
    'session_key',
    'sealed',
    'tokenPAOS',
    'bex-ident',
  ]
  // The demo passphrase also stands in names of the demo network.
  const { subject, issuer } = connected.body.certificate
  for (const text of [log, JSON.stringify(answers)]) {
    const told = [subject, issuer, label].reduce((rest, name) => rest.replaceAll(name, ''), text)
    for (const secret of secrets) expect(told.includes(secret), secret).toBe(false)
  }
  // Whatever a token or a key looks like: nothing as long and random stands in the log.
  const suspicious = log.match(/[A-Za-z0-9+/_-]{60,}/g) ?? []
  expect(suspicious.filter((text) => !/^[0-9a-f-]+$|\//.test(text))).toEqual([])
})
