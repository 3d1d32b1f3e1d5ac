import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

it('hundreds of requests at once are all answered', async () => {
  const firm = await newFirm()
  const { key } = await firm.colleague()
  const headers = { Authorization: `Bearer ${key}` }

  const statuses = await Promise.all(
    // The gateway works on 32 of them at once, and refuses what has waited for a minute.
    Array.from({ length: 300 }, async () => {
      const answer = await fetch(`${sharedService().baseUrl}/api/v1/cases`, { headers })
      await answer.arrayBuffer()
      return answer.status
    }),
  )

  expect(new Set(statuses)).toEqual(new Set([200]))
})

it('the documentation is answered completely, with much other work at the same time', async () => {
  const firm = await newFirm()
  const baseUrl = sharedService().baseUrl
  const paths = ['/docs', '/docs/scalar.js', '/api/v1/openapi.json']
  const read = async (path: string) => {
    const answer = await fetch(baseUrl + path)
    return [answer.status, answer.headers.get('etag'), digestOf(await answer.bytes())]
  }
  const before = await Promise.all(paths.map(read))

  const work = Array.from({ length: 120 }, (_, at) =>
    at % 2 === 0
      ? firm.owner('POST', '/api/v1/cases', { body: { name: `Akte ${at}` } })
      : firm.owner('GET', '/api/v1/cases?limit=100'),
  )
  const answers = await Promise.all(Array.from({ length: 20 }, () => Promise.all(paths.map(read))))
  const done = await Promise.all(work)

  expect(before.map(([status]) => status)).toEqual([200, 200, 200])
  for (const answer of answers) expect(answer).toEqual(before)
  expect(done.filter(({ status }) => status >= 300)).toEqual([])
})

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
