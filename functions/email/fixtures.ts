import type { Fixture, Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const base = '/api/v1/email/outbound'

const aDraft: Fixture = async ({ firm }) => {
  const body = { to: ['Anna Meier <anna.meier@example.com>'], subject: 'Klageentwurf' }
  return { params: { id: (await firm.owner('POST', `${base}/drafts`, { body })).body.id } }
}

const aMail: Fixture = async ({ firm }) => {
  const body = { to: ['anna.meier@example.com'], subject: 'Klageentwurf', body_html: '<p>Anbei.</p>' }
  return { body: { correspondence_id: (await firm.owner('POST', `${base}/send`, { body })).body.id } }
}

const references = async ({ makeCase, makeDocument }: Given) => ({
  case_id: await makeCase(),
  attachments: [await makeDocument()],
})

export const fixtures: Fixtures<typeof endpoints> = {
  createDraft: async (given) => ({ body: await references(given) }),
  getDraft: aDraft,
  updateDraft: aDraft,
  deleteDraft: aDraft,
  sendDraft: aDraft,
  sendMail: () => ({ body: { idempotency_key: crypto.randomUUID() } }),
  createReply: aMail,
  createForward: aMail,
}
