import { beforeAll, describe, expect, it } from 'vitest'
import { isIntact } from '#kernel/hash-chain.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import type { DueEnvelope, EnvelopeRecord } from '#signing/ports.ts'
import { aSigner } from '#test/support/an-envelope.ts'
import { envelopeRecord, newEnvelope, userChange } from '#test/support/envelope-records.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { entry, walk } from '#test/support/mail-stores.ts'
import { caseRemoval } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

let stores: ReturnType<typeof envelopeStores>
beforeAll(async () => {
  stores = envelopeStores(await sharedTable())
})

/** Adds an envelope of an existing case without documents. */
async function added(workspace: string, changes: Partial<EnvelopeRecord> = {}): Promise<EnvelopeRecord> {
  const case_id = changes.case_id ?? (await stores.addCase(workspace))
  const change = userChange(envelopeRecord(workspace, { ...changes, case_id }), {}, 'created')
  await stores.envelopes.add(newEnvelope(change))
  return change.record
}

const set = (workspace: string, id: string, changes: (current: EnvelopeRecord) => Partial<EnvelopeRecord>) =>
  applyRule(stores.envelopes, workspace, id, (current) => userChange(current, changes(current)))

describe('an envelope', () => {
  it('is found as it was recorded, by its workspace alone', async () => {
    const workspace = newId('workspace')
    const record = await added(workspace, {
      message: 'Bitte unterschreiben',
      reminders: { first_after_days: 3, repeat_every_days: 7 },
      signers: [aSigner({ decline_reason: null }), aSigner({ role: 'cc', order: 2 })],
    })

    expect(await stores.envelopes.find(workspace, record.id)).toEqual(record)
    expect(await stores.envelopes.find(newId('workspace'), record.id)).toBeUndefined()
  })

  it('is not added to a case that does not exist or was deleted', async () => {
    const workspace = newId('workspace')
    const deleted = await stores.addCase(workspace)
    await stores.cases.remove(workspace, deleted, async () => caseRemoval(deleted, entry('case.deleted')))

    for (const case_id of [newId('case'), deleted]) {
      const record = envelopeRecord(workspace, { case_id })
      await expect(stores.envelopes.add(newEnvelope(userChange(record)))).rejects.toMatchObject({
        code: 'CASE_NOT_FOUND',
      })
      expect(await stores.envelopes.find(workspace, record.id)).toBeUndefined()
    }
  })

  it('changed thirty times at once has thirty changes, one after the other', async () => {
    const workspace = newId('workspace')
    const { id, version } = await added(workspace)

    await Promise.all(
      Array.from({ length: 30 }, () =>
        set(workspace, id, ({ signers }) => ({
          signers: signers.map((one) => ({ ...one, code_attempts: one.code_attempts + 1 })),
        })),
      ),
    )

    const after = await stores.envelopes.find(workspace, id)
    expect(after?.signers[0]?.code_attempts).toBe(30)
    expect(after?.version).toBe(version + 30)
    const audit = await walk((cursor) => stores.envelopes.audit(workspace, id, { limit: 7, cursor }))
    expect(audit.items.map(({ seq }) => seq)).toEqual(Array.from({ length: 31 }, (_, at) => at + 1))
    expect(isIntact(audit.items, undefined)).toBe(true)
    expect(audit.items.at(-1)?.hash).toBe(after?.audit_hash)
  })

  it('that is not there cannot be changed', async () => {
    await expect(set(newId('workspace'), newId('envelope'), () => ({}))).rejects.toMatchObject({
      code: 'ENVELOPE_NOT_FOUND',
    })
  })

  it('stays as it is where nothing is decided', async () => {
    const workspace = newId('workspace')
    const record = await added(workspace)

    const after = await applyRule(stores.envelopes, workspace, record.id, () => undefined)

    expect(after).toEqual(record)
    expect(await stores.envelopes.find(workspace, record.id)).toEqual(record)
  })
})

describe('the audit trail', () => {
  it('is read page by page, each with the entry before it', async () => {
    const workspace = newId('workspace')
    const { id } = await added(workspace)
    for (const title of ['a', 'b', 'c', 'd']) await set(workspace, id, () => ({ title }))

    const first = await stores.envelopes.audit(workspace, id, { limit: 3, cursor: undefined })
    const second = await stores.envelopes.audit(workspace, id, {
      limit: 3,
      cursor: first.pagination.cursor ?? undefined,
    })

    expect(first.previous).toBeUndefined()
    expect(first.data.map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(second.previous).toEqual(first.data[2])
    expect(second.data.map(({ seq }) => seq)).toEqual([4, 5])
    expect(second.pagination).toEqual({ cursor: null, has_more: false })
  })
})

describe('lists of envelopes', () => {
  const idsOf = async (workspace: string, query: object) =>
    (await walk((cursor) => stores.envelopes.page(workspace, { limit: 2, cursor, ...query }))).items.map(
      ({ id }) => id,
    )

  it('show them newest first, by case and by recorded status', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const [a, b, c] = [
      await added(workspace, { case_id }),
      await added(workspace, { case_id, status: 'sent' }),
      await added(workspace, { status: 'sent' }),
    ]

    expect(await idsOf(workspace, {})).toEqual([c.id, b.id, a.id])
    expect(await idsOf(workspace, { case_id })).toEqual([b.id, a.id])
    expect(await idsOf(workspace, { status: 'sent' })).toEqual([c.id, b.id])
    expect(await idsOf(workspace, { case_id, status: 'sent' })).toEqual([b.id])
    expect(await idsOf(workspace, { case_id, status: 'draft' })).toEqual([a.id])
    expect(await idsOf(newId('workspace'), {})).toEqual([])

    await set(workspace, b.id, () => ({ status: 'voided' }))
    expect(await idsOf(workspace, { case_id, status: 'sent' })).toEqual([])
    expect(await idsOf(workspace, { status: 'sent' })).toEqual([c.id])
    expect(await idsOf(workspace, { case_id, status: 'voided' })).toEqual([b.id])
    expect(await idsOf(workspace, {})).toEqual([c.id, b.id, a.id])
  })
})

describe('magic links', () => {
  const link = () => hexDigest(newId('job'))

  it('lead to their signer until they are replaced', async () => {
    const workspace = newId('workspace')
    const [one, other, newer] = [link(), link(), link()]
    const signers = [aSigner({ link_sha256: one }), aSigner({ link_sha256: null })]
    const { id } = await added(workspace, { status: 'sent', signers })
    const leadsTo = (at: number) => ({
      workspace_id: workspace,
      envelope_id: id,
      signer_id: signers[at]?.id,
    })
    expect(await stores.envelopes.findLink(one)).toEqual(leadsTo(0))

    await set(workspace, id, (current) => ({
      signers: current.signers.map((signer, at) => ({ ...signer, link_sha256: [newer, other][at] ?? null })),
    }))

    expect(await stores.envelopes.findLink(one)).toBeUndefined()
    expect(await stores.envelopes.findLink(newer)).toEqual(leadsTo(0))
    expect(await stores.envelopes.findLink(other)).toEqual(leadsTo(1))

    await set(workspace, id, (current) => ({ signers: current.signers.slice(0, 1) }))
    expect(await stores.envelopes.findLink(other)).toBeUndefined()
    expect(await stores.envelopes.findLink(newer)).toEqual(leadsTo(0))
  })
})

describe('what is due', () => {
  const now = new Date('2036-04-01T12:00:00.000Z')
  const before = '2036-04-01T11:00:00.000Z'
  const after = '2036-04-01T13:00:00.000Z'

  const dueIds = async (workspace: string, at: Date) => {
    const found: DueEnvelope[] = []
    for (const shard of stores.due.shards) for await (const one of stores.due.due(shard, at)) found.push(one)
    return found
      .filter(({ workspace_id }) => workspace_id === workspace)
      .map(({ id }) => id)
      .toSorted()
  }
  const overdueIds = async (workspace: string, limit = 10) =>
    (await stores.envelopes.overdue(workspace, now, limit)).map(({ id }) => id)

  it('is an expiry or a reminder at its time, at that millisecond, and nothing of drafts and of what has ended', async () => {
    const workspace = newId('workspace')
    const expired = await added(workspace, { status: 'sent', expires_at: before })
    const exactly = await added(workspace, { status: 'in_progress', expires_at: now.toISOString() })
    const later = await added(workspace, { status: 'sent', expires_at: after })
    const reminder = await added(workspace, { status: 'sent', expires_at: after, next_reminder_at: before })
    await added(workspace, { status: 'draft', expires_at: before })
    await added(workspace, { status: 'voided', expires_at: before })

    expect(await dueIds(workspace, now)).toEqual([expired.id, exactly.id, reminder.id].toSorted())
    expect(await dueIds(workspace, new Date(after))).toEqual(
      [expired.id, exactly.id, later.id, reminder.id].toSorted(),
    )
    expect(await overdueIds(workspace)).toEqual([expired.id, exactly.id])
    expect(await overdueIds(workspace, 1)).toEqual([expired.id])
  })

  it('follows the changes of an envelope', async () => {
    const workspace = newId('workspace')
    const { id } = await added(workspace, { status: 'sent', expires_at: before })

    await set(workspace, id, () => ({ expires_at: after }))
    expect([await dueIds(workspace, now), await overdueIds(workspace)]).toEqual([[], []])

    await set(workspace, id, () => ({ expires_at: before }))
    expect([await dueIds(workspace, now), await overdueIds(workspace)]).toEqual([[id], [id]])

    const sealing = { status: 'in_progress' as const, sealing_since: before, seal_again_at: before }
    await set(workspace, id, () => sealing)
    expect([await dueIds(workspace, now), await overdueIds(workspace)]).toEqual([[id], []])

    await set(workspace, id, () => ({ status: 'completed' }))
    expect([await dueIds(workspace, now), await overdueIds(workspace)]).toEqual([[], []])
  })
})
