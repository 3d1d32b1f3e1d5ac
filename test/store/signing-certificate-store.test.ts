import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CertificateStore } from '#sealing/kms-signer.ts'
import { signingCertificateStore } from '#store/sealing/signing-certificate-store.ts'
import { ownTable } from '#test/support/own-table.ts'

const stores: CertificateStore[] = []
beforeAll(async () => {
  stores.push(signingCertificateStore(await ownTable()))
})
const store = () => stores[0] as CertificateStore
const keyOf = () => randomBytes(32).toString('hex')
const selfSigned = (public_key_sha256: string, name: string) => ({
  public_key_sha256,
  chain: [Buffer.from(name).toString('base64')],
  origin: 'self_signed' as const,
  stored_at: '2026-11-20T10:15:30.000Z',
})

describe('the certificates of a signing key', () => {
  it('are one, where twenty workers make one at the same moment', async () => {
    const key = keyOf()

    const found = await Promise.all(
      Array.from({ length: 20 }, (_, worker) =>
        store().findOrAdd(key, async () => selfSigned(key, `worker ${worker}`)),
      ),
    )

    expect(new Set(found.map(({ chain }) => chain.join())).size).toBe(1)
    expect(await store().find(key)).toEqual(found[0])
  })

  it('are made once', async () => {
    const key = keyOf()
    await store().findOrAdd(key, async () => selfSigned(key, 'first'))

    const again = await store().findOrAdd(key, () => Promise.reject(new Error('It was made again.')))

    expect(again).toEqual(selfSigned(key, 'first'))
  })

  it('are replaced by those that are imported', async () => {
    const key = keyOf()
    await store().findOrAdd(key, async () => selfSigned(key, 'first'))
    const imported = { ...selfSigned(key, 'imported'), origin: 'imported' as const }

    await store().replace(imported)

    expect(await store().findOrAdd(key, async () => selfSigned(key, 'later'))).toEqual(imported)
  })

  it('are found for their own key only', async () => {
    const key = keyOf()
    await store().findOrAdd(key, async () => selfSigned(key, 'first'))

    expect(await store().find(keyOf())).toBeUndefined()
  })
})
