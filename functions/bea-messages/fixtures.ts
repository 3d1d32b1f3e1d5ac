import type { Fixture, Fixtures } from '#test/support/fixture.ts'
import type * as endpoints from './endpoints.ts'

const aMessage: Fixture = async ({ makeBeaMessage }) => {
  const { message_id } = await makeBeaMessage()
  return { params: { message_id } }
}

export const fixtures: Fixtures<typeof endpoints> = {
  syncBeaAccount: async ({ makeBeaMessage }) => {
    const { account_id } = await makeBeaMessage()
    return { params: { account_id } }
  },
  listBeaMessages: async ({ makeBeaMessage }) => {
    await makeBeaMessage()
    return {}
  },
  getBeaMessage: aMessage,
  assignBeaMessage: async ({ makeBeaMessage, makeCase }) => ({
    params: { message_id: (await makeBeaMessage()).message_id },
    body: { case_id: await makeCase() },
  }),
  listBeaAttachments: aMessage,
  downloadBeaAttachment: async ({ makeBeaMessage }) => {
    const { message_id, attachment_id } = await makeBeaMessage()
    return { params: { message_id, id: attachment_id } }
  },
}
