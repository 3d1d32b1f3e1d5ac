import { expect, inject, it } from 'vitest'
import { newFirm } from '#test/support/firm.ts'

it('a thousand requests at once are all answered', { timeout: 120_000 }, async () => {
  const firm = await newFirm()
  const { key } = await firm.colleague()
  const headers = { Authorization: `Bearer ${key}` }

  const statuses = await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      const answer = await fetch(`${inject('baseUrl')}/api/v1/cases`, { headers })
      await answer.arrayBuffer()
      return answer.status
    }),
  )

  expect(new Set(statuses)).toEqual(new Set([200]))
})
