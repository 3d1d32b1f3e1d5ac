import {
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  KMSClient,
  NotFoundException,
} from '@aws-sdk/client-kms'
import { mockClient } from 'aws-sdk-client-mock'
import { beforeEach, expect, it } from 'vitest'
import { CannotStart } from '#infra/local/cannot-start.ts'
import { createKeys } from '#infra/local/create-storage.ts'

const kms = mockClient(KMSClient)
const inputsOf = (command: typeof CreateKeyCommand | typeof CreateAliasCommand) =>
  kms.commandCalls(command as typeof CreateKeyCommand).map(({ args }) => args[0].input)
const names = { secrets: 'alias/aktenlage-local', signing: 'alias/aktenlage-local-signing' }

beforeEach(() => {
  kms.reset()
  kms.on(DescribeKeyCommand).rejects(new NotFoundException({ message: 'Alias is not found.', $metadata: {} }))
  kms
    .on(CreateKeyCommand)
    .resolvesOnce({ KeyMetadata: { KeyId: 'one' } })
    .resolves({ KeyMetadata: { KeyId: 'other' } })
  kms.on(CreateAliasCommand).resolves({})
})

it('the keys that functions name are created in another KMS, of the same kinds as on AWS', async () => {
  await createKeys(names)

  expect(inputsOf(CreateKeyCommand)).toEqual([{}, { KeySpec: 'RSA_3072', KeyUsage: 'SIGN_VERIFY' }])
  expect(inputsOf(CreateAliasCommand)).toEqual([
    { AliasName: names.secrets, TargetKeyId: 'one' },
    { AliasName: names.signing, TargetKeyId: 'other' },
  ])
})

it('keys that exist, or that the environment names by their own ids, are used as they are', async () => {
  kms.on(DescribeKeyCommand, { KeyId: names.secrets }).resolves({})

  await createKeys({ ...names, signing: 'arn:aws:kms:eu-central-1:000000000000:key/k' })

  expect(inputsOf(CreateKeyCommand)).toEqual([])
  expect(inputsOf(CreateAliasCommand)).toEqual([])
})

it('a KMS that does not answer stops the start with a sentence', async () => {
  kms.on(DescribeKeyCommand).rejects(new Error('ECONNREFUSED'))

  await expect(createKeys(names)).rejects.toThrow(CannotStart)
})
