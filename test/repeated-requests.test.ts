import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allEndpoints } from '#functions/manifest.ts'
import { takesIdempotencyKey } from '#http/idempotency.ts'
import { inParallelUpTo } from '#kernel/in-parallel.ts'
import { scopes } from '#kernel/scope.ts'
import { type Answer, api, type Send } from '#test/support/api.ts'
import { claimOf } from '#test/support/claims.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import {
  allFixtures,
  type Given,
  given,
  type Prepared,
  pathWithQuery,
  sendOf,
} from '#test/support/fixture.ts'
import { type LostAnswer, startLostAnswerProxy } from '#test/support/lost-answer-proxy.ts'
import { everyRow } from '#test/support/table-file.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

/**
 * Every POST with an API key, its answer lost, and repeated with its key (G14): the same answer, and one effect. Each
 * has a firm for itself, so that one read of the table shows the effects of all.
 */
const posts = allEndpoints.filter(({ endpoint }) => takesIdempotencyKey(endpoint))

type Declared = (typeof posts)[number]
type Repeated = {
  declared: Declared
  firm: Firm
  /** The key of its Idempotency-Key header. */
  key: string
  repeat: () => Promise<Answer>
  lost: LostAnswer
  again?: Answer
  /** The effects before the last repetition, and after it. */
  effects: [string, string]
}

/** Most wait for a worker, or for the network. */
const atOnce = 8

let caldav: Awaited<ReturnType<typeof startToyCaldav>>
let proxy: Awaited<ReturnType<typeof startLostAnswerProxy>>
const outcomes = new Map<Declared, Repeated | Error>()
const fixtures = await allFixtures()
beforeAll(async () => {
  ;[proxy, caldav] = await Promise.all([startLostAnswerProxy(sharedService().baseUrl), startToyCaldav()])
  await inParallelUpTo(atOnce, posts, async (declared) => {
    outcomes.set(declared, await sendAndLose(declared).catch((error: Error) => error))
  })
  let changing = [...outcomes.values()].flatMap((one) => (one instanceof Error ? [] : [one]))
  let now = await settledEffects()
  // Workers may follow the first request late, once. An effect of a repetition comes with each.
  for (let round = 0; round <= 4 && changing.length > 0; round += 1) {
    const before = now
    await inParallelUpTo(atOnce, changing, async (one) => {
      one.again = await one.repeat()
    })
    now = await settledEffects()
    for (const one of changing)
      one.effects = [before.get(one.firm.workspace.id) ?? '', now.get(one.firm.workspace.id) ?? '']
    changing = changing.filter(({ effects: [was, is] }) => was !== is)
  }
}, 600_000)
afterAll(async () => {
  proxy.close()
  await caldav.stop()
})

/** Sends the example of a POST in a new firm. The caller does not receive the answer. */
async function sendAndLose(declared: Declared): Promise<Repeated> {
  const { endpoint, operation } = declared
  const firm = await newFirm()
  const { owner, ownerUser, baseUrl } = firm
  const apiKey = { user_id: ownerUser.id, name: 'Proxy', scopes }
  const { key: ownerKey } = (await owner('POST', '/api/v1/api-keys', { body: apiKey })).body
  const fixture = operation === 'completeUpload' ? arrivedUpload : fixtures[operation]
  const prepared = (await fixture?.(given(firm, caldav.url))) ?? {}
  const path = pathWithQuery(endpoint, prepared)
  const { body, raw } = sendOf(endpoint, prepared)
  // A key in the body is another mechanism, with tests of its own.
  const bare = endpoint.ownKey === undefined ? body : mailOf(body as Record<string, unknown>)
  const key = randomUUID()
  const send: Send = {
    ...(bare !== undefined && { body: bare }),
    ...(raw !== undefined && { raw }),
    headers: { 'Idempotency-Key': key },
  }
  await expect(api(proxy.url, ownerKey)('POST', path, send)).rejects.toThrow()
  const lost = proxy.lost.get(key)
  if (lost === undefined) throw new Error(`${operation} was not answered.`)
  const repeat = () => api(baseUrl, ownerKey)('POST', path, send)
  return { declared, firm, key, repeat, lost, effects: ['', ''] }
}

/**
 * The effects in a firm: its records, lists of one record, and events. Entries of search and jobs may follow later.
 */
const effect =
  /^([^#]+)#(case|party|folder|document|event|deadline|chain|correspondence|draft|envelope|time_entry|invoice|users|api_keys|export_configs|export_tokens|sync_accounts|bea_accounts|bea_permissions|bea_draft|signed_register|signed_register_content|history|timeline|envelope_audit|links)(#|$)/

/** The effects in the firms of these tests, once the workers that earlier requests have started are done. */
async function settledEffects(): Promise<Map<string, string>> {
  for (let last: string | undefined; ; await sleep(1_500)) {
    const firms = new Set(
      [...outcomes.values()].map((one) => (one instanceof Error ? '' : one.firm.workspace.id)),
    )
    const isEffect = (pk: string) => firms.has(effect.exec(pk)?.[1] ?? '')
    const rows = everyRow().filter(({ pk }) => isEffect(pk))
    const keys = rows.map(({ pk, sk }) => `${pk} ${sk}`)
    const now = keys.join('\n')
    if (now === last) {
      const ofFirm = Map.groupBy(keys, (key) => effect.exec(key)?.[1] ?? '')
      return new Map([...ofFirm].map(([firm, ofIt]) => [firm, ofIt.join('\n')]))
    }
    last = now
  }
}

describe('a POST whose answer is lost', () => {
  it.each(
    posts.map((declared) => [declared.operation, declared] as const),
  )('%s gets it again when it is repeated with its key, without what is shown once, and has one effect', async (_, declared) => {
    const { endpoint } = declared
    const outcome = outcomes.get(declared)
    if (outcome === undefined || outcome instanceof Error) throw outcome
    const { firm, key, lost, again, effects } = outcome

    expect(lost.status, lost.body).toBe(endpoint.status)
    expect(again?.status, JSON.stringify(again?.body)).toBe(lost.status)
    expect(again?.headers.get('idempotent-replayed')).toBe('true')
    expect(again?.headers.get('etag')).toBe(lost.etag)
    expect(again?.body).toEqual(withoutSecrets(lost.body, endpoint.secrets))
    expect(effects[1]).toBe(effects[0])
    const { item } = await claimOf(firm.workspace.id, firm.ownerUser.id, key)
    expect(item.changes_nothing === true, 'its answer is stored alone').toBe(
      endpoint.storedAlone !== undefined,
    )
    expect(item.body === undefined, 'its answer is not stored').toBe(endpoint.storesNothing)
  })
})

/** An upload whose bytes have arrived; the fixture's is completed already, so that the example may be sent again. */
async function arrivedUpload({ firm: { owner } }: Given): Promise<Prepared> {
  const bytes = Buffer.from('Sehr geehrte Damen und Herren')
  const body = {
    filename: 'Brief.txt',
    mime_type: 'text/plain',
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
  const { document, upload } = (await owner('POST', '/api/v1/documents/uploads', { body })).body
  const sent = await fetch(upload.url, { method: upload.method, headers: upload.headers, body: bytes })
  expect(sent.ok).toBe(true)
  return { params: { id: document.id } }
}

/** The mail of an example in the shape that needs no key of its own. */
function mailOf({ idempotency_key: _, to_recipients, to, ...mail }: Record<string, unknown>) {
  return { ...mail, to: to ?? to_recipients }
}

function withoutSecrets(text: string, secrets: readonly string[]): unknown {
  if (text === '') return ''
  const answer = JSON.parse(text)
  for (const name of secrets) {
    expect(answer[name]).toEqual(expect.any(String))
    delete answer[name]
  }
  return answer
}
