import { expect } from 'vitest'
import type { Api } from './api.ts'
import { newFirm } from './firm.ts'

/** A firm with a case and two colleagues, and the requests for deadlines that tests repeat. */
export async function newDeadlineFirm() {
  const firm = await newFirm()
  const openCase = async (): Promise<string> =>
    (await firm.owner('POST', '/api/v1/cases', { body: { name: 'Akte' } })).body.id
  const caseId = await openCase()
  const colleague = await firm.colleague()
  const third = await firm.colleague()

  /** Creates a deadline with these fields instead of the usual ones. */
  const enter = (body: Record<string, unknown> = {}, by: Api = firm.owner) =>
    by('POST', '/api/v1/deadlines', {
      body: { title: 'Berufung', case_id: caseId, due_at: '2031-04-16', ...body },
    })
  return {
    firm,
    caseId,
    colleague,
    third,
    openCase,
    enter,
    /** Like `enter`, but requires 201 and returns the deadline without its warnings. */
    entered: async (body: Record<string, unknown> = {}) => {
      const answer = await enter(body)
      expect(answer.status).toBe(201)
      const { warnings: _, ...deadline } = answer.body
      return deadline
    },
    read: async (id: string) => (await firm.owner('GET', `/api/v1/deadlines/${id}`)).body,
    change: (id: string, body: Record<string, unknown>, by: Api = firm.owner) =>
      by('PATCH', `/api/v1/deadlines/${id}`, { body }),
    verify: (id: string, by: Api = colleague.api) => by('POST', `/api/v1/deadlines/${id}/verify`),
    delegate: (id: string, user_id: string, by: Api = firm.owner) =>
      by('POST', `/api/v1/deadlines/${id}/delegate`, { body: { user_id } }),
    complete: (id: string, evidence: unknown = { type: 'note', text: 'Getan.' }) =>
      firm.owner('POST', `/api/v1/deadlines/${id}/complete`, { body: { evidence } }),
  }
}

/** Status and error code of an answer. */
export const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
]

/** Does the work `count` times concurrently. */
export const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** The UUID of an id. */
export const uuidOf = (id: string) => id.slice(id.indexOf('_') + 1)

/** A UUID that no record has. */
export const unknown = '01993f5e-0000-7000-8000-000000000000'
