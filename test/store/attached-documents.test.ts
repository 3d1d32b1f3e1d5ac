import { beforeAll, expect, it } from 'vitest'
import { beaDocuments } from '#documents/bea-documents.ts'
import { systemClock, timestamp } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { sharedTable } from '#test/support/table.ts'

let stores: ReturnType<typeof envelopeStores>
beforeAll(async () => {
  stores = envelopeStores(await sharedTable())
})

it.each([9, 10])('a beA message with %i attachments without a text is filed', async (count) => {
  const workspace = newId('workspace')
  const case_id = await stores.addCase(workspace)
  const files = { head: async () => ({ sizeBytes: 3, etag: '"e"' }), copy: async () => {} }
  const attached = Array.from({ length: count }, (_, at) => ({
    document_id: newId('document'),
    filename: `Signatur ${at}.p7s`,
    mime_type: 'application/pkcs7-signature',
    size_bytes: 3,
    sha256: hexDigest(`${at}`),
    key: `bea/${at}`,
  }))
  const add = beaDocuments({ store: stores.documents, files, clock: systemClock })

  const made = await add({ workspace_id: workspace, id: newId('beaMessage') }, attached, {
    to: case_id,
    at: timestamp(systemClock),
  })

  expect(made.size).toBe(count)
  const found = await stores.documents.findAll(workspace, [...made])
  expect(found.map((one) => [one.case_id, one.status_reason])).toEqual(
    Array.from({ length: count }, () => [case_id, 'unsupported_type']),
  )
})
