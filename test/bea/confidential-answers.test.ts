import { expect, it } from 'vitest'
import type { BeaDraftRecord } from '#bea/drafts/draft-ports.ts'
import { answerTitle } from '#bea/eeb/answer-title.ts'
import { confidentialAnswers } from '#bea/eeb/confidential-answers.ts'
import type { BeaMessageRecord } from '#bea/ports.ts'

const draft = { workspace_id: 'ws_a', id: 'd', eeb: { message_id: 'asked' } } as BeaDraftRecord
const sent = {
  ...{ workspace_id: 'ws_a', account_id: 'a', remote_id: 'r', direction: 'outbound' },
  ...{ confidential: false, subject: answerTitle },
} as BeaMessageRecord

/** The service, while an answer to a confidential message is being sent, or is linked to the sent message. */
const answers = ({ isUnderWay, isLinked }: { isUnderWay: boolean; isLinked: boolean }) =>
  confidentialAnswers({
    drafts: {
      draftOf: async () => (isLinked ? draft.id : undefined),
      find: async () => draft,
      unsettled: async () => (isUnderWay ? [draft] : []),
    },
    messages: {
      findAll: async () => [{ confidential: true } as BeaMessageRecord],
      change: () => Promise.reject(new Error('Nothing is changed.')),
    },
  })

it.each([
  ['an answer that is being sent', { isUnderWay: true, isLinked: false }, sent, true, true],
  ['no answer that is being sent', { isUnderWay: false, isLinked: false }, sent, false, false],
  ['a linked answer', { isUnderWay: true, isLinked: true }, sent, true, false],
  ['another title', { isUnderWay: true, isLinked: false }, { ...sent, subject: 'Klage' }, false, false],
  [
    'its own confidential mark',
    { isUnderWay: true, isLinked: false },
    { ...sent, confidential: true },
    true,
    false,
  ],
] as [
  string,
  Parameters<typeof answers>[0],
  BeaMessageRecord,
  boolean,
  boolean,
][])('decides whether a sent message with %s is confidential, and whether this is undecided', async (_, state, message, isConfidential, isUndecided) => {
  const { marked, isUndecided: isUndecidedNow } = answers(state)

  expect([(await marked(message)).confidential, await isUndecidedNow(message)]).toEqual([
    isConfidential,
    isUndecided,
  ])
})
