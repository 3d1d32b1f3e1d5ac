import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { exportQuery } from '#exports/export-query.ts'
import { fileKey, runKeyOf } from '#exports/run-keys.ts'
import { exportRuns, shownRun } from '#exports/runs.ts'
import { selectionDigest } from '#exports/selection-schema.ts'
import { queues } from '#functions/queues.ts'
import { systemClock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { eventLog } from '#store/webhooks/event-log.ts'
import { fileOf, scheduledFirm } from '#test/support/export-runs.ts'
import { ownTable } from '#test/support/own-table.ts'

let db: Db
beforeAll(async () => {
  db = await ownTable()
})

const never = new AbortController().signal

describe('a configuration with a schedule', () => {
  it('runs when its time has come, not before, and once, though sweeps overlap', async () => {
    const firm = scheduledFirm(db)
    const config_id = await firm.addConfig({ frequency: 'daily', time: '06:00' })

    firm.setNow('2026-11-21T04:59:59.999Z')
    await firm.sweep()
    const before = [...firm.sent]
    firm.setNow('2026-11-21T05:00:00.000Z')
    await Promise.all([firm.sweep(), firm.sweep(), firm.sweep()])
    await firm.sweep()

    expect(before).toEqual([])
    expect(firm.sent).toMatchObject([{ config_id, scheduled_at: '2026-11-21T05:00:00.000Z' }])
  })

  it('runs once after an outage of several periods, and then at its next time', async () => {
    const firm = scheduledFirm(db)
    await firm.addConfig({ frequency: 'daily', time: '06:00' })

    firm.setNow('2026-11-25T17:00:00.000Z')
    await firm.sweep()
    await firm.sweep()
    firm.setNow('2026-11-26T05:00:00.000Z')
    await firm.sweep()

    expect(firm.sent.map(({ scheduled_at }) => scheduled_at)).toEqual([
      '2026-11-21T05:00:00.000Z',
      '2026-11-26T05:00:00.000Z',
    ])
  })

  /** Makes files that have only the period of their bookings. */
  const makePeriods = (firm: ReturnType<typeof scheduledFirm>) =>
    firm.makeFiles(async (config, now, times) => {
      const datev = { ...config, source: 'invoices', csv_dialect: 'datev' } as const
      const { period } = await exportQuery({ find: async () => firm.workspace }, datev, now, times)
      return fileOf([JSON.stringify(period)])
    })

  it('has the bookings of the old year until a run of the new one has succeeded', async () => {
    const firm = scheduledFirm(db)
    const config_id = await firm.addConfig({ frequency: 'monthly', time: '06:00', day: 28 })
    const years: unknown[] = []
    const runAt = async (day: string) => {
      firm.setNow(`${day}T05:00:00.000Z`)
      await firm.sweep()
      await firm.work()
      years.push([...firm.objects.values()].at(-1)?.slice(9, 13))
    }

    makePeriods(firm)
    await runAt('2026-12-28')
    const schedule = { frequency: 'daily', time: '06:00' } as const
    firm.setNow('2027-01-09T12:00:00.000Z')
    await firm.configs.change(firm.actor, config_id, { schedule }, () => {})
    firm.makeFiles(async () => {
      throw new Failure('conflict', 'DATEV_SETTINGS_MISSING', 'Settings are missing.')
    })
    await runAt('2027-01-10')
    makePeriods(firm)
    for (const day of ['2027-01-11', '2027-01-12']) await runAt(day)

    const states = (await firm.runsOf(config_id)).map(({ status }) => status)
    expect(states).toEqual(['succeeded', 'succeeded', 'failed', 'succeeded'])
    expect(years).toEqual(['2026', '2026', '2026', '2027'])
  })

  it('has the bookings of the year before, not an earlier one, if it was paused for years', async () => {
    const firm = scheduledFirm(db)
    const config_id = await firm.addConfig()
    makePeriods(firm)
    firm.setNow('2026-11-21T05:00:00.000Z')
    await firm.sweep()
    await firm.work()
    await firm.configs.change(firm.actor, config_id, { schedule: null }, () => {})

    firm.setNow('2029-05-01T12:00:00.000Z')
    await firm.configs.change(
      firm.actor,
      config_id,
      { schedule: { frequency: 'daily', time: '06:00' } },
      () => {},
    )
    firm.setNow('2029-05-02T05:00:00.000Z')
    await firm.sweep()
    await firm.work()

    expect([...firm.objects.values()].at(-1)).toBe('{"from":"2028-01-01","to":"2028-12-31"}')
  })

  it('has the bookings of the old year if it is due on its last day, though the run begins after midnight', async () => {
    const firm = scheduledFirm(db)
    const config_id = await firm.addConfig({ frequency: 'daily', time: '23:59' })
    makePeriods(firm)
    firm.setNow('2026-12-31T22:59:30.000Z')
    await firm.sweep()

    firm.setNow('2026-12-31T23:00:10.000Z')
    await firm.work()

    const [run] = await firm.runsOf(config_id)
    expect(run?.status).toBe('succeeded')
    expect([...firm.objects.values()]).toEqual(['{"from":"2026-01-01","to":"2026-12-31"}'])
  })

  it('runs no more once its schedule is removed, and at the new time once it is changed', async () => {
    const firm = scheduledFirm(db)
    const [removed, changed] = [await firm.addConfig(), await firm.addConfig()]
    const free = () => {}

    await firm.configs.change(firm.actor, removed, { schedule: null }, free)
    const schedule = { frequency: 'weekly', time: '07:30', weekday: 1 } as const
    await firm.configs.change(firm.actor, changed, { schedule }, free)
    firm.setNow('2026-11-23T06:29:59.000Z')
    await firm.sweep()
    const before = [...firm.sent]
    firm.setNow('2026-11-23T06:30:00.000Z')
    await firm.sweep()

    expect(before).toEqual([])
    expect(firm.sent).toMatchObject([{ config_id: changed, scheduled_at: '2026-11-23T06:30:00.000Z' }])
  })

  it('keeps its next time when something else of it changes', async () => {
    const firm = scheduledFirm(db)
    const id = await firm.addConfig()

    firm.setNow('2026-11-21T05:30:00.000Z')
    await firm.configs.change(firm.actor, id, { name: 'Anders' }, () => {})
    await firm.sweep()

    expect(firm.sent).toMatchObject([{ scheduled_at: '2026-11-21T05:00:00.000Z' }])
  })

  it('follows a new time zone of the workspace from its next run on', async () => {
    const firm = scheduledFirm(db)
    await firm.addConfig({ frequency: 'daily', time: '06:00' })
    firm.workspace.time_zone = 'America/New_York'

    for (const at of ['2026-11-21T05:00:00.000Z', '2026-11-21T11:00:00.000Z', '2026-11-22T11:00:00.000Z']) {
      firm.setNow(at)
      await firm.sweep()
    }

    expect(firm.sent.map(({ scheduled_at }) => scheduled_at)).toEqual([
      '2026-11-21T05:00:00.000Z',
      '2026-11-21T11:00:00.000Z',
      '2026-11-22T11:00:00.000Z',
    ])
  })

  it('holds up no other if it fails', async () => {
    const firm = scheduledFirm(db)
    const broken = scheduledFirm(db)
    await firm.addConfig()
    await broken.addConfig()
    firm.setNow('2026-11-21T05:00:00.000Z')
    broken.workspace.time_zone = 'No/Such_Zone'

    const results = [await broken.sweep(), await firm.sweep()]
    broken.setNow('2026-11-21T05:00:00.000Z')
    const failed = await broken.sweep()

    expect(firm.sent).toHaveLength(1)
    expect([results[1]?.failed, failed.failed]).toEqual([0, 1])
  })
})

describe('a run', () => {
  async function dueFirm() {
    const firm = scheduledFirm(db)
    const config_id = await firm.addConfig()
    firm.setNow('2026-11-21T05:00:20.000Z')
    await firm.sweep()
    const [order] = firm.sent
    if (order === undefined) throw new Error('Nothing is due.')
    return { ...firm, config_id, order, key: runKeyOf(order) }
  }

  it('stores the file and says how large it is', async () => {
    const firm = await dueFirm()
    firm.makeFiles(async () => fileOf(['Datum\r\n', '2026-11-20\r\n']))

    await firm.work()

    const [run] = await firm.runsOf(firm.config_id)
    expect(run).toMatchObject({
      id: firm.key.id,
      status: 'succeeded',
      started_at: '2026-11-21T05:00:20.000Z',
      finished_at: '2026-11-21T05:00:20.000Z',
      row_count: 2,
      size_bytes: 19,
      status_reason: null,
      filename: 'Zeiten.csv',
      mime_type: 'text/csv',
    })
    expect([...firm.objects]).toEqual([[fileKey(firm.key, 1), 'Datum\r\n2026-11-20\r\n']])
  })

  it('is made once, however often its message comes', async () => {
    const firm = await dueFirm()
    let made = 0
    firm.makeFiles(async () => {
      made += 1
      return fileOf([`${made}`])
    })

    for (let time = 0; time < 3; time += 1) await firm.running.run(firm.order, never)

    expect(made).toBe(1)
    expect(await firm.runsOf(firm.config_id)).toHaveLength(1)
    expect([...firm.objects.values()]).toEqual(['1'])
  })

  it('by several workers at once is one record and the one object that it names', async () => {
    const firm = await dueFirm()
    let made = 0
    firm.makeFiles(async () => {
      made += 1
      const file = fileOf([`Inhalt ${made}`])
      await new Promise((resolve) => setTimeout(resolve, 30 * Math.random()))
      return file
    })

    await Promise.all([1, 2, 3, 4].map(() => firm.running.run(firm.order, never)))

    const [run, ...others] = await firm.runsOf(firm.config_id)
    expect(others).toEqual([])
    expect(run?.status).toBe('succeeded')
    expect([...firm.objects.keys()]).toEqual([fileKey(firm.key, run?.attempt ?? 0)])
    expect(run?.size_bytes).toBe([...firm.objects.values()][0]?.length)
  })

  it('that fails says so, is tried again, and then has the new file alone', async () => {
    const firm = await dueFirm()
    firm.makeFiles(async () => ({
      ...fileOf([]),
      bytes: (async function* () {
        yield Buffer.from('halb')
        throw new Error('The secret table key_123 is gone.')
      })(),
    }))

    const failing = firm.running.run(firm.order, never)
    await expect(failing).rejects.toThrow()
    const [failed] = await firm.runsOf(firm.config_id)
    firm.makeFiles(async () => fileOf(['ganz']))
    await firm.running.run(firm.order, never)

    expect(failed).toMatchObject({ status: 'failed', status_reason: 'internal_error', row_count: null })
    expect(JSON.stringify(failed)).not.toContain('secret')
    expect(await firm.runsOf(firm.config_id)).toMatchObject([{ status: 'succeeded', status_reason: null }])
    expect([...firm.objects.values()]).toEqual(['ganz'])
  })

  it('keeps its file where what follows its end fails, and has it alone once that was repeated', async () => {
    const firm = await dueFirm()
    await firm.runs.begin(firm.key, { scheduled_at: firm.order.scheduled_at, at: '2026-11-21T05:00:10.000Z' })
    firm.objects.set(fileKey(firm.key, 1), 'of a worker that was killed')
    firm.makeFiles(async () => fileOf(['ganz']))
    const { remove } = firm.files
    firm.files.remove = async () => {
      firm.files.remove = remove
      throw new Error('The bucket is out of reach.')
    }

    await expect(firm.running.run(firm.order, never)).rejects.toThrow('out of reach')
    const [run] = await firm.runsOf(firm.config_id)
    await firm.running.run(firm.order, never)

    expect(run).toMatchObject({ status: 'succeeded', attempt: 2 })
    expect([...firm.objects]).toEqual([[fileKey(firm.key, 2), 'ganz']])
  })

  it('keeps its file where it was not told that its end was stored', async () => {
    const firm = await dueFirm()
    firm.makeFiles(async () => fileOf(['ganz']))
    const { end } = firm.runs
    firm.runs.end = async (...call) => {
      firm.runs.end = end
      await end(...call)
      throw new Error('The table did not answer in time.')
    }

    await expect(firm.running.run(firm.order, never)).rejects.toThrow('in time')

    expect(await firm.runsOf(firm.config_id)).toMatchObject([{ status: 'succeeded', size_bytes: 4 }])
    expect([...firm.objects.values()]).toEqual(['ganz'])
  })

  it('that the queue gives up has ended, and may still succeed if its message is moved back', async () => {
    const firm = await dueFirm()
    const jobs: string[] = []
    const { end } = firm.runs
    firm.runs.end = (record, result, follow) => {
      jobs.push(...follow.jobs.map(({ name }) => name))
      return end(record, result, follow)
    }
    firm.makeFiles(async () => {
      throw new Error('The table is out of reach.')
    })
    const events = async () => {
      await sleep(5)
      const log = eventLog({ db, cursors: tableCursors(db), shownAfterMilliseconds: 0 })
      const wanted = { types: ['export_run.failed', 'export_run.succeeded'] as const, isSeen: () => true }
      const { data } = await log.page(firm.key.workspace_id, wanted, { limit: 50 })
      return data.map(({ type }) => type)
    }
    const receive = () => firm.running.run(firm.order, never)
    const { maxReceives } = queues['export-runs']

    for (let reception = 1; reception < maxReceives; reception += 1)
      await expect(receive()).rejects.toThrow('out of reach')
    const before = [await events(), [...jobs]]
    await expect(receive()).rejects.toThrow('out of reach')
    const after = [await events(), [...jobs]]
    firm.sent.length = 0
    await firm.sweep({ queueWasLost: true })
    const [givenUp] = await firm.runsOf(firm.config_id)
    for (let reception = 1; reception < maxReceives; reception += 1)
      await expect(receive()).rejects.toThrow('out of reach')
    const again = await events()
    firm.makeFiles(async () => fileOf(['ganz']))
    await receive()

    expect(before).toEqual([[], []])
    expect(after).toEqual([['export_run.failed'], ['export.remove_runs']])
    expect([givenUp?.status, firm.sent]).toEqual(['failed', []])
    expect(again).toEqual(['export_run.failed'])
    expect(await firm.runsOf(firm.config_id)).toMatchObject([{ status: 'succeeded', status_reason: null }])
    expect(await events()).toEqual(['export_run.failed', 'export_run.succeeded'])
    expect([...firm.objects.values()]).toEqual(['ganz'])
  })

  it('that only the firm can mend has failed, and is not tried again', async () => {
    const firm = await dueFirm()
    firm.makeFiles(async () => {
      throw new Failure('conflict', 'DATEV_SETTINGS_MISSING', 'Settings are missing.')
    })

    await firm.running.run(firm.order, never)
    await firm.sweep({ queueWasLost: true })

    expect(await firm.runsOf(firm.config_id)).toMatchObject([
      { status: 'failed', status_reason: 'datev_settings_missing' },
    ])
    expect(firm.sent).toHaveLength(1)
  })

  it('that only the firm can mend stays as it ended, if its message comes again after the firm has mended it', async () => {
    const firm = await dueFirm()
    firm.makeFiles(async () => {
      throw new Failure('conflict', 'DATEV_SETTINGS_MISSING', 'Settings are missing.')
    })
    await firm.running.run(firm.order, never)
    const before = await firm.runsOf(firm.config_id)
    firm.makeFiles(async () => fileOf(['ganz']))

    await firm.running.run(firm.order, never)

    expect(await firm.runsOf(firm.config_id)).toEqual(before)
    expect(firm.objects.size).toBe(0)
  })

  it('that takes longer than a worker may is failed as too long, and tried again', async () => {
    const firm = await dueFirm()
    const abort = new AbortController()
    firm.makeFiles(async () => ({
      ...fileOf([]),
      bytes: (async function* () {
        yield Buffer.from('1')
        abort.abort()
        yield Buffer.from('2')
      })(),
    }))

    await expect(firm.running.run(firm.order, abort.signal)).rejects.toThrow()

    expect(await firm.runsOf(firm.config_id)).toMatchObject([{ status: 'failed', status_reason: 'too_long' }])
    expect(firm.objects.size).toBe(0)
  })

  it('of a killed worker shows as failed when its time is over, though its record says nothing', async () => {
    const firm = await dueFirm()
    await firm.runs.begin(firm.key, { scheduled_at: firm.order.scheduled_at, at: '2026-11-21T05:00:20.000Z' })

    const [record] = await firm.runsOf(firm.config_id)
    if (record === undefined) throw new Error('There is no run.')

    expect(shownRun(record, new Date('2026-11-21T05:10:00.000Z'))).toMatchObject({ status: 'running' })
    expect(shownRun(record, new Date('2026-11-21T05:20:00.000Z'))).toMatchObject({
      status: 'failed',
      status_reason: 'interrupted',
    })
  })

  it('runs the configuration as it is now, also where its schedule changed while the message waited', async () => {
    const firm = await dueFirm()
    const schedule = { frequency: 'weekly', time: '07:30', weekday: 1 } as const
    await firm.configs.change(firm.actor, firm.config_id, { name: 'Neuer Name', schedule }, () => {})

    await firm.work()

    expect([...firm.objects.values()]).toEqual(['Neuer Name'])
    expect(await firm.runsOf(firm.config_id)).toMatchObject([{ status: 'succeeded' }])
  })

  it('does nothing where the schedule was removed while the message waited', async () => {
    const firm = await dueFirm()
    await firm.configs.change(firm.actor, firm.config_id, { schedule: null }, () => {})

    await firm.work()
    await firm.sweep({ queueWasLost: true })

    expect(await firm.runsOf(firm.config_id)).toEqual([])
    expect([firm.objects.size, firm.sent.length]).toEqual([0, 0])
  })

  it('leaves nothing of a configuration that is deleted before, while or after it runs', async () => {
    for (const moment of ['before', 'while', 'after']) {
      const firm = await dueFirm()
      const remove = () => firm.configs.remove(firm.actor, firm.config_id, () => {})
      firm.makeFiles(async () => {
        const file = fileOf(['x'])
        if (moment === 'while') await remove()
        return file
      })

      if (moment === 'before') await remove()
      await firm.work()
      if (moment === 'after') await remove()
      await firm.sweep({ queueWasLost: true })

      expect([moment, await firm.runsOf(firm.config_id), [...firm.objects], firm.sent]).toEqual([
        moment,
        [],
        [],
        [],
      ])
    }
  })

  it('that was enqueued is sent again after the queues were lost, until it has ended', async () => {
    const firm = await dueFirm()
    firm.sent.length = 0

    await firm.sweep({ queueWasLost: true })
    const again = [...firm.sent]
    await firm.work()
    await firm.sweep({ queueWasLost: true })

    expect(again).toEqual([firm.order])
    expect(firm.sent).toEqual([])
  })

  it('is one of the thirty newest: older ones go, with their files', async () => {
    const firm = scheduledFirm(db)
    const config_id = await firm.addConfig()
    for (let day = 21; day < 21 + 33; day += 1) {
      firm.setNow(new Date(Date.UTC(2026, 10, day, 5, 0, 5)).toISOString())
      await firm.sweep()
      await firm.work()
    }

    const runs = await firm.runsOf(config_id)
    expect(runs.map(({ scheduled_at }) => scheduled_at.slice(0, 10))).toEqual(
      Array.from({ length: 30 }, (_, at) => new Date(Date.UTC(2026, 10, 53 - at)).toISOString().slice(0, 10)),
    )
    expect([...firm.objects.keys()].toSorted()).toEqual(runs.map((run) => fileKey(run, 1)).toSorted())
  })
})

describe('the file of a run', () => {
  it('is that of the run, or of the newest that succeeded', async () => {
    const firm = scheduledFirm(db)
    const config_id = await firm.addConfig()
    const service = exportRuns({
      ...firm,
      configs: firm.store,
      audit: { record: async () => {} },
      clock: { now: () => systemClock.now() },
    })
    const contents = ['erster', 'zweiter']
    const config = () => firm.configOf(config_id)
    const none = service.latestFile(await config())
    await expect(none).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    for (const [at, content] of contents.entries()) {
      firm.setNow(`2026-11-${21 + at}T05:00:00.000Z`)
      firm.makeFiles(async (made) => fileOf([content], selectionDigest(made)))
      await firm.sweep()
      await firm.work()
    }
    firm.setNow('2026-11-23T05:00:00.000Z')
    firm.makeFiles(() => Promise.reject(new Error('Out of order.')))
    await firm.sweep()
    await firm.work().catch(() => {})

    const { data } = await service.list(firm.actor, config_id, { limit: 10 })
    const latest = await service.latestFile(await config())
    const first = await service.file(firm.actor, config_id, data[2]?.id ?? '')
    const failed = service.file(firm.actor, config_id, data[0]?.id ?? '')

    expect(data.map(({ status }) => status)).toEqual(['failed', 'succeeded', 'succeeded'])
    const texts = await Promise.all([latest, first].map(async ({ open }) => text(await open())))
    expect(texts).toEqual(['zweiter', 'erster'])
    await expect(failed).rejects.toMatchObject({ code: 'RUN_NOT_FINISHED' })
    const stranger = { workspace_id: scheduledFirm(db).actor.workspace_id }
    await expect(service.list(stranger, config_id, { limit: 10 })).rejects.toMatchObject({
      code: 'CONFIG_NOT_FOUND',
    })
    await expect(service.file(firm.actor, config_id, 'run_x')).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    })
  })
})
