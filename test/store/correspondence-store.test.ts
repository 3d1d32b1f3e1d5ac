import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { unsent } from '#correspondence/new-drafts.ts'
import type { CorrespondenceRecord, SendClaim, SharedLink } from '#correspondence/ports.ts'
import { newId } from '#kernel/id.ts'
import { draftRecord, keyClaim, mailRecord } from '#test/support/mail-records.ts'
import { entry, mailStores, walk } from '#test/support/mail-stores.ts'
import { caseRemoval, deletion, plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'
import { applyRule } from '#timeline/schema.ts'

const now = new Date('2026-03-16T08:30:00.000Z')

let stores: ReturnType<typeof mailStores>
beforeAll(async () => {
  stores = mailStores(await sharedTable())
})

/** Begins to send a mail under a key of its own. */
const begin = (record: CorrespondenceRecord, claim: SendClaim = keyClaim(newId('user'), randomUUID())) =>
  stores.mails.begin({ record, claim, jobs: [] }, now)

const all = (workspace: string, query = {}) =>
  walk((cursor) => stores.mails.page(workspace, { limit: 50, cursor, ...query })).then(({ items }) => items)

const idsOf = (records: { id: string }[]) => records.map(({ id }) => id)

describe('a send that begins', () => {
  it('is found as it was recorded, with its attachments, by its key and in the list', async () => {
    const workspace = newId('workspace')
    const user = newId('user')
    const key = randomUUID()
    const record = mailRecord(workspace, {
      from: { name: null, email: 'kanzlei@inbound.localhost' },
      case_id: await stores.addCase(workspace),
      party_id: newId('party'),
      attachments: [
        {
          document_id: newId('document'),
          filename: 'Klage.pdf',
          mime_type: 'application/pdf',
          size_bytes: 7,
          content_id: null,
        },
      ],
      references: ['<a@b.de>'],
      in_reply_to: '<a@b.de>',
      about: {
        type: 'envelope',
        id: 'env_1',
        signer_id: null,
        mail: 'declined',
        key: 'k1',
        link_sha256: null,
      },
    })

    const began = await begin(record, keyClaim(user, key, 'sha'))

    expect(began).toBe(true)
    expect(await stores.mails.find(workspace, record.id)).toEqual({
      ...record,
      changed_at: expect.any(String),
    })
    expect(await stores.mails.findSend(workspace, user, key, now)).toEqual({
      digest: 'sha',
      correspondence_id: record.id,
    })
    expect(await all(workspace)).toEqual([{ ...record, changed_at: expect.any(String) }])
  })

  it('is not begun again under its key, even if its case was deleted since', async () => {
    const workspace = newId('workspace')
    const claim = keyClaim(newId('user'), randomUUID())
    const case_id = await stores.addCase(workspace)
    await begin(mailRecord(workspace, { case_id }), claim)
    await stores.cases.remove(workspace, case_id, async () => caseRemoval(case_id, entry('case.deleted')))

    expect(await begin(mailRecord(workspace, { case_id }), claim)).toBe(false)
  })

  it('with a case that does not exist, or was deleted, leaves nothing', async () => {
    const workspace = newId('workspace')
    const user = newId('user')
    const key = randomUUID()
    const deleted = await stores.addCase(workspace)
    await stores.cases.remove(workspace, deleted, async () => caseRemoval(deleted, entry('case.deleted')))
    const ofOther = await stores.addCase(newId('workspace'))
    const records = [newId('case'), deleted, ofOther].map((case_id) => mailRecord(workspace, { case_id }))

    for (const record of records)
      await expect(begin(record, keyClaim(user, key))).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })

    expect(await stores.mails.findSend(workspace, user, key, now)).toBeUndefined()
    expect(await all(workspace)).toEqual([])
    for (const { id } of records) expect(await stores.mails.find(workspace, id)).toBeUndefined()
  })

  it('fifty times at once with one key is recorded once', async () => {
    const workspace = newId('workspace')
    const user = newId('user')
    const key = randomUUID()
    const records = Array.from({ length: 50 }, () => mailRecord(workspace))

    const began = await Promise.all(records.map((record) => begin(record, keyClaim(user, key))))

    const winners = records.filter((_, at) => began[at])
    expect(winners).toHaveLength(1)
    const send = await stores.mails.findSend(workspace, user, key, now)
    expect(send?.correspondence_id).toBe(winners[0]?.id)
    expect(idsOf(await all(workspace))).toEqual(idsOf(winners))
  })

  it('fifty times at once with fifty keys is recorded fifty times', async () => {
    const workspace = newId('workspace')
    const user = newId('user')
    const records = Array.from({ length: 50 }, () => mailRecord(workspace))

    const began = await Promise.all(records.map((record) => begin(record, keyClaim(user, randomUUID()))))

    expect(began).toEqual(records.map(() => true))
    expect(idsOf(await all(workspace))).toEqual(idsOf(records).toReversed())
  })

  it('with a key that another user or workspace holds is recorded', async () => {
    const [workspace, other] = [newId('workspace'), newId('workspace')]
    const [user, colleague] = [newId('user'), newId('user')]
    const key = randomUUID()

    const began = [
      await begin(mailRecord(workspace), keyClaim(user, key)),
      await begin(mailRecord(workspace), keyClaim(colleague, key)),
      await begin(mailRecord(other), keyClaim(user, key)),
      await begin(mailRecord(workspace), keyClaim(user, key)),
    ]

    expect(began).toEqual([true, true, true, false])
  })

  it('with a key that has expired is recorded, by one of several', async () => {
    const workspace = newId('workspace')
    const user = newId('user')
    const first = keyClaim(user, randomUUID(), 'first')
    await begin(mailRecord(workspace), first)
    const late = new Date(first.expires_at)
    const again = { ...first, digest: 'second', expires_at: '2026-05-15T08:30:00.000Z' }
    const beginAt = (at: Date) =>
      stores.mails.begin({ record: mailRecord(workspace), claim: again, jobs: [] }, at)

    const early = await beginAt(new Date(late.getTime() - 1))
    const expired = await stores.mails.findSend(workspace, user, first.key, late)
    const began = await Promise.all(Array.from({ length: 5 }, () => beginAt(late)))

    expect(early).toBe(false)
    expect(expired).toBeUndefined()
    expect(began.filter(Boolean)).toHaveLength(1)
    const send = await stores.mails.findSend(workspace, user, first.key, late)
    expect(send?.digest).toBe('second')
  })
})

describe('a draft that is sent', () => {
  const newDraft = async (workspace: string, changes = {}) => {
    const draft = draftRecord(workspace, changes)
    await stores.drafts.add(plain(draft))
    return draft
  }
  const send = (draft: ReturnType<typeof draftRecord>, changes = {}) => {
    const mail = mailRecord(draft.workspace_id, { draft_id: draft.id, ...changes })
    return begin(mail, { by: 'draft', draft }).then((began) => ({ began, mail }))
  }
  const settle = (mail: CorrespondenceRecord, changes: Partial<CorrespondenceRecord>) =>
    applyRule(stores.mails, mail.workspace_id, mail.id, (current) => ({
      record: { ...current, ...changes, version: current.version + 1 },
    }))
  const saveAgain = ({ workspace_id, id }: ReturnType<typeof draftRecord>) =>
    applyRule(stores.drafts, workspace_id, id, (current) => ({
      record: { ...current, ...unsent, version: current.version + 1 },
    }))
  const listed = async ({ workspace_id, user_id }: ReturnType<typeof draftRecord>) =>
    idsOf((await stores.drafts.page(workspace_id, user_id, { limit: 50 })).data)

  it('ten times at once is sent once, and names its send', async () => {
    const draft = await newDraft(newId('workspace'))

    const sends = await Promise.all(Array.from({ length: 10 }, () => send(draft)))

    const winners = sends.filter(({ began }) => began)
    expect(winners).toHaveLength(1)
    expect(await stores.drafts.find(draft.workspace_id, draft.id)).toEqual({
      ...draft,
      status: 'sending',
      correspondence_id: winners[0]?.mail.id,
      sending_since: winners[0]?.mail.sending_since,
      version: 2,
    })
    expect(idsOf(await all(draft.workspace_id))).toEqual([winners[0]?.mail.id])
  })

  it('is not sent where it was changed or deleted meanwhile, is being sent, or was sent', async () => {
    const workspace = newId('workspace')
    const changed = await newDraft(workspace)
    await applyRule(stores.drafts, workspace, changed.id, (current) => ({
      record: { ...current, subject: 'Anders', version: 2 },
    }))
    const deleted = await newDraft(workspace)
    await stores.drafts.remove(workspace, deleted.id, deletion)
    const sending = await newDraft(workspace, { status: 'sending' })
    const sent = await newDraft(workspace, { status: 'sent' })

    const sends = await Promise.all([changed, deleted, sending, sent].map((draft) => send(draft)))

    expect(sends.map(({ began }) => began)).toEqual([false, false, false, false])
    expect(await all(workspace)).toEqual([])
  })

  it('takes over what becomes of its send: a failed one stays in the list, a sent one leaves it', async () => {
    const draft = await newDraft(newId('workspace'))
    const { mail } = await send(draft)
    const seen: unknown[] = []
    const see = async () => {
      const stored = await stores.drafts.find(draft.workspace_id, draft.id)
      seen.push([stored?.status, stored?.sending_since, await listed(draft)])
    }

    await settle(mail, { status: 'failed' })
    await see()
    const later = '2026-03-16T09:00:00.000Z'
    await settle(mail, { status: 'sending', sending_since: later, attempts: 2 })
    await see()
    await settle(mail, { status: 'sent', message_id: 'ses-1' })
    await see()

    expect(seen).toEqual([
      ['failed', mail.sending_since, [draft.id]],
      ['sending', later, [draft.id]],
      ['sent', later, []],
    ])
  })

  it('after a failed send is sent again, and no longer follows the first send', async () => {
    const draft = await newDraft(newId('workspace'))
    const { mail: first } = await send(draft)
    await settle(first, { status: 'failed' })
    const failed = await stores.drafts.find(draft.workspace_id, draft.id)

    const { began, mail: second } = await send(failed ?? draft)
    await settle(first, { status: 'sent' })

    expect(began).toBe(true)
    expect(await stores.drafts.find(draft.workspace_id, draft.id)).toMatchObject({
      status: 'sending',
      correspondence_id: second.id,
    })
    expect(await listed(draft)).toEqual([draft.id])
  })

  it('and is edited after it failed is a draft again, whatever becomes of that send', async () => {
    const draft = await newDraft(newId('workspace'))
    const { mail } = await send(draft)
    await settle(mail, { status: 'failed' })
    await saveAgain(draft)

    await settle(mail, { status: 'sent' })

    const stored = await stores.drafts.find(draft.workspace_id, draft.id)
    expect(stored?.status).toBe('draft')
    expect(await listed(draft)).toEqual([draft.id])
  })

  it('deleted after a failed send hinders no event of that send', async () => {
    const draft = await newDraft(newId('workspace'))
    const { mail } = await send(draft)
    await settle(mail, { status: 'failed' })
    await stores.drafts.remove(draft.workspace_id, draft.id, deletion)

    const settled = await settle(mail, { status: 'sent' })

    expect(settled.status).toBe('sent')
    expect(await stores.drafts.find(draft.workspace_id, draft.id)).toBeUndefined()
    expect(await listed(draft)).toEqual([])
  })

  it('is not sent again as it was before it was changed or deleted', async () => {
    // Prepare
    const workspace = newId('workspace')
    const [changed, deleted] = [await newDraft(workspace), await newDraft(workspace)]
    const mails = [(await send(changed)).mail, (await send(deleted)).mail]
    for (const mail of mails) await settle(mail, { status: 'failed' })
    await saveAgain(changed)
    await stores.drafts.remove(workspace, deleted.id, deletion)

    // Act: what a request does that read the draft before.
    const again = await Promise.allSettled(
      mails.map((mail) => settle(mail, { status: 'sending', attempts: 2 })),
    )

    // Assess
    const refused = { status: 'rejected', reason: { code: 'SEND_IN_PROGRESS' } }
    expect(again).toMatchObject([refused, refused])
    for (const { id } of mails)
      expect(await stores.mails.find(workspace, id)).toMatchObject({ status: 'failed', attempts: 1 })
  })

  it('saved again or deleted after its send was lost hinders no change of that mail, such as an erasure', async () => {
    const workspace = newId('workspace')
    const [saved, deleted] = [await newDraft(workspace), await newDraft(workspace)]
    const mails = [(await send(saved)).mail, (await send(deleted)).mail]
    await saveAgain(saved)
    await stores.drafts.remove(workspace, deleted.id, deletion)

    for (const mail of mails) await settle(mail, { subject: '[gelöscht]' })

    for (const { id } of mails)
      expect(await stores.mails.find(workspace, id)).toMatchObject({
        status: 'sending',
        subject: '[gelöscht]',
      })
  })

  it('again while a late event settles its first send agrees with the send that it names', async () => {
    const workspace = newId('workspace')
    const rounds = Array.from({ length: 20 }, async () => {
      const draft = await newDraft(workspace)
      const { mail: first } = await send(draft)
      await settle(first, { status: 'failed' })
      const failed = (await stores.drafts.find(workspace, draft.id)) ?? draft

      const [{ began, mail: second }] = await Promise.all([send(failed), settle(first, { status: 'sent' })])

      const stored = await stores.drafts.find(workspace, draft.id)
      const expected = began ? ['sending', second.id, [draft.id]] : ['sent', first.id, []]
      expect([stored?.status, stored?.correspondence_id, await listed(draft)]).toEqual(expected)
      expect((await stores.mails.find(workspace, first.id))?.status).toBe('sent')
      expect((await stores.mails.find(workspace, second.id)) !== undefined).toBe(began)
    })

    await Promise.all(rounds)
  })
})

describe('a change of a mail', () => {
  it('that many make at once loses none', async () => {
    const workspace = newId('workspace')
    const mail = mailRecord(workspace)
    await begin(mail)
    const emails = Array.from({ length: 10 }, (_, at) => `empfaenger-${at}@example.de`)

    await Promise.all(
      emails.map((email) =>
        applyRule(stores.mails, workspace, mail.id, (current) => {
          const delivery = { email, status: 'delivered' as const, at: now.toISOString(), reason: null }
          const deliveries = [...current.delivery, delivery]
          return {
            record: { ...current, delivery: deliveries, version: current.version + 1 },
          }
        }),
      ),
    )

    const stored = await stores.mails.find(workspace, mail.id)
    expect(stored?.delivery.map(({ email }) => email).toSorted()).toEqual(emails)
    expect(stored?.version).toBe(11)
  })

  it('writes its timeline entries with it, and nothing at all where nothing was decided', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const mail = mailRecord(workspace, { case_id })
    await begin(mail)
    const sent = entry('email.sent')
    const timeline = async () =>
      (await stores.cases.timeline(workspace, case_id, { limit: 50 })).data.map(({ type }) => type)

    await applyRule(stores.mails, workspace, mail.id, (current) => ({
      record: { ...current, status: 'sent' as const, version: 2 },
      timeline: [{ case_id, entry: sent }],
    }))
    const unchanged = await applyRule(stores.mails, workspace, mail.id, () => undefined)

    expect(unchanged.version).toBe(2)
    expect(await timeline()).toEqual(['email.sent', 'case.created'])
  })

  it('moves it in the lists of cases and parties', async () => {
    const workspace = newId('workspace')
    const [from, to] = [await stores.addCase(workspace), await stores.addCase(workspace)]
    const party_id = newId('party')
    const mail = mailRecord(workspace, { case_id: from })
    await begin(mail)

    await applyRule(stores.mails, workspace, mail.id, (current) => ({
      record: { ...current, case_id: to, party_id, version: 2 },
    }))

    expect(await all(workspace, { case_id: from })).toEqual([])
    expect(idsOf(await all(workspace, { case_id: to, party_id }))).toEqual([mail.id])
  })

  it('into a case that does not exist, or was deleted, changes nothing', async () => {
    const workspace = newId('workspace')
    const record = mailRecord(workspace)
    await begin(record)
    const deleted = await stores.addCase(workspace)
    await stores.cases.remove(workspace, deleted, async () => caseRemoval(deleted, entry('case.deleted')))
    const ofOther = await stores.addCase(newId('workspace'))

    for (const case_id of [newId('case'), deleted, ofOther])
      await expect(
        applyRule(stores.mails, workspace, record.id, (current) => ({
          record: { ...current, case_id, version: current.version + 1 },
          timeline: [{ case_id, entry: entry('mail.filed') }],
        })),
      ).rejects.toMatchObject({ code: 'CASE_NOT_FOUND' })

    expect(await stores.mails.find(workspace, record.id)).toEqual({
      ...record,
      changed_at: expect.any(String),
    })
    expect(await all(workspace, { case_id: deleted })).toEqual([])
  })

  it('of an unknown mail, or another workspace’s, is CORRESPONDENCE_NOT_FOUND', async () => {
    const mail = mailRecord(newId('workspace'))
    await begin(mail)
    const other = newId('workspace')
    const decide = () => {
      throw new Error('There is nothing to decide about.')
    }

    for (const id of [mail.id, newId('correspondence')])
      await expect(applyRule(stores.mails, other, id, decide)).rejects.toMatchObject({
        code: 'CORRESPONDENCE_NOT_FOUND',
      })
  })
})

describe('the list of mails', () => {
  it('is narrowed by case, party and direction, and searched in subject and all addresses', async () => {
    const workspace = newId('workspace')
    const case_id = await stores.addCase(workspace)
    const party_id = newId('party')
    const mails = {
      inCase: mailRecord(workspace, { case_id, subject: 'Klageerwiderung' }),
      ofParty: mailRecord(workspace, { party_id, cc: ['Anna Größler <anna@example.de>'] }),
      received: mailRecord(workspace, {
        direction: 'inbound',
        status: 'received',
        from: { name: 'Yılmaz', email: 'kontakt@yilmaz.example' },
        case_id,
      }),
      blind: mailRecord(workspace, { bcc: ['Wirtschaftsprüfer <wp@pruefer.example>'] }),
    }
    for (const mail of Object.values(mails)) await begin(mail)
    const named = async (query: object) => {
      const found = idsOf(await all(workspace, query))
      return found.map((id) => Object.entries(mails).find(([, mail]) => mail.id === id)?.[0])
    }

    expect(await named({})).toEqual(['blind', 'received', 'ofParty', 'inCase'])
    expect(await named({ case_id })).toEqual(['received', 'inCase'])
    expect(await named({ case_id, direction: 'outbound' })).toEqual(['inCase'])
    expect(await named({ party_id })).toEqual(['ofParty'])
    expect(await named({ direction: 'inbound' })).toEqual(['received'])
    expect(await named({ search: 'erwiderung' })).toEqual(['inCase'])
    expect(await named({ search: 'groessler' })).toEqual(['ofParty'])
    expect(await named({ search: 'kontakt@yilmaz' })).toEqual(['received'])
    expect(await named({ search: 'pruefer wp@' })).toEqual(['blind'])
    expect(await named({ search: 'kündigung max', direction: 'outbound' })).toEqual(['blind', 'ofParty'])
    expect(await named({ search: 'quitzdorf' })).toEqual([])
  })

  it('shows what was there when the walk began exactly once, while others are added', async () => {
    const workspace = newId('workspace')
    const first = Array.from({ length: 25 }, () => mailRecord(workspace))
    for (const mail of first) await begin(mail)

    const { items, sizes } = await walk(
      (cursor) => stores.mails.page(workspace, { limit: 10, cursor }),
      () => begin(mailRecord(workspace)),
    )

    expect(idsOf(items)).toEqual(idsOf(first).toReversed())
    expect(sizes).toEqual([10, 10, 5])
  })

  it('shows each mail as it is now', async () => {
    const workspace = newId('workspace')
    const mail = mailRecord(workspace)
    await begin(mail)

    const record = await applyRule(stores.mails, workspace, mail.id, (current) => ({
      record: {
        ...current,
        status: 'sent' as const,
        message_id: 'ses-1',
        sent_at: now.toISOString(),
        version: 2,
      },
    }))

    expect(await all(workspace)).toEqual([{ ...record, changed_at: expect.any(String) }])
  })
})

describe('another workspace', () => {
  it('sees none of the mails, sends and drafts', async () => {
    const [workspace, other] = [newId('workspace'), newId('workspace')]
    const user = newId('user')
    const key = randomUUID()
    const mail = mailRecord(workspace)
    await begin(mail, keyClaim(user, key))
    const draft = draftRecord(workspace, { user_id: user })
    await stores.drafts.add(plain(draft))
    const ours = await stores.mails.page(workspace, { limit: 1 })
    await begin(mailRecord(workspace))
    const { cursor } = (await stores.mails.page(workspace, { limit: 1 })).pagination

    expect(ours.data).toHaveLength(1)
    expect(await stores.mails.find(other, mail.id)).toBeUndefined()
    expect(await all(other)).toEqual([])
    expect(await all(other, { search: 'kündigung' })).toEqual([])
    expect(await stores.mails.findSend(other, user, key, now)).toBeUndefined()
    expect(await stores.drafts.find(other, draft.id)).toBeUndefined()
    expect((await stores.drafts.page(other, user, { limit: 50 })).data).toEqual([])
    await expect(stores.mails.page(other, { limit: 1, cursor: cursor ?? '' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })
})

describe('a shared link', () => {
  it('is recorded with its mail, with or without a case, and found by its digest alone', async () => {
    const workspace = newId('workspace')
    const mail = mailRecord(workspace)
    const link: SharedLink = {
      token_sha256: randomUUID(),
      workspace_id: workspace,
      correspondence_id: mail.id,
      case_id: null,
      documents: [{ document_id: newId('document'), filename: 'Klage.pdf' }],
      expires_at: '2026-04-15T08:30:00.000Z',
    }

    await stores.mails.begin(
      { record: mail, claim: keyClaim(newId('user'), randomUUID()), link, jobs: [] },
      now,
    )

    expect(await stores.mails.findLink(link.token_sha256)).toEqual(link)
    expect(await stores.mails.findLink(randomUUID())).toBeUndefined()
  })

  it('of a send that another was faster than is not recorded', async () => {
    const workspace = newId('workspace')
    const claim = keyClaim(newId('user'), randomUUID())
    await begin(mailRecord(workspace), claim)
    const mail = mailRecord(workspace)
    const link: SharedLink = {
      token_sha256: randomUUID(),
      workspace_id: workspace,
      correspondence_id: mail.id,
      case_id: newId('case'),
      documents: [],
      expires_at: '2026-04-15T08:30:00.000Z',
    }

    const began = await stores.mails.begin({ record: mail, claim, link, jobs: [] }, now)

    expect(began).toBe(false)
    expect(await stores.mails.findLink(link.token_sha256)).toBeUndefined()
  })
})
