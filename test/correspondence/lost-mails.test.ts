import { expect, it } from 'vitest'
import { lostMailJobs } from '#correspondence/lost-mails.ts'
import type { Job } from '#jobs/job.ts'
import { jobRunner } from '#jobs/runner.ts'
import { mailInMemory } from './in-memory-mail.ts'

/** A mail whose send begins now. `run` runs its jobs, although they may not be due. */
async function lostMail() {
  const mail = mailInMemory()
  const runner = jobRunner(
    ...lostMailJobs({ mails: mail.store, enqueue: mail.enqueue, clock: mail.deps.clock }),
  )
  mail.answer(async () => ({ kind: 'unknown', cause: new Error('The connection was lost.') }))
  await mail.sendWith('k1').catch(() => {})
  return {
    ...mail,
    lostAt: () => [...mail.records.values()].map(({ lost_at }) => lost_at),
    run: async () => {
      for (const job of mail.jobs.splice(0)) await runner.run(job)
    },
  }
}

const minutesUntil = (now: Date, jobs: Job[]) =>
  jobs.map(({ due_at }) => due_at && (due_at.getTime() - now.getTime()) / 60_000)

it.each([
  ['a minute', 9.5, 1],
  ['the whole time', 0, 10],
])('the loss of a mail is noted although its job runs early: another looks again after %s', async (_, minutes, pause) => {
  const mail = await lostMail()
  mail.passMinutes(minutes)

  await mail.run()
  const early = [mail.lostAt(), minutesUntil(mail.now(), mail.jobs)]
  mail.passMinutes(pause)
  await mail.run()

  expect(early).toEqual([[null], [pause]])
  expect(mail.lostAt()).toEqual([mail.now().toISOString()])
  expect(mail.jobs).toEqual([])
})

it('a mail that was disposed of is not looked for again', async () => {
  const mail = await lostMail()
  mail.records.clear()

  await mail.run()

  expect(mail.jobs).toEqual([])
})
