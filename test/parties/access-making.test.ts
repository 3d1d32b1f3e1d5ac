import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { accessMaking } from '#parties/access-making.ts'
import type { AccessFile, AccessRecord, AccessReportRecord } from '#parties/access-ports.ts'
import { reportLimits } from '#parties/access-schema.ts'

const order = { workspace_id: 'ws', party_id: 'pty', report_id: 'arp' }

type Files = Parameters<typeof accessMaking>[0]['files']

/** A report whose state is in memory, and a party with these records. */
function prepare(
  records: AccessRecord[],
  changes: Partial<Files> & {
    isErased?: boolean
    limits?: { files: number; bytes: number }
    /** Resolves when the list of mail has been looked through. */
    mailsAreRead?: Promise<void>
  } = {},
) {
  const report = {
    status: 'running',
    status_reason: null,
    attempts: 0,
    requested_by: 'usr',
    workspace_id: 'ws',
    party_id: 'pty',
    id: 'arp',
    size_bytes: null,
  } as unknown as AccessReportRecord
  const { isErased = false, limits = { files: 10, bytes: 1_000 }, mailsAreRead, ...files } = changes
  const removed: string[] = []
  const looked: string[] = []
  const settled: string[] = []
  const making = accessMaking({
    parties: {
      find: async () =>
        ({
          ...{ id: 'pty', workspace_id: 'ws', type: 'person', name: 'Anna Meier', email: null },
          created_at: now,
          updated_at: now,
        }) as never,
      sharesMailbox: async () => false,
    },
    casesOf: async function* () {},
    sections: [
      {
        heading: 'Dokumente',
        async *records() {
          looked.push('Dokumente')
          await immediate()
          looked.push('Dokumente')
          yield* records
        },
      },
      {
        heading: 'E-Mails',
        async *records() {
          looked.push('E-Mails')
          await mailsAreRead
          yield* []
        },
      },
    ],
    reports: {
      find: async () => (isErased ? undefined : report),
      begin: async () => {
        if (report.status !== 'running') return 'over'
        report.attempts = (report.attempts ?? 0) + 1
        return { ...report }
      },
      end: async (_, result) => {
        if (!isErased) Object.assign(report, result)
        return !isErased
      },
      settle: async () => {
        settled.push(report.id)
      },
    },
    files: {
      putStream: async (_, bytes) => {
        for await (const _part of bytes);
        return 1
      },
      remove: async (keys) => {
        removed.push(...keys)
      },
      ...files,
    },
    workspaces: { find: async () => ({ name: 'Kanzlei', time_zone: 'Europe/Berlin' }) },
    limits,
    clock: { now: () => new Date(now) },
    log: { warn: () => {} },
  })
  return { making, report, removed, settled, looked }
}

const now = '2026-11-27T09:00:00.000Z'
const signal = new AbortController().signal

type Open = AccessFile['open']

const aRecord = (sizeBytes: number, open: Open = async () => undefined): AccessRecord => ({
  path: `documents/${sizeBytes}`,
  title: 'Klage',
  date: null,
  read: async () => ({}),
  files: [{ path: 'download.pdf', sizeBytes, isCompressed: true, open }],
})

describe('the making of a report', () => {
  it('refuses one that is too large before it opens a file', async () => {
    let opened = 0
    const open = async () => {
      opened += 1
      return undefined
    }
    const { making, report } = prepare([aRecord(600, open), aRecord(500, open)])

    await making.make(order, signal)

    expect([report.status, report.status_reason, opened]).toEqual(['failed', 'too_large', 0])
  })

  it('refuses one with too many files', async () => {
    const { making, report } = prepare(Array.from({ length: 6 }, () => aRecord(1)))

    await making.make(order, signal)

    expect([report.status, report.status_reason]).toEqual(['failed', 'too_large'])
  })

  it('looks through each list of the firm once, and through all of them at the same time', async () => {
    const { making, report, looked } = prepare([aRecord(1)])

    await making.make(order, signal)

    expect(report.status).toBe('succeeded')
    expect(looked).toEqual(['Dokumente', 'E-Mails', 'Dokumente'])
  })

  it('does not wait for the lists of a firm with millions of mails if it is too large, or its time is over', async () => {
    const mailsAreRead = new Promise<void>(() => {})
    const large = prepare([aRecord(2_000)], { mailsAreRead })
    const late = prepare([aRecord(1)], { mailsAreRead })
    const stopped = new AbortController()

    const making = [large.making.make(order, signal), late.making.make(order, stopped.signal)]
    await immediate()
    stopped.abort()
    await Promise.all(making)

    expect([large, late].map(({ report }) => [report.status, report.status_reason])).toEqual([
      ['failed', 'too_large'],
      ['failed', 'too_long'],
    ])
  })

  it('is running during four attempts that fail, and after the fifth it has failed for good', async () => {
    const putStream = async () => {
      throw new Error('S3 is away')
    }
    const { making, report, removed } = prepare([aRecord(1)], { putStream })
    const states: string[] = []

    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(making.make(order, signal)).rejects.toThrow('S3 is away')
      states.push(report.status)
    }
    await making.make(order, signal)

    expect(states).toEqual(['running', 'running', 'running', 'running', 'failed'])
    expect([report.status_reason, report.attempts]).toEqual(['internal_error', 5])
    expect(removed.length).toBeGreaterThan(0)
  })

  it('has failed for good after five attempts whose workers were killed', async () => {
    let begun = 0
    const putStream = () => {
      begun += 1
      return new Promise<never>(() => {})
    }
    const { making, report, settled } = prepare([aRecord(1)], { putStream })
    for (let attempt = 0; attempt < 5; attempt += 1) void making.make(order, signal)
    await new Promise((resolve) => setTimeout(resolve, 20))

    await making.make(order, signal)

    expect([begun, report.status, report.status_reason, settled]).toEqual([
      5,
      'failed',
      'internal_error',
      ['arp'],
    ])
  })

  it('that fails for good after its record has gone leaves the unended ones', async () => {
    const { making, removed, settled } = prepare([aRecord(2_000)], { isErased: true })

    await making.make(order, signal)

    expect([removed, settled]).toEqual([['reports/ws/pty/arp'], ['arp']])
  })

  it('that takes longer than a worker has fails at once', async () => {
    const stopped = new AbortController()
    const putStream = async () => {
      stopped.abort()
      throw stopped.signal.reason
    }
    const { making, report } = prepare([aRecord(1)], { putStream })

    await making.make(order, stopped.signal)

    expect([report.status, report.status_reason, report.attempts]).toEqual(['failed', 'too_long', 1])
  })

  it('needs little memory for two thousand documents', async () => {
    const bytes = crypto.getRandomValues(Buffer.alloc(60_000))
    const open = async () =>
      (async function* () {
        yield bytes
        yield bytes
      })()
    let highest = 0
    const before = process.memoryUsage().rss
    const putStream: Files['putStream'] = async (_, zipped) => {
      let size = 0
      for await (const chunk of zipped) {
        size += chunk.length
        highest = Math.max(highest, process.memoryUsage().rss - before)
      }
      return size
    }
    const records = Array.from({ length: 2_000 }, () => aRecord(120_000, open))
    const { making, report } = prepare(records, { putStream, limits: reportLimits })

    await making.make(order, signal)

    expect(report.status).toBe('succeeded')
    expect(report.size_bytes).toBeGreaterThan(200_000_000)
    expect(highest).toBeLessThan(150_000_000)
  })

  it('leaves no file if the party was erased meanwhile', async () => {
    const { making, removed } = prepare([], { isErased: true })

    await making.make(order, signal)

    expect(removed).toEqual(['reports/ws/pty/arp'])
  })
})
