import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#kernel/id.ts'
import { runDueEnvelopes } from '#signing/envelopes/due-envelopes.ts'
import type { DueEnvelope, EnvelopeRecord, EnvelopeStore } from '#signing/ports.ts'
import { beginSealing } from '#signing/sealing/begin-sealing.ts'
import type { Db } from '#store/db.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { aSigner } from '#test/support/an-envelope.ts'
import { allDue, endOfTime } from '#test/support/due-index.ts'
import { envelopeRecord, newEnvelope, userChange } from '#test/support/envelope-records.ts'
import { envelopeStores } from '#test/support/envelope-stores.ts'
import { ownTable } from '#test/support/own-table.ts'
import { unhurried } from '#test/support/unhurried.ts'
import { applyRule } from '#timeline/schema.ts'

/** Envelopes that change with time, on a table of their own and with a clock that the test sets. */

const sent = new Date('2026-03-16T08:30:00.000Z')
const day = 24 * 60 * 60 * 1_000
const after = (days: number, milliseconds = 0) => new Date(sent.getTime() + days * day + milliseconds)

let db: Db
let stores: ReturnType<typeof envelopeStores>
let workspace: string
let logged: Record<string, unknown>[]
beforeEach(async () => {
  db = await ownTable()
  stores = envelopeStores(db)
  workspace = newId('workspace')
  logged = []
})

async function added(changes: Partial<EnvelopeRecord>): Promise<EnvelopeRecord> {
  const record = envelopeRecord(workspace, {
    case_id: changes.case_id ?? (await stores.addCase(workspace)),
    status: 'sent',
    sent_at: sent.toISOString(),
    expires_at: after(30).toISOString(),
    ...changes,
  })
  await stores.envelopes.add(newEnvelope(userChange(record, {}, 'sent')))
  return (await stores.envelopes.find(workspace, record.id)) ?? record
}

type Sweep = { store?: EnvelopeStore; queueWasLost?: boolean; of?: EnvelopeRecord }

/** Does what is due; `of`: of the shard of this envelope alone, since the others of the table are empty. */
const sweep = (now: Date, { store = stores.envelopes, of, ...limits }: Sweep = {}) => {
  const due = of === undefined ? stores.due : { ...stores.due, shards: [of.id.slice(-1)] }
  const log = { error: (_: string, fields: Record<string, unknown>) => void logged.push(fields) }
  return runDueEnvelopes({ store, due, log }, now, { ...unhurried, ...limits })
}

const nothing = { expired: 0, reminded: 0, sealedAgain: 0, failed: 0 }

const find = async ({ id }: EnvelopeRecord) => {
  const record = await stores.envelopes.find(workspace, id)
  if (record === undefined) throw new Error('The envelope is gone.')
  return record
}

const actionsOf = async ({ id }: EnvelopeRecord) => {
  const { data } = await stores.envelopes.audit(workspace, id, { limit: 100, cursor: undefined })
  return data.map(({ action }) => action)
}

const outbox = 'outbox#'

/** The jobs that the changes left in the outbox, by name; nobody has run them. */
async function jobsOf(name: string): Promise<Record<string, unknown>[]> {
  const store = jobStore(db)
  const { Items = [] } = await db.client.send(
    new ScanCommand({
      TableName: db.table,
      FilterExpression: 'begins_with(pk, :outbox)',
      ExpressionAttributeValues: { ':outbox': outbox },
    }),
  )
  const shards = new Set(Items.map(({ pk }) => String(pk).slice(outbox.length)))
  const due = await allDue(store, endOfTime, shards)
  return due.filter((job) => job.name === name).map(({ payload }) => payload as Record<string, unknown>)
}

type Asked = { kind: string; to: object; key: string }

/** The mails that were asked for, each once: one of which nothing is known is asked for again under its key. */
async function mailsOf(): Promise<Asked[]> {
  const asked = (await jobsOf('envelope.mail')).flatMap(({ mails }) => mails as Asked[])
  return [...new Map(asked.map((mail) => [mail.key, mail])).values()]
}

describe('the time of an envelope (S3)', () => {
  it('is over at its instant, not a millisecond before, and that is recorded once', async () => {
    const asked = aSigner({ mail_key: 'first', delivery: 'sent', sent_at: sent.toISOString() })
    const envelope = await added({ signers: [asked, aSigner({ order: 2 })] })

    expect(await sweep(after(30, -1))).toMatchObject(nothing)
    expect((await find(envelope)).status).toBe('sent')
    expect(await sweep(after(30))).toMatchObject({ ...nothing, expired: 1 })
    expect(await sweep(after(31))).toMatchObject(nothing)

    const ended = await find(envelope)
    expect([ended.status, ended.expired_at]).toEqual(['expired', envelope.expires_at])
    expect(await actionsOf(envelope)).toEqual(['sent', 'expired'])
    // Those who had been mailed, and the user who created it.
    expect((await mailsOf()).map(({ kind, to }) => [kind, to])).toEqual(
      expect.arrayContaining([
        ['expired', { signer_id: asked.id }],
        ['expired', { user_id: envelope.created_by }],
      ]),
    )
    expect(await mailsOf()).toHaveLength(2)
  })

  it('is not over while it is being sealed', async () => {
    const running = await added({ status: 'in_progress' })
    const sealed = await added({ ...beginSealing(running, after(29)).fields, status: 'in_progress' })

    expect(await sweep(after(30))).toMatchObject({ ...nothing, expired: 1, sealedAgain: 1 })

    expect([(await find(running)).status, (await find(sealed)).status]).toEqual(['expired', 'in_progress'])
  })
})

describe('reminders (S4)', () => {
  const reminders = { first_after_days: 3, repeat_every_days: 7 }

  it('go out at the first time after sending and then at every period, to those whose turn it is', async () => {
    const [first, second] = [aSigner({ status: 'signed' }), aSigner({ order: 2 })]
    const others = [aSigner({ order: 3 }), aSigner({ role: 'cc', order: 4 })]
    const envelope = await added({
      signing_order: 'sequential',
      signers: [first, second, ...others],
      reminders,
      next_reminder_at: after(3).toISOString(),
    })

    const times: number[] = []
    for (let hour = 0; hour < 29 * 24; hour += 24) {
      const { reminded } = await sweep(after(hour / 24), { of: envelope })
      if (reminded > 0) times.push(hour / 24)
    }

    expect(times).toEqual([3, 10, 17, 24])
    expect(await actionsOf(envelope)).toEqual(['sent', ...times.map(() => 'reminded')])
    const mails = await mailsOf()
    expect(mails.map(({ kind, to }) => [kind, to])).toEqual(
      times.map(() => ['reminder', { signer_id: second.id }]),
    )
    expect((await find(envelope)).signers[1]).toMatchObject({ delivery: 'queued' })
  })

  it('are sent once per due time, though ten sweepers run at once', async () => {
    const envelope = await added({ reminders, next_reminder_at: after(3).toISOString() })

    const sweeps = await Promise.all(Array.from({ length: 10 }, () => sweep(after(3))))

    expect(sweeps.reduce((sum, { reminded }) => sum + reminded, 0)).toBe(1)
    expect(await actionsOf(envelope)).toEqual(['sent', 'reminded'])
    expect(await mailsOf()).toHaveLength(1)
  })

  it('that were missed are not made up for: one goes out, and the next at its own time', async () => {
    const envelope = await added({ reminders, next_reminder_at: after(3).toISOString() })

    await sweep(after(18))

    expect(await mailsOf()).toHaveLength(1)
    expect((await find(envelope)).next_reminder_at).toBe(after(24).toISOString())
  })

  it('are not sent of an envelope whose time is over', async () => {
    const envelope = await added({ reminders, next_reminder_at: after(24).toISOString() })

    await sweep(after(31))

    expect((await mailsOf()).map(({ kind }) => kind)).toEqual(['expired'])
    expect((await find(envelope)).next_reminder_at).toBeNull()
  })
})

describe('a completion that nobody finished', () => {
  const minutes = (count: number) => new Date(sent.getTime() + count * 60_000)

  it('is put back on the queue after growing pauses, once each, and its last audit entry stays the last', async () => {
    const running = await added({ status: 'in_progress' })
    const envelope = await added({ ...beginSealing(running, sent).fields, status: 'in_progress' })

    const times: number[] = []
    for (let minute = 0; minute <= 13 * 60; minute += 45) {
      const [one, other] = await Promise.all([
        sweep(minutes(minute), { of: envelope }),
        sweep(minutes(minute), { of: envelope }),
      ])
      if (one.sealedAgain + other.sealedAgain === 1) times.push(minute)
    }

    expect(times).toEqual([45, 90, 180, 360, 720])
    expect(await jobsOf('envelope.seal')).toEqual(
      times.map(() => ({ workspace_id: workspace, envelope_id: envelope.id })),
    )
    const now = await find(envelope)
    expect([now.audit_seq, now.audit_hash]).toEqual([envelope.audit_seq, envelope.audit_hash])
    expect(now.status_reason).toBe('sealing_failed')
    expect(await sealingEntriesOf(envelope)).toEqual([
      'Signaturvorgang „Vollmacht“ ist noch nicht gesiegelt, weitere Versuche folgen',
    ])
  })

  const sealingEntriesOf = async ({ case_id }: EnvelopeRecord) => {
    const { data } = await stores.cases.timeline(workspace, case_id, { limit: 50, cursor: undefined })
    return data.filter(({ type }) => type === 'envelope.sealing_failed').map(({ summary }) => summary)
  }

  it('keeps its reason if its bytes are lost', async () => {
    const running = await added({ status: 'in_progress' })
    const { fields } = beginSealing(running, sent)
    const envelope = await added({ ...fields, status: 'in_progress', status_reason: 'bytes_missing' })

    expect(await sweep(minutes(45))).toMatchObject({ ...nothing, sealedAgain: 1 })

    expect((await find(envelope)).status_reason).toBe('bytes_missing')
    expect(await sealingEntriesOf(envelope)).toEqual([])
  })

  it('is put back at once where the queues were lost', async () => {
    const running = await added({ status: 'in_progress' })
    const envelope = await added({ ...beginSealing(running, sent).fields, status: 'in_progress' })

    expect(await sweep(minutes(1))).toMatchObject(nothing)
    expect(await sweep(minutes(1), { queueWasLost: true })).toMatchObject({ ...nothing, sealedAgain: 1 })

    expect(await jobsOf('envelope.seal')).toEqual([{ workspace_id: workspace, envelope_id: envelope.id }])
    expect((await find(envelope)).status_reason).toBeNull()
  })
})

describe('a sweep', () => {
  it('does what is due of all others where one envelope fails, and says so', async () => {
    const envelopes = await Promise.all(Array.from({ length: 12 }, () => added({})))
    const [broken] = envelopes
    const store: EnvelopeStore = {
      ...stores.envelopes,
      change: (workspaceId, id, decide) =>
        id === broken?.id
          ? Promise.reject(new Error('This item cannot be read.'))
          : stores.envelopes.change(workspaceId, id, decide),
    }

    expect(await sweep(after(30), { store })).toMatchObject({ ...nothing, expired: 11, failed: 1 })

    expect(logged).toMatchObject([{ id: broken?.id }])
    expect(await sweep(after(30, 2 * 60_000))).toMatchObject({ ...nothing, expired: 1 })
  })

  /** A store that fails for these envelopes. */
  const failingFor = (broken: ReadonlySet<string>): EnvelopeStore => ({
    ...stores.envelopes,
    change: (workspaceId, id, decide) =>
      broken.has(id)
        ? Promise.reject(new Error('This item cannot be read.'))
        : stores.envelopes.change(workspaceId, id, decide),
  })
  /** Ids of one shard. */
  const idOfShard = () => newId('envelope').replace(/.$/, '7')

  it('does what is due of one behind sixty of its shard that always fail, at once', async () => {
    const case_id = await stores.addCase(workspace)
    const broken = await Promise.all(Array.from({ length: 60 }, () => added({ id: idOfShard(), case_id })))
    const late = await added({ id: idOfShard(), case_id, expires_at: after(30, 1).toISOString() })
    const store = failingFor(new Set(broken.map(({ id }) => id)))

    expect(await sweep(after(30, 1), { store })).toMatchObject({ ...nothing, expired: 1, failed: 60 })

    expect((await find(late)).status).toBe('expired')
  })

  it('tries what fails again after growing pauses of at most an hour and a quarter, and does it once it can be done', async () => {
    const envelope = await added({})
    const store = failingFor(new Set([envelope.id]))
    const tries: number[] = []
    for (let minute = 0; minute <= 3 * 60; minute += 1) {
      const { failed } = await sweep(after(30, minute * 60_000), { store, of: envelope })
      if (failed > 0) tries.push(minute)
    }
    const pauses = tries.slice(1).map((minute, at) => minute - (tries[at] ?? 0))

    // A try is made by the first sweep after the pause.
    for (const [at, pause] of pauses.entries()) {
      const shortest = Math.min(60, 2 ** at)
      expect(pause, `pause ${at}`).toBeGreaterThanOrEqual(shortest)
      expect(pause, `pause ${at}`).toBeLessThanOrEqual(shortest * 1.25 + 1)
    }
    expect(pauses.length).toBeGreaterThanOrEqual(6)
    expect(await sweep(after(31))).toMatchObject({ ...nothing, expired: 1 })
    expect((await find(envelope)).status).toBe('expired')
    expect(await dueItems(after(400))).toEqual([])
  })

  it('leaves alone what somebody else did while it was postponed, and keeps no trace of it', async () => {
    const envelope = await added({})
    await sweep(after(30), { store: failingFor(new Set([envelope.id])) })
    const later = after(60).toISOString()
    await applyRule(stores.envelopes, workspace, envelope.id, (current) =>
      userChange(current, { expires_at: later }, 'changed'),
    )

    expect(await sweep(after(31))).toMatchObject(nothing)

    expect(await dueItems(after(400))).toMatchObject([{ id: envelope.id, attempts: 0 }])
    expect(await sweep(after(60))).toMatchObject({ ...nothing, expired: 1 })
  })

  const dueItems = async (at: Date) => {
    const found: DueEnvelope[] = []
    for (const shard of stores.due.shards) for await (const one of stores.due.due(shard, at)) found.push(one)
    return found
  }

  it('after lost queues starts all completions of a shard, each once', async () => {
    const running = await added({ status: 'in_progress' })
    const fields = { ...beginSealing(running, sent).fields, case_id: running.case_id }
    const envelopes = await Promise.all(
      Array.from({ length: 120 }, () => added({ ...fields, id: idOfShard(), status: 'in_progress' })),
    )

    expect(await sweep(after(0, 60_000), { queueWasLost: true })).toMatchObject({ sealedAgain: 120 })

    const asked = (await jobsOf('envelope.seal')).map(({ envelope_id }) => envelope_id as string)
    expect(asked.toSorted()).toEqual(envelopes.map(({ id }) => id).toSorted())
  })

  it('begins with no envelope once its time is over', async () => {
    const envelope = await added({})
    const log = { error: () => {} }

    const result = await runDueEnvelopes({ store: stores.envelopes, due: stores.due, log }, after(30), {
      milliseconds: 0,
    })

    expect(result).toMatchObject(nothing)
    expect((await find(envelope)).status).toBe('sent')
  })
})
