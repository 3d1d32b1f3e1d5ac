import { timestamp } from '#kernel/clock.ts'
import { aBeaAccountOf, aBeaMessageIn } from '#test/support/bea-records.ts'
import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const written = async ({ firm, makeCase, makeDocument }: Given) => ({
  account_id: (await aBeaAccountOf(firm)).id,
  case_id: await makeCase(),
  attachments: [await makeDocument()],
})

/** A draft to a lawyer, to whom any document may be sent. */
const aDraft = async (given: Given) => {
  const references = await written(given)
  const to = [{ name: 'Dr. Karl Weber', bea_id: 'DE.BRAK.5f1a2b3c-4d5e-6f70-8192-a3b4c5d6e7f8.a1b2' }]
  const body = { ...references, to, subject: 'Klageentwurf' }
  const { id } = (await given.firm.owner('POST', '/api/v1/bea/drafts', { body })).body
  return { references, params: { draft_id: id as string } }
}

const ofADraft: Fixture = async (given) => ({ params: (await aDraft(given)).params })

/** A message of a case that requests a receipt, and a deadline of that case. */
const aRequest = async ({ firm, makeDeadline }: Given) => {
  const deadline_id = await makeDeadline()
  const { case_id } = (await firm.owner('GET', `/api/v1/deadlines/${deadline_id}`)).body
  const account = await aBeaAccountOf(firm)
  const message_id = await aBeaMessageIn(account, { is_eeb_requested: true }, { caseId: case_id })
  return { params: { message_id }, deadline_id }
}

export const fixtures: Fixtures<typeof endpoints> = {
  createBeaDraft: async (given) => ({ body: await written(given) }),
  getBeaDraft: ofADraft,
  saveBeaDraft: async (given) => {
    const { references, params } = await aDraft(given)
    return { params, body: references }
  },
  deleteBeaDraft: ofADraft,
  sendBeaDraft: ofADraft,
  resolveBeaDraft: async (given) => {
    const { params } = await aDraft(given)
    const { unknownSend } = await import('#test/support/bea-sends.ts')
    await unknownSend(given.firm.workspace.id, params.draft_id)
    return { params }
  },
  answerBeaEeb: async (given) => {
    const { params, deadline_id } = await aRequest(given)
    return { params, body: { date: timestamp().slice(0, 10), deadline_id } }
  },
  resolveBeaEeb: async (given) => {
    const { params } = await aRequest(given)
    const { unknownEeb } = await import('#test/support/bea-sends.ts')
    await unknownEeb(given.firm.workspace.id, params.message_id)
    return { params }
  },
}
