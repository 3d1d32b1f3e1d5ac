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

/** The answers, while a draft that answers a confidential message is under way, or linked to the message. */
const answers = ({ isUnderWay, isLinked }: { isUnderWay: boolean; isLinked: boolean }) =>
  confidentialAnswers({
    drafts: {
      takenBy: async () => (isLinked ? draft.id : undefined),
      find: async () => draft,
      unsettled: async () => (isUnderWay ? [draft] : []),
    },
    messages: {
      findAll: async () => [{ confidential: true } as BeaMessageRecord],
      change: () => Promise.reject(new Error('Nothing is changed.')),
    },
  })

it.each([
  ['an answer under way', { isUnderWay: true, isLinked: false }, sent, true, true],
  ['no answer under way', { isUnderWay: false, isLinked: false }, sent, false, false],
  ['a known answer', { isUnderWay: true, isLinked: true }, sent, true, false],
  ['another title', { isUnderWay: true, isLinked: false }, { ...sent, subject: 'Klage' }, false, false],
  ['a mark', { isUnderWay: true, isLinked: false }, { ...sent, confidential: true }, true, false],
] as [
  string,
  Parameters<typeof answers>[0],
  BeaMessageRecord,
  boolean,
  boolean,
][])('a sent message with %s counts as confidential, or only until the outcome of the send is known', async (_, state, message, isConfidential, isUndecided) => {
  const { marked, isUndecided: isUndecidedNow } = answers(state)

  expect([(await marked(message)).confidential, await isUndecidedNow(message)]).toEqual([
    isConfidential,
    isUndecided,
  ])
})
