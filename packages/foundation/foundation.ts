import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { createLog } from '#kernel/log.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import type { Db } from '#store/db.ts'
import { firstAnswers } from '#store/first-answers.ts'
import { layoutCheck } from '#store/layout.ts'
import { outbox } from '#store/outbox.ts'
import { pageOut } from '#store/page-out.ts'
import { wordsFollowUp } from '#store/search-words.ts'
import { tableName } from '#store/table.ts'
import { allowanceStore } from '#store/workspace/allowance-store.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { allowances } from '#workspace/allowance.ts'
import { authenticator } from '#workspace/authenticate.ts'

/** The common start of every composition root: the table, the outbox, the log, and authentication. */
export function foundation(functionName: string) {
  const log = createLog(functionName)
  const db: Db = { client: createClient(layoutCheck(log)), table: tableName() }
  const clock = systemClock
  const cursors = tableCursors(db)
  const keys = keyStore(db, cursors)
  const jobs = jobRunner(wordsFollowUp(db))
  return {
    log,
    db,
    clock,
    cursors,
    keys,
    /** The jobs that this function runs: a composition root adds the jobs that its requests enqueue. */
    jobs,
    outbox: outbox(db, jobs, log),
    pageOut: pageOut(cursors),
    firstAnswers: firstAnswers(db),
    authenticate: authenticator({ keys, clock }),
    countRequest: allowances({
      store: allowanceStore(db),
      clock,
      perSecond: requestsPerSecond(),
      warn: log.warn,
    }),
  }
}

/** What every composition root begins with. */
export type Base = ReturnType<typeof foundation>

/** The requests per second of a workspace, from `RATE_LIMIT_PER_SECOND`; 1 000 if it is not set, 0 for no limit. */
function requestsPerSecond(): number {
  const given = process.env.RATE_LIMIT_PER_SECOND || '1000'
  if (/^\d{1,6}$/.test(given)) return Number(given)
  throw new Error(`RATE_LIMIT_PER_SECOND must be a whole number of requests, not "${given}".`)
}
