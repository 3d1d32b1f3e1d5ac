import { beforeAll, expect, it } from 'vitest'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import type { EnvelopeRecord } from '#signing/ports.ts'
import { interceptStoreCalls, unitsOf } from '#test/bench/store-calls.ts'
import { envelopeDocument, envelopeRecord, signerRecord, userChange } from '#test/support/envelope-records.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { ownTable } from '#test/support/own-table.ts'

const storeCalls = interceptStoreCalls()

let stores: ReturnType<typeof envelopeStores>
beforeAll(async () => {
  stores = envelopeStores(await ownTable())
})

const inADay = () => new Date(Date.now() + 86_400_000).toISOString()
const none = { documentIds: [], timelineEntries: [] }

/** The units of each operation of a life of an envelope with two signers and one document. */
async function unitsOfALife(workspace: string, case_id: string) {
  const document = await stores.addDocument(workspace, { case_id })
  const links = [hexDigest(newId('job')), hexDigest(newId('job'))]
  const signers = links.map((_, at) => signerRecord({ order: at + 1 }))
  const draft = userChange(
    envelopeRecord(workspace, { case_id, signers, documents: [envelopeDocument(document)] }),
    {},
    'created',
  )
  const { id } = draft.record
  const set = (fields: (current: EnvelopeRecord) => Partial<EnvelopeRecord>) =>
    stores.envelopes.change(workspace, id, (current) => userChange(current, fields(current)))
  const operations: Record<string, () => Promise<unknown>> = {
    create: () => stores.envelopes.add(draft, none),
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
    overdue: () => stores.envelopes.overdue(workspace, new Date(), 10),
    audit: () => stores.envelopes.audit(workspace, id, { limit: 50, cursor: undefined }),
    void: () => set(() => ({ status: 'voided' })),
  }
  const units: Record<string, { read: number; write: number; calls: number }> = {}
  for (const [name, operation] of Object.entries(operations))
    units[name] = unitsOf((await storeCalls.record(operation)).calls)
  return units
}

it('what an operation on an envelope costs does not depend on how many there are', async () => {
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
    await stores.envelopes.add(change, none)
  }

  const last = await unitsOfALife(workspace, case_id)

  expect(last).toEqual(first)
  for (const { read, write } of Object.values(first)) {
    expect(read + write).toBeGreaterThan(0)
    expect(read + write).toBeLessThan(30)
  }
})
