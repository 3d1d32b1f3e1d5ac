import { expect, it } from 'vitest'
import type { Actor } from '#kernel/actor.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { isIntact } from '#kernel/hash-chain.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { newId } from '#kernel/id.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { onePage } from '#kernel/page.ts'
import { runDueEnvelopes } from '#signing/envelopes/due-envelopes.ts'
import {
  isEnded,
  isOverdue,
  nextStatuses,
  requiredSigners,
  statusAt,
} from '#signing/envelopes/envelope-states.ts'
import { signingService } from '#signing/envelopes/signing-service.ts'
import type { EnvelopeRecord, EnvelopeStore } from '#signing/ports.ts'
import { signerActions } from '#signing/signer/signer-actions.ts'
import { signerRoles, signingOrders } from '#signing/status-schema.ts'
import { noFiles } from '#test/support/an-envelope.ts'
import { dueInMemory } from '#test/support/due-in-memory.ts'
import { aWorker, type Durable } from '#test/support/memory-envelopes.ts'
import fc from '#test/support/properties.ts'
import { unhurried } from '#test/support/unhurried.ts'

const hour = 60 * 60 * 1_000
const actor: Actor = {
  workspace_id: newId('workspace'),
  user_id: newId('user'),
  user_name: 'Dr. Jana Vogt',
  key_id: newId('apiKey'),
  scopes: [],
}
const request = { ip: '192.0.2.7', userAgent: 'Firefox', language: 'de' } as const
const original = Buffer.from('Vollmacht')

const which = fc.nat({ max: 3 })
const person = fc
  .constantFrom(...signerRoles, 'signer')
  .map((role) => ({ name: 'Anna Meier', email: 'anna.meier@example.com', role, access_code: null }))
const reminders = fc.option(
  fc.record({ first_after_days: fc.integer({ min: 1, max: 30 }), repeat_every_days: fc.constant(7) }),
)
const operation = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('send' as const), mails: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('link' as const), which }) },
  { weight: 8, arbitrary: fc.record({ does: fc.constant('open' as const), which }) },
  { weight: 8, arbitrary: fc.record({ does: fc.constant('sign' as const), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('decline' as const), which }) },
  { weight: 1, arbitrary: fc.constant({ does: 'void' as const }) },
  { weight: 2, arbitrary: fc.constant({ does: 'remind' as const }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('patch' as const), reminders }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('rename' as const), title: fc.constantFrom('A', 'B') }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('add' as const), person }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('drop' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 400 }) }),
  },
  { weight: 2, arbitrary: fc.constant({ does: 'sweep' as const }) },
  { weight: 2, arbitrary: fc.constant({ does: 'seal' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'read' as const }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never

/** All use cases of signing on one envelope in memory. Each change is checked against the previous one. */
function aLife() {
  let now = new Date('2026-03-16T09:00:00.000Z')
  const clock = { now: () => now }
  const document = {
    id: newId('document'),
    filename: 'Vollmacht.pdf',
    mime_type: 'application/pdf',
    size_bytes: original.length,
    sha256: hexDigest(original),
    case_id: newId('case'),
    is_complete: true,
    key: 'files/original',
  }
  const durable: Durable = {
    envelopes: new Map(),
    changes: [],
    copies: [],
    sealedFiles: [],
    objects: new Map([[document.key, original]]),
    deletedCases: new Set(),
  }
  const { envelopes, changes } = durable
  const only = () => [...envelopes.values()][0] as EnvelopeRecord
  const store: EnvelopeStore = {
    find: async (_, id) => envelopes.get(id),
    page: async () => ({ data: [...envelopes.values()], pagination: onePage }),
    overdue: async () => [...envelopes.values()].filter((one) => isOverdue(one, now)),
    add: async (change) => {
      envelopes.set(change.record.id, change.record)
      changes.push({ timeline: [], jobs: [], ...change })
      return unchanged(change.answer)
    },
    change: async (_, id, decide) => {
      const before = envelopes.get(id)
      if (before === undefined) throw notFound('ENVELOPE_NOT_FOUND')
      const change = decide(before)
      if (change.record !== undefined) {
        envelopes.set(id, change.record)
        changes.push(change)
      }
      return unchanged(change.answer)
    },
    findLink: async () => undefined,
    audit: async () => ({ data: [], pagination: onePage, previous: undefined }),
    findSealedFile: async () => undefined,
  }
  const signing = signingService({
    store,
    documents: { findAll: async () => [document] },
    cases: { exists: async () => true },
    files: noFiles,
    canMail: () => true,
    clock,
  })
  const page = signerActions({
    store,
    files: { put: async () => {}, remove: async () => {} },
    checkSignature: async () => {},
    clock,
  })
  const worker = aWorker(durable)

  const visitOf = (at: number) => {
    const envelope = only()
    const signer = envelope.signers[at]
    if (signer === undefined) throw notFound('SIGNER_NOT_FOUND')
    const office = { name: 'Kanzlei Vogt', time_zone: 'Europe/Berlin' }
    return { workspace_id: actor.workspace_id, envelope, signer, office, token: '' }
  }
  const idOf = (at: number) => only().signers[at]?.id ?? newId('signer')

  const run = async (step: Operation): Promise<unknown> => {
    const { id } = only()
    switch (step.does) {
      case 'send':
        return signing.send(actor, id, { send_emails: step.mails })
      case 'link':
        return signing.makeLink(actor, id, idOf(step.which), { baseUrl: 'https://example.com' })
      case 'open':
        return page.open(visitOf(step.which), request)
      case 'sign':
        return page.sign(visitOf(step.which), { name: 'Anna', consent: 'yes', signature: null }, request)
      case 'decline':
        return page.decline(visitOf(step.which), { reason: 'Nein.' }, request)
      case 'void':
        return signing.void(actor, id, { reason: 'Irrtum' })
      case 'remind':
        return signing.remind(actor, id)
      case 'patch':
        return signing.change(actor, id, { reminders: step.reminders }, () => {})
      case 'rename':
        return signing.change(actor, id, { title: step.title }, () => {})
      case 'add':
        return signing.addSigners(actor, id, { signers: [step.person] })
      case 'drop':
        return signing.removeSigner(actor, id, idOf(step.which))
      case 'wait':
        now = new Date(now.getTime() + step.hours * hour)
        return
      case 'sweep': {
        const log = { error: (message: string) => expect.unreachable(message) }
        return runDueEnvelopes({ store, due: dueInMemory(only), log }, now, unhurried)
      }
      case 'seal':
        return worker.complete(
          { workspace_id: actor.workspace_id, envelope_id: id },
          new AbortController().signal,
        )
      case 'read':
        return signing.get(actor, id)
    }
  }
  return { signing, changes, only, run, now: () => now, document }
}

type Mail = { kind: string; key: string; to: { signer_id?: string; user_id?: string } }

it('after any requests in any order, statuses follow the table, the audit trail is valid, and nobody is invited twice', async () => {
  const given = fc.record({
    people: fc.array(person, { minLength: 0, maxLength: 3 }),
    order: fc.constantFrom(...signingOrders),
    sends: fc.boolean(),
    steps: fc.array(operation, { maxLength: 60, size: 'max' }),
  })
  const reached = new Set<string>()

  await fc.assert(
    fc.asyncProperty(given, async ({ people, order, sends, steps }) => {
      // Prepare
      const life = aLife()
      await life.signing.create(actor, life.document.case_id, {
        title: 'Vollmacht',
        document_ids: [life.document.id],
        signers: [{ name: 'Bert', email: 'bert@example.com', role: 'signer', access_code: null }, ...people],
        signing_order: order,
        send_emails: sends,
        message: null,
        expires_at: null,
        reminders: { first_after_days: 2, repeat_every_days: 3 },
      })

      // Act
      for (const step of steps) {
        const before = life.only()
        await life.run(step).catch((error: unknown) => {
          // A refusal is said with a code; it changes nothing but that the time is over.
          if (!(error instanceof Failure)) throw error
          const after = life.only()
          expect(after === before || (isOverdue(before, life.now()) && after.status === 'expired')).toBe(true)
        })
      }

      // Assess
      const { changes } = life
      const statuses = changes.map(({ record }) => record.status)
      for (const [at, status] of statuses.entries()) {
        const previous = at === 0 ? 'draft' : statuses[at - 1]
        if (previous !== undefined && status !== previous) expect(nextStatuses[previous]).toContain(status)
        reached.add(status)
      }
      expect(changes.map(({ record }) => record.version)).toEqual(changes.map((_, at) => at + 1))

      const audit = changes.flatMap(({ auditEntries }) => auditEntries)
      expect(isIntact(audit, undefined)).toBe(true)
      const { record: last } = changes.at(-1) as (typeof changes)[number]
      expect([last.audit_seq, last.audit_hash]).toEqual([audit.length, audit.at(-1)?.hash])
      const actions = audit.map(({ action }) => action)
      for (const once of ['created', 'sent', 'completed', 'declined', 'voided', 'expired'] as const)
        expect(actions.filter((action) => action === once).length, once).toBeLessThanOrEqual(1)
      if (isEnded(last.status)) expect(actions.at(-1)).toBe(last.status)

      const mails = changes.flatMap(({ jobs }) => jobs.flatMap(({ payload }) => mailsOf(payload)))
      const byKey = new Map(mails.map((mail) => [mail.key, mail]))
      for (const mail of mails) expect(byKey.get(mail.key)).toEqual(mail)
      const invited = [...byKey.values()]
        .filter(({ kind }) => kind === 'invitation' || kind === 'your_turn')
        .map(({ to }) => to.signer_id)
      expect(new Set(invited).size).toBe(invited.length)

      const reminded = audit
        .filter(({ action }) => action === 'reminded')
        .flatMap(({ details }) => (details.signers as { id: string }[]).map(({ id }) => id))
      const reminders = [...byKey.values()].filter(({ kind }) => kind === 'reminder')
      expect(reminders.map(({ to }) => to.signer_id).toSorted()).toEqual(reminded.toSorted())

      if (last.status === 'completed') {
        expect(requiredSigners(last.signers).every(({ status }) => status === 'signed')).toBe(true)
      }
      if (last.signing_order === 'sequential') {
        const signed = requiredSigners(last.signers).map(({ status }) => status === 'signed')
        expect(signed).toEqual(signed.toSorted((one, other) => Number(other) - Number(one)))
      }
      expect([last.status, 'expired']).toContain(statusAt(last, life.now()))
    }),
    { numRuns: 300 },
  )

  // Every status occurs, so the property is tested in each of them.
  expect([...reached].toSorted()).toEqual(Object.keys(nextStatuses).toSorted())
})

function mailsOf(payload: unknown): Mail[] {
  return (payload as { mails?: Mail[] }).mails ?? []
}
