import { expect, it } from 'vitest'
import { lostMailJobs } from '#correspondence/lost-mails.ts'
import { jobRunner } from '#jobs/runner.ts'
import { mailInMemory } from './in-memory-mail.ts'

/** A mail whose send begins now and has an unknown outcome. `run` runs its jobs. */
async function lostMail() {
  const mail = mailInMemory()
  const runner = jobRunner(...lostMailJobs({ mails: mail.store, clock: mail.deps.clock }))
  mail.answer(async () => ({ kind: 'unknown', cause: new Error('The connection was lost.') }))
  await mail.sendWith('k1').catch(() => {})
  return {
    ...mail,
    lostAt: () => [...mail.records.values()].map(({ lost_at }) => lost_at),
    run: async () => {
      for (const job of mail.jobs) await runner.run(job)
    },
  }
}

it('the loss of a mail is recorded once, ten minutes after its send began', async () => {
  const mail = await lostMail()
  const due = mail.jobs.map(({ due_at }) => due_at && (due_at.getTime() - mail.now().getTime()) / 60_000)
  mail.passMinutes(10)
  await mail.run()
  const noted = mail.lostAt()
  mail.passMinutes(1)

  await mail.run()

  expect(due).toEqual([10])
  expect(noted[0]).toBeTypeOf('string')
  expect(mail.lostAt()).toEqual(noted)
})

it('the job for a mail that was disposed of does nothing', async () => {
  const mail = await lostMail()
  mail.records.clear()

  await expect(mail.run()).resolves.toBeUndefined()
})
