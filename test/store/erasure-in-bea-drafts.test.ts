import { expect, it } from 'vitest'
import type { BeaDraftRecord, BeaSend } from '#bea/drafts/draft-ports.ts'
import { derivedId, newId } from '#kernel/id.ts'
import { beaDraftStore } from '#store/bea/bea-draft-store.ts'
import { erasureInBeaDrafts } from '#store/parties/erasure-in-bea-drafts.ts'
import { caseNouns } from '#store/retention/case-nouns.ts'
import { providerDomain, storeDeps } from '#test/support/mail-stores.ts'
import { memoryBeaFiles } from '#test/support/memory-bea-files.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

/** The drafts of beA messages in no case lose an erased party, as the drafts of mail do (R5). */

const now = '2026-11-27T09:00:00.000Z'

it('the draft of a sent message and the answer to a request for a receipt lose the party', async () => {
  const deps = storeDeps(await sharedTable())
  const workspace_id = newId('workspace')
  const account_id = newId('beaAccount')
  const message = {
    ...{ workspace_id, account_id, id: newId('beaMessage'), remote_id: 'gateway-1' },
    postbox_safe_id: 'DE.own',
    sender: { name: 'Kanzlei', bea_id: 'DE.own' },
    recipients: [{ name: 'RAin Meier', bea_id: 'DE.1' }],
  }
  const drafts = beaDraftStore(deps)
  const { files, objects } = memoryBeaFiles()
  const draft = (id: string, more: Partial<BeaDraftRecord>): BeaDraftRecord => ({
    ...{ workspace_id, id, user_id: newId('user'), account_id, attachments: [], case_id: null },
    ...{ to: [{ name: 'Anna Meier', bea_id: 'DE.1' }], subject: 'An Anna Meier', eeb_requested: false },
    ...{ reference_sender: null, reference_recipient: null, message_id: null, error: null, body_key: null },
    ...{ state: 'sent', send: null, attempts: 1, eeb: null, due_at: null },
    ...{ created_at: now, updated_at: now, version: 1, ...more },
  })
  const sentId = newId('beaDraft')
  const folder = `bea/${workspace_id}/${sentId}`
  const [body_key, order_key] = [`${folder}/1-digest.txt`, `${folder}/2-order.json`]
  objects.set(body_key, new TextEncoder().encode('Sehr geehrte Anna Meier'))
  objects.set(order_key, new TextEncoder().encode('{"body":"Sehr geehrte Anna Meier"}'))
  await drafts.add({
    ...plain(draft(sentId, { body_key, message_id: message.id, send: { order_key } as BeaSend })),
    claims: message.remote_id,
  } as Parameters<typeof drafts.add>[0])
  const answerId = derivedId('beaDraft', message.id, 0)
  const reason = 'Anna Meier ist nicht Partei.'
  const answer = { action: 'reject', foreign_id: 'f', code: 'not_party', reason } as const
  const eeb = { message_id: message.id, answer, deadline_id: null, override_reason: null }
  await drafts.add(plain(draft(answerId, { eeb })))
  const redactDrafts = erasureInBeaDrafts({
    ...deps,
    files: { ...files, head: async (key) => objects.get(key), eraseOlder: async () => {} },
    nouns: caseNouns({ ...deps, providerDomain }),
  })

  for (let run = 0; run < 2; run += 1)
    await redactDrafts(message, (text) => text.replaceAll('Anna Meier', '[gelöscht]'))

  const found = [await drafts.find(workspace_id, sentId), await drafts.find(workspace_id, answerId)]
  expect(found.map((one) => one?.version)).toEqual([2, 2])
  expect(JSON.stringify(found)).not.toMatch(/Anna Meier|DE\.1/)
  expect([...objects.values()].map((bytes) => new TextDecoder().decode(bytes)).join()).not.toContain('Meier')
})
