import { describe, expect, test } from 'vitest'
import { manifest } from '#functions/manifest.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { stagesOf } from '#infra/stage.ts'
import { cdkContext, meantToGoWithout, synthesise } from './synthesis.ts'

const { stages } = cdkContext as { stages: Record<'dev' | 'prod', object> }
const withProd = (settings: object) => ({
  stage: 'prod',
  stages: { ...stages, prod: { ...stages.prod, ...meantToGoWithout, ...settings } },
})

/** The concurrency of Lambda that functions and queues of a stage may use. */
function concurrencyOf(settings: object) {
  const { resources } = synthesise(withProd(settings))
  const functions = (['api', 'work'] as const).flatMap((purpose) =>
    resources('prod', purpose, 'AWS::Lambda::Function'),
  )
  const reserved = functions.flatMap(([, { Properties }]) =>
    Properties.ReservedConcurrentExecutions === undefined
      ? []
      : [[Properties.FunctionName.replace('aktenlage-prod-', ''), Properties.ReservedConcurrentExecutions]],
  )
  const workers = resources('prod', 'work', 'AWS::Lambda::EventSourceMapping').map(([id, { Properties }]) => [
    id,
    Properties.ScalingConfig.MaximumConcurrency,
  ])
  const sum = (all: unknown[][]) => all.reduce((total, [, count]) => total + Number(count), 0)
  const workersOf = (queue: string) =>
    Number(workers.find(([id]) => String(id).includes(`storage${queue}Queue`))?.[1])
  return { reserved, workers, workersOf, sum }
}

const streaming = manifest.filter(({ streams }) => streams).map(({ name }) => name)

test('a stage of an account that allows only ten concurrent executions reserves nothing, so it can be deployed', () => {
  const { reserved, workersOf } = concurrencyOf({})

  expect(reserved).toEqual([])
  expect([workersOf('Extract'), workersOf('BeaSync'), workersOf('Inbound')]).toEqual([10, 10, 10])
})

describe.each([200, 1_000, 5_000, 100_000])('a stage that counts on %i executions at once', (concurrency) => {
  const { reserved, workers, sum } = concurrencyOf({ concurrency })

  test('gives each function that streams a part of its own, and no other', () => {
    expect(reserved.map(([name]) => name).toSorted()).toEqual(streaming.toSorted())
    expect(streaming).toEqual(expect.arrayContaining(['documents-files', 'shared', 'sign']))
    for (const [, count] of reserved) expect(count).toBe(concurrency / 25)
  })

  test('leaves the hundred unreserved that Lambda requires', () => {
    expect(concurrency - sum(reserved)).toBeGreaterThanOrEqual(100)
  })

  test('leaves something for requests while all downloads and all workers are busy', () => {
    expect(sum(reserved) + sum(workers)).toBeLessThan(concurrency)
  })

  test('asks SQS for no more workers than it has', () => {
    for (const [, count] of workers) {
      expect(count).toBeGreaterThanOrEqual(2)
      expect(count).toBeLessThanOrEqual(1_000)
    }
  })
})

test('no function that serves files also waits for a worker, so that requests that wait use up no downloads', () => {
  const waits = ({ errors }: Pick<Endpoint<never>, 'errors'>) => errors[409]?.includes('EXTRACTION_PENDING')
  const serving = manifest.map(({ name, endpoints = {} }) => ({ name, endpoints: Object.values(endpoints) }))

  const waiting = serving.filter(({ endpoints }) => endpoints.some(waits))

  expect(waiting.map(({ name }) => name)).toContain('documents-text')
  for (const { name, endpoints } of waiting)
    expect(
      endpoints.filter(({ produces }) => produces === 'file' || produces === 'stream'),
      name,
    ).toEqual([])
})

test('postboxes, documents and beA messages get more workers the more a stage counts on', () => {
  const { workersOf } = concurrencyOf({ concurrency: 3_000 })

  expect([workersOf('Extract'), workersOf('BeaSync'), workersOf('Inbound')]).toEqual([450, 450, 300])
  expect(workersOf('BeaSend')).toBe(60)
  expect(workersOf('Seal')).toBe(3)
})

test('the stage’s setting for a queue takes precedence over its part', () => {
  const { workersOf } = concurrencyOf({ concurrency: 3_000, workersOfQueues: { 'bea-sync': 4 } })

  expect([workersOf('BeaSync'), workersOf('Extract')]).toEqual([4, 450])
})

test.each([10, 199, 0, -1, 1_000.5, '1000'])('a concurrency of %s is refused', (concurrency) => {
  expect(() => stagesOf(withProd({ concurrency }))).toThrow(/concurrency/)
})
