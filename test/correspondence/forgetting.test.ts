import { describe, expect, it } from 'vitest'
import { mailForgetting } from '#correspondence/forgetting.ts'
import type { CorrespondenceRecord, DraftRecord, SharedLink } from '#correspondence/ports.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { withoutParty } from '#parties/redaction.ts'
import { draftRecord, mailRecord } from '#test/support/mail-records.ts'
import { receivedMail } from '#test/support/received-mail.ts'

/** An erased person is removed from the mail of a firm (R5). The stores contain one mail and one draft. */
const workspace_id = 'ws_1'
const party = {
  type: 'person' as const,
  name: 'Anna Zwxmeier',
  email: 'anna@zwxmeier.example',
  phone: null,
  address: null,
}
const of = { ...party, workspace_id, id: 'pty_1', sharesMailbox: false }
const redact = withoutParty(party)

function firm(
  mail: CorrespondenceRecord,
  draft: DraftRecord,
  deleted: DraftRecord[] = [],
  meanwhile: (mails: Map<string, CorrespondenceRecord>) => void = () => {},
  afterListing: (mails: Map<string, CorrespondenceRecord>) => void = () => {},
  bodies = new Map<string, string>(),
) {
  const forgotten: (string | undefined)[] = []
  const gone = new Map(deleted.map((one) => [one.id, one]))
  const links = new Map<string, SharedLink>()
  const erasedUnder: string[] = []
  const removed: string[] = []
  const stored: object[] = []
  /** The process dies when it removes an object. */
  let isDying = false
  const [mails, drafts] = [new Map([[mail.id, mail]]), new Map([[draft.id, draft]])]
  const changing =
    <Stored>(records: Map<string, Stored>) =>
    async (
      _: string,
      id: string,
      decide: (before: Stored) => { record?: Stored; jobs?: object[]; answer: never },
    ) => {
      const { record, jobs = [], answer } = decide(records.get(id) as Stored)
      if (record !== undefined) records.set(id, record)
      stored.push(...jobs)
      return unchanged(answer)
    }
  const page = <Stored>(data: Stored[]) => ({ data, pagination: { cursor: null, has_more: false } })
  const forgetting = mailForgetting({
    store: {
      page: async () => {
        const listed = page([...mails.values()])
        afterListing(mails)
        return listed
      },
      find: async (_, id) => mails.get(id),
      change: changing(mails) as never,
      pageLinks: async () => page([...links.values()]),
      replaceLink: async ({ token_sha256, version }, after) => {
        const isAsRead = links.get(token_sha256)?.version === version
        if (isAsRead) links.set(token_sha256, { ...after, version: (version ?? 0) + 1 })
        return isAsRead
      },
    },
    drafts: {
      page: async () => page([...drafts.values()]),
      find: async (_, id) => drafts.get(id),
      change: changing(drafts) as never,
      pageDeleted: async (_, { cursor }) => {
        const [at, all] = [Number(cursor ?? 0), [...gone.values()]]
        const next = at + 1 < all.length ? String(at + 1) : null
        return { data: all.slice(at, at + 1), pagination: { cursor: next, has_more: next !== null } }
      },
      changeDeleted: async (_, id, change) => {
        const before = gone.get(id)
        const after = before && change(before)
        if (after !== undefined) gone.set(id, after)
      },
    },
    users: { page: async () => page([{ id: draft.user_id }]) },
    files: {
      put: async (key, bytes) => void bodies.set(key, new TextDecoder().decode(bytes)),
      read: async (key) => new TextEncoder().encode(bodies.get(key)),
      remove: async (keys) => {
        if (isDying) throw new Error('killed')
        removed.push(...keys)
        for (const key of keys) bodies.delete(key)
      },
      head: async (key) => (bodies.has(key) ? {} : undefined),
      eraseOlder: async (prefix) => void erasedUnder.push(prefix),
    },
    textOfHtml: async (html) => html,
    forgetIds: async ({ known_as }) => {
      forgotten.push(known_as)
      meanwhile(mails)
    },
    forgetLessons: async () => {},
    redactDocument: async () => {},
    leaveTimelines: async () => {},
    clock: { now: () => new Date('2026-11-20T14:00:00.000Z') },
  })
  return {
    run: async () => {
      for await (const _ of forgetting.mails(of, redact, null));
      for await (const _ of forgetting.drafts(of, redact, null, judge));
      for await (const _ of forgetting.deletedDrafts(of, redact, null, judge));
    },
    dies: (does: boolean) => {
      isDying = does
    },
    stored,
    /** The result of a run over the mail. */
    left: async () => (await forgetting.mails(of, redact, null).next()).value,
    /** The first run dies after every position, and the next one continues there. */
    runInPieces: async () => {
      for (let after: string | null = null; ; ) {
        const { done, value } = await forgetting.deletedDrafts(of, redact, after, judge).next()
        if (done === true) return
        after = value ?? null
      }
    },
    deleted: () => [...gone.values()],
    erasedUnder,
    removed,
    forgotten,
    links,
    mail: () => mails.get(mail.id),
    draft: () => drafts.get(draft.id),
  }
}

const judge = async (caseId: string) => (caseId === 'kept' || caseId === 'around' ? caseId : 'other')
const address = `Anna Zwxmeier <${party.email}>`
const warning = `The mail comes from ${party.email}, but the answer goes to other@other.example in another domain.`

describe('an erasure', () => {
  it('leaves no data of the person in a draft to them', async () => {
    const { run, draft } = firm(
      mailRecord(workspace_id),
      draftRecord(workspace_id, {
        to: [address, 'other@other.example'],
        subject: 'An Anna Zwxmeier',
        attachments: [{ document_id: 'doc_1', filename: 'Vollmacht Anna Zwxmeier.pdf' }],
        warnings: [warning],
        in_reply_to: `<${party.email}>`,
        references: ['<1@other.example>', `<${party.email}>`],
      }),
    )

    await run()

    expect(JSON.stringify(draft())).not.toMatch(/zwxmeier/i)
    expect(draft()).toMatchObject({
      to: ['other@other.example'],
      in_reply_to: null,
      references: ['<1@other.example>'],
    })
  })

  it('leaves no data of the person in the links of a mail to them', async () => {
    const mail = mailRecord(workspace_id, { to: [address], status: 'sent', sending_since: null })
    const { run, links } = firm(mail, draftRecord(workspace_id))
    links.set('digest', {
      ...{ token_sha256: 'digest', workspace_id, correspondence_id: mail.id, case_id: null },
      documents: [
        { document_id: 'doc_1', filename: 'Vollmacht Anna Zwxmeier.pdf', case_id: null },
        { document_id: 'doc_2', filename: 'Merkblatt.pdf', case_id: null },
      ],
      expires_at: '2026-12-20T14:00:00.000Z',
    })

    await run()
    await run()

    expect(links.get('digest')).toMatchObject({
      documents: [{ filename: 'Vollmacht [gelöscht].pdf' }, { filename: 'Merkblatt.pdf' }],
      version: 1,
    })
  })

  it('continues with a draft whose previous body it could not remove, and a job removes that body', async () => {
    const bodies = new Map([['former', 'Sehr geehrte Anna Zwxmeier']])
    const before = draftRecord(workspace_id, { to: [address], body_key: 'former' })
    const one = firm(
      mailRecord(workspace_id),
      before,
      [],
      () => {},
      () => {},
      bodies,
    )
    one.dies(true)
    await expect(one.run()).rejects.toThrow('killed')
    const left = one.draft()
    one.dies(false)

    await one.run()

    expect(left?.to).toEqual([address])
    expect(one.stored).toContainEqual(
      expect.objectContaining({ name: 'mail.erase', payload: { keys: ['former'] } }),
    )
    expect(one.draft()).toMatchObject({ to: [] })
    expect(bodies.get(String(one.draft()?.body_key))).toBe('<p>Sehr geehrte [gelöscht]</p>')
  })

  it('makes a refused draft a draft again, so that its first message is not sent', async () => {
    const corr = 'corr_01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
    const { run, draft } = firm(
      mailRecord(workspace_id),
      draftRecord(workspace_id, {
        to: [address, 'other@other.example'],
        status: 'failed',
        correspondence_id: corr,
        sending_since: '2026-11-20T13:00:00.000Z',
      }),
    )

    await run()

    expect(draft()).toMatchObject({
      to: ['other@other.example'],
      status: 'draft',
      correspondence_id: null,
      sending_since: null,
    })
  })

  it('leaves no invalid address in a draft of a case from which the person was removed before', async () => {
    const { run, draft } = firm(
      mailRecord(workspace_id),
      draftRecord(workspace_id, {
        to: [redact(address), 'other@other.example'],
        cc: [redact(party.email)],
        case_id: 'around',
      }),
    )

    await run()

    expect(draft()).toMatchObject({ to: ['other@other.example'], cc: [] })
  })

  it('includes a draft to another address with a warning about an address of the person', async () => {
    const { run, draft } = firm(
      mailRecord(workspace_id),
      draftRecord(workspace_id, { to: ['other@other.example'], warnings: [warning] }),
    )

    await run()

    expect(draft()?.warnings).toEqual([redact(warning)])
  })

  it.each(['run', 'runInPieces'] as const)('includes deleted drafts (%s)', async (way) => {
    const deleted = [null, 'kept', 'of others'].map((case_id) =>
      draftRecord(workspace_id, { to: [address], subject: 'An Anna Zwxmeier', case_id }),
    )
    const other = draftRecord(workspace_id, { subject: 'An Dritte' })
    const one = firm(mailRecord(workspace_id), draftRecord(workspace_id), [...deleted, other])

    await one[way]()

    const redacted = { to: [], subject: 'An [gelöscht]', version: 2 }
    expect(one.deleted()).toEqual([
      { ...deleted[0], ...redacted },
      deleted[1],
      { ...deleted[2], ...redacted },
      other,
    ])
    expect(one.erasedUnder).toContain(`mails/${workspace_id}/${deleted[0]?.id}/`)
  })

  it('includes the deleted draft of a mail to the person', async () => {
    const draft = draftRecord(workspace_id, { to: ['other@other.example'], subject: 'An Anna Zwxmeier' })
    const mail = mailRecord(workspace_id, { status: 'failed', to: [address], draft_id: draft.id })
    const { run, deleted } = firm(mail, draftRecord(workspace_id), [draft])

    await run()

    expect(deleted()).toEqual([{ ...draft, subject: 'An [gelöscht]', version: 2 }])
  })

  it('removes the ids by which a copy of a mail is recognised, even if an upgrade adds one meanwhile', async () => {
    const record = receivedMail(workspace_id, { from: { name: null, email: party.email } })
    const known = { ...record, known_as: 'sha256:0a', version: 2 }
    const { run, mail, forgotten } = firm(record, draftRecord(workspace_id), [], (mails) => {
      if (mails.get(record.id) === record) mails.set(record.id, known)
    })

    await run()

    expect(forgotten).toEqual([undefined, 'sha256:0a'])
    expect(mail()).toMatchObject({ from: { name: null, email: '' }, version: 3 })
    expect(mail()?.known_as).toBeUndefined()
  })

  it.each([
    ['is read', { status: 'processed' }],
    ['could not be read', { status: 'failed', status_reason: 'too_large' }],
  ] as const)('leaves no mail of the person to be judged: one that %s', async (_, before) => {
    const record = receivedMail(workspace_id, { from: { name: null, email: party.email }, ...before })
    const { run, mail } = firm(record, draftRecord(workspace_id))

    await run()

    expect(mail()).toMatchObject({ ...before, inbox: { ...record.inbox, is_judged: true } })
    expect(mail()?.from.email).toBe('')
  })

  it('waits for a mail of the person that is not read yet, and does not change it', async () => {
    const record = receivedMail(workspace_id, {
      from: { name: null, email: party.email },
      status: 'received',
    })
    const { left, mail, erasedUnder } = firm(record, draftRecord(workspace_id))

    expect(await left()).toBe('later')
    expect(mail()).toEqual(record)
    expect(erasedUnder).toEqual([])
  })

  it('does not change a mail that somebody files in a case after it was listed', async () => {
    const record = receivedMail(workspace_id, { from: { name: null, email: party.email } })
    const filed = { ...record, case_id: 'case_1', version: 2 }
    const { run, mail, removed } = firm(
      record,
      draftRecord(workspace_id),
      [],
      () => {},
      (mails) => mails.set(record.id, filed),
    )

    await run()

    expect(mail()).toEqual(filed)
    expect(removed).toEqual([])
  })

  it('leaves no data of the person in the reason why the provider refused a mail', async () => {
    const { run, mail } = firm(
      mailRecord(workspace_id, {
        status: 'failed',
        to: [address],
        refusal: { kind: 'address', message: `Address blacklisted: ${party.email}` },
      }),
      draftRecord(workspace_id),
    )

    await run()

    expect(JSON.stringify(mail())).not.toMatch(/zwxmeier/i)
    expect(mail()?.refusal).toEqual({ kind: 'address', message: 'Address blacklisted: [gelöscht]' })
  })
})
