import type { BeaDraftRecord } from '#bea/drafts/draft-ports.ts'
import { changeBy } from '#bea/sending/send-changes.ts'
import { systemClock } from '#kernel/clock.ts'
import { derivedId } from '#kernel/id.ts'
import { beaDraftStore } from '#store/bea/bea-draft-store.ts'
import { applyRule } from '#timeline/schema.ts'
import { storeDeps } from './mail-stores.ts'
import { sharedTable } from './table.ts'

/** Brings a draft into the state `unknown`, as if the answer of the network to its send had been lost. */
export async function unknownSend(workspaceId: string, id: string): Promise<void> {
  const store = beaDraftStore(storeDeps(await sharedTable()))
  const send = {
    by: { id: 'usr_test', name: 'Test', key_id: 'ak_test' },
    begun_at: systemClock.now().toISOString(),
    order_key: `bea/${workspaceId}/${id}/order.json`,
    lease_until: null,
    confirming_at: null,
    remote_id: null,
    checks: 0,
    absences: 0,
    imports: 0,
  }
  await applyRule(store, workspaceId, id, (current) => toUnknown({ ...current, send: current.send ?? send }))
}

/** The same for the answer to a message that asks for a receipt; it confirms the reception on this day. */
export async function unknownEeb(
  workspaceId: string,
  messageId: string,
  account_id = 'bea_acc_test',
): Promise<void> {
  await unknownSend(workspaceId, await givenEeb(workspaceId, messageId, account_id))
}

/** The answer to such a message, which waits for the network: no worker has it. */
export async function waitingEeb(workspaceId: string, messageId: string, accountId: string): Promise<void> {
  const id = await givenEeb(workspaceId, messageId, accountId)
  const store = beaDraftStore(storeDeps(await sharedTable()))
  await applyRule(store, workspaceId, id, (current) => ({
    record: { ...current, state: 'queued' as const, version: current.version + 1 },
  }))
}

async function givenEeb(workspaceId: string, messageId: string, account_id: string): Promise<string> {
  const store = beaDraftStore(storeDeps(await sharedTable()))
  const id = derivedId('beaDraft', messageId, 0)
  const at = systemClock.now().toISOString()
  await store.add({
    answer: undefined,
    record: {
      workspace_id: workspaceId,
      id,
      user_id: 'usr_test',
      account_id,
      to: [],
      subject: 'Empfangsbekenntnis',
      attachments: [],
      reference_sender: null,
      reference_recipient: null,
      eeb_requested: false,
      case_id: null,
      state: 'draft',
      message_id: null,
      error: null,
      body_key: null,
      send: null,
      attempts: 0,
      eeb: {
        message_id: messageId,
        answer: { action: 'confirm', foreign_id: '1', date: at.slice(0, 10) },
        deadline_id: null,
        override_reason: 'Test',
      },
      due_at: null,
      created_at: at,
      updated_at: at,
      version: 1,
    },
  })
  return id
}

function toUnknown(draft: BeaDraftRecord) {
  const now = systemClock.now()
  const step = (record: BeaDraftRecord, event: Parameters<typeof changeBy>[1]) => {
    const change = changeBy(record, event, now)
    if (change === undefined) throw new Error(`${record.state} cannot ${event}.`)
    return change.record
  }
  const record = ['send', 'claim', 'last_step', 'lost'].reduce(
    (current, event) => step(current, event as 'send'),
    draft,
  )
  return { record: { ...record, version: draft.version + 1 } }
}
