import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allEndpoints } from '#functions/manifest.ts'
import { takesIdempotencyKey } from '#http/idempotency.ts'
import { scopes } from '#kernel/scope.ts'
import { api } from '#test/support/api.ts'
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
import { startLostAnswerProxy } from '#test/support/lost-answer-proxy.ts'
import { sharedTable } from '#test/support/table.ts'
import { startToyCaldav } from '#test/support/toy-caldav.ts'

/**
 * Every POST with an API key, its answer lost, and repeated with its key (G14): the same answer, and one effect.
 */
const posts = allEndpoints.filter(({ endpoint }) => takesIdempotencyKey(endpoint))

let firm: Firm
let caldav: Awaited<ReturnType<typeof startToyCaldav>>
let proxy: Awaited<ReturnType<typeof startLostAnswerProxy>>
let ownerKey: string
const fixtures = await allFixtures()
beforeAll(async () => {
  ;[firm, caldav] = await Promise.all([newFirm(), startToyCaldav()])
  ;[proxy, ownerKey] = await Promise.all([startLostAnswerProxy(firm.baseUrl), newKey()])
})
afterAll(async () => {
  proxy.close()
  await caldav.stop()
})

/**
 * The effects in the firm: its records, lists of one record, and events. Entries of search and jobs may follow later.
 */
const effects =
  /^[^#]+#(case|party|folder|document|event|deadline|chain|correspondence|draft|envelope|time_entry|invoice|users|api_keys|export_configs|export_tokens|sync_accounts|bea_accounts|bea_permissions|bea_draft|signed_register|signed_register_content|history|timeline|envelope_audit|links)(#|$)/

async function effectsOf({ workspace }: Firm): Promise<string[]> {
  const db = await sharedTable()
  const keys: string[] = []
  for (let start: Record<string, unknown> | undefined; ; ) {
    const { Items = [], LastEvaluatedKey: last } = await db.client.send(
      new ScanCommand({
        TableName: db.table,
        ConsistentRead: true,
        FilterExpression: 'begins_with(#pk, :workspace)',
        ProjectionExpression: '#pk, #sk',
        ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
        ExpressionAttributeValues: { ':workspace': `${workspace.id}#` },
        ...(start && { ExclusiveStartKey: start }),
      }),
    )
    keys.push(...Items.filter(({ pk }) => effects.test(pk)).map(({ pk, sk }) => `${pk} ${sk}`))
    if (last === undefined) return keys.toSorted()
    start = last
  }
}

/** The same once the workers that earlier requests have set going are done. */
async function settledEffectsOf(of: Firm): Promise<string[]> {
  for (let last = await effectsOf(of); ; ) {
    await sleep(300)
    const now = await effectsOf(of)
    if (now.length === last.length) return now
    last = now
  }
}

describe('a POST whose answer is lost', () => {
  it.each(
    posts.map((declared) => [declared.operation, declared] as const),
  )('%s gets it again when it is repeated with its key, and has one effect', async (operation, declared) => {
    const { endpoint } = declared
    const fixture = operation === 'completeUpload' ? arrivedUpload : fixtures[operation]
    const prepared = (await fixture?.(given(firm, caldav.url))) ?? {}
    const path = pathWithQuery(endpoint, prepared)
    const { body, raw } = sendOf(endpoint, prepared)
    // A key in the body is another mechanism, with tests of its own.
    const bare = endpoint.ownKey === undefined ? body : mailOf(body as Record<string, unknown>)
    const key = randomUUID()
    const headers = { 'Idempotency-Key': key }
    const send = { ...(bare !== undefined && { body: bare }), ...(raw !== undefined && { raw }), headers }
    // Act
    await expect(api(proxy.url, ownerKey)('POST', path, send)).rejects.toThrow()
    const lost = proxy.lost.at(-1)
    let [before, after] = [await settledEffectsOf(firm), ['']]
    let again = await api(firm.baseUrl, ownerKey)('POST', path, send)
    // Workers may follow the first request late, once. An effect of a repetition comes with each.
    for (let round = 0; round < 4; round += 1) {
      after = await settledEffectsOf(firm)
      if (after.length === before.length) break
      before = after
      again = await api(firm.baseUrl, ownerKey)('POST', path, send)
    }
    // Assess
    expect(lost?.status, lost?.body).toBe(endpoint.status)
    expect(again.status, JSON.stringify(again.body)).toBe(lost?.status)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('etag')).toBe(lost?.etag)
    expect(again.body).toEqual(withoutSecrets(lost?.body ?? '', endpoint.secrets))
    expect(after).toEqual(before)
    const { item } = await claimOf(firm.workspace.id, firm.ownerUser.id, key)
    expect(item.changes_nothing === true, 'its answer is stored alone').toBe(
      endpoint.storedAlone !== undefined,
    )
  })
})

describe('an answer that is kept', () => {
  it.each(
    posts
      .filter(({ endpoint }) => endpoint.secrets.length > 0)
      .map((declared) => [declared.operation, declared] as const),
  )('%s keeps nothing that is shown once', async (operation, { endpoint }) => {
    const prepared = (await fixtures[operation]?.(given(firm, caldav.url))) ?? {}
    const key = randomUUID()
    const send = { ...sendOf(endpoint, prepared), headers: { 'Idempotency-Key': key } }

    const first = await firm.owner('POST', pathWithQuery(endpoint, prepared), send)
    const again = await firm.owner('POST', pathWithQuery(endpoint, prepared), send)

    for (const name of endpoint.secrets) {
      expect(first.body[name]).toEqual(expect.any(String))
      expect(again.body).not.toHaveProperty(name)
    }
  })
})

/** Another key of the owner, whose text is known here. */
async function newKey(): Promise<string> {
  const body = { user_id: firm.ownerUser.id, name: 'Proxy', scopes }
  return (await firm.owner('POST', '/api/v1/api-keys', { body })).body.key
}

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
  for (const name of secrets) delete answer[name]
  return answer
}
