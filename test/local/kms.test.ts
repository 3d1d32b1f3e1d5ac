import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KMSClient } from '@aws-sdk/client-kms'
import { afterAll, describe, expect, it } from 'vitest'
import { startKms } from '#infra/local/emulators/kms.ts'
import { openSigningKey } from '#infra/local/emulators/kms-signing-key.ts'
import { kmsSecretBox } from '#secrets/secret-box.ts'

const folder = mkdtempSync(join(tmpdir(), 'keys-'))
afterAll(() => rmSync(folder, { recursive: true }))
const keyFile = join(folder, 'secrets.key')
const signingKeyFile = join(folder, 'signing.key')
const files = { keyFile, signingKeyFile }

const credentials = { accessKeyId: 'local', secretAccessKey: 'of this run' }
const boxAt = (endpoint: string, signedWith = credentials) =>
  kmsSecretBox(
    'alias/any',
    new KMSClient({ endpoint, region: 'eu-central-1', credentials: signedWith, maxAttempts: 1 }),
  )

const context = {
  purpose: 'calendar',
  workspace_id: 'ws_1',
  account_id: 'sync_1',
  kind: 'credentials',
} as const

describe('the KMS on this machine', () => {
  it('opens what it sealed, also in a later run, but only for the same context', async () => {
    const reordered = {
      account_id: 'sync_1',
      workspace_id: 'ws_1',
      kind: 'credentials',
      purpose: 'calendar',
    } as const
    const first = await startKms(files, credentials)
    const sealed = await boxAt(first.endpoint).seal('Geheimnis: ünd mehr', context)
    await first.close()
    const second = await startKms(files, credentials)
    const box = boxAt(second.endpoint)

    const opened = await box.open(sealed, reordered)

    expect(opened).toBe('Geheimnis: ünd mehr')
    expect(Buffer.from(sealed, 'base64').toString()).not.toContain('Geheimnis')
    expect(await box.seal('Geheimnis: ünd mehr', context)).not.toBe(sealed)
    await expect(box.open(sealed, { ...context, account_id: 'sync_2' })).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
    })
    await expect(box.open('AAAA', context)).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
    await second.close()
  })

  it('decrypts nothing without the secret of the run', async () => {
    const kms = await startKms(files, credentials)
    const sealed = await boxAt(kms.endpoint).seal('Geheimnis', context)
    const stranger = boxAt(kms.endpoint, { ...credentials, secretAccessKey: 'of another run' })

    const opening = stranger.open(sealed, context)
    const unsigned = await fetch(kms.endpoint, {
      method: 'POST',
      headers: { 'X-Amz-Target': 'TrentService.Decrypt' },
      body: JSON.stringify({ CiphertextBlob: sealed }),
    })

    await expect(opening).rejects.toMatchObject({ name: 'InvalidSignatureException' })
    expect(unsigned.status).toBe(403)
    await kms.close()
  })

  it.each(['', 'abc', `${'0'.repeat(63)}x`])('does not start on a damaged key: %j', async (content) => {
    const damaged = join(folder, 'damaged.key')
    writeFileSync(damaged, content)

    await expect(startKms({ ...files, keyFile: damaged }, credentials)).rejects.toThrow(
      /damaged.*npm start -- --fresh/,
    )
    expect(readFileSync(damaged, 'utf8')).toBe(content)
  })

  it('causes a 503 if it does not answer', async () => {
    const sealing = boxAt('http://127.0.0.1:1').seal('x', context)

    await expect(sealing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', kind: 'unavailable' })
  })

  it('stores its key in a file that only the owner can read', () => {
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  })
})

it('a signing key that could not be stored is created by the next call', async () => {
  const missing = join(folder, 'later')
  const key = openSigningKey(join(missing, 'signing.key'))
  await expect(key.describe()).rejects.toThrow('ENOENT')
  mkdirSync(missing)

  const described = await key.describe()

  expect(described).toEqual(await openSigningKey(join(missing, 'signing.key')).describe())
})
