import { queueSender } from '#queue/sqs.ts'
import { signingJobs } from '#signing/jobs.ts'
import { envelopeMails, envelopesToSeal } from '#signing/messages.ts'
import type { foundation } from './foundation.ts'

type Base = ReturnType<typeof foundation>

/** Envelopes as every function that changes them has them: the jobs that follow a change, and their queues. */
export function signingFoundation(base: Base) {
  const send = { mail: queueSender(envelopeMails), seal: queueSender(envelopesToSeal) }
  base.jobs.handle(...signingJobs(send))
  return { send }
}
