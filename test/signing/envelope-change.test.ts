import { expect, it } from 'vitest'
import { isIntact } from '#kernel/hash-chain.ts'
import { serviceActor } from '#signing/audit/audit-actors.ts'
import { envelopeChange, mailsTo } from '#signing/envelopes/envelope-change.ts'
import { sendEnvelopeMails } from '#signing/jobs.ts'
import type { SignerRecord } from '#signing/ports.ts'
import { anEnvelope } from '#test/support/an-envelope.ts'

const at = '2026-03-16T09:00:00.000Z'

it('a change increments the version, chains its audit entries, and queues each mail under its own key', () => {
  const draft = anEnvelope()
  const [anna, bert] = draft.signers as [SignerRecord, SignerRecord]

  const created = envelopeChange(draft, {
    events: [{ at, actor: serviceActor, action: 'created', details: {} }],
  })
  const sent = envelopeChange(created.record, {
    fields: { status: 'sent', sends_emails: true },
    events: [{ at, actor: serviceActor, action: 'sent', details: {} }],
    mails: mailsTo('invitation', [anna, bert]),
  })

  expect(sent.record).toMatchObject({ version: draft.version + 2, audit_seq: 2, status: 'sent' })
  expect(isIntact([...created.auditEntries, ...sent.auditEntries], undefined)).toBe(true)
  expect(sent.jobs).toEqual([
    sendEnvelopeMails.of({
      workspace_id: draft.workspace_id,
      envelope_id: draft.id,
      mails: [
        { kind: 'invitation', to: { signer_id: anna.id }, key: `${draft.id}:invitation:${anna.id}:2` },
        { kind: 'invitation', to: { signer_id: bert.id }, key: `${draft.id}:invitation:${bert.id}:2` },
      ],
    }),
  ])
  expect(sent.record.signers.map(({ delivery, mail_key }) => [delivery, mail_key])).toEqual([
    ['queued', `${draft.id}:invitation:${anna.id}:2`],
    ['queued', `${draft.id}:invitation:${bert.id}:2`],
  ])
})

it('the timeline records each event in German, but no reminders', () => {
  const { timeline } = envelopeChange(anEnvelope({ title: 'Vollmacht', void_reason: 'Irrtum' }), {
    fields: { status: 'voided' },
    events: [
      { at, actor: serviceActor, action: 'reminded', details: {} },
      { at, actor: serviceActor, action: 'voided', details: {} },
    ],
  })

  expect(timeline.map(({ entry }) => [entry.type, entry.summary, entry.occurred_at])).toEqual([
    ['envelope.voided', 'Signaturvorgang „Vollmacht“ zurückgezogen: Irrtum', at],
  ])
})

it('a change without audit events leaves the chain unchanged', () => {
  const { record: created } = envelopeChange(anEnvelope(), {
    events: [{ at, actor: serviceActor, action: 'created', details: {} }],
  })

  const { record, auditEntries } = envelopeChange(created, { fields: { title: 'Neu' }, events: [] })

  expect([record.title, record.version, auditEntries]).toEqual(['Neu', created.version + 1, []])
  expect([record.audit_seq, record.audit_hash]).toEqual([created.audit_seq, created.audit_hash])
})
