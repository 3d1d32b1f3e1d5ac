import { describe, expect, it } from 'vitest'
import { documentTriage } from '#documents/document-triage.ts'
import { textKey } from '#documents/keys.ts'
import { newRecord } from '#documents/new-documents.ts'
import type { DocumentChange, DocumentRecord } from '#documents/ports.ts'
import { newInboxState } from '#inbox/state-schema.ts'
import { timestamp } from '#kernel/clock.ts'
import { notFound } from '#kernel/failure.ts'
import { unchanged } from '#kernel/idempotency.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'
import type { Findings } from '#triage/schema.ts'

const clock = { now: () => new Date('2026-11-20T23:30:00.000Z') }

const triage: Findings = {
  category: 'court',
  priority: 'high',
  suggested_assignment: null,
  case_suggestions: [],
  confidence: 0,
  deadline_hints: [],
}

function setUp(changes: Partial<DocumentRecord> = {}) {
  const about = { filename: 'scan.pdf', mime_type: 'application/pdf', size_bytes: 4, sha256: 'a'.repeat(64) }
  const record: DocumentRecord = {
    ...newRecord(clock, 'ws_1', {
      ...about,
      source: 'inbox',
      inbox: newInboxState(timestamp(clock)),
      status: 'processed',
      ...changes,
    }),
    created_at: clock.now().toISOString(),
  }
  const stored = new Map([[record.id, record]])
  const heard: MessageFacts[] = []
  const written: DocumentChange[] = []
  const text = Buffer.from(JSON.stringify({ text: 'Az. 3 O 45/26', page_count: 1, word_count: 4 }))
  const { judge } = documentTriage({
    store: {
      find: async (_, id) => stored.get(id),
      change: async (_, id, decide) => {
        const current = stored.get(id)
        if (current === undefined) throw notFound('DOCUMENT_NOT_FOUND')
        const change = decide(current)
        if (change.record !== undefined) {
          written.push(change)
          stored.set(id, change.record)
        }
        return unchanged(change.answer)
      },
    },
    files: {
      read: async (key) =>
        key === textKey(record) ? text : Promise.reject(new Error(`There is no ${key}.`)),
    },
    judge: async (_, facts) => {
      heard.push(facts)
      return { triage }
    },
    timeZoneOf: async () => 'Europe/Berlin',
    clock,
  })
  return { heard, written, stored, id: record.id, judge: () => judge('ws_1', record.id) }
}

describe('the triage of a document', () => {
  it('judges it once, by its text and as of the day on which it arrived', async () => {
    const document = setUp()

    await document.judge()
    await document.judge()

    expect(document.heard).toMatchObject([
      {
        kind: 'document',
        from: null,
        received_on: '2026-11-21',
        attachments: [{ filename: 'scan.pdf', text: 'Az. 3 O 45/26' }],
      },
    ])
    expect(document.written).toMatchObject([
      {
        triage: { ...triage, final: true },
        record: { case_id: null, inbox: { category: 'court', is_judged: true } },
      },
    ])
  })

  it('judges one without a text by its name', async () => {
    const document = setUp({ status: 'failed', status_reason: 'corrupt' })

    await document.judge()

    expect(document.heard).toMatchObject([{ subject: 'scan.pdf', attachments: [{ text: null }] }])
  })

  it.each([
    ['is not read yet', { status: 'pending' as const }],
    ['never enters the inbox', { inbox: null }],
    ['was judged already', { inbox: { ...newInboxState(timestamp(clock)), is_judged: true } }],
  ])('does not change one that %s', async (_, changes) => {
    const document = setUp(changes)

    await document.judge()

    expect([document.heard, document.written]).toEqual([[], []])
  })

  it('succeeds for one that was deleted, even during the triage', async () => {
    const [gone, going] = [setUp(), setUp()]
    gone.stored.clear()
    going.heard.push = () => {
      going.stored.clear()
      return 0
    }

    await expect(Promise.all([gone.judge(), going.judge()])).resolves.toBeDefined()

    expect([gone.written, going.written]).toEqual([[], []])
  })
})
