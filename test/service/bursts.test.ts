import { expect, inject, it } from 'vitest'
import { newOffice } from '#test/support/office.ts'

it('a thousand requests at once are all answered', { timeout: 120_000 }, async () => {
  const office = await newOffice()
  const { key } = await office.colleague()
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
