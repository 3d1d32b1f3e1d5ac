import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { startDatabase } from '#infra/local/database.ts'
import { setEnvironment } from '#infra/local/set-environment.ts'

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

test('without a DynamoDB for this machine the message names every way to one', async () => {
  vi.stubGlobal('process', Object.create(process, { arch: { value: 'abacus' } }))

  const refusal = startDatabase('/unused', credentials, { PATH: '/nowhere:' })

  await expect(refusal).rejects.toThrow(
    /npm install .*@dynoxide\/\w+-abacus.*PATH.*AWS_ENDPOINT_URL_DYNAMODB=/s,
  )
})

test('a DynamoDB that is named is used, whatever else there is', async () => {
  const database = await startDatabase('/unused', credentials, {
    AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:4566',
  })

  expect(database).toMatchObject({ endpoint: 'http://localhost:4566', isOurs: false })
})

test.each([
  ['https://dynamodb.eu-central-1.amazonaws.com', 'works on local data only'],
  ['localhost', 'must be a URL'],
])('%s is refused as DynamoDB', async (endpoint, reason) => {
  await expect(
    startDatabase('/unused', credentials, { AWS_ENDPOINT_URL_DYNAMODB: endpoint }),
  ).rejects.toThrow(reason)
})

test('variables that are set already are respected, and the credentials that a named service may demand', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-'))
  const file = join(folder, 'credentials')
  writeFileSync(
    file,
    '[localstack]\naws_access_key_id = profile-id\naws_secret_access_key = profile-secret\n',
  )
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file)
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:4566',
    AWS_REGION: 'eu-west-1',
    AWS_PROFILE: 'localstack',
    LOG_LEVEL: 'DEBUG',
  }

  const { credentials, shared } = await setEnvironment(environment)
  rmSync(folder, { recursive: true })

  expect(environment).toMatchObject({
    AWS_REGION: 'eu-west-1',
    AWS_PROFILE: 'localstack',
    LOG_LEVEL: 'DEBUG',
    TABLE_NAME: 'aktenlage-local',
  })
  expect(credentials).toEqual({ accessKeyId: 'profile-id', secretAccessKey: 'profile-secret' })
  expect(JSON.stringify(shared)).not.toContain('profile')
})

test('a profile that cannot be read is refused by name', async () => {
  const environment = { AWS_ENDPOINT_URL_SQS: 'http://localhost:4566', AWS_PROFILE: 'nowhere' }

  await expect(setEnvironment(environment)).rejects.toThrow('AWS_PROFILE names the profile nowhere')
})

test('every run on services of this machine has a secret of its own, whatever credentials of AWS there are', async () => {
  const environments = [1, 2].map(() => ({
    AWS_PROFILE: 'mine',
    AWS_ACCESS_KEY_ID: 'AKIAREAL',
    AWS_SECRET_ACCESS_KEY: 'real',
    AWS_SESSION_TOKEN: 'real',
  }))

  const [first, second] = await Promise.all(environments.map((environment) => setEnvironment(environment)))

  expect(first?.credentials.secretAccessKey).toMatch(/^[0-9a-f]{64}$/)
  expect(first?.credentials.secretAccessKey).not.toBe(second?.credentials.secretAccessKey)
  expect(environments[0]).toMatchObject({
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: first?.credentials.secretAccessKey,
  })
  expect(JSON.stringify(environments)).not.toMatch(/real|mine/i)
})
