import { expect, it } from 'vitest'
import { partyMail } from '#correspondence/party-mail.ts'
import type { CorrespondenceRecord, CorrespondenceStore } from '#correspondence/ports.ts'
import { jobRunner } from '#jobs/runner.ts'
import { unchanged } from '#kernel/idempotency.ts'
import { deletedPartyJobs, partyDeleted } from '#parties/jobs.ts'
import { openInbox, receivedMail } from '#test/support/received-mail.ts'

const [party, other, case_id] = ['pty_1', 'pty_2', '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10']

/** Runs the job after the deletion of the party, on these mails and with pages of two. Returns the mails afterwards. */
async function afterDeletion(...given: Partial<CorrespondenceRecord>[]): Promise<CorrespondenceRecord[]> {
  const mails = new Map(
    given.map((changes, at) => [`corr_${at}`, receivedMail('ws_1', { id: `corr_${at}`, ...changes })]),
  )
  const store: Pick<CorrespondenceStore, 'page' | 'change'> = {
    page: async (_, { party_id, cursor }) => {
      const named = [...mails.values()].filter(
        (mail) => mail.party_id === party_id && mail.id > (cursor ?? ''),
      )
      const data = named.slice(0, 2)
      const next = named.length > 2 ? (data.at(-1)?.id ?? null) : null
      return { data, pagination: { cursor: next, has_more: next !== null } }
    },
    change: async (_, id, decide) => {
      const { record, answer } = decide(mails.get(id) as CorrespondenceRecord)
      if (record !== undefined) mails.set(id, record)
      return unchanged(answer)
    },
  }
  const returning = partyMail({ mails: store, clock: { now: () => new Date(0) } })
  const runner = jobRunner(...deletedPartyJobs({ mails: returning }))
  await runner.run(partyDeleted.of({ workspace_id: 'ws_1', party_id: party }))
  return [...mails.values()]
}

const filed = openInbox({ state: 'filed', is_decided: true })

it('mail that was filed only with a deleted party is in the inbox again', async () => {
  const mails = await afterDeletion(...Array.from({ length: 5 }, () => ({ party_id: party, inbox: filed })))

  expect(mails.map(({ party_id, inbox }) => [party_id, inbox?.state])).toEqual(
    Array.from({ length: 5 }, () => [null, 'open']),
  )
})

it('mail in a case, with another party, in the inbox, dismissed or sent does not change', async () => {
  const mails: Partial<CorrespondenceRecord>[] = [
    { party_id: party, case_id, inbox: filed },
    { party_id: other, inbox: filed },
    { party_id: party, inbox: openInbox() },
    { party_id: party, inbox: openInbox({ state: 'dismissed' }) },
    { party_id: party, inbox: null, direction: 'outbound' },
  ]

  expect(await afterDeletion(...mails)).toMatchObject(mails)
})
