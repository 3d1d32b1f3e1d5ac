import { jobRunner } from '#jobs/runner.ts'
import { systemClock } from '#kernel/clock.ts'
import { createLog } from '#kernel/log.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import { outbox } from '#store/outbox.ts'
import { pageOut } from '#store/page-out.ts'
import { wordsFollowUp } from '#store/search.ts'
import { tableName } from '#store/table.ts'
import { keyStore } from '#store/workspace/key-store.ts'
import { authenticator } from '#workspace/authenticate.ts'

/** What every composition root starts from: the table, the outbox, the log, and who may come in. */
export function foundation(functionName: string) {
  const log = createLog(functionName)
  const db = { client: createClient(), table: tableName() }
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
    /** The jobs that this function runs: a composition root adds those that its requests enqueue. */
    jobs,
    outbox: outbox(db, jobs, log),
    pageOut: pageOut(cursors),
    authenticate: authenticator({ keys, clock }),
  }
}
