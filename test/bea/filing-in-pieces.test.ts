import { describe, expect, it } from 'vitest'
import { beaFiling, beaFilingJobs } from '#bea/messages/filing-jobs.ts'
import type { BeaMessageRecord } from '#bea/ports.ts'
import { unchanged } from '#kernel/idempotency.ts'

/** The work after a message is filed (B6), with its dependencies in memory. */

function office(count: number) {
  const filing = { workspace_id: 'w', message_id: 'm', from: null, at: '2026-03-02T08:30:00.000Z' }
  const attachments = Array.from({ length: count }, (_, at) => ({ document_id: `d${at}`, sha256: `${at}` }))
  const message = {
    workspace_id: 'w',
    id: 'm',
    case_id: 'a' as string | null,
    filing: { from: null, at: filing.at } as BeaMessageRecord['filing'],
    teaches: {},
    attachments,
  }
  const made = new Map<string, number>()
  const places = new Map<string, string | null>()
  const lessons: unknown[] = []
  const sent: unknown[] = []
  /** The process dies when it creates this document. */
  let deadly: string | undefined
  const filed = beaFiling({
    messages: {
      find: async () => ({ ...message }) as unknown as BeaMessageRecord,
      change: async (_, __, decide) => {
        const change = decide({ ...message } as unknown as BeaMessageRecord)
        if (change.record !== undefined) message.filing = change.record.filing
        return unchanged(change.answer)
      },
    },
    documents: {
      add: async (_, attached, { to }) => {
        const added = attached.filter(({ document_id }) => !made.has(document_id))
        if (added.some(({ document_id }) => document_id === deadly)) throw new Error('killed')
        for (const { document_id } of added) {
          made.set(document_id, 1)
          places.set(document_id, to)
        }
        return new Set(added.map(({ document_id }) => document_id))
      },
      follow: async ({ document_ids, to }) => {
        for (const id of document_ids) if (made.has(id)) places.set(id, to)
      },
    },
    lessons: { follow: async (_, lesson) => void lessons.push(lesson) },
  })
  const [job] = beaFilingJobs(filed, async (arrival) => void sent.push(arrival))
  return {
    filing,
    message,
    made,
    places,
    lessons,
    sent,
    follow: filed.follow,
    runJob: () => job?.run(filing),
    dieAt: (id: string | undefined) => {
      deadly = id
    },
    inCase: (id: string) => [...places.values()].filter((place) => place === id).length,
  }
}

describe('the work after a message is filed', () => {
  it('is done in the request for up to 50 attachments, and by a worker for more', async () => {
    const [few, many] = [office(50), office(51)]
    await Promise.all([few.runJob(), many.runJob()])
    expect([few.inCase('a'), few.sent]).toEqual([50, []])
    expect([many.inCase('a'), many.sent]).toEqual([
      0,
      [{ workspace_id: 'w', id: 'm', filing: { from: null, at: '2026-03-02T08:30:00.000Z' } }],
    ])
  })

  it('stops when its time is over, says so, and continues in the next run', async () => {
    const { follow, filing, inCase, lessons, made } = office(1_000)
    let pieces = 0
    const isOver = () => {
      pieces += 1
      return pieces > 30
    }
    expect([await follow(filing, isOver), inCase('a'), lessons.length]).toEqual([false, 300, 0])
    expect([await follow(filing), inCase('a'), made.size, lessons.length]).toEqual([true, 1_000, 1_000, 1])
  })

  it('keeps the documents that it created before its process died', async () => {
    const { follow, filing, inCase, dieAt } = office(1_000)
    dieAt('d777')
    await expect(follow(filing)).rejects.toThrow('killed')
    expect(inCase('a')).toBe(770)
    dieAt(undefined)
    expect([await follow(filing), inCase('a')]).toEqual([true, 1_000])
  })

  it.each([
    ['into another case', 'b'],
    ['out of every case', null],
  ])('follows the message if it is moved %s meanwhile', async (_, to) => {
    const { follow, filing, message, places, lessons } = office(200)
    let pieces = 0
    await follow(filing, () => {
      pieces += 1
      if (pieces === 7) message.case_id = to
      return false
    })
    expect(new Set(places.values())).toEqual(new Set([to]))
    expect(lessons).toHaveLength(2)
  })

  it.each([
    ['in one run', undefined, undefined],
    ['in two runs', 30, undefined],
    ['after its process died', undefined, 'd777'],
  ])('keeps `filing` in the message until every attachment is in the case: %s', async (_, pieces, deadly) => {
    const { follow, filing, message, dieAt, inCase } = office(1_000)
    let begun = 0
    const isOver = () => {
      begun += 1
      return pieces !== undefined && begun > pieces
    }
    dieAt(deadly)
    await follow(filing, isOver).catch(() => {})
    const isNoted = message.filing !== undefined
    dieAt(undefined)

    await follow(filing)

    expect(isNoted).toBe(pieces !== undefined || deadly !== undefined)
    expect([message.filing, inCase('a')]).toEqual([undefined, 1_000])
  })

  it('creates no document for a message without attachments', async () => {
    const { runJob, made, lessons } = office(0)
    await runJob()
    expect([made.size, lessons.length]).toEqual([0, 1])
  })
})
