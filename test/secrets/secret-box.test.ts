import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KMSClient } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startKms } from '#infra/local/emulators/kms.ts'
import type { SecretBox, SecretContext } from '#kernel/secret-box.ts'
import { kmsSecretBox } from '#secrets/secret-box.ts'
import fc from '#test/support/properties.ts'

const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
const credentials = { accessKeyId: 'local', secretAccessKey: 'of this run' }
let kms: Awaited<ReturnType<typeof startKms>>
let box: SecretBox

beforeAll(async () => {
  const files = { keyFile: join(folder, 'secrets.key'), signingKeyFile: join(folder, 'signing.key') }
  kms = await startKms(files, credentials)
  const { endpoint } = kms
  box = kmsSecretBox('alias/any', new KMSClient({ endpoint, region: 'eu-central-1', credentials }))
})
afterAll(async () => {
  await kms.close()
  rmSync(folder, { recursive: true })
})

const id = fc.string({ minLength: 1, maxLength: 40 })
const contexts: fc.Arbitrary<SecretContext> = fc.record({
  purpose: fc.constantFrom('calendar', 'bea'),
  workspace_id: id,
  account_id: id,
  kind: id,
})
const runs = { numRuns: 40 }

describe('a sealed secret', () => {
  it('opens to the text that was sealed, of any length and with any characters', async () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 20_000 })

    await fc.assert(
      fc.asyncProperty(texts, contexts, async (text, context) => {
        expect(await box.open(await box.seal(text, context), context)).toBe(text)
      }),
      runs,
    )
  })

  it('may be longer than the 4 KiB that KMS encrypts', async () => {
    const context: SecretContext = { purpose: 'bea', workspace_id: 'ws_1', account_id: 'a', kind: 'key' }
    const long = 'ä'.repeat(50_000)

    const sealed = await box.seal(long, context)

    expect(await box.open(sealed, context)).toBe(long)
  })

  it('does not open if one byte was changed', async () => {
    const changes = fc.record({ text: fc.string(), at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) })

    await fc.assert(
      fc.asyncProperty(changes, contexts, async ({ text, at, by }, context) => {
        const bytes = Buffer.from(await box.seal(text, context), 'base64')
        const place = at % bytes.length
        bytes[place] = (bytes[place] ?? 0) ^ by

        await expect(box.open(bytes.toString('base64'), context)).rejects.toThrow()
      }),
      { numRuns: 200 },
    )
  })

  it('does not open if it is incomplete', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.nat(), contexts, async (text, at, context) => {
        const bytes = Buffer.from(await box.seal(text, context), 'base64')
        const cut = bytes.subarray(0, at % bytes.length)

        await expect(box.open(cut.toString('base64'), context)).rejects.toThrow()
      }),
      { numRuns: 100 },
    )
  })

  it('does not open if any member of the context differs', async () => {
    const members = fc.constantFrom('purpose', 'workspace_id', 'account_id', 'kind')

    await fc.assert(
      fc.asyncProperty(fc.string(), contexts, contexts, members, async (text, context, other, member) => {
        fc.pre(context[member] !== other[member])
        const sealed = await box.seal(text, context)

        await expect(box.open(sealed, { ...context, [member]: other[member] })).rejects.toThrow()
      }),
      { numRuns: 100 },
    )
  })

  it('does not open with another context, even if KMS decrypts the key', async () => {
    const context: SecretContext = { purpose: 'bea', workspace_id: 'ws_1', account_id: 'a', kind: 'key' }
    const careless = {
      send: async ({ input }: { input: { Plaintext?: Uint8Array; CiphertextBlob?: Uint8Array } }) => ({
        CiphertextBlob: input.Plaintext,
        Plaintext: input.CiphertextBlob,
      }),
    } as unknown as KMSClient
    const alone = kmsSecretBox('alias/any', careless)
    const sealed = await alone.seal('Geheimnis', context)

    expect(await alone.open(sealed, context)).toBe('Geheimnis')
    await expect(alone.open(sealed, { ...context, account_id: 'b' })).rejects.toThrow()
  })

  it('is different each time, and does not contain the text', async () => {
    const context: SecretContext = { purpose: 'bea', workspace_id: 'ws_1', account_id: 'a', kind: 'key' }

    const [one, other] = [await box.seal('Geheimnis', context), await box.seal('Geheimnis', context)]

    expect(one).not.toBe(other)
    expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain('Geheimnis')
  })
})
