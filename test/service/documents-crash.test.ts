import { describe, expect, it, vi } from 'vitest'
import { type Api, allOf } from '#test/support/api.ts'
import { corpus, settled, upload } from '#test/support/documents.ts'
import { restarts } from '#test/support/restarts.ts'
import { indexed, search } from '#test/support/search.ts'

const { started, kill } = restarts()

describe('documents of a service that is killed', () => {
  it('between the answer and the reading are all read once it is back', async () => {
    const before = await started()
    const kase = (await before.owner('POST', '/api/v1/cases', { body: { name: 'Absturz' } })).body
    const accepted = new Map<string, Uint8Array>()

    // Ten callers upload until the line goes dead, a slow document among them.
    const callers = Array.from({ length: 10 }, async (_, caller) => {
      for (let round = 0; ; round += 1) {
        const bytes =
          caller === 0 && round === 0
            ? corpus('zwei-seiten.tif')
            : new TextEncoder().encode(`Anrufer ${caller}, Runde ${round}, ${Math.random()}`)
        const { status, body } = await upload(before.owner, { bytes }, { case_id: kase.id })
        if (status === 201) accepted.set(body.id, bytes)
      }
    })
    const dead = Promise.allSettled(callers)
    await vi.waitFor(() => expect(accepted.size).toBeGreaterThan(15), { timeout: 60_000 })
    const fax = corpus('scan.png')
    accepted.set(await announce(before.owner, fax, kase.id), fax)
    await kill()
    await dead

    // Once more in the middle of taking up what was left.
    await started()
    await new Promise((resolve) => setTimeout(resolve, 700))
    await kill()

    const { owner } = await started()
    const statuses = new Set<string>()
    for (const [id, bytes] of accepted) {
      statuses.add((await settled(owner, id)).status)
      const file = await owner('GET', `/api/v1/documents/${id}/download`)
      expect(Buffer.compare(file.bytes, bytes)).toBe(0)
    }
    expect([...statuses]).toEqual(['processed'])
    const timeline = await allOf(owner, `/api/v1/cases/${kase.id}/timeline`)
    const told = timeline.map(({ ref }) => ref.id)
    for (const id of accepted.keys()) expect(told.filter((one) => one === id)).toHaveLength(1)
  })

  it('after their texts were read and before they were indexed are found once it is back', async () => {
    const before = await started()
    // If this test is repeated, it finds only the documents of its repetition.
    const marked = `Quittenmarmelade ${Math.floor(Math.random() * 1e9)}`
    const uploads = Array.from({ length: 10 }, (_, at) =>
      upload(before.owner, { bytes: `${marked}, Blatt ${at}.` }),
    )
    const ids: string[] = (await Promise.all(uploads)).map(({ body }) => body.id)
    for (const id of ids) await settled(before.owner, id)
    await kill()

    const { owner } = await started()
    await indexed(owner)

    const { total, index } = await search(owner, marked)
    expect([total, index.pending]).toEqual([10, 0])
  })
})

/** Announces and completes an upload for a case. @returns the id of the document, which is not read yet */
async function announce(owner: Api, bytes: Uint8Array<ArrayBuffer>, case_id: string): Promise<string> {
  const { body } = await owner('POST', '/api/v1/documents/uploads', {
    body: { filename: 'Fax.png', mime_type: 'image/png', size_bytes: bytes.length, case_id },
  })
  await fetch(body.upload.url, { method: 'PUT', headers: body.upload.headers, body: bytes })
  await owner('POST', `/api/v1/documents/${body.document.id}/complete`)
  return body.document.id
}
