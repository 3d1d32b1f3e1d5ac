import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KMSClient } from '@aws-sdk/client-kms'
import { afterAll, describe, expect, it } from 'vitest'
import { startKeyService } from '#infra/local/key-service.ts'
import { kmsSecretBox } from '#sync/secret-box.ts'

const folder = mkdtempSync(join(tmpdir(), 'keys-'))
afterAll(() => rmSync(folder, { recursive: true }))
const keyFile = join(folder, 'secrets.key')

const boxAt = (endpoint: string) =>
  kmsSecretBox(
    'alias/any',
    new KMSClient({
      endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  )

describe('the KMS on this machine', () => {
  it('opens what it sealed, in a later run too, for the same context alone', async () => {
    const context = { workspace_id: 'ws_1', account_id: 'sync_1' }
    const first = await startKeyService(keyFile)
    const sealed = await boxAt(first.endpoint).seal('Geheimnis: ünd mehr', context)
    await first.stop()
    const second = await startKeyService(keyFile)
    const box = boxAt(second.endpoint)

    const opened = await box.open(sealed, { account_id: 'sync_1', workspace_id: 'ws_1' })

    expect(opened).toBe('Geheimnis: ünd mehr')
    expect(Buffer.from(sealed, 'base64').toString()).not.toContain('Geheimnis')
    expect(await box.seal('Geheimnis: ünd mehr', context)).not.toBe(sealed)
    await expect(box.open(sealed, { ...context, account_id: 'sync_2' })).rejects.toMatchObject({
      name: 'InvalidCiphertextException',
    })
    await expect(box.open('AAAA', context)).rejects.toMatchObject({ name: 'InvalidCiphertextException' })
    await second.stop()
  })

  it('is 503 where it does not answer', async () => {
    const sealing = boxAt('http://127.0.0.1:1').seal('x', {})

    await expect(sealing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', kind: 'unavailable' })
  })

  it('keeps its key where its owner alone can read it', () => {
    expect(statSync(keyFile).mode & 0o777).toBe(0o600)
  })
})
