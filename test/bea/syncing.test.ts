import { describe, expect, it, vi } from 'vitest'
import type { BeaAccountRecord } from '#bea/ports.ts'
import type { SyncCounts, SyncResult } from '#bea/sync/postbox-sync.ts'
import { syncStarting } from '#bea/sync/starting-sync.ts'
import type { SyncOrder } from '#bea/sync/sync-queue.ts'
import { shownSync } from '#bea/sync/sync-state.ts'
import { syncing } from '#bea/sync/syncing.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Log } from '#kernel/log.ts'

const signal = new AbortController().signal
const done: SyncResult = {
  isWhole: true,
  done: null,
  areAllFoldersRead: true,
  new_messages: 3,
  kept_out: 0,
  error: null,
}

function office() {
  let now = Date.parse('2026-03-20T12:00:00.000Z')
  const clock = { now: () => new Date(now) }
  const target = { workspace_id: newId('workspace'), id: newId('beaAccount') }
  let account = { ...target, user_id: 'usr', last_sync: null, version: 1 } as unknown as BeaAccountRecord
  const accounts = {
    find: async (_: string, id: string) => (id === account.id ? account : undefined),
    change: async (
      _: string,
      id: string,
      decide: (current: BeaAccountRecord) => BeaAccountRecord | undefined,
    ) => {
      if (id !== account.id) throw notFound('BEA_ACCOUNT_NOT_FOUND')
      account = decide(account) ?? account
      return account
    },
  }
  const sent: SyncOrder[] = []
  const send = async (order: SyncOrder) => void sent.push(order)
  const access = { rightsOf: async () => new Set(['01']) }
  const starting = syncStarting({ accounts, access, requireSession: async () => {}, send, clock })
  const log = { warn: () => {}, error: () => {} } as unknown as Log
  const actor = { ...target, user_id: 'usr', user_name: 'Vogt', key_id: 'ak', scopes: [] }
  return {
    sent,
    start: () => starting.start(actor, target.id),
    run: (order: SyncOrder | undefined, work: (counted: SyncCounts) => Promise<SyncResult>) =>
      syncing({
        accounts,
        syncPostbox: (_account, _signal, counted) => work(counted),
        send,
        clock,
        log,
      }).run(order as SyncOrder, signal),
    shown: () => shownSync(account.last_sync, clock.now()),
    stored: () => account.last_sync,
    disconnect: () => {
      account = { ...account, id: newId('beaAccount') }
    },
    pass: (seconds: number) => {
      now += seconds * 1_000
    },
  }
}

describe('a requested synchronisation', () => {
  it('is running as soon as it is requested, and further requests return the same one', async () => {
    const { start, sent, shown } = office()
    const answers = [await start(), await start(), await start()]
    expect(new Set(answers.map(({ started_at }) => started_at)).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 'running' })
    expect(sent).toHaveLength(1)
    expect(shown()?.status).toBe('running')
  })

  it('counts as running for at most a minute after its worker died; then another one can begin', async () => {
    const { start, sent, shown, pass } = office()
    const first = await start()
    // Act
    pass(59)
    const second = await start()
    pass(2)
    const died = shown()
    const third = await start()
    // Assess
    expect(second.started_at).toBe(first.started_at)
    expect(died).toMatchObject({ status: 'failed', error: expect.stringContaining('interrupted') })
    expect(third.started_at).not.toBe(first.started_at)
    expect(sent).toHaveLength(2)
  })

  it('shows its result', async () => {
    const { start, sent, run, shown } = office()
    await start()
    await run(sent[0], async () => ({ ...done, error: '1 of 4 new messages could not be fetched.' }))
    expect(shown()).toMatchObject({
      status: 'done',
      new_messages: 3,
      error: '1 of 4 new messages could not be fetched.',
      finished_at: '2026-03-20T12:00:00.000Z',
    })
  })

  it('that could not import a message has read the postbox: the alarm counts from the last such one', async () => {
    const { start, sent, run, stored, pass } = office()
    await start()
    await run(sent[0], async () => ({ ...done, error: '1 of 4 new messages could not be fetched.' }))
    const through = stored()?.succeeded_at
    pass(3_600)
    await start()
    // Act
    await run(sent[1], async () => {
      throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The beA gateway did not answer in time.')
    })
    // Assess
    expect(through).toBe('2026-03-20T12:00:00.000Z')
    expect(stored()).toMatchObject({ status: 'failed', succeeded_at: through })
  })

  it.each([0, 1, 17])('shows the number of messages that it could not import: %i', async (kept_out) => {
    const { start, sent, run, shown } = office()
    await start()
    await run(sent[0], async () => ({ ...done, kept_out }))
    expect(shown()).toMatchObject({ status: 'done', new_messages: 3, kept_out })
  })

  it('that fails shows the number of messages that it could not import, and the next one counts anew', async () => {
    const { start, sent, run, shown } = office()
    await start()
    await run(sent[0], async (counted) => {
      counted.kept_out += 2
      throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The beA gateway did not answer in time.')
    })
    const failed = shown()
    await start()
    expect([failed?.status, failed?.kept_out, shown()?.kept_out]).toEqual(['failed', 2, 0])
  })

  it('shows 0 if the number of messages that it could not import was not stored', async () => {
    const { start, shown, stored } = office()
    await start()
    delete stored()?.kept_out
    expect(shown()?.kept_out).toBe(0)
  })

  it('that could not read a folder has not read the postbox: the alarm continues to count', async () => {
    const { start, sent, run, stored, pass } = office()
    await start()
    await run(sent[0], async () => done)
    pass(3_600)
    await start()
    // Act
    await run(sent[1], async () => ({ ...done, areAllFoldersRead: false, error: 'Not read: INBOX.' }))
    // Assess
    expect(stored()).toMatchObject({ status: 'done', succeeded_at: '2026-03-20T12:00:00.000Z' })
  })

  it('fails with the error of the gateway, and is not retried', async () => {
    const { start, sent, run, shown } = office()
    await start()
    await run(sent[0], async () => {
      throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The beA gateway did not answer in time.')
    })
    expect(shown()).toMatchObject({ status: 'failed', error: 'The beA gateway did not answer in time.' })
  })

  it.each([1, 7, 400])('that fails shows the %i messages that it imported', async (imported) => {
    const { start, sent, run, shown } = office()
    await start()
    await run(sent[0], async (counted) => {
      counted.new_messages += imported
      throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The beA gateway did not answer in time.')
    })
    expect(shown()).toMatchObject({ status: 'failed', new_messages: imported })
  })

  it('counts the messages of all its workers, also of workers that did not finish or failed', async () => {
    const { start, sent, run, shown } = office()
    await start()
    const count = (many: number) => async (counted: SyncCounts) => {
      counted.new_messages += many
      return { ...done, ...counted, isWhole: false }
    }
    await run(sent[0], count(5))
    await run(sent[1], async (counted) => {
      await count(3)(counted)
      throw new Error('our own store')
    }).catch(() => {})
    await run(sent[1], async (counted) => ({ ...(await count(2)(counted)), isWhole: true }))
    expect(shown()).toMatchObject({ status: 'done', new_messages: 10 })
  })

  it('shows the number of imported messages while it is running', async () => {
    vi.useFakeTimers()
    try {
      const { start, sent, run, shown } = office()
      await start()
      const { promise, resolve } = Promise.withResolvers<SyncResult>()
      const running = run(sent[0], (counted) => {
        counted.new_messages += 40
        return promise
      })
      await vi.advanceTimersByTimeAsync(10_000)
      const meanwhile = shown()
      resolve({ ...done, new_messages: 41 })
      await running
      expect([meanwhile?.status, meanwhile?.new_messages]).toEqual(['running', 40])
      expect(shown()?.new_messages).toBe(41)
    } finally {
      vi.useRealTimers()
    }
  })

  it('is done by one worker: a queue message that arrives twice is refused, and later has nothing to do', async () => {
    const { start, sent, run, shown } = office()
    await start()
    const { promise, resolve } = Promise.withResolvers<SyncResult>()
    const first = run(sent[0], () => promise)
    await expect(run(sent[0], async () => done)).rejects.toThrow('Another worker')
    resolve(done)
    await first
    // Act
    let began = 0
    await run(sent[0], async () => {
      began += 1
      return done
    })
    // Assess
    expect([began, shown()?.new_messages]).toEqual([0, 3])
  })

  it('is taken over from a worker without heartbeats, whose result then does not count', async () => {
    const { start, sent, run, shown, stored, pass } = office()
    await start()
    const { promise, resolve } = Promise.withResolvers<SyncResult>()
    const dead = run(sent[0], () => promise)
    await expect.poll(() => stored()?.holder).not.toBeNull()
    pass(40)
    // Act
    await run(sent[0], async () => done)
    resolve({ ...done, new_messages: 99 })
    await dead
    // Assess
    expect(shown()).toMatchObject({ status: 'done', new_messages: 3 })
  })

  it('continues with another queue message if the time of a worker is not enough', async () => {
    const { start, sent, run, shown } = office()
    await start()
    await run(sent[0], async (counted) => {
      counted.new_messages += 1
      return { ...done, ...counted, isWhole: false }
    })
    expect(shown()?.status).toBe('running')
    expect(sent).toHaveLength(2)
    // Act
    await run(sent[1], async () => done)
    // Assess
    expect(shown()?.status).toBe('done')
  })

  it('ends if a worker could import none of the remaining messages, and shows their number', async () => {
    const { start, sent, run, shown } = office()
    await start()
    const error = '3 new messages are left for the next time.'

    await run(sent[0], async () => ({
      ...done,
      new_messages: 0,
      isWhole: false,
      areAllFoldersRead: false,
      error,
    }))

    expect([sent.length, shown()]).toEqual([1, expect.objectContaining({ status: 'done', error })])
  })

  it.each([
    ['all messages were tried', true, 0],
    ['none could be imported', false, 0],
  ])('passes the finished folders to the next worker if %s', async (_, isWhole, imported) => {
    const { start, sent, run, shown } = office()
    await start()
    const left = { folders: 7, kept_out: 2, hasUnread: true }

    await run(sent[0], async (counted) => {
      counted.new_messages += imported
      return { ...done, ...counted, isWhole, done: left }
    })

    expect(sent[1]).toEqual({ ...sent[0], done: left })
    expect(shown()?.status).toBe('running')
  })

  it.each<[string, () => Promise<SyncResult>]>([
    ['while it ends', async () => done],
    ['while it fails', async () => Promise.reject(notFound('BEA_ACCOUNT_NOT_FOUND'))],
  ])('is dropped if its account is disconnected %s', async (_, work) => {
    const { start, sent, run, disconnect } = office()
    await start()
    const synchronised = run(sent[0], () => {
      disconnect()
      return work()
    })
    await expect(synchronised).resolves.toBeUndefined()
  })

  it('is dropped if its account was disconnected before', async () => {
    const { run } = office()
    const order = { workspace_id: 'ws', account_id: newId('beaAccount'), started_at: '' }
    await expect(run(order, async () => done)).resolves.toBeUndefined()
  })
})
