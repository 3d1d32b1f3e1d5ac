import { afterEach, expect, test, vi } from 'vitest'
import { startEngine } from '#infra/local/engine.ts'
import { setEnvironment } from '#infra/local/set-environment.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('without a DynamoDB for this machine the message names every way to one', async () => {
  vi.stubGlobal('process', Object.create(process, { arch: { value: 'abacus' } }))

  const refusal = startEngine('/unused', { PATH: '/nowhere:' })

  await expect(refusal).rejects.toThrow(
    /npm install .*@dynoxide\/\w+-abacus.*PATH.*AWS_ENDPOINT_URL_DYNAMODB=/s,
  )
})

test('a DynamoDB that is named is used, whatever else there is', async () => {
  const engine = await startEngine('/unused', { AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:4566' })

  expect(engine).toMatchObject({ endpoint: 'http://localhost:4566', isOurs: false })
})

test.each([
  ['https://dynamodb.eu-central-1.amazonaws.com', 'works on local data only'],
  ['localhost', 'must be a URL'],
])('%s is refused as DynamoDB', async (endpoint, reason) => {
  await expect(startEngine('/unused', { AWS_ENDPOINT_URL_DYNAMODB: endpoint })).rejects.toThrow(reason)
})

test('variables that are set already are respected', async () => {
  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: 'http://localhost:4566',
    AWS_REGION: 'eu-west-1',
    AWS_PROFILE: 'localstack',
    LOG_LEVEL: 'DEBUG',
  }

  setEnvironment(await startEngine('/unused', environment), environment)

  expect(environment).toMatchObject({
    AWS_REGION: 'eu-west-1',
    AWS_PROFILE: 'localstack',
    LOG_LEVEL: 'DEBUG',
    TABLE_NAME: 'aktenlage-local',
  })
})
