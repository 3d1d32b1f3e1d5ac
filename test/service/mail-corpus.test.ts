import { beforeAll, describe, expect, it } from 'vitest'
import type { CorrespondenceRecord } from '#correspondence/ports.ts'
import type { Verdicts } from '#correspondence/schema.ts'
import { inParallel } from '#kernel/in-parallel.ts'
import { corpus } from '#test/mail-corpus/corpus.ts'
import type { CorpusMail } from '#test/mail-corpus/corpus-mail.ts'
import {
  type CaseKey,
  caseIdOf,
  type FirmCase,
  firm as office,
  ourMessageId,
} from '#test/mail-corpus/firm.ts'
import { factsOf, triageOf } from '#test/mail-corpus/judge.ts'
import { rawMessage } from '#test/mail-corpus/mail-programs.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { nothingKnown, receiving, vouchedFor } from '#test/support/receiving.ts'

/**
 * Sends every fourth mail of the corpus through the running service. Its office is set up with cases and parties; mail
 * of its senders is filed as a person files it, and answers reply to mail that the office really sent. Then every mail
 * arrives, is read by the worker with the texts of its attachments, and is judged. `test/triage` and `test/store` judge
 * all of them.
 */
const mails = corpus.filter((_, at) => at % 4 === 0)
const entries = Object.entries(office) as [CaseKey, FirmCase][]
const caseIds = new Map<CaseKey, string>()
const keyOf = (caseId: string | null) => [...caseIds].find(([, id]) => id === caseId)?.[0] ?? null
let firm: Firm
let receive: Awaited<ReturnType<typeof receiving>>['receive']
let judged: Awaited<ReturnType<typeof receiving>>['judged']

async function create(path: string, body: unknown) {
  const answer = await firm.owner('POST', path, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

beforeAll(async () => {
  firm = await newFirm()
  const { admin } = await import('#infra/tools/admin/index.ts')
  ;({ receive, judged } = await receiving(firm))
  const users = new Map<string, string>()
  for (const name of ['morgenroth', 'aydin', 'lohse', 'kunz']) {
    const email = `${name[0]}.${name}@kanzlei-morgenroth.example`
    users.set(`user_${name}`, (await admin().createUser(firm.workspace.id, { name, email })).id)
  }
  const parties = new Map<string, string>()
  for (const [key, { number, name, parties: ofCase, lawyer }] of entries) {
    const { id } = await create('/api/v1/cases', { name, file_number: number })
    caseIds.set(key, id)
    for (const [role, partyName, email] of ofCase) {
      const known = `${partyName} ${email}`
      if (!parties.has(known)) {
        const party = { type: 'organization', name: partyName, ...(email && { email }) }
        parties.set(known, (await create('/api/v1/parties', party)).id)
      }
      await create(`/api/v1/cases/${id}/parties`, { parties: [{ id: parties.get(known), role }] })
    }
    if (lawyer)
      await create(`/api/v1/cases/${id}/staff`, { staff: [{ id: users.get(lawyer), role: 'lawyer' }] })
  }
  await teach()
  await inParallel(entries, async ([key, { status, name }]) => {
    if (status === undefined) return
    const path = `/api/v1/cases/${caseIds.get(key)}`
    expect((await firm.owner('PUT', path, { body: { name, status } })).status).toBe(200)
  })
}, 600_000)

/** Mail of courts with their references, and of others, which somebody files. */
async function teach(): Promise<void> {
  const lessons = entries.flatMap(([key, { references = [], senders = [] }]) => [
    ...references.map(([reference, from]) => ({
      key,
      from,
      subject: `Geschaeftszeichen ${reference}`,
      reference,
    })),
    ...senders
      .filter((from) => !references.some(([, sender]) => sender === from))
      .map((from) => ({ key, from, subject: 'Schreiben', reference: null })),
  ])
  const received: { id: string; key: CaseKey }[] = []
  await inParallel(lessons, async ({ key, from, subject, reference }) => {
    const text = reference === null ? 'Guten Tag' : `Aktenzeichen: ${reference}\r\n\r\nGuten Tag`
    const raw = `From: ${from}\r\nSubject: ${subject}\r\nMessage-ID: <${crypto.randomUUID()}@lehre.example>\r\n\r\n${text}`
    received.push({ key, id: await receive(Buffer.from(raw)) })
  })
  await inParallel(received, async ({ id }) => void (await judged(id)))
  for (const { id, key } of received) await create(`/api/v1/inbox/${id}/file`, { case_id: caseIds.get(key) })
}

/** The message ids of mail that the office sent, by the message ids of the mails in the corpus. */
async function sendEarlier(): Promise<Map<string, string>> {
  const named = new Set(mails.flatMap(({ answers, thread = [] }) => [answers ?? '', ...thread]))
  const ids = new Map<string, string>()
  for (const [key] of entries)
    for (const count of [1, 2]) {
      const id = ourMessageId(key, count)
      if (!named.has(id)) continue
      const { message_id } = await create('/api/v1/email/outbound/send', {
        idempotency_key: crypto.randomUUID(),
        to_recipients: ['jemand@post.example'],
        subject: 'Ihre Angelegenheit',
        body_html: '<p>Guten Tag</p>',
        case_id: caseIds.get(key),
      })
      ids.set(id, `<${message_id}@eu-central-1.amazonses.com>`)
    }
  return ids
}

const spam = (mail: CorpusMail): Verdicts =>
  mail.verdict === undefined ? vouchedFor : { ...nothingKnown, [mail.verdict]: 'fail' }

describe('the corpus through the running service', () => {
  it('is decided as the triage decides it with all that the office knows, and what it files is right', async () => {
    // Prepare
    const sent = await sendEarlier()
    const expected = new Map<string, { files: CaseKey | null; category: string }>()
    for (const mail of mails) {
      const { auto_file, category } = triageOf(await factsOf(mail))
      const files = entries.find(([key]) => caseIdOf(key) === auto_file)?.[0] ?? null
      expected.set(mail.id, { files, category })
    }
    // Filing teaches the case, so it comes last.
    const order = mails.toSorted(
      (one, other) =>
        Number(expected.get(one.id)?.files !== null) - Number(expected.get(other.id)?.files !== null),
    )

    // Act
    const outcomes = new Map<string, CorrespondenceRecord>()
    for (const isFiled of [false, true]) {
      const ids: [string, string][] = []
      const some = order.filter(({ id }) => (expected.get(id)?.files !== null) === isFiled)
      await inParallel(some, async (mail) => {
        let raw = rawMessage(mail, 'text').toString('latin1')
        for (const [id, real] of sent) raw = raw.replaceAll(id, real)
        ids.push([mail.id, await receive(Buffer.from(raw, 'latin1'), spam(mail))])
      })
      await inParallel(ids, async ([mailId, id]) => void outcomes.set(mailId, await judged(id)))
    }

    // Assess
    const filed = mails.filter(({ id }) => outcomes.get(id)?.case_id != null)
    const right = filed.filter(({ id, files }) => keyOf(outcomes.get(id)?.case_id ?? null) === files)
    const due = mails.filter(({ files }) => files !== undefined)
    const precision = right.length / filed.length
    const coverage = right.length / due.length
    const categories =
      mails.filter(({ id, is }) => outcomes.get(id)?.inbox?.category === is).length / mails.length
    console.log(
      `the corpus through the service: ${mails.length} mails, ${filed.length} filed, precision ${precision.toFixed(3)}, coverage ${coverage.toFixed(3)}, categories ${categories.toFixed(3)}`,
    )
    const found = mails.map(({ id }) => [id, keyOf(outcomes.get(id)?.case_id ?? null)])
    expect(found).toEqual(mails.map(({ id }) => [id, expected.get(id)?.files ?? null]))
    expect(precision).toBeGreaterThanOrEqual(0.99)
    expect(coverage).toBeGreaterThanOrEqual(0.8)
    expect(categories).toBeGreaterThanOrEqual(0.9)
    for (const { id } of filed) {
      const record = outcomes.get(id)
      const first = record?.triage?.case_suggestions[0]
      expect(first?.case_id, id).toBe(record?.case_id)
      expect(first?.evidence.length, id).toBeGreaterThan(0)
    }
  }, 900_000)
})
