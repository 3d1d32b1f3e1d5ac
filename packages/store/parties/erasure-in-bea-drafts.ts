import type { BeaMessageRecord } from '#bea/ports.ts'
import { derivedId } from '#kernel/id.ts'
import type { Redact } from '#parties/erasure-ports.ts'
import { beaDraftEntity, beaSentMessage } from '../bea/bea-draft-entity.ts'
import { strongly } from '../db.ts'
import type { CaseNoun } from '../retention/case-noun.ts'
import { caseTexts, type TextDeps } from '../retention/case-texts.ts'
import { readItems } from '../retention/record-removal.ts'
import { redactLeft } from '../retention/redacted-entries.ts'
import { retryStale } from '../transact.ts'

type Message = Pick<
  BeaMessageRecord,
  'workspace_id' | 'id' | 'account_id' | 'remote_id' | 'sender' | 'recipients' | 'postbox_safe_id'
>

/**
 * Takes data out of the draft that a beA message was sent from, and out of the answer to its request for a receipt (R5).
 * Drafts in a case go with that case.
 */
export function erasureInBeaDrafts(deps: TextDeps & { nouns: readonly CaseNoun[] }) {
  const { db, nouns } = deps
  const sent = beaSentMessage(db)
  const redactTexts = caseTexts(deps)

  return async (message: Message, redact: Redact): Promise<void> => {
    const { workspace_id, id, account_id, remote_id } = message
    const isOfOther = otherIn(message)
    const redactAll: Redact = (text) => (isOfOther(text) ? '' : redact(text))
    const { data } = await sent.get({ workspace_id, account_id, remote_id }).go(strongly)
    const ids = [derivedId('beaDraft', id, 0), ...(data === null ? [] : [data.draft_id])]
    await redactLeft(db, workspace_id, ids, redact)
    const drafts = ids.map((one) => ({ kind: beaDraftEntity.entityName, id: one }))
    await retryStale(async () => {
      for (const { noun, item } of await readItems(db, nouns, workspace_id, drafts))
        if (noun.caseOf(item) === undefined) await redactTexts(noun, item, redactAll)
    })
  }
}

/** Whether a text is the SAFE-ID or the name of the other side of a message: the message loses these too. */
function otherIn({ sender, recipients, postbox_safe_id }: Message): (text: string) => boolean {
  const own = postbox_safe_id.toLowerCase()
  const others = [sender, ...recipients].filter(({ bea_id }) => bea_id?.toLowerCase() !== own)
  return (text) =>
    others.some(({ name, bea_id }) => text === name || text.toLowerCase() === bea_id?.toLowerCase())
}
