import { randomUUID } from 'node:crypto'
import type { BeaAccountRecord, BeaMessageRecord } from '#bea/ports.ts'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { derivedIdAt, newId } from '#kernel/id.ts'
import { beaAccountEntity } from '#store/bea/bea-account-entity.ts'
import { beaMessageRecords } from '#store/bea/bea-message-records.ts'
import { createClient } from '#store/client.ts'
import { tableCursors } from '#store/cursor.ts'
import { withoutNulls } from '#store/nulls.ts'
import { tableName } from '#store/table.ts'
import type { Firm, Item } from './seed.ts'

/** The items of an account with as many messages as the firm has cases, which its list shows. */
export function* beaItems({ workspaceId, userId, cases }: Firm): Generator<Item> {
  const db = { client: createClient(), table: tableName() }
  const records = beaMessageRecords({ db, cursors: tableCursors(db) })
  const account = anAccount(workspaceId, userId, `DE.BRAK.${randomUUID()}.ab12`)
  yield (beaAccountEntity(db).put(withoutNulls(account)).params() as { Item: Item }).Item
  for (let number = 0; number < cases; number += 1) {
    const actions = records.addition(aMessage(account, number), () => new Error('It is there already.'))
    for (const { item } of actions) if (item.Put?.Item !== undefined) yield item.Put.Item
  }
}

function aMessage(account: BeaAccountRecord, number: number): BeaMessageRecord {
  const received = new Date(Date.UTC(2026, 0, 1) + number * 60_000)
  const name = { name: 'Landgericht München I', bea_id: safeIds.landgericht }
  return {
    workspace_id: account.workspace_id,
    id: derivedIdAt('beaMessage', `${account.id} ${number}`, received),
    is_missing: false,
    account_id: account.id,
    postbox_safe_id: account.postbox_safe_id ?? '',
    remote_id: String(number),
    folder: 'INBOX',
    direction: 'inbound',
    subject: `Ladung ${number}`,
    sender: name,
    recipients: [{ name: 'Dr. Jana Vogt', bea_id: account.safe_id }],
    received_at: received.toISOString(),
    sent_at: received.toISOString(),
    reference_sender: `${number} O 1/26`,
    reference_recipient: null,
    confidential: false,
    eeb_requested: false,
    eeb: null,
    eeb_foreign_id: null,
    attachments: [],
    size_bytes: 0,
    case_id: null,
    party_id: null,
    purge_at: null,
    imported_at: received.toISOString(),
    receipt: null,
    inbox: null,
    teaches: { references: [], sender: null },
    version: 1,
  }
}

/** A postbox of a firm. */
export function anAccount(workspace_id: string, user_id: string, safe_id: string): BeaAccountRecord {
  return {
    workspace_id,
    id: newId('beaAccount'),
    user_id,
    label: 'Postfach',
    // Neither the schedule nor the renewal of a session comes in between.
    kind: 'card',
    safe_id,
    owner_name: 'Dr. Jana Vogt',
    postbox_safe_id: safe_id,
    login_account_id: null,
    certificate: null,
    certificate_pem: null,
    status: 'connected',
    last_sync: null,
    eda_mahn: null,
    created_at: new Date().toISOString(),
    disconnected_at: null,
    version: 1,
  }
}
