import { expect, it } from 'vitest'
import { mailReports } from '#correspondence/mail-reports.ts'
import type { CorrespondenceRecord, MailReport } from '#correspondence/ports.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { mailRecord } from '#test/support/mail-records.ts'

const about = {
  type: 'envelope',
  id: newId('envelope'),
  signer_id: newId('signer'),
  mail: 'invitation',
  key: 'invitation',
  link_sha256: null,
} as const

it('the last report of a mail that bounces while it is reported as sent is the bounce', async () => {
  const workspace = newId('workspace')
  let record: CorrespondenceRecord = { ...mailRecord(workspace), status: 'sent', about }
  const bounced = {
    email: 'anna.meier@example.com',
    status: 'bounced',
    at: record.created_at,
    reason: null,
  } as const
  const reported: MailReport['state'][] = []
  const { report } = mailReports({
    store: { find: async () => record },
    handle: async ({ state }) => {
      // The report of the bounce comes first, this one after it.
      record = { ...record, delivery: [bounced] }
      reported.push(state)
    },
    clock: { now: () => systemClock.now() },
  })

  await report(workspace, record.id)

  expect(reported).toEqual(['sent', 'bounced'])
})
