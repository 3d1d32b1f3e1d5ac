import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aMail: Fixture = async ({ firm }) => {
  const body = { to: ['anna.meier@example.com'], subject: 'Klageentwurf', body_html: '<p>Anbei.</p>' }
  return { params: { id: (await firm.owner('POST', '/api/v1/email/outbound/send', { body })).body.id } }
}

/** What the tests of every endpoint need to send its example. */
export const fixtures: Fixtures<typeof endpoints> = {
  getCorrespondence: aMail,
  getRawCorrespondence: aMail,
}
