import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { manifest } from '#functions/manifest.ts'
import { type Endpoint, waitsForOthers } from '#http/endpoint.ts'
import { refusals, requestLog } from '#http/middleware.ts'
import { progressOf } from '#http/progress.ts'
import { pascalCase } from '#infra/pascal-case.ts'
import { consume } from '#jobs/consume.ts'
import { defineFollowUp, defineQueue } from '#jobs/job.ts'
import { epochMilliseconds, systemClock } from '#kernel/clock.ts'
import { Failure, notFound } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import { createLog } from '#kernel/log.ts'
import { strongly } from '#store/db.ts'
import { documentWatch } from '#store/documents/document-entity.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { secretEntity } from '#store/secret-entity.ts'
import { transact } from '#store/transact.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { synthesise } from '../infra/synthesis.ts'
import { matchesPattern, metricValueOf } from '../support/log-pattern.ts'
import { ownTable } from '../support/own-table.ts'

const { resources } = synthesise()

/** The metrics that CloudWatch counts from the log of a function. */
function filtersOf(name: string) {
  return (['api', 'work'] as const)
    .flatMap((purpose) => resources('prod', purpose, 'AWS::Logs::MetricFilter'))
    .map(([, { Properties }]) => Properties)
    .filter(({ LogGroupName }) => LogGroupName.Ref.replace(/[0-9A-F]{8}$/, '') === `${pascalCase(name)}Log`)
}

/** What CloudWatch makes of lines of the log of a function: the values of each metric. */
function metricsOf(name: string, lines: string[]): Record<string, number[]> {
  const values = filtersOf(name).map(
    ({ FilterPattern, MetricTransformations: [{ MetricName, MetricValue }] }) => [
      MetricName,
      lines
        .filter((line) => matchesPattern(FilterPattern, line))
        .map((line) => metricValueOf(MetricValue, line)),
    ],
  )
  return Object.fromEntries(values)
}

afterEach(() => vi.restoreAllMocks())

it('every alarm on a metric of ours has a function that gives it, and every such metric has an alarm', () => {
  const ours = resources('prod', 'watch', 'AWS::CloudWatch::Alarm')
    .map(([, { Properties }]) => Properties)
    .filter(({ Namespace }) => Namespace?.startsWith('Aktenlage/'))
  const given = manifest.flatMap(({ name }) =>
    filtersOf(name)
      .flatMap(({ MetricTransformations }) => MetricTransformations)
      // The faults of a version are watched while it is released.
      .filter(({ MetricName }) => MetricName !== 'Faults'),
  )
  const nameOf = ({ MetricNamespace, Namespace = MetricNamespace, MetricName }: Record<string, string>) =>
    `${Namespace} ${MetricName}`

  expect(ours.length).toBeGreaterThan(5)
  expect(new Set(ours.map(nameOf))).toEqual(new Set(given.map(nameOf)))
  // Neither has dimensions: with them they would be other metrics.
  for (const { Dimensions } of [...ours, ...given]) expect(Dimensions).toBeUndefined()
})

describe('the sweeper', () => {
  it('creates the secret of cursors, and says at every sweep that jobs are parked, and which document waits longest to be read', async () => {
    // Prepare
    const db = await ownTable()
    Object.assign(process.env, sharedService().environment, { TABLE_NAME: db.table, LOG_LEVEL: 'INFO' })
    const { handler } = await import('#functions/workers/sweeper/index.ts')
    const lines: string[] = []
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
    const sweep = async () => {
      lines.length = 0
      await handler({}, { getRemainingTimeInMillis: () => 60_000 } as Context)
      return metricsOf('sweeper', lines)
    }
    const jobs = jobStore(db)
    const job = defineFollowUp({ name: 'toy', version: 1, payload: z.object({}) })
    const minutesAgo = (minutes: number) => new Date(epochMilliseconds() - minutes * 60_000).toISOString()
    const before = await sweep()
    const { data: secret } = await secretEntity(db).get({ name: 'cursor' }).go(strongly)

    // Act
    const { job: parked, action } = jobs.addition(job.of({}), systemClock.now())
    await transact(db, [action])
    await jobs.park(parked, 'It cannot be done.', systemClock.now())
    const oldest = { id: newId('document'), workspace_id: newId('workspace'), minutes: 180 }
    const other = { id: newId('document'), workspace_id: newId('workspace'), minutes: 5 }
    for (const { id, workspace_id, minutes } of [oldest, other]) {
      await documentWatch(db)
        .put({
          awaited: 'reading',
          shard: id.slice(-1),
          id,
          workspace_id,
          sent_at: minutesAgo(minutes),
          sent_again_at: minutesAgo(5),
        })
        .go()
    }
    const [first, second] = [await sweep(), await sweep()]

    // Assess
    expect(before).toMatchObject({ JobsParked: [], DocumentUnread: [] })
    // Whole minutes, of which one may pass meanwhile.
    for (const swept of [first, second])
      expect(swept).toMatchObject({ JobsParked: [1], DocumentUnread: [expect.toBeOneOf([180, 181])] })
    const unread = lines.find((line) => line.includes('documents wait to be read')) ?? ''
    expect(JSON.parse(unread)).toMatchObject({ workspace_id: oldest.workspace_id, document_id: oldest.id })
    // Functions that may only read the table need it.
    expect(secret?.value).toMatch(/^[\w-]{43}$/)
  })
})

describe('the log of faults', () => {
  const lines: string[] = []
  const log = createLog('toy', (line) => lines.push(line))
  const logged = async (work: () => Promise<unknown>) => {
    lines.length = 0
    await work()
    return lines
  }
  const served = manifest.filter(({ endpoints }) => endpoints)
  const consuming = manifest.filter(({ consumes }) => consumes)

  it.each([
    ['a fault of ours', new Error('undefined is no function'), [1]],
    ['a table that does not answer', new Failure('unavailable', 'SERVICE_UNAVAILABLE', 'Later.'), [1]],
    ['what the caller did wrong', notFound('CASE_NOT_FOUND'), []],
    ['another service that fails', new Failure('upstream', 'BEA_GATEWAY_ERROR', 'No answer.'), []],
  ])('counts requests that failed by %s as it should', async (_, error, counted) => {
    const event = { headers: {}, requestContext: { requestId: 'one' } } as unknown as APIGatewayProxyEvent
    const written = await logged(async () => refusals({}, log).onError?.({ event, error } as never))

    for (const { name } of served) expect(metricsOf(name, written).Faults, name).toEqual(counted)
  })

  it('counts messages that failed, and no others', async () => {
    const message = defineQueue({ queue: 'extract', payload: z.object({ works: z.boolean() }) })
    const handler = consume(message, {
      work: async ({ works }) => {
        if (!works) throw new Error('It cannot be read.')
      },
      hide: async () => {},
      log,
    })
    const record = (works: boolean) => ({
      messageId: 'one',
      body: JSON.stringify({ works }),
      attributes: { ApproximateReceiveCount: '1' },
    })
    const written = await logged(() =>
      handler({ Records: [record(true), record(false)] } as never, {
        getRemainingTimeInMillis: () => 60_000,
      }),
    )

    for (const { name } of consuming) expect(metricsOf(name, written).Faults, name).toEqual([1])
  })
})

describe('the log of requests', () => {
  const behindTheApi = manifest.flatMap(({ name, endpoints = {} }) =>
    Object.entries(endpoints).map(([operation, endpoint]) => ({ name, operation, endpoint })),
  )

  /** The line that is logged of an answer of this endpoint. */
  function lineOf(endpoint: Endpoint<never>): string {
    const event = {
      httpMethod: endpoint.method,
      resource: endpoint.path,
      requestContext: { requestId: 'one' },
    } as APIGatewayProxyEvent
    const lines: string[] = []
    const { before, after } = requestLog(createLog('toy', (line) => lines.push(line)))
    const request = { event, response: { statusCode: 200 } } as never
    before?.(request)
    progressOf(event).endpoint = endpoint
    after?.(request)
    expect(lines).toHaveLength(1)
    return lines[0] ?? ''
  }

  it('gives the time of every answer that is neither streamed nor waits for another service, and of no other', () => {
    const counted = behindTheApi
      .filter(
        ({ name, endpoint }) => (metricsOf(name, [lineOf(endpoint)]).AnswerMilliseconds ?? []).length > 0,
      )
      .map(({ operation }) => operation)
    const isWatched = ({ name, endpoint }: (typeof behindTheApi)[number]) =>
      !manifest.find((one) => one.name === name)?.streams && !waitsForOthers(endpoint)

    expect(counted).toEqual(behindTheApi.filter(isWatched).map(({ operation }) => operation))
    expect(counted).toEqual(expect.arrayContaining(['createCase', 'listBeaAccounts', 'uploadDocument']))
    for (const waiting of ['searchBeaDirectory', 'pushEvent', 'extractDocument'])
      expect(counted).not.toContain(waiting)
  })
})
