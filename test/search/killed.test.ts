import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { buildSegment } from '#search/build-segment.ts'
import { openSegment } from '#search/open-segment.ts'
import { fileFacts, format } from '#search/segment-file.ts'
import { aFolder, aRecord } from './an-index.ts'

/** When to kill it, in milliseconds after the last record. The steps after that record take about 40. */
const delays = [0, 3, 6, 10, 15, 25, 40, 80]

describe.each(['build', 'merge'])('a process that is killed while it does a %s', (task) => {
  it.each(['begun', ...delays])('leaves a complete file or none: killed after %s', async (when) => {
    const folder = aFolder()
    const path = join(folder, 'segment')
    const from = join(folder, 'from')
    const texts = Array.from({ length: 400 }, (_, at) =>
      aRecord(`r${at}`, `Kündigung ${'Frist '.repeat(50)}`),
    )
    const facts = task === 'merge' ? await buildSegment(texts, from) : {}
    const child = fork(fileURLToPath(new URL('killed-process.ts', import.meta.url)), [
      task,
      path,
      from,
      JSON.stringify(facts),
    ])
    const exited = once(child, 'exit')
    const heard = async (wanted: string) => {
      for (;;) if ((await once(child, 'message'))[0] === wanted) return
    }

    await Promise.race([heard(when === 'begun' ? 'begun' : 'filled'), exited])
    if (typeof when === 'number') await pause(when)
    child.kill('SIGKILL')
    await exited

    const records = task === 'merge' ? 399 : 400
    if (existsSync(path)) {
      const complete = { format, records, keepsTerms: task === 'build', ...(await fileFacts(path)) }
      const segment = await openSegment(path, complete)
      expect(segment.db.prepare('SELECT count(*) AS count FROM records').get()?.count).toBe(records)
      segment.close()
    }
    // The next attempt succeeds in any case.
    expect(await buildSegment(texts, path)).toMatchObject({ records: 400 })
  })
})
