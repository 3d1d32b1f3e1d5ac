import { describe, expect, it } from 'vitest'
import { delivery } from '#correspondence/delivery.ts'
import type { MailEvent } from '#correspondence/event-schema.ts'
import { mailReportJobs } from '#correspondence/jobs.ts'
import { bodyKey } from '#correspondence/keys.ts'
import { lostMailJobs } from '#correspondence/lost-mails.ts'
import { mailReports } from '#correspondence/mail-reports.ts'
import { serviceMails } from '#correspondence/service-mail.ts'
import type { Job } from '#jobs/job.ts'
import { jobRunner } from '#jobs/runner.ts'
import { isIntact } from '#kernel/hash-chain.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { serviceActor } from '#signing/audit/audit-actors.ts'
import { type EnvelopeStep, envelopeChange, mailsTo } from '#signing/envelopes/envelope-change.ts'
import { envelopeMailing } from '#signing/mail/envelope-mailing.ts'
import { mailDelivery } from '#signing/mail/mail-delivery.ts'
import type { EnvelopeRecord, SignerRecord } from '#signing/ports.ts'
import type { EnvelopeMail } from '#signing/queues.ts'
import { anEnvelope, aSigner } from '#test/support/an-envelope.ts'
import { actor, mailInMemory, workspaceId } from '../correspondence/in-memory-mail.ts'
import { envelopesInMemory } from './envelopes-in-memory.ts'

const accepted = { kind: 'accepted', provider_message_id: 'ses-1' } as const
const refused = { kind: 'refused', refusal: { kind: 'other', message: 'Throttled.' } } as const
const refusedAddress = { kind: 'refused', refusal: { kind: 'address', message: 'Illegal address.' } } as const
const unknown = { kind: 'unknown', cause: new Error('The connection was lost.') } as const

/** The worker on stores in memory, with one envelope that was sent to Anna and Bert. */
function mailing(
  fields: Partial<EnvelopeRecord> = {},
  { sendsMails = true, creator = { active: true } } = {},
) {
  const mail = mailInMemory()
  const envelopes = envelopesInMemory()
  const results = mailDelivery({ store: envelopes.store })
  const reports = mailReports({ store: mail.store, handle: results.recordOutcome, clock: mail.deps.clock })
  const jobs = jobRunner(
    ...mailReportJobs(reports),
    ...lostMailJobs({ mails: mail.store, clock: mail.deps.clock }),
  )
  const worker = envelopeMailing({
    store: envelopes.store,
    delivery: results,
    users: { find: async () => ({ name: actor.user_name, email: 'vogt@kanzlei.de', ...creator }) },
    workspaces: mail.deps.workspaces,
    documents: mail.deps.documents,
    sendMail: serviceMails({ ...mail.deps, store: mail.store, send: mail.send }).send,
    clock: mail.deps.clock,
    log: mail.deps.log,
    baseUrl: () => 'https://akte.example.de',
    canMail: () => sendsMails,
  })
  const envelope = anEnvelope({
    workspace_id: workspaceId,
    status: 'sent',
    sends_emails: true,
    sent_at: '2026-11-20T14:00:00.000Z',
    expires_at: '2026-12-20T14:00:00.000Z',
    ...fields,
  })
  envelopes.records.set(envelope.id, envelope)
  const now = (): EnvelopeRecord => envelopes.records.get(envelope.id) ?? envelope

  /** Changes the envelope as the service does, and returns the messages of the mails that the change requests. */
  const step = (more: Omit<EnvelopeStep, 'events'>): EnvelopeMail[] => {
    const event = {
      at: '2026-11-20T14:01:00.000Z',
      actor: serviceActor,
      action: 'changed',
      details: {},
    } as const
    const change = envelopeChange(now(), { ...more, events: [event] })
    envelopes.records.set(envelope.id, change.record)
    const payloads = change.jobs.map(
      ({ payload }) => payload as { mails: Omit<EnvelopeMail, 'workspace_id'>[] },
    )
    return payloads.flatMap(({ mails }) =>
      mails.map((one) => ({ ...one, workspace_id: workspaceId, envelope_id: envelope.id })),
    )
  }
  const signer = (at: number): SignerRecord => now().signers[at] as SignerRecord
  /** Runs the jobs that are due, and the jobs that they enqueue. */
  const runJobs = async () => {
    const isDue = ({ due_at }: Job) => due_at === undefined || due_at <= mail.now()
    for (let at = mail.jobs.findIndex(isDue); at >= 0; at = mail.jobs.findIndex(isDue)) {
      const [job] = mail.jobs.splice(at, 1)
      await jobs.run(job as Job)
    }
  }
  const ask = (kind: EnvelopeMail['kind'], at: number): EnvelopeMail =>
    step({ mails: mailsTo(kind, [signer(at)]) })[0] as EnvelopeMail

  return {
    ...mail,
    envelopes,
    envelope,
    now,
    signer,
    step,
    ask,
    runJobs,
    /** Handles a message, and runs the jobs that follow. */
    send: async (message: EnvelopeMail): Promise<'done' | 'comes again'> => {
      const outcome = await worker.send(message).then(
        () => 'done' as const,
        () => 'comes again' as const,
      )
      await runJobs()
      return outcome
    },
    changeSigner: (at: number, change: Partial<SignerRecord>) => {
      const { id } = signer(at)
      const signers = now().signers.map((one) => (one.id === id ? { ...one, ...change } : one))
      step({ fields: { signers } })
    },
    /** The digests of the links in the messages that the provider was given. */
    sentLinks: () =>
      mail.calls.map(({ raw }) => {
        const [, token] = /\/sign\/([\w-]+)/.exec(Buffer.from(raw).toString()) ?? []
        return token === undefined ? null : hexDigest(token)
      }),
    event: async (eventType: string, more: Partial<MailEvent> = {}, at = -1) => {
      const id = [...mail.records.keys()].at(at) ?? ''
      const events = delivery({ store: mail.store, log: { warn: () => {} } })
      const tags = { workspace: [workspaceId], correspondence: [id] }
      const about = { timestamp: '2026-11-20T14:05:00.000Z', messageId: 'ses-event', tags }
      await events.record({ eventType, mail: about, ...more })
      await runJobs()
    },
  }
}

const bounceOf = (emailAddress: string): Partial<MailEvent> => ({
  bounce: {
    timestamp: '2026-11-20T14:06:00.000Z',
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress }],
  },
})

describe('an invitation', () => {
  it('goes to its signer with a link that is valid from then on', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)
    expect(mails.signer(0)).toMatchObject({ delivery: 'queued', sent_at: null, link_sha256: null })

    expect(await mails.send(message)).toBe('done')

    expect(mails.calls.map(({ recipients }) => recipients)).toEqual([['anna.meier@example.com']])
    expect(mails.sentLinks()).toEqual([mails.signer(0).link_sha256])
    expect(mails.signer(0)).toMatchObject({ delivery: 'sent', sent_at: '2026-11-20T14:03:00.000Z' })
    expect(mails.signer(1)).toMatchObject({ delivery: null, link_sha256: null })
  })

  it('is recorded with its envelope, but without the link', async () => {
    const mails = mailing()
    await mails.send(mails.ask('invitation', 0))

    const [record] = mails.records.values()
    if (record === undefined) throw new Error('Nothing was recorded.')
    expect(record).toMatchObject({
      user_id: mails.envelope.created_by,
      case_id: mails.envelope.case_id,
      about: { type: 'envelope', id: mails.envelope.id, signer_id: mails.signer(0).id, mail: 'invitation' },
    })
    const token = /\/sign\/([\w-]+)/.exec(Buffer.from(mails.calls[0]?.raw ?? []).toString())?.[1] ?? ''
    const shown = Buffer.from(mails.files.get(bodyKey(record)) ?? []).toString()
    const elsewhere = JSON.stringify([record, mails.now(), mails.timeline, mails.warnings])
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(shown + elsewhere).not.toContain(token)
  })

  it('is sent once, with the valid link, even if its message arrives twenty times at once', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)

    const outcomes = await Promise.all(Array.from({ length: 20 }, () => mails.send(message)))

    expect(mails.calls.length).toBe(1)
    expect(mails.sentLinks()).toEqual([mails.signer(0).link_sha256])
    expect(outcomes).toContain('done')
    expect(await mails.send(message)).toBe('done')
    expect(mails.calls.length).toBe(1)
  })

  it('is not sent after a reminder, so that the link of the reminder stays valid', async () => {
    const mails = mailing()
    const invitation = mails.ask('invitation', 0)
    const reminder = mails.ask('reminder', 0)
    await mails.send(reminder)
    const link = mails.signer(0).link_sha256

    expect(await mails.send(invitation)).toBe('done')

    expect([mails.calls.length, mails.signer(0).link_sha256]).toEqual([1, link])
    expect(mails.signer(0).delivery).toBe('sent')
  })

  it('is not sent to somebody who has already signed, and is no longer queued', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)
    mails.changeSigner(0, { status: 'signed' })

    expect(await mails.send(message)).toBe('done')

    expect([mails.calls.length, mails.signer(0).link_sha256, mails.signer(0).delivery]).toEqual([
      0,
      null,
      null,
    ])
  })

  it('is not sent to somebody who signs while it is composed, and creates no link', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)
    const { find } = mails.envelopes.store
    mails.envelopes.store.find = async (workspace, id) => {
      const found = await find(workspace, id)
      mails.changeSigner(0, { status: 'signed' })
      return found
    }

    const outcomes = [await mails.send(message), await mails.send(message)]

    expect(outcomes).toEqual(['comes again', 'done'])
    expect([mails.calls.length, mails.signer(0).link_sha256]).toEqual([0, null])
  })

  it('is sent again if it was refused, as the stored message, whose link is then valid', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)
    mails.answer(async () => refused)
    const first = await mails.send(message)
    const between = mails.signer(0).delivery
    mails.answer(async () => accepted)

    expect([first, between, await mails.send(message)]).toEqual(['comes again', 'queued', 'done'])

    expect(mails.sentLinks()).toEqual([mails.signer(0).link_sha256, mails.signer(0).link_sha256])
    expect([mails.records.size, mails.signer(0).delivery]).toEqual([1, 'sent'])
  })

  it('is not sent again if it was refused and a reminder has replaced it', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)
    mails.answer(async () => refused)
    await mails.send(message)
    mails.answer(async () => accepted)
    await mails.send(mails.ask('reminder', 0))
    const link = mails.signer(0).link_sha256

    expect(await mails.send(message)).toBe('done')

    expect([mails.calls.length, mails.signer(0).link_sha256]).toEqual([2, link])
  })

  it('counts as bounced and is not repeated if its address is refused', async () => {
    const mails = mailing()
    mails.answer(async () => refusedAddress)

    expect(await mails.send(mails.ask('invitation', 0))).toBe('done')

    expect(mails.signer(0)).toMatchObject({ delivery: 'bounced', sent_at: null })
  })

  it('is logged, if its address is refused, without the text of the provider, which may quote the address', async () => {
    const mails = mailing()
    const message = "Invalid domain name: 'Meier_Bau.example'."
    mails.answer(async () => ({ kind: 'refused', refusal: { kind: 'address', message } }))

    await mails.send(mails.ask('invitation', 0))

    expect(mails.warnings).toEqual([expect.stringContaining('"refusal":"address"')])
    expect(mails.warnings.join()).not.toContain('Meier')
  })

  it('is pending for ten minutes if its answer is lost, then counts as bounced, and is never sent again', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)
    mails.answer(async () => unknown)
    const outcomes = [await mails.send(message), await mails.send(message)]
    const waiting = mails.signer(0).delivery
    mails.passMinutes(10)

    outcomes.push(await mails.send(message))

    expect([outcomes, waiting]).toEqual([['comes again', 'comes again', 'done'], 'queued'])
    expect([mails.calls.length, mails.signer(0).delivery]).toEqual([1, 'bounced'])
    // A late event proves that it was sent all the same, with the link that is still valid.
    await mails.event('Send')
    expect(mails.signer(0)).toMatchObject({ delivery: 'sent', link_sha256: mails.sentLinks()[0] })
  })

  it('is sent by the next message if its link could not be activated', async () => {
    const mails = mailing()
    const message = mails.ask('invitation', 0)
    const { change } = mails.envelopes.store
    mails.envelopes.store.change = () => Promise.reject(new Error('The table does not answer.'))
    const first = await mails.send(message).catch(() => 'failed')
    mails.envelopes.store.change = change

    const second = await mails.send(message)

    expect([first, second, mails.calls.length]).toEqual(['failed', 'done', 1])
    expect(mails.sentLinks()).toEqual([mails.signer(0).link_sha256])
  })

  it('is sent even if the case of its envelope was deleted', async () => {
    const mails = mailing({ case_id: mailInMemory().content.case_id })
    mails.deleteCase()

    expect(await mails.send(mails.ask('invitation', 0))).toBe('done')

    expect([...mails.records.values()].map(({ case_id }) => case_id)).toEqual([null])
    expect(mails.sentLinks()).toEqual([mails.signer(0).link_sha256])
  })

  it('has one recipient, even if the name has a comma, a tab and direction marks', async () => {
    const mails = mailing({
      signers: [aSigner({ name: 'Dr. Müller,\tRechtsanwältin "\u202eX" <x@y.de>', email: 'a@example.com' })],
    })

    await mails.send(mails.ask('invitation', 0))

    expect(mails.calls.map(({ recipients }) => recipients)).toEqual([['a@example.com']])
    const [record] = mails.records.values()
    expect(record?.to).toEqual([String.raw`"Dr. Müller, Rechtsanwältin \"X\" <x@y.de>" <a@example.com>`])
  })

  it('does not change the audit trail', async () => {
    const mails = mailing()
    await mails.send(mails.ask('invitation', 0))
    const added = mails.envelopes.changes.flatMap(({ auditEntries }) => auditEntries)

    expect(added).toEqual([])
    expect(isIntact(added, undefined)).toBe(true)
    expect(mails.envelopes.changes.flatMap(({ timeline }) => timeline)).toEqual([])
  })
})

describe('a reminder', () => {
  it.each([1, 4, 5])('replaces the previous link, whose %i wrong codes still count', async (wrong) => {
    const mails = mailing()
    await mails.send(mails.ask('invitation', 0))
    mails.changeSigner(0, { code_attempts: wrong })

    await mails.send(mails.ask('reminder', 0))

    const [first, second] = mails.sentLinks()
    expect(first).not.toBe(second)
    expect(mails.signer(0)).toMatchObject({ link_sha256: second, code_attempts: wrong })
  })
})

describe('the delivery of a signer', () => {
  it('is bounced when the mail bounces, with an entry in the timeline of the case', async () => {
    const mails = mailing()
    await mails.send(mails.ask('invitation', 0))

    await mails.event('Bounce', bounceOf('anna.meier@example.com'))

    expect(mails.signer(0).delivery).toBe('bounced')
    expect(mails.timeline.map(({ entry }) => entry.type)).toEqual(['mail.sent', 'mail.bounced'])
  })

  it('is the state of the newest mail, regardless of reports about older ones', async () => {
    const mails = mailing()
    await mails.send(mails.ask('invitation', 0))
    await mails.send(mails.ask('reminder', 0))

    await mails.event('Bounce', bounceOf('anna.meier@example.com'), 0)

    expect(mails.signer(0).delivery).toBe('sent')
  })

  it('does not change when reports come twice or late', async () => {
    const mails = mailing()
    await mails.send(mails.ask('invitation', 0))
    const before = mails.now()
    const [id = ''] = mails.records.keys()

    mails.jobs.push(...mailReportsOf(id), ...mailReportsOf(id), ...mailReportsOf('corr_gone'))
    await mails.runJobs()

    expect(mails.now()).toEqual(before)
  })
})

function mailReportsOf(correspondence_id: string) {
  const payload = { workspace_id: workspaceId, correspondence_id }
  return [{ name: 'mail.report', version: 1, kind: 'follow-up' as const, required: false, payload }]
}

describe('a notice', () => {
  const noticesOf = (mails: ReturnType<typeof mailing>, kind: 'completed' | 'declined' | 'expired') => [
    ...mailsTo(kind, mails.now().signers),
    { kind, to: { user_id: mails.envelope.created_by } },
  ]
  const ended = (
    kind: 'completed' | 'declined' | 'expired',
    emails: string[],
    office?: Parameters<typeof mailing>[1],
  ) => {
    const sent_at = '2026-11-20T14:01:00.000Z'
    const signers = emails.map((email, order) => aSigner({ email, order, sent_at, delivery: 'sent' }))
    return mailing({ status: kind, signers }, office)
  }
  const sendAll = async (mails: ReturnType<typeof mailing>, requests: EnvelopeStep['mails']) => {
    for (const message of mails.step({ mails: requests ?? [] }))
      expect(await mails.send(message)).toBe('done')
    return mails.calls.flatMap(({ recipients }) => recipients)
  }

  it.each([
    'completed',
    'declined',
    'expired',
  ] as const)('goes to each address once, even if the creator signs or two signers share an address: %s', async (kind) => {
    const mails = ended(kind, ['Vogt@kanzlei.de', 'meier@example.com', 'meier@EXAMPLE.com'])

    const recipients = await sendAll(mails, noticesOf(mails, kind))

    expect(recipients.map((one) => one.toLowerCase()).toSorted()).toEqual([
      'meier@example.com',
      'vogt@kanzlei.de',
    ])
    expect(mails.now().signers.map(({ delivery }) => delivery)).toEqual(['sent', 'sent', 'sent'])
  })

  it('is not sent to a deactivated creator, but to a signer with the same address', async () => {
    const mails = ended('declined', ['meier@example.com'], { creator: { active: false } })
    const alike = ended('declined', ['vogt@kanzlei.de'], { creator: { active: false } })

    expect(await sendAll(mails, noticesOf(mails, 'declined'))).toEqual(['meier@example.com'])
    expect(await sendAll(alike, noticesOf(alike, 'declined'))).toEqual(['vogt@kanzlei.de'])
  })

  it('is skipped without an error for an envelope without mails on a stage that sends none', async () => {
    const mails = mailing({ status: 'completed', sends_emails: false }, { sendsMails: false })

    expect(await sendAll(mails, noticesOf(mails, 'completed'))).toEqual([])
    expect(mails.signer(0).delivery).toBeNull()
  })
})

describe('the sealed copies', () => {
  const sealed = (id: string, size_bytes: number) => ({
    document_id: id,
    sha256: 'cd'.repeat(32),
    key: `files/${id}`,
    size_bytes,
    attempts: 1,
    attached_because: null,
    is_filed: true,
  })
  const completed = (sizes: number[]) => {
    const mails = mailing({ status: 'completed', completed_at: '2026-11-20T15:00:00.000Z' })
    const documents = sizes.map((size, at) => {
      mails.addDocument(`doc_${at}`, `Vollmacht ${at} (signiert).pdf`, size)
      return {
        ...(mails.envelope.documents[0] as EnvelopeRecord['documents'][0]),
        sealed: sealed(`doc_${at}`, size),
      }
    })
    mails.step({ fields: { documents } })
    return mails
  }
  const attachedTo = (mails: ReturnType<typeof mailing>, at: number): string[] =>
    JSON.parse(Buffer.from(mails.calls[at]?.raw ?? []).toString()).attachments

  it('are attached for signers and cc, and the office gets a notice without them', async () => {
    const mails = completed([1_000, 2_000])
    const { created_by } = mails.envelope
    const [anna, bert] = mails.now().signers as [SignerRecord, SignerRecord]
    mails.changeSigner(1, { role: 'cc' })

    for (const message of mails.step({
      mails: [...mailsTo('completed', [anna, bert]), { kind: 'completed', to: { user_id: created_by } }],
    }))
      expect(await mails.send(message)).toBe('done')

    const both = ['Vollmacht 0 (signiert).pdf', 'Vollmacht 1 (signiert).pdf']
    expect([attachedTo(mails, 0), attachedTo(mails, 1), attachedTo(mails, 2)]).toEqual([both, both, []])
    expect(mails.calls.at(-1)?.recipients).toEqual(['vogt@kanzlei.de'])
    expect(mails.sentLinks()).toEqual([null, null, null])
  })

  it('are sent as links if they have more than 6 MiB together', async () => {
    const mails = completed([6 * 1024 * 1024, 1])

    await mails.send(mails.ask('completed', 0))

    const message = Buffer.from(mails.calls[0]?.raw ?? []).toString()
    expect(attachedTo(mails, 0)).toEqual([])
    expect(message.match(/https:\/\/akte\.example\.de\/shared\/[\w-]{43}/g)?.length).toBeGreaterThanOrEqual(2)
  })

  it('do not include a copy that was deleted', async () => {
    const mails = completed([1_000])
    const documents = [
      ...mails.now().documents,
      { ...(mails.now().documents[0] as EnvelopeRecord['documents'][0]), sealed: sealed('doc_gone', 1) },
    ]
    mails.step({ fields: { documents } })

    expect(await mails.send(mails.ask('completed', 0))).toBe('done')
    expect(attachedTo(mails, 0)).toEqual(['Vollmacht 0 (signiert).pdf'])
  })

  it('are announced neither as attachments nor as part of the case if all of them were deleted', async () => {
    const mails = completed([1_000])
    const [document] = mails.now().documents as [EnvelopeRecord['documents'][0]]
    mails.step({ fields: { documents: [{ ...document, sealed: sealed('doc_gone', 1) }] } })

    await mails.send(mails.ask('completed', 0))

    expect(attachedTo(mails, 0)).toEqual([])
    expect(Buffer.from(mails.calls[0]?.raw ?? []).toString()).not.toMatch(/beigefügt|in der Akte/)
  })
})
