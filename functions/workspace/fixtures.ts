import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aUser: Fixture = async ({ firm: { owner } }) => {
  const { body } = await owner('POST', '/api/v1/users', { body: { name: 'Neu', email: 'neu@example.de' } })
  return { params: { id: body.id } }
}

export const fixtures: Fixtures<typeof endpoints> = {
  getUser: aUser,
  updateUser: aUser,
  createApiKey: ({ firm: { ownerUser } }) => ({ body: { user_id: ownerUser.id } }),
  deleteApiKey: async ({ firm: { owner, ownerUser } }) => {
    const body = { user_id: ownerUser.id, name: 'Neu', scopes: ['cases:read'] }
    return { params: { id: (await owner('POST', '/api/v1/api-keys', { body })).body.id } }
  },
}
