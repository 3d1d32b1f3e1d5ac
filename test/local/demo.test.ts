import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { allEndpoints } from '#functions/manifest.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { type Api, api } from '#test/support/api.ts'
import { type Service, startService } from '#test/support/service.ts'

/** The demo data as a newcomer finds it after `npm start`. */
const dataDir = join(mkdtempSync(join(tmpdir(), 'aktenlage-demo-')), 'data')
let service: Service
let first: Api
let second: Api
const start = async (commandLine: string[] = []) => {
  service = await startService({ dataDir, commandLine })
  const [lindner, demir] = service.credentials.workspaces
  first = api(service.baseUrl, lindner?.users[0]?.api_key)
  second = api(service.baseUrl, demir?.users[0]?.api_key)
}
beforeAll(() => start())
afterAll(async () => {
  await service.stop()
  rmSync(join(dataDir, '..'), { recursive: true, force: true })
})

/** Work of a queue is waited for; on a busy machine it takes its time. */
const patience = { timeout: 110_000, interval: 250 }

type Declared = (typeof allEndpoints)[number]
const isList = ({ endpoint }: Declared) =>
  endpoint.method === 'GET' &&
  !endpoint.path.includes('{') &&
  endpoint.output instanceof z.ZodObject &&
  'data' in endpoint.output.shape
const lists = allEndpoints.filter(isList)

/** Lists that are empty on a first start. By path. */
const emptyAtFirst: Record<string, string> = {
  '/api/v1/calendar/ical-tokens': 'Whoever asks for a token sees it once: nobody could use one of the demo.',
  '/api/v1/calendar/sync/accounts': 'This machine has no calendar server to connect.',
}

/** The tour of packages/bea connects the postbox of the first firm. That of the second is connected. */
const ownerOf = (endpoint: Endpoint<never>) => (endpoint.path.startsWith('/api/v1/bea/') ? second : first)

/** Ids in an example belong to no demo. */
const unmet: Record<string, string> = {
  '/api/v1/folders': 'Its example asks for the folders of a case by an id.',
  '/api/v1/bea/messages': 'No message of the second firm is a summons.',
}

describe('the demo data', () => {
  it.each(
    lists.filter(({ endpoint }) => emptyAtFirst[endpoint.path] === undefined).map(title),
  )('has an entry in %s', async (_, { endpoint }) => {
    const list = () => ownerOf(endpoint)('GET', endpoint.path)

    // Messages of beA come by a queue, when the service is ready already.
    await vi.waitFor(async () => expect((await list()).body.data).not.toHaveLength(0), patience)

    expect((await list()).status).toBe(200)
  })

  it.each(
    lists
      .filter(({ endpoint: { example, path } }) => example.query !== undefined && unmet[path] === undefined)
      .map(title),
  )('has what the example of %s asks for', async (_, { endpoint }) => {
    const query = new URLSearchParams(endpoint.example.query as Record<string, string>)
    const list = () => ownerOf(endpoint)('GET', `${endpoint.path}?${query}`)

    // The status of a document changes when its text is read.
    await vi.waitFor(async () => expect((await list()).body.data).not.toHaveLength(0), patience)

    expect((await list()).status).toBe(200)
  })

  it('has documents whose text was read, and finds nothing wrong with any', async () => {
    const statuses = async () =>
      (await first('GET', '/api/v1/documents')).body.data.map(({ status }: { status: string }) => status)

    await vi.waitFor(async () => expect(new Set(await statuses())).toEqual(new Set(['processed'])), patience)
    const [pleading] = (await first('GET', '/api/v1/documents?search=klageschrift')).body.data
    const read = await first('POST', `/api/v1/documents/${pleading.id}/extract`)

    expect(read.body.word_count).toBeGreaterThan(80)
  })

  it('has mail of the first firm that was sent, to its signer too', async () => {
    const deliveries = async () => {
      const [envelope] = (await first('GET', '/api/v1/signing/envelopes')).body.data
      const { body } = await first('GET', `/api/v1/signing/envelopes/${envelope.id}`)
      return body.signers.map(({ delivery }: { delivery: string }) => delivery)
    }

    await vi.waitFor(async () => expect(await deliveries()).toEqual(['sent']), patience)

    const { body } = await first('GET', '/api/v1/correspondence?direction=outbound')
    expect(
      body.data.map(({ subject, status }: Record<'subject' | 'status', string>) => [subject, status]),
    ).toEqual(
      expect.arrayContaining([
        ['Ihre Klageschrift in Sachen Meier ./. Schulze', 'sent'],
        [expect.stringContaining('Vollmacht Meier'), 'sent'],
      ]),
    )
  })

  it('is not made twice by a restart, and made anew with --fresh', { timeout: 300_000 }, async () => {
    const before = await idsOfAll()
    await service.stop()
    await start()
    const restarted = await idsOfAll()
    await service.stop()
    await start(['--fresh'])

    expect(restarted).toEqual(before)
    // What comes by a queue comes when the service is ready already.
    await vi.waitFor(async () => {
      const fresh = await idsOfAll()
      for (const [path, ids] of Object.entries(before)) {
        expect([path, fresh[path]?.length]).toEqual([path, ids.length])
        expect(fresh[path]?.filter((id) => ids.includes(id))).toEqual([])
      }
    }, patience)
  })
})

/** The ids of what the lists of the first firm have; presets and sources are the same for everybody. */
async function idsOfAll(): Promise<Record<string, string[]>> {
  const own = lists.filter(({ endpoint: { path } }) => !/presets|sources|\/bea\//.test(path))
  const found: Record<string, string[]> = {}
  for (const { endpoint } of own) {
    const answer = await first('GET', `${endpoint.path}?limit=100`)
    expect([endpoint.path, answer.status]).toEqual([endpoint.path, 200])
    found[endpoint.path] = answer.body.data.map(({ id }: { id: string }) => id).sort()
  }
  return found
}

function title(declared: Declared) {
  return [declared.operation, declared] as const
}
