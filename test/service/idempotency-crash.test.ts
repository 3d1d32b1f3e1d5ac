import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { type Answer, type Api, allOf } from '#test/support/api.ts'
import { form } from '#test/support/documents.ts'
import { restarts } from '#test/support/restarts.ts'

const { started, kill } = restarts()

/** A request that was sent, and its answer if one came. */
type Sent = { name: string; key: string; send: (owner: Api) => Promise<Answer>; answer?: Answer }

const kinds = [
  (name: string, headers: Record<string, string>) => (owner: Api) =>
    owner('POST', '/api/v1/cases', { body: { name }, headers }),
  (name: string, headers: Record<string, string>) => (owner: Api) =>
    owner('POST', '/api/v1/parties', { body: { name }, headers }),
  (name: string, headers: Record<string, string>) => (owner: Api) =>
    owner('POST', '/api/v1/documents', {
      raw: form({ file: { filename: `${name}.txt`, bytes: `Ein Text von ${name}.` } }),
      headers,
    }),
]

it('requests that are repeated with their keys after the service was killed have one effect each, and their first answers', async () => {
  const before = await started()
  const sent: Sent[] = []

  // Twenty callers create things until the line goes dead.
  const callers = Array.from({ length: 20 }, async (_, caller) => {
    for (let round = 0; ; round += 1) {
      const [name, key] = [`Wiederholt c${caller}r${round}e`, randomUUID()]
      const make = kinds[(caller + round) % kinds.length] as (typeof kinds)[number]
      const one: Sent = { name, key, send: make(name, { 'Idempotency-Key': key }) }
      sent.push(one)
      one.answer = await one.send(before.owner)
    }
  })
  const dead = Promise.allSettled(callers)
  await vi.waitFor(() => expect(sent.filter(({ answer }) => answer).length).toBeGreaterThan(20), {
    timeout: 200_000,
  })
  await kill()
  await dead
  const { owner } = await started()

  const repeated = await Promise.all(sent.map((one) => one.send(owner)))

  expect(sent.some(({ answer }) => answer === undefined)).toBe(true)
  expect(new Set(repeated.map(({ status }) => status))).toEqual(new Set([201]))
  for (const [at, { answer }] of sent.entries()) {
    if (answer === undefined) continue
    expect(repeated[at]?.body).toEqual(answer.body)
    expect(repeated[at]?.headers.get('idempotent-replayed')).toBe('true')
  }
  const made = [
    ...(await allOf(owner, '/api/v1/cases')).map(({ name }) => name),
    ...(await allOf(owner, '/api/v1/parties')).map(({ name }) => name),
    ...(await allOf(owner, '/api/v1/documents')).map(({ filename }) => filename?.replace('.txt', '')),
  ]
  expect(made.toSorted()).toEqual(sent.map(({ name }) => name).toSorted())
}, 400_000)
