import { applyRule } from '#timeline/schema.ts'
import type { BeaDraftRecord, BeaDraftStore } from '../drafts/draft-ports.ts'
import type { BeaMessageRecord, BeaMessageStore } from '../ports.ts'
import { answerTitle } from './answer-title.ts'

export type ConfidentialAnswers = ReturnType<typeof confidentialAnswers>

/**
 * Marks sent receipts (eEB) for confidential messages as confidential. Everything derived from a confidential message is
 * confidential (B10), but the network does not mark the receipt.
 */
export function confidentialAnswers(deps: {
  drafts: Pick<BeaDraftStore, 'draftOf' | 'find' | 'unsettled'>
  messages: Pick<BeaMessageStore, 'findAll' | 'change'>
}) {
  const { drafts, messages } = deps

  const answersConfidential = async (draft: BeaDraftRecord | undefined): Promise<boolean> => {
    if (!draft?.eeb) return false
    const [asked] = await messages.findAll(draft.workspace_id, [draft.eeb.message_id])
    return asked?.confidential ?? true
  }

  const isLinked = async ({ workspace_id, account_id, remote_id }: BeaMessageRecord): Promise<boolean> => {
    const id = await drafts.draftOf(workspace_id, account_id, remote_id)
    return id !== undefined && answersConfidential(await drafts.find(workspace_id, id))
  }

  /** Whether an answer to a confidential message is being sent. It may be imported before its send has got an answer. */
  const isBeingSent = async ({ workspace_id, account_id }: BeaMessageRecord): Promise<boolean> => {
    for (const draft of await drafts.unsettled(workspace_id, account_id))
      if (await answersConfidential(draft)) return true
    return false
  }

  /** Whether a stored message must be marked: older releases stored answers without the mark. */
  const lacksMark = async (record: BeaMessageRecord): Promise<boolean> => {
    if (record.direction === 'inbound' || record.confidential || !isTitledAsAnswer(record)) return false
    return isLinked(record)
  }

  return {
    /** The record of a new message, marked as confidential if it answers, or may answer, a confidential one. */
    async marked(record: BeaMessageRecord): Promise<BeaMessageRecord> {
      if (record.direction === 'inbound' || record.confidential) return record
      const isAnswer = (await isLinked(record)) || (isTitledAsAnswer(record) && (await isBeingSent(record)))
      return isAnswer ? { ...record, confidential: true } : record
    },

    /** Whether a message counts as confidential only until the outcome of a send is known. */
    async isUndecided(record: BeaMessageRecord): Promise<boolean> {
      if (record.direction === 'inbound' || record.confidential || !isTitledAsAnswer(record)) return false
      return !(await isLinked(record)) && (await isBeingSent(record))
    },

    /** A stored message as `withMark` returns it, but the mark is not stored: for functions that may not write it. */
    async asMarked(record: BeaMessageRecord): Promise<BeaMessageRecord> {
      return (await lacksMark(record)) ? { ...record, confidential: true } : record
    },

    /** A stored message, marked if necessary. */
    async withMark(record: BeaMessageRecord): Promise<BeaMessageRecord> {
      if (!(await lacksMark(record))) return record
      return applyRule(messages, record.workspace_id, record.id, (current) =>
        current.confidential
          ? undefined
          : { record: { ...current, confidential: true, version: current.version + 1 } },
      )
    },
  }
}

/** Whether the subject may be the title of a receipt, which the network may have cut or removed. */
function isTitledAsAnswer({ subject }: Pick<BeaMessageRecord, 'subject'>): boolean {
  return subject.trim() === '' || answerTitle.startsWith(subject.trim()) || subject.startsWith(answerTitle)
}

/** The store of messages. It marks answers to confidential messages when they are added. */
export function markingStore<Store extends Pick<BeaMessageStore, 'add'>>(
  store: Store,
  answers: Pick<ConfidentialAnswers, 'marked'>,
): Store {
  return {
    ...store,
    add: async (change: Parameters<Store['add']>[0]) =>
      store.add({ ...change, record: await answers.marked(change.record) }),
  }
}
