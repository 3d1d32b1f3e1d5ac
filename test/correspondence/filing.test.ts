import { describe, expect, it } from 'vitest'
import { dismissed, filed, judged, reopened } from '#correspondence/filing.ts'
import { filingJobs, followFiling } from '#correspondence/jobs.ts'
import type { CorrespondenceChange, CorrespondenceRecord } from '#correspondence/ports.ts'
import { type FiledBy, triageActor } from '#inbox/filing-schema.ts'
import { openInbox, receivedMail } from '#test/support/received-mail.ts'
import type { Findings } from '#triage/schema.ts'

const [here, there] = ['01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10', '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e11']
const [party, user] = ['pty_1', 'usr_2']
const at = '2026-03-16T09:00:00.000Z'
const person: FiledBy = { actor: { type: 'user', id: 'usr_1', name: 'Dr. Jana Vogt' }, at }
const triage: FiledBy = { actor: triageActor, at, evidence: ['Sie antwortet auf eine E-Mail der Akte.'] }

const mail = (changes: Partial<CorrespondenceRecord> = {}) => receivedMail('ws_1', changes)
const filedMail = (case_id = here) =>
  mail({ case_id, inbox: openInbox({ state: 'filed', is_decided: true }) })

const entriesOf = (change: CorrespondenceChange | undefined) =>
  change?.timeline?.map(({ case_id, entry }) => [case_id, entry.type])

describe('filing a mail', () => {
  it('moves it from the inbox to the case, with one entry whose ref is the mail', () => {
    const current = mail()

    const change = filed(current, { case_id: here, party_id: party }, person)

    expect(change?.record).toMatchObject({ case_id: here, party_id: party, version: 2 })
    expect(change?.record.inbox).toMatchObject({ state: 'filed', is_decided: true })
    expect(change?.timeline).toEqual([
      {
        case_id: here,
        entry: {
          id: expect.any(String),
          type: 'mail.filed',
          occurred_at: at,
          actor: person.actor,
          summary: 'E-Mail „Ihre Kündigung vom 3. März“ von Max Müller <max@mueller.de> der Akte zugeordnet',
          ref: { type: 'correspondence', id: current.id },
        },
      },
    ])
    expect(change?.jobs).toEqual([
      followFiling.of({ workspace_id: 'ws_1', correspondence_id: current.id, from: null, at }),
    ])
  })

  it('into another case adds one entry to each of the two cases', () => {
    const change = filed(filedMail(), { case_id: there }, person)

    expect(entriesOf(change)).toEqual([
      [here, 'mail.unfiled'],
      [there, 'mail.filed'],
    ])
    expect(change?.jobs?.map(({ payload }) => payload)).toMatchObject([{ from: here }])
  })

  it('a second time into the same case changes nothing', () => {
    const after = filed(mail(), { case_id: here }, person)?.record ?? mail()

    expect(filed(after, { case_id: here }, person)).toBeUndefined()
  })

  it('by a person is final if the triage had filed it into the same case, without a second entry', () => {
    const byTriage = filed(mail(), { case_id: here }, triage)?.record ?? mail()

    const change = filed(byTriage, { case_id: here }, person)

    expect(byTriage.inbox).toMatchObject({ state: 'filed', is_decided: false })
    expect(change?.record.inbox?.is_decided).toBe(true)
    expect(change?.timeline).toEqual([])
    expect(change?.jobs).toEqual([])
  })

  it('by the triage adds an entry with the reason', () => {
    const change = filed(mail(), { case_id: here }, triage)

    expect(change?.timeline?.[0]?.entry).toMatchObject({
      actor: { type: 'system', id: null, name: 'Aktenlage' },
      summary: expect.stringMatching(
        /automatisch der Akte zugeordnet: Sie antwortet auf eine E-Mail der Akte\.$/,
      ),
    })
  })

  it('with only a party removes it from the inbox, without an entry', () => {
    const change = filed(mail(), { party_id: party }, person)

    expect(change?.record.inbox?.state).toBe('filed')
    expect(change?.timeline).toEqual([])
  })

  it('with only a user leaves it in the inbox, undecided', () => {
    const change = filed(mail(), { assigned_to: user }, person)

    expect(change?.record.assigned_to).toBe(user)
    expect(change?.record.inbox).toMatchObject({ state: 'open', assigned_to: user, is_decided: false })
  })

  it.each([
    [{ party_id: party }, 'Beteiligter'],
    [{ assigned_to: user }, 'Zuständigkeit'],
    [{ party_id: party, assigned_to: user }, 'Beteiligter und Zuständigkeit'],
  ])('changing %o of a filed mail is one entry in its case', (input, what) => {
    const change = filed(filedMail(), input, person)

    expect(entriesOf(change)).toEqual([[here, 'mail.assigned']])
    expect(change?.timeline?.[0]?.entry.summary).toContain(`${what} geändert`)
    expect(change?.jobs).toEqual([])
  })

  it('without its case moves it back to the inbox', () => {
    const change = filed(filedMail(), { case_id: null }, person)

    expect(change?.record).toMatchObject({ case_id: null, inbox: { state: 'open' } })
    expect(entriesOf(change)).toEqual([[here, 'mail.unfiled']])
  })

  it('without its party moves it back to the inbox if it was filed only with this party', () => {
    const withParty = filed(mail(), { party_id: party }, person)?.record ?? mail()

    expect(filed(withParty, { party_id: null }, person)?.record.inbox?.state).toBe('open')
    expect(filed(filedMail(), { party_id: null }, person)).toBeUndefined()
  })

  it('without its party leaves it in the inbox if it is there', () => {
    const change = filed(mail({ party_id: party }), { party_id: null }, person)

    expect(change?.record).toMatchObject({ party_id: null, inbox: { state: 'open', is_decided: true } })
  })
})

describe('a judgement of the triage', () => {
  const findings = { triage: { case_suggestions: [] } as unknown as Findings, auto_file: there }

  it.each([
    ['is in another case', mail({ case_id: here }), here],
    ['was dismissed', mail({ inbox: openInbox({ state: 'dismissed' }) }), null],
    ['was decided by a person', mail({ inbox: openInbox({ is_decided: true }) }), null],
    ['never was in the inbox', mail({ inbox: null }), null],
    ['waits in the inbox', mail(), there],
  ])('files a mail only if it waits in the inbox: it %s', (_, current, expected) => {
    const change = judged(current, current, findings, at)

    expect((change?.record ?? current).case_id).toBe(expected)
  })
})

describe('dismissing and reopening a mail', () => {
  it('removes it from the inbox and moves it back, and both may be repeated', () => {
    const away = dismissed(mail(), person)?.record ?? mail()
    const back = reopened(away, person)?.record ?? mail()

    expect(away.inbox).toMatchObject({ state: 'dismissed', is_decided: true })
    expect(dismissed(away, person)).toBeUndefined()
    expect(back.inbox).toMatchObject({ state: 'open', is_decided: true })
    expect(reopened(back, person)).toBeUndefined()
  })

  it('that bounced adds an entry to its case that says where it is now', () => {
    const away = dismissed(mail({ direction: 'outbound', case_id: here }), person)
    const back = reopened(away?.record ?? mail(), person)
    const confirmed = filed(away?.record ?? mail(), { case_id: here }, person)

    expect([away, back, confirmed].map((change) => change?.timeline?.[0]?.entry.summary)).toEqual([
      expect.stringMatching(/: aus dem Posteingang genommen$/),
      expect.stringMatching(/: wieder im Posteingang$/),
      expect.stringMatching(/: Zuordnung bestätigt$/),
    ])
  })

  it('reopening a mail that the triage has filed decides that it does not belong to that case', () => {
    const byTriage = filed(mail(), { case_id: here }, triage)?.record ?? mail()

    const back = reopened(byTriage, person)?.record

    expect([byTriage.inbox?.is_decided, back?.case_id]).toEqual([false, null])
    expect(back?.inbox).toMatchObject({ state: 'open', is_decided: true })
  })

  it('dismissing a filed mail leaves it filed', () => {
    expect(dismissed(filedMail(), person)).toBeUndefined()
  })

  it('a dismissed mail can be filed', () => {
    const away = dismissed(mail(), person)?.record ?? mail()

    expect(filed(away, { case_id: here }, person)?.record).toMatchObject({
      case_id: here,
      inbox: { state: 'filed' },
    })
  })

  it('reopening a filed mail removes it from its case, with one entry there', () => {
    const change = reopened(filedMail(), person)

    expect(change?.record).toMatchObject({ case_id: null, inbox: { state: 'open' } })
    expect(entriesOf(change)).toEqual([[here, 'mail.unfiled']])
    expect(change?.jobs).toHaveLength(1)
  })

  it('dismissing and reopening a mail that bounced leaves it in its case', () => {
    const bounced = mail({
      direction: 'outbound',
      status: 'sent',
      case_id: here,
      inbox: openInbox({ notice: 'Nicht zugestellt an max@mueller.de: unbekannt' }),
    })

    const away = dismissed(bounced, person)

    expect(away?.record).toMatchObject({ case_id: here, inbox: { state: 'dismissed' } })
    expect(entriesOf(away)).toEqual([[here, 'mail.assigned']])
    expect(reopened(away?.record ?? bounced, person)?.record).toMatchObject({ case_id: here })
  })

  it.each([
    ['filing', (record: CorrespondenceRecord) => filed(record, { case_id: here }, person)],
    ['dismissing', (record: CorrespondenceRecord) => dismissed(record, person)],
    ['reopening', (record: CorrespondenceRecord) => reopened(record, person)],
  ])('%s refuses what never came into the inbox', (_, act) => {
    expect(() => act(mail({ inbox: null }))).toThrow(
      expect.objectContaining({ code: 'INBOX_ITEM_NOT_FOUND' }),
    )
  })
})

describe('what follows a filing', () => {
  const followed = async (cases: (string | null)[], from: string | null) => {
    const steps: unknown[] = []
    const record = mail({
      attachments: [
        {
          document_id: 'doc_1',
          filename: 'a.pdf',
          mime_type: 'application/pdf',
          size_bytes: 1,
          content_id: null,
        },
      ],
    })
    let reads = 0
    const [handler] = filingJobs({
      mails: {
        find: async () => ({ ...record, case_id: cases[Math.min(reads++, cases.length - 1)] ?? null }),
      },
      followMail: async ({ document_ids, from, to }) => void steps.push({ document_ids, from, to }),
      lessons: { follow: async (_, { from, to }) => void steps.push({ from, to }) },
    })
    await handler?.run({ workspace_id: 'ws_1', correspondence_id: record.id, from, at })
    return steps
  }

  it('moves attachments and lessons to the current case of the mail, even if it runs late', async () => {
    expect(await followed([there], null)).toEqual([
      { document_ids: ['doc_1'], from: null, to: there },
      { from: null, to: there },
    ])
  })

  it('continues if the mail was filed elsewhere meanwhile', async () => {
    expect(await followed([here, there], null)).toEqual([
      { document_ids: ['doc_1'], from: null, to: here },
      { from: null, to: here },
      { document_ids: ['doc_1'], from: here, to: there },
      { from: here, to: there },
    ])
  })

  it('teaches the case to which the mail was moved back, and never removes its lesson', async () => {
    expect(await followed([here], here)).toContainEqual({ from: null, to: here })
  })
})
