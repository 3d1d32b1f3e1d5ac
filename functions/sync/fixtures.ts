import type { Fixtures, Given } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const login = ({ caldavUrl }: Given) => ({
  provider: 'caldav',
  url: caldavUrl,
  username: 'vogt',
  password: 'geheim',
})

async function connect(given: Given): Promise<string> {
  const { owner } = given.firm
  return (await owner('POST', '/api/v1/calendar/sync/accounts', { body: login(given) })).body.id
}

export const fixtures: Fixtures<typeof endpoints> = {
  createSyncAccount: (given) => ({ body: login(given) }),
  deleteSyncAccount: async (given) => ({ params: { id: await connect(given) } }),
  pushEvent: async (given) => {
    await connect(given)
    return { params: { id: await given.makeEvent() } }
  },
}
