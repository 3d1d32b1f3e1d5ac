import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { bytesKey } from '#documents/keys.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { beginSealing } from '#signing/sealing/begin-sealing.ts'
import { completion } from '#signing/sealing/completion.ts'
import { interceptStoreCalls, unitsOf } from '#test/bench/store-calls.ts'
import { aSigner } from '#test/support/an-envelope.ts'
import { envelopeDocument, envelopeRecord, newEnvelope, userChange } from '#test/support/envelope-records.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { ownTable } from '#test/support/own-table.ts'
import { applyRule } from '#timeline/schema.ts'

const storeCalls = interceptStoreCalls()

let stores: ReturnType<typeof envelopeStores>
beforeAll(async () => {
  stores = envelopeStores(await ownTable())
})

const inADay = () => new Date(epochMilliseconds() + 86_400_000).toISOString()

/** The units of each operation of a life of an envelope with two signers and one document. */
async function unitsOfALife(workspace: string, case_id: string) {
  const document = await stores.addDocument(workspace, { case_id })
  const links = [hexDigest(newId('job')), hexDigest(newId('job'))]
  const signers = links.map((_, at) => aSigner({ order: at + 1 }))
  const draft = userChange(
    envelopeRecord(workspace, { case_id, signers, documents: [envelopeDocument(document)] }),
    {},
    'created',
  )
  const { id } = draft.record
  const set = (fields: (current: EnvelopeRecord) => Partial<EnvelopeRecord>) =>
    applyRule(stores.envelopes, workspace, id, (current) => userChange(current, fields(current)))
  const operations: Record<string, () => Promise<unknown>> = {
    create: () => stores.envelopes.add(newEnvelope(draft)),
    send: () => set(() => ({ status: 'sent', expires_at: inADay() })),
    'make links': () =>
      set((current) => ({
        signers: current.signers.map((one, at) => ({ ...one, link_sha256: links[at] ?? null })),
      })),
    admit: async () => {
      await stores.envelopes.findLink(links[0] ?? '')
      await stores.envelopes.find(workspace, id)
    },
    open: () => set(() => ({ status: 'in_progress' })),
    sign: () =>
      set((current) => ({
        signers: current.signers.map((one) => ({ ...one, status: 'signed', signed_at: inADay() })),
      })),
    'list of a case': () => stores.envelopes.page(workspace, { case_id, limit: 1, cursor: undefined }),
    'list by status': () =>
      stores.envelopes.page(workspace, { status: 'in_progress', limit: 1, cursor: undefined }),
    overdue: () => stores.envelopes.overdue(workspace, systemClock.now(), 10),
    audit: () => stores.envelopes.audit(workspace, id, { limit: 50, cursor: undefined }),
    void: () => set(() => ({ status: 'voided' })),
  }
  const units: Record<string, { read: number; write: number; calls: number }> = {}
  for (const [name, operation] of Object.entries(operations))
    units[name] = unitsOf((await storeCalls.record(operation)).calls)
  return units
}

it('the cost of an operation on an envelope does not depend on the number of envelopes', async () => {
  const workspace = newId('workspace')
  const case_id = await stores.addCase(workspace)
  // The first page that has a next one reads the secret of cursors.
  await unitsOfALife(workspace, case_id)
  await unitsOfALife(workspace, case_id)
  const first = await unitsOfALife(workspace, case_id)
  for (let at = 0; at < 100; at += 1) {
    const change = userChange(
      envelopeRecord(workspace, { case_id, status: 'in_progress', expires_at: inADay() }),
    )
    await stores.envelopes.add(newEnvelope(change))
  }

  const last = await unitsOfALife(workspace, case_id)

  expect(last).toEqual(first)
  for (const { read, write } of Object.values(first)) {
    expect(read + write).toBeGreaterThan(0)
    expect(read + write).toBeLessThan(30)
  }
})

it('a completion costs the same with many envelopes, and what the README says', async () => {
  const workspace = newId('workspace')
  const case_id = await stores.addCase(workspace)
  await unitsOfACompletion(workspace, case_id)
  const first = await unitsOfACompletion(workspace, case_id)
  for (let at = 0; at < 20; at += 1) await unitsOfACompletion(workspace, case_id)

  const last = await unitsOfACompletion(workspace, case_id)

  const readme = readFileSync(new URL('../../packages/signing/README.md', import.meta.url), 'utf8')
  expect(last).toEqual(first)
  expect(/(\d+ read and \d+ write units)/.exec(readme)?.[1]).toBe(
    `${first.read} read and ${first.write} write units`,
  )
})

/** The units of completing an envelope with two signers and one document. */
async function unitsOfACompletion(workspace_id: string, case_id: string) {
  const document = await stores.addDocument(workspace_id, { case_id, sha256: hexDigest('original') })
  const signature = {
    name: 'Max',
    consent: 'Ja',
    picture_key: null,
    picture_sha256: null,
    ip: '::1',
    user_agent: 'F',
  }
  const signed = { status: 'signed' as const, signed_at: inADay(), signature }
  const record = envelopeRecord(workspace_id, {
    case_id,
    status: 'in_progress',
    signers: [aSigner(signed), aSigner({ ...signed, order: 2 })],
    documents: [envelopeDocument(document)],
  })
  const sealing = { ...record, ...beginSealing(record, systemClock.now()).fields }
  await stores.envelopes.add(newEnvelope(userChange(sealing, {}, 'signed')))
  const { complete } = completion({
    store: stores.envelopes,
    files: {
      head: async () => undefined,
      read: async () => Buffer.from('original'),
      put: async () => {},
      remove: async () => {},
    },
    workspaces: { find: async () => ({ name: 'Kanzlei', time_zone: 'Europe/Berlin' }) },
    sealer: {
      seal: async () => ({ pdf: Buffer.from(newId('job')), form: 'appended', attachedBecause: null }),
    },
    keyOf: bytesKey,
    log: { warn: () => {} },
    clock: systemClock,
  })
  const message = { workspace_id, envelope_id: sealing.id }
  const { calls } = await storeCalls.record(() => complete(message, new AbortController().signal))
  return unitsOf(calls)
}
