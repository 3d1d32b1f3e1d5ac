import { isDeepStrictEqual } from 'node:util'
import { mailboxOf } from '#correspondence/address-schema.ts'
import { timestamp } from '#kernel/clock.ts'
import type { ErasureStep, Redact, Redacting, StoredParty } from '#parties/erasure-ports.ts'
import { notedSides } from '#parties/side-schema.ts'
import { eraseKeys } from '../batch.ts'
import { changeLog } from '../change-log.ts'
import { itemsOf } from '../pages-of.ts'
import { redactedAt } from '../retention/case-texts.ts'
import { forgetAnswers, namesOf } from '../retention/forget-answers.ts'
import { forgetJobs, type JobsToForget } from '../retention/forget-jobs.ts'
import type { EraseObjects } from '../retention/record-removal.ts'
import { removeExports } from '../retention/remove-exports.ts'
import { removeReports } from '../retention/remove-reports.ts'
import { filterTerm } from '../search.ts'

/**
 * The step that removes a party from the lists of the whole firm: change logs, jobs, learnt senders and references, kept
 * answers, its namings, reports, and stored files of exports. It waits for a report or an export that is being made. Those that
 * were begun after the records had lost the party stay, however long it waits: its position is that time.
 */
export function erasureInTraces(
  deps: JobsToForget & {
    eraseObjects: EraseObjects
    withoutParty: Redacting
    /** Whether another party has the same mailbox: then what is known of its mail stays. */
    sharesMailbox: (party: StoredParty) => Promise<boolean>
  },
): ErasureStep {
  const { db, eraseObjects, withoutParty, sharesMailbox } = deps
  const remove = async (pk: string): Promise<void> => {
    for await (const items of itemsOf(db, pk, [])) await eraseKeys(db, items)
  }

  return async function* (party, after) {
    const { workspace_id, id, email } = party
    // The records have lost it. An earlier release has stored the name of the position.
    const since = after === null || after === 'lists' ? timestamp() : after
    const isPersonal = (filter: string) =>
      ['name', 'word', 'email'].some((field) => filter.startsWith(filterTerm(field, '')))
    await changeLog(db, 'parties').leaveOut(workspace_id, (one) => one === id, isPersonal)
    if (email !== null && !(await sharesMailbox(party))) {
      const mailbox = mailboxOf(email)
      const isSender = (filter: string) => filter === filterTerm('from', mailbox)
      await changeLog(db, 'correspondence').leaveOut(workspace_id, () => true, isSender)
      await remove(`${workspace_id}#learnt_sender#${mailbox}`)
    }
    yield since
    // The jobs of the records that the steps before have changed, and of the party itself.
    const redactWords = withoutParty(party, { familyName: true })
    const isNamed = namesOf([id])
    await forgetJobs(deps, workspace_id, isNamed, (words) => redactWords(words) !== words)
    const redact = withoutParty(party)
    const isToForget = (answer: string) => isNamed(answer) || hasTextOf(answer, redact)
    await forgetAnswers(db, workspace_id, isToForget, () => false)
    // Many columns name parties.
    const all = { mayHold: () => true, since }
    const later = { laterFrom: since }
    if (!(await removeExports({ db, eraseObjects }, workspace_id, all, () => false))) return later
    // Reports on other parties of the same cases name it too.
    if (!(await removeReports({ db, eraseObjects }, workspace_id, since))) return later
    await eraseObjects(`reports/${workspace_id}/${id}/`)
    await remove(`${workspace_id}#access_reports#${id}`)
    await remove(`${workspace_id}#party_reservation#${id}`)
    for (const side of notedSides) await remove(`${workspace_id}#party_side#${id}#${side}`)
    // From these the other steps know what names it.
    await remove(`${workspace_id}#party_use#${id}`)
    return undefined
  }
}

/** Whether an answer has a text with the data of a party. In JSON, quotation marks and line breaks are escaped. */
function hasTextOf(answer: string, redact: Redact): boolean {
  if (!answer.startsWith('{')) return redact(answer) !== answer
  const value = JSON.parse(answer)
  return !isDeepStrictEqual(redactedAt(value, ['*'], redact), value)
}
