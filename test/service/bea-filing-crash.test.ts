import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { assigned } from '#bea/messages/filing.ts'
import { systemClock } from '#kernel/clock.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { identity, remoteAttachment } from '#test/support/bea-remote.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'
import { applyRule } from '#timeline/schema.ts'

/** The filing of a beA message with many attachments (B6) whose worker is killed, over the real table and bucket. */

const worker = fileURLToPath(new URL('../support/bea-filing-process.ts', import.meta.url))

/** Follows a filing in a process of its own. @returns the signal that killed it, null if it ended by itself */
async function runApart(filing: object, step: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [worker, JSON.stringify(filing), step], {
    env: { ...process.env, ...sharedService().environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  if (signal === null) expect(code).toBe(0)
  return signal
}

it.each([
  ['copied', 20],
  ['recorded', 30],
  ['settled', 60],
])(
  'a filing whose worker is killed when a piece is %s goes on from there, with every document once',
  async (step, done) => {
    const firm = await newFirm()
    const { owner, workspace } = firm
    const { receive, store, account } = await beaOffice(firm)
    const names = Array.from({ length: 60 }, (_, at) => `Anlage_${at}.bin`)
    // The triage does not touch what we sent: nobody else follows this filing.
    const message_id = await receive(
      {
        sender: identity(account.postbox_safe_id, 'Wir'),
        attachments: names.map((name) => remoteAttachment(name, name)),
      },
      { type: 'SENT', name: null },
    )
    const case_id = (await owner('POST', '/api/v1/cases', { body: { name: 'Kies ./. Sand' } })).body.id
    const filing = { workspace_id: workspace.id, message_id, from: null, at: systemClock.now().toISOString() }
    await applyRule(store, workspace.id, message_id, (current) => {
      const by = { actor: { type: 'system' as const, id: null, name: 'Aktenlage' }, at: filing.at }
      const change = assigned(current, { case_id }, by)
      return change && { ...change, jobs: [] }
    })
    const inCase = async () => {
      const { body } = await owner('GET', `/api/v1/documents?case_id=${case_id}&limit=100`)
      return body.data.map(({ filename }: { filename: string }) => filename)
    }
    const isFiling = async () => (await owner('GET', `/api/v1/bea/messages/${message_id}`)).body.filing

    const killed = await runApart(filing, step)
    const [before, wasFiling] = [await inCase(), await isFiling()]
    const ended = await runApart(filing, 'never')

    expect([killed, before.length, wasFiling]).toEqual(['SIGKILL', done, true])
    expect([ended, (await inCase()).toSorted(), await isFiling()]).toEqual([null, names.toSorted(), false])
  },
  180_000,
)
