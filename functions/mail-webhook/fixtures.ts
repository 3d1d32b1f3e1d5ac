import type { Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

export const fixtures: Fixtures<typeof endpoints> = {
  // The call was already made once, so that the answer to a repeated call is known.
  receiveMail: async ({ firm: { workspace, owner }, signMail }) => {
    const body = {
      from: 'max@mueller.example',
      recipient: workspace.inbound_address,
      'body-plain': 'Guten Tag',
    }
    const credential = signMail()
    const raw = new URLSearchParams({ ...body, subject: 'Termin', ...credential })
    const first = await owner('POST', '/api/v1/email/inbound', { raw })
    return { body: { ...body, subject: 'Termin' }, credential, shows: first.body.correspondence_id }
  },
}
