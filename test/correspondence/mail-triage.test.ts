import { describe, expect, it } from 'vitest'
import { followFiling } from '#correspondence/jobs.ts'
import { openInbox } from '#test/support/received-mail.ts'
import { arrivalsInMemory, certainOf, judgement } from './in-memory-arrivals.ts'

const here = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const there = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e11'

/** A mail that is read, with one attachment. */
function readMail(...[changes]: Parameters<typeof arrivalsInMemory>) {
  const mail = arrivalsInMemory({
    status: 'processed',
    attachments: [
      {
        document_id: 'doc_0',
        filename: 'a.pdf',
        mime_type: 'application/pdf',
        size_bytes: 1,
        content_id: null,
      },
    ],
    ...changes,
  })
  mail.read([{ filename: 'a.pdf', mime_type: 'application/pdf', text: null }])
  return mail
}

describe('judging a mail', () => {
  it('records the triage result, which is final if no text is missing', async () => {
    const mail = readMail()

    await mail.judge()

    expect(mail.current()).toMatchObject({
      triage: { ...judgement.triage, final: true },
      teaches: judgement.teaches,
      case_id: null,
      inbox: { category: 'client', state: 'open', is_judged: true },
    })
  })

  it('knows the recipients of the mail', async () => {
    const recipients = { to: ['Kolb <service@kolb.example>'], cc: ['akten@kanzlei.example'] }
    const mail = readMail(recipients)

    await mail.judge()

    expect(mail.heard).toMatchObject([{ recipients }])
  })

  it('happens neither before the mail is read nor after its triage is final', async () => {
    const [unread, judged] = [arrivalsInMemory(), readMail({ inbox: openInbox({ is_judged: true }) })]

    await Promise.all([unread.judge(), judged.judge()])

    expect([unread.heard, judged.heard]).toEqual([[], []])
  })

  it('files a certain mail once, with one entry that quotes the evidence', async () => {
    const mail = readMail()
    mail.given.judge = async () => certainOf(here)

    await mail.judge()
    await mail.judge()

    expect(mail.current()).toMatchObject({
      case_id: here,
      triage: certainOf(here).triage,
      inbox: { state: 'filed', is_decided: false, is_judged: true },
    })
    expect(mail.timeline.map(({ case_id, entry }) => [case_id, entry.type, entry.actor.name])).toEqual([
      [here, 'mail.filed', 'Aktenlage'],
    ])
    expect(mail.timeline[0]?.entry.summary).toContain('Antwort auf „<a@kanzlei>“')
    expect(mail.jobs.map(({ name }) => name)).toEqual([followFiling.name])
  })

  it('does not file the mail while an attachment is not read, which may name another case', async () => {
    const mail = readMail()
    mail.given.judge = async (_, { attachments }) =>
      attachments[0]?.text == null ? certainOf(here) : certainOf(there)
    mail.given.texts = async () => ({ texts: [null], is_pending: true })
    await mail.judge()
    expect(mail.current()).toMatchObject({
      case_id: null,
      triage: { case_suggestions: [{ case_id: here }], final: false },
      inbox: { state: 'open', is_judged: false },
    })
    mail.given.texts = async () => ({ texts: ['Az. 0010/26'], is_pending: false })
    await mail.judge()

    expect(mail.current()).toMatchObject({
      case_id: there,
      triage: { final: true },
      inbox: { state: 'filed', is_judged: true },
    })
  })

  it('happens twice, even if many attachments are read one after another', async () => {
    const mail = readMail()
    mail.given.texts = async () => ({ texts: [null], is_pending: true })
    for (let at = 0; at < 5; at += 1) await mail.judge()
    expect(mail.heard).toHaveLength(1)

    mail.given.texts = async () => ({ texts: ['Az. 0010/26'], is_pending: false })
    await mail.judge()

    expect(mail.heard.map(({ attachments }) => attachments[0]?.text)).toEqual([null, 'Az. 0010/26'])
  })

  it.each([
    ['filed elsewhere', { case_id: there, inbox: openInbox({ state: 'filed', is_decided: true }) }],
    ['dismissed', { case_id: null, inbox: openInbox({ state: 'dismissed', is_decided: true }) }],
    ['reopened', { case_id: null, inbox: openInbox({ is_decided: true }) }],
    ['filed under a party', { case_id: null, inbox: openInbox({ state: 'filed', is_decided: true }) }],
  ])('does not move a mail that a person has %s meanwhile, but records its result', async (_, decided) => {
    const mail = readMail()
    mail.given.judge = async () => {
      mail.change(decided)
      return certainOf(here)
    }

    await mail.judge()

    expect(mail.current()).toMatchObject({
      case_id: decided.case_id,
      triage: certainOf(here).triage,
      inbox: { ...decided.inbox, is_judged: true, category: 'client' },
    })
    expect(mail.timeline).toEqual([])
  })

  it('teaches the case in which a person filed the mail before the triage', async () => {
    const mail = readMail({ case_id: there, inbox: openInbox({ state: 'filed', is_decided: true }) })

    await mail.judge()

    expect(mail.jobs.map(({ name, payload }) => [name, payload])).toMatchObject([
      ['mail.filed', { correspondence_id: mail.id, from: null }],
    ])
  })

  it('happens again if the case was deleted into which the mail should be filed', async () => {
    const mail = readMail()
    let asked = 0
    mail.given.judge = async () => {
      asked += 1
      if (asked > 1) return judgement
      mail.deleteCaseOnce()
      return certainOf(here)
    }

    await mail.judge()

    expect(mail.current()).toMatchObject({ case_id: null, inbox: { state: 'open', is_judged: true } })
  })
})
