import { globSync, readFileSync } from 'node:fs'
import type { SQSEvent } from 'aws-lambda'
import { expect, it } from 'vitest'
import type * as z from 'zod'
import { manifest } from '#functions/manifest.ts'
import { type QueueName, queues } from '#functions/queues.ts'
import { inRepository } from '#infra/in-repository.ts'
import { consume } from '#jobs/consume.ts'
import { defineQueue, type QueueDefinition } from '#jobs/job.ts'
import { unavailable } from '#kernel/unavailable.ts'
import { LayoutRefused } from '#store/layout.ts'

/** The queues, which may receive messages that this release does not understand (U3). */
const definitions = await everyMessage()
const anHour = 3_600

it('every queue has one definition of its messages', () => {
  expect(definitions.map(({ queue }) => queue).toSorted()).toEqual(Object.keys(queues).toSorted())
})

it.each(
  definitions.map((definition) => [definition.queue, definition] as const),
)('a message of a newer version on %s is retried for more than an hour, until a release that knows this version processes it', async (_, definition) => {
  const version = definition.version + 1
  const body = JSON.stringify({ ...sampleOf(definition), version, of_the_future: { kept: ['ä', 1] } })
  // Act
  const waiting = await deliver(definition, body)
  const newer = {
    ...definition,
    version,
    migrations: { [definition.version]: (payload: unknown) => payload },
  }
  const later = await deliver(newer as typeof definition, body)
  // Assess
  expect(waiting.worked).toEqual([])
  expect(waiting.seconds).toBeGreaterThanOrEqual(anHour)
  expect(later.worked).toHaveLength(1)
  expect(later.receptions).toBe(1)
})

it.each([
  ['of another kind', (sample: object) => ({ ...sample, kind: 'revoked', to: { office: 'Köln' } })],
  ['of another shape', () => ({ workspace: 'ws_1', envelopes: [] })],
  ['of a version far ahead', (sample: object) => ({ ...sample, version: 4_000_000_000 })],
  ['that is a list', (sample: object) => [sample]],
  ['that is null', () => null],
])('a message %s is retried for more than an hour, and the log says what is wrong with it', async (_, change) => {
  const definition = definitionOf('signing-mails')
  // Act
  const { worked, seconds, logged } = await deliver(definition, JSON.stringify(change(sampleOf(definition))))
  // Assess
  expect([worked, seconds >= anHour]).toEqual([[], true])
  expect(logged[0]?.error).toMatch(/version|malformed/)
})

it('a message that is not JSON is retried for more than an hour', async () => {
  const { worked, seconds } = await deliver(definitionOf('seal'), '<Envelope/>')
  expect([worked, seconds >= anHour]).toEqual([[], true])
})

it.each([
  ['missing', undefined],
  ['1', 1],
  // Messages of other publishers have versions of their own: EventBridge sends "0".
  ['a text', '7'],
])('a message whose version is %s counts as version 1, and is migrated', async (_, version) => {
  const definition = definitionOf('extract')
  const renamed = ({ document_id, ...rest }: Record<string, unknown>) => ({ ...rest, document_id, copies: 1 })
  const second = defineQueue({
    queue: 'extract',
    version: 2,
    payload: definition.payload,
    migrations: { 1: (payload) => renamed(payload as Record<string, unknown>) },
  })
  const sample = sampleOf(definition)
  // Act
  const { worked } = await deliver(second, JSON.stringify({ ...sample, version }))
  // Assess
  expect(worked).toEqual([definition.payload.parse(sample)])
})

it.each(
  definitions.map((definition) => [definition.queue, definition] as const),
)('a message on %s is retried for more than an hour if this release must not use the layout of the table', async (_, definition) => {
  const cause = new LayoutRefused('The table has layout 11, of a newer release.')
  const { worked, seconds } = await deliver(definition, JSON.stringify(sampleOf(definition)), () => {
    throw unavailable('The data is being upgraded.', { cause })
  })
  expect([worked, seconds >= anHour]).toEqual([[], true])
})

it('a message that is understood is delivered again soon if its work fails', async () => {
  const definition = definitionOf('extract')
  const { pauses } = await deliver(definition, JSON.stringify(sampleOf(definition)), () => {
    throw new Error('Textract is busy.')
  })
  expect(pauses.slice(0, 4)).toEqual([5, 20, 80, 320])
})

/**
 * Delivers a message as SQS does: again after each pause, until it is processed or goes to the dead-letter queue.
 *
 * @returns `seconds`: how long it was in the queue
 */
async function deliver(
  definition: QueueDefinition<z.ZodType>,
  body: string,
  work: () => void = () => {},
): Promise<{
  worked: unknown[]
  receptions: number
  pauses: number[]
  seconds: number
  logged: Record<string, unknown>[]
}> {
  const worked: unknown[] = []
  const logged: Record<string, unknown>[] = []
  const pauses: number[] = []
  let hidden = 0
  const handler = consume(definition, {
    work: async (payload) => {
      work()
      worked.push(payload)
    },
    hide: async (_, seconds) => {
      hidden = seconds
    },
    log: { error: (_, fields) => void logged.push(fields) },
  })
  const { maxReceives } = queues[definition.queue as QueueName]
  for (let reception = 1; reception <= maxReceives; reception += 1) {
    const record = { messageId: 'm', body, attributes: { ApproximateReceiveCount: String(reception) } }
    const event = { Records: [record] } as unknown as SQSEvent
    const { batchItemFailures } = await handler(event, { getRemainingTimeInMillis: () => 60_000 })
    if (batchItemFailures.length === 0) break
    pauses.push(hidden)
  }
  const seconds = pauses.reduce((sum, pause) => sum + pause, 0)
  return { worked, logged, pauses, seconds, receptions: pauses.length + (worked.length > 0 ? 1 : 0) }
}

/** The definitions of all messages, found in the code. */
async function everyMessage(): Promise<QueueDefinition<z.ZodType>[]> {
  const found = new Set<QueueDefinition<z.ZodType>>()
  for (const file of globSync('packages/**/*.ts', { cwd: inRepository('.') })) {
    if (!readFileSync(inRepository(file), 'utf8').includes('= defineQueue(')) continue
    for (const exported of Object.values(await import(inRepository(file))))
      if (typeof (exported as { queue?: unknown } | null)?.queue === 'string')
        found.add(exported as QueueDefinition<z.ZodType>)
  }
  return [...found]
}

function definitionOf(queue: QueueName): QueueDefinition<z.ZodType> {
  const definition = definitions.find((one) => one.queue === queue)
  if (definition === undefined)
    throw new Error(`No definition of the messages of the queue ${queue} was found.`)
  return definition
}

/** A message that today's release understands: the sample of `events/`. */
function sampleOf({ queue }: QueueDefinition<z.ZodType>): Record<string, unknown> {
  const name = manifest.find((declared) => declared.consumes?.queue === queue)?.name
  const { Records } = JSON.parse(readFileSync(inRepository(`events/${name}-message.json`), 'utf8'))
  return JSON.parse(Records[0].body)
}
