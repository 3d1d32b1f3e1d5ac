import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { auditEvent, type FirmAuditEntry } from '#audit/schema.ts'
import { isIntact } from '#kernel/hash-chain.ts'
import { newId } from '#kernel/id.ts'
import { auditPosition } from '#store/audit/audit-chain.ts'
import { auditEntry } from '#store/audit/audit-entity.ts'
import { auditLog } from '#store/audit/audit-log.ts'
import { putEach } from '#store/batch.ts'
import { api } from '#test/support/api.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'

const read = async ({ owner }: Pick<Firm, 'owner'>, query = ''): Promise<FirmAuditEntry[]> =>
  (await owner('GET', `/api/v1/audit?limit=100${query}`)).body.data
const actionsOf = (entries: FirmAuditEntry[]) => entries.map(({ action }) => action)
const makeKey = async ({ owner, ownerUser }: Firm, scopes = ['workspace:admin']) =>
  (await owner('POST', '/api/v1/api-keys', { body: { user_id: ownerUser.id, name: 'Kanzlei', scopes } })).body
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body?.error?.code ?? ''}`.trim()

describe('the audit', () => {
  it('records a key from its creation to its end, in a chain without gaps', async () => {
    const firm = await newFirm()
    const { id, key } = await makeKey(firm)
    const holder = api(firm.baseUrl, key)
    await holder('GET', '/api/v1/me')
    await holder('GET', '/api/v1/me')
    await firm.owner('DELETE', `/api/v1/api-keys/${id}`)
    await holder('GET', '/api/v1/me')
    await holder('GET', '/api/v1/me')

    const entries = await read(firm)

    const ofKey = entries.filter(({ ref }) => ref.id === id)
    expect(actionsOf(ofKey)).toEqual(['key.created', 'key.first_used', 'key.revoked', 'key.refused'])
    expect(ofKey.map(({ actor }) => actor)).toMatchObject([
      { type: 'user', id: firm.ownerUser.id },
      { type: 'user', id: firm.ownerUser.id, key_id: id },
      { type: 'user', id: firm.ownerUser.id },
      { type: 'external', id: null, key_id: id },
    ])
    expect(isIntact(entries, undefined)).toBe(true)
  })

  it('records the first use once if sixty requests use a key at the same time, and serves all of them', async () => {
    const firm = await newFirm()
    const { id, key } = await makeKey(firm)
    const holder = api(firm.baseUrl, key)

    const answers = await Promise.all(Array.from({ length: 60 }, () => holder('GET', '/api/v1/me')))

    const ofKey = (await read(firm)).filter(({ ref }) => ref.id === id)
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200))
    expect(actionsOf(ofKey)).toEqual(['key.created', 'key.first_used'])
  })

  it('records users, settings and tokens, but no reads and no changes to the same values', async () => {
    const firm = await newFirm()
    const before = (await read(firm)).length
    const user = { name: 'Emre Çelik', email: 'celik@example.de' }
    const { id } = (await firm.owner('POST', '/api/v1/users', { body: user })).body
    await firm.owner('PATCH', `/api/v1/users/${id}`, { body: { active: false } })
    await firm.owner('PATCH', `/api/v1/users/${id}`, { body: { name: user.name, active: false } })
    await firm.owner('PATCH', '/api/v1/workspace', { body: { holiday_region: 'DE-BY' } })
    await firm.owner('PATCH', '/api/v1/workspace', { body: { holiday_region: 'DE-BY', seller: {} } })
    await firm.owner('POST', '/api/v1/workspace/webhooks/rotate')
    await firm.owner('POST', '/api/v1/calendar/ical-tokens')
    for (const path of ['cases', 'parties', 'users', 'audit', 'workspace'])
      await firm.owner('GET', `/api/v1/${path}`)

    const entries = (await read(firm)).slice(before)

    expect(entries.map(({ action, ref }) => `${action} ${ref.type}`)).toEqual([
      'user.created user',
      'user.updated user',
      'settings.updated workspace',
      'token.created webhook_token',
      'token.created ical_token',
    ])
    expect(JSON.stringify(entries)).not.toMatch(/Çelik|celik/)
  })

  it('records who fetched an export, with a key or with a token', async () => {
    const firm = await newFirm()
    const config = { name: 'Akten', source: 'cases', format: 'json', columns: [{ field: 'name' }] }
    const { id } = (await firm.owner('POST', '/api/v1/exports/configs', { body: config })).body
    const path = `/api/v1/exports/configs/${id}`
    const token = (await firm.owner('POST', `${path}/generate-token`, { body: { expires_in_hours: 1 } })).body
    await firm.owner('GET', `${path}/execute`)
    // This fetches nothing.
    await fetch(`${firm.baseUrl}${path}/retrieve?token=${token.token}`, { method: 'HEAD' })
    const fetched = await fetch(`${firm.baseUrl}${path}/retrieve?token=${token.token}`)
    await fetched.text()

    const entries = (await read(firm)).slice(-3)

    expect(entries.map(({ action, actor }) => [action, actor.type, actor.key_id])).toEqual([
      ['token.created', 'user', expect.stringMatching(/^ak_/)],
      ['export.fetched', 'user', expect.stringMatching(/^ak_/)],
      ['export.fetched', 'external', token.id],
    ])
    expect(entries.slice(1).map(({ ref }) => ref)).toEqual(Array(2).fill({ type: 'export_config', id }))
  })

  it('stays one chain without losses if many keys are created at the same time', async () => {
    const firm = await newFirm()

    const keys = await Promise.all(Array.from({ length: 12 }, () => makeKey(firm)))

    const entries = await read(firm)
    const made = entries.filter(({ action }) => action === 'key.created').map(({ ref }) => ref.id)
    expect(keys.map(({ id }) => id).filter((id) => !made.includes(id))).toEqual([])
    expect(isIntact(entries, undefined)).toBe(true)
  })

  it('is read page by page, filtered by user or action, and after an entry', async () => {
    const firm = await newFirm()
    for (let at = 0; at < 5; at += 1) await makeKey(firm)
    const all = await read(firm)

    const walked: FirmAuditEntry[] = []
    for (let cursor = ''; ; ) {
      const { data, pagination } = (await firm.owner('GET', `/api/v1/audit?limit=2${cursor}`)).body
      walked.push(...data)
      if (pagination.cursor === null) break
      cursor = `&cursor=${encodeURIComponent(pagination.cursor)}`
    }
    const after = await read(firm, `&after=${all[2]?.id}`)
    const ofOwner = await read(firm, `&actor=${firm.ownerUser.id}`)
    const first = await read(firm, '&action=key.first_used')

    expect(walked).toEqual(all)
    expect(after).toEqual(all.slice(3))
    expect(ofOwner).toEqual(all.filter(({ actor }) => actor.id === firm.ownerUser.id))
    expect(first).toEqual(all.filter(({ action }) => action === 'key.first_used'))
  })

  it('is returned as lines if the request accepts x-ndjson', async () => {
    const firm = await newFirm()
    await makeKey(firm)

    const { key } = await makeKey(firm)
    const { status, text, headers } = await lines(firm, key, '?limit=100')

    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('application/x-ndjson')
    const entries = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries).toEqual(await read(firm))
    expect(headers.get('next-cursor')).toBeNull()
  })

  it('is read to its end as lines with a filter, by the cursor in the header', async () => {
    const firm = await newFirm()
    for (let at = 0; at < 4; at += 1) await makeKey(firm)
    const { key } = await makeKey(firm)
    const walked: string[] = []

    for (let cursor = ''; ; ) {
      const { text, headers } = await lines(firm, key, `?limit=2&action=key.created${cursor}`)
      walked.push(...text.split('\n').filter((line) => line !== ''))
      const next = headers.get('next-cursor')
      if (next === null) break
      cursor = `&cursor=${encodeURIComponent(next)}`
    }

    expect(walked.map((line) => JSON.parse(line))).toEqual(await read(firm, '&action=key.created'))
    expect(walked.length).toBeGreaterThan(4)
  })

  it.each([
    ['an unknown entry', 'after=aud_01993f5e-2c18-7f0b-b5e6-00000000ffff', '404 AUDIT_ENTRY_NOT_FOUND'],
    ['no id', 'after=x', '404 AUDIT_ENTRY_NOT_FOUND'],
    ['an unknown action', 'action=case.created', '400 VALIDATION_ERROR'],
    ['a malformed user', 'actor=x', '400 VALIDATION_ERROR'],
  ])('refuses %s', async (_, query, expected) => {
    const { owner } = await newFirm()

    expect(codeOf(await owner('GET', `/api/v1/audit?${query}`))).toBe(expected)
  })

  it('of another firm cannot be read', async () => {
    const [mine, other] = [await newFirm(), await newFirm()]
    const [entry] = await read(other)

    expect(codeOf(await mine.owner('GET', `/api/v1/audit?after=${entry?.id}`))).toBe(
      '404 AUDIT_ENTRY_NOT_FOUND',
    )
  })
})

async function lines({ baseUrl }: Firm, key: string, query: string) {
  const answer = await fetch(`${baseUrl}/api/v1/audit${query}`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'application/x-ndjson' },
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('the script of the README', () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-firm-audit-'))
  const script = join(folder, 'check-firm-audit.mjs')
  const readme = readFileSync(new URL('../../packages/audit/README.md', import.meta.url), 'utf8')
  writeFileSync(script, /```js\n([\s\S]+?)```/.exec(readme)?.[1] ?? '')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const check = (baseUrl: string, key: string) =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, [script, baseUrl, key], (_, stdout, stderr) => resolve(stdout + stderr))
    })

  /** The output of the script for these entries. */
  const checkForged = async (entries: FirmAuditEntry[]) => {
    const server = createServer((request, response) => {
      const isFirst = !request.url?.includes('after=')
      response.end(isFirst ? entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') : '')
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const said = await check(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'ak_key')
    server.close()
    return said
  }

  it('has at most thirty lines, and checks the whole chain', async () => {
    const firm = await newFirm()
    for (let at = 0; at < 3; at += 1) await makeKey(firm)
    const { key } = await makeKey(firm)

    const said = await check(firm.baseUrl, key)
    expect(readFileSync(script, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(30)

    const entries = await read(firm)
    expect(said).toBe(
      `${entries.length} entries are intact. The newest has the hash ${entries.at(-1)?.hash}\n`,
    )
  })

  it('accepts a chain from which the table removes expired entries in any order', async () => {
    const firm = await newFirm()
    for (let at = 0; at < 5; at += 1) await makeKey(firm)
    const { key } = await makeKey(firm)
    const entries = await read(firm)
    const table = auditEntry(await sharedTable())
    const at = (seq: number) => ({ workspace_id: firm.workspace.id, position: auditPosition(seq) })
    for (const seq of [1, 2, 3, 4]) await table.patch(at(seq)).set({ ttl: 1_000 }).go()
    for (const seq of [2, 4]) await table.delete(at(seq)).go()

    const said = await check(firm.baseUrl, key)

    expect((await read(firm)).slice(0, entries.length - 4)).toEqual(entries.slice(4))
    expect(said).toContain('are intact')
  })

  it('detects entries that were changed, left out, or put in another order', async () => {
    const firm = await newFirm()
    for (let at = 0; at < 3; at += 1) await makeKey(firm)
    const entries = await read(firm)
    const forged = [
      entries.map((entry, at) => (at === 1 ? { ...entry, at: '2020-01-01T00:00:00.000Z' } : entry)),
      entries.filter((_, at) => at !== 1),
      entries.toReversed(),
    ]

    for (const data of forged) expect(await checkForged(data)).toContain('is not what it was')
    expect(await checkForged(entries)).toContain('are intact')
  })
})

it('the operator’s commands list an erasure after a thousand other entries', async () => {
  const firm = await newFirm()
  const db = await sharedTable()
  const { key } = await makeKey(firm)
  const { workspace } = firm
  const last = (await read(firm)).at(-1) as FirmAuditEntry
  const others = Array.from({ length: 1_000 }, (_, at) => ({ ...last, seq: last.seq + 1 + at }))
  await putEach(db, others, (entry) =>
    auditEntry(db).put({
      workspace_id: workspace.id,
      position: auditPosition(entry.seq),
      entry,
      ttl: 4_000_000_000,
    }),
  )
  const party = newId('party')
  await auditLog(storeDeps(db)).record(
    auditEvent({ workspace_id: workspace.id }, 'party.erased', 'party', party),
  )
  const readme = readFileSync(new URL('../../infra/README.md', import.meta.url), 'utf8')
  const [, commands = ''] = /### Erased data in backups[\s\S]+?```sh\n([\s\S]+?)```/.exec(readme) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'erased-'))
  const env = { ...process.env, BASE: firm.baseUrl, KEY: key }

  const listed = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', commands], { cwd: folder, env }, (_, stdout, stderr) => resolve(stdout + stderr))
  })

  rmSync(folder, { recursive: true })
  const found = listed.trimEnd().split('\n')
  expect(found.map((line) => JSON.parse(line).ref)).toEqual([{ type: 'party', id: party }])
})
