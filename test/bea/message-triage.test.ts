import { expect, it } from 'vitest'
import { importing } from '#bea/messages/importing.ts'
import { messageTriage } from '#bea/messages/message-triage.ts'
import { ourSafeId, remoteAttachment, remoteMessage } from '#test/support/bea-remote.ts'
import { memoryBeaFiles } from '#test/support/memory-bea-files.ts'
import { memoryBeaMessages } from '#test/support/memory-bea-messages.ts'
import type { MessageFacts } from '#triage/facts-schema.ts'

const signal = new AbortController().signal
const clock = { now: () => new Date('2026-03-02T09:00:00.000Z') }

it('a message whose letters have killed the worker three times is judged without them', async () => {
  const { store } = memoryBeaMessages()
  const { files } = memoryBeaFiles()
  const account = {
    workspace_id: 'ws_1',
    id: 'bea_acc_1',
    postbox_safe_id: ourSafeId,
    created_at: clock.now().toISOString(),
  }
  const describe = async () => 'application/pdf'
  const attachments = [remoteAttachment('Verfuegung.pdf', '%PDF-1.7 Verfügung')]
  const id = await importing({ store, files, describe, clock }).add(
    account,
    { type: 'INBOX', name: null },
    remoteMessage({ attachments }),
    signal,
  )
  const judged: MessageFacts[] = []
  const { judge } = messageTriage({
    store,
    files,
    readText: async () => 'Der Brief',
    judge: async (_, facts) => {
      judged.push(facts)
      throw new Error('Killed.')
    },
    timeZoneOf: async () => 'Europe/Berlin',
    clock,
  })
  // Act
  for (const reception of [1, 2, 3, 4])
    await judge(account.workspace_id, id, signal, reception).catch(() => {})
  // Assess
  expect(judged.map((facts) => facts.attachments[0]?.text)).toEqual([
    'Der Brief',
    'Der Brief',
    'Der Brief',
    null,
  ])
})
