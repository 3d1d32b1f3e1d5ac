import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { isIntact } from '#kernel/hash-chain.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { type Api, api } from '#test/support/api.ts'
import { newDataFolder } from '#test/support/data-folder.ts'
import { corpus } from '#test/support/documents.ts'
import type { Firm } from '#test/support/firm.ts'
import { newAddress, sentTo } from '#test/support/sent-mail.ts'
import { type Service, startService } from '#test/support/service.ts'
import { sendEnvelope, visitor } from '#test/support/signing.ts'

/** S7: the whole service is killed again and again while it seals. `test/signing/completion.test.ts` kills at each step. */

const ending: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

const kills = 3

it('an envelope whose service is killed while it seals is completed once: one copy, one entry, one mail each', async () => {
  const dataDir = newDataFolder()
  ending.push(() => rmSync(dataDir, { recursive: true, force: true }))
  const start = async (): Promise<{ service: Service; owner: Api; firm: Firm }> => {
    const service = await startService({ dataDir, commandLine: ['--empty'] })
    const owner = api(service.baseUrl, service.credentials.workspaces[0]?.users[0]?.api_key)
    return { service, owner, firm: { owner, baseUrl: service.baseUrl } as Firm }
  }
  const addresses = [newAddress(), newAddress()]
  const first = await start()
  const envelope = await sendEnvelope(first.firm, {
    documents: ['vertrag.pdf', 'vertrag.docx'].map((filename) => ({ bytes: corpus(filename), filename })),
    signers: [
      { name: 'Anna Meier', email: addresses[0] as string },
      { name: 'Clara Kopie', email: addresses[1] as string, role: 'cc' },
    ],
  })
  const path = `/api/v1/signing/envelopes/${envelope.id}`
  const signer = visitor(first.firm, await envelope.link())
  await signer.open()
  await signer.sign()
  await sleep(Math.random() * 500)
  await first.service.kill()
  for (let kill = 1; kill < kills; kill += 1) {
    const { service } = await start()
    await sleep(Math.random() * 2_000)
    await service.kill()
  }

  const { service, owner } = await start()
  ending.push(() => service.stop())

  const { documents } = await vi.waitFor(
    async () => {
      const { body } = await owner('GET', path)
      expect(body.status).toBe('completed')
      return body
    },
    { timeout: 100_000, interval: 200 },
  )
  const audit = (await owner('GET', `${path}/audit`)).body.data
  expect(audit.map(({ action }: { action: string }) => action).slice(-2)).toEqual(['signed', 'completed'])
  expect(isIntact(audit, undefined)).toBe(true)
  const list = await owner('GET', `/api/v1/documents?case_id=${envelope.case_id}&limit=100`)
  const filed = list.body.data.filter(({ source }: { source: string }) => source === 'signing')
  expect(filed.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    documents.map((one: { sealed_document_id: string }) => one.sealed_document_id).toSorted(),
  )
  for (const { id } of filed) {
    const { bytes } = await owner('GET', `/api/v1/documents/${id}/download`)
    const { body } = await owner('POST', '/api/v1/signing/verify', { body: { sha256: hexDigest(bytes) } })
    expect(body.known).toBe(true)
  }
  const timeline = (await owner('GET', `/api/v1/cases/${envelope.case_id}/timeline?limit=100`)).body.data
  const completed = timeline.filter(({ type }: { type: string }) => type === 'envelope.completed')
  expect(completed).toHaveLength(1)
  for (const address of addresses) {
    await vi.waitFor(async () => expect(await sentTo(address, dataDir)).toHaveLength(1), {
      timeout: 60_000,
      interval: 500,
    })
  }
}, 400_000)
