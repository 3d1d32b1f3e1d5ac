import { expect, it } from 'vitest'
import type { BeaDraftRecord, BeaSend } from '#bea/drafts/draft-ports.ts'
import { newId } from '#kernel/id.ts'
import { beaDraftStore } from '#store/bea/bea-draft-store.ts'
import type { Outbox } from '#store/outbox.ts'
import { caseNouns } from '#store/retention/case-nouns.ts'
import { caseTexts } from '#store/retention/case-texts.ts'
import { readItems } from '#store/retention/record-removal.ts'
import { providerDomain, storeDeps } from '#test/support/mail-stores.ts'
import { memoryBeaFiles } from '#test/support/memory-bea-files.ts'
import { plain } from '#test/support/store-changes.ts'
import { sharedTable } from '#test/support/table.ts'

/** An erased party leaves the texts of beA drafts, which are in the bucket (R5). */

const now = '2026-11-27T09:00:00.000Z'

/** A draft with its body and, if it has a send, the message as it is sent. */
async function prepare(more: Partial<BeaDraftRecord> = {}) {
  const deps = storeDeps(await sharedTable())
  const named = { workspace_id: newId('workspace'), id: newId('beaDraft') }
  const folder = `bea/${named.workspace_id}/${named.id}`
  const [body_key, order_key] = [`${folder}/1-digest.txt`, `${folder}/2-order.json`]
  const record: BeaDraftRecord = {
    ...named,
    ...{ user_id: newId('user'), account_id: newId('beaAccount'), to: [], subject: 'Klage', attachments: [] },
    ...{ reference_sender: null, reference_recipient: null, eeb_requested: false, case_id: null },
    ...{ state: 'draft', message_id: null, error: null, body_key, send: null, attempts: 0, eeb: null },
    ...{ due_at: null, created_at: now, updated_at: now, version: 1, ...more },
    ...(more.send && { send: { ...more.send, order_key } }),
  }
  const store = beaDraftStore(deps)
  await store.add(plain(record))
  const { files, objects } = memoryBeaFiles()
  const erasedUnder: string[] = []
  objects.set(body_key, new TextEncoder().encode('Für Anna Meier.'))
  objects.set(order_key, new TextEncoder().encode('{"body":"Für\\nAnna Meier."}'))
  const bucket = {
    ...files,
    head: async (key: string) => objects.get(key),
    eraseOlder: async (prefix: string) => erasedUnder.push(prefix),
  }
  const nouns = caseNouns({ ...deps, providerDomain })
  const redact = (text: string) => text.replaceAll('Anna Meier', '[gelöscht]')
  return {
    ...{ store, named, objects, erasedUnder, folder },
    textOf: (key: string) => new TextDecoder().decode(objects.get(key)),
    keys: { body_key, order_key },
    version: async () => (await store.find(named.workspace_id, named.id))?.version,
    run: async (outbox: Pick<Outbox, 'commit'> = deps.outbox) => {
      const found = await readItems(deps.db, nouns, named.workspace_id, [{ kind: 'beadraft', id: named.id }])
      const redactTexts = caseTexts({ ...deps, files: bucket, outbox: outbox as Outbox })
      for (const { noun, item } of found) await redactTexts(noun, item, redact)
    },
  }
}

it('the body loses the party with its earlier versions, and a second run changes nothing', async () => {
  const { run, textOf, keys, version, erasedUnder, folder } = await prepare()

  await run()
  await run()

  expect([textOf(keys.body_key), await version()]).toEqual(['Für [gelöscht].', 2])
  expect(erasedUnder).toEqual([folder, folder])
})

it('a body that is saved before the run dies is redacted by the next run', async () => {
  const { run, store, named, keys, objects, textOf } = await prepare()
  const saved = `${keys.body_key}-saved.txt`
  const commit = async () => {
    objects.set(saved, new TextEncoder().encode('Wieder Anna Meier.'))
    await store.change(named.workspace_id, named.id, (before) => ({
      record: { ...before, body_key: saved, version: before.version + 1 },
      answer: undefined,
    }))
    throw new Error('The process has died.')
  }

  await expect(run({ commit })).rejects.toThrow('died')
  await run()

  expect(textOf(saved)).toBe('Wieder [gelöscht].')
})

it('the earlier versions of a deleted draft go, whose files are gone', async () => {
  const { run, store, named, objects, erasedUnder, folder } = await prepare({ subject: 'Klage Anna Meier' })
  await store.remove(named.workspace_id, named.id, () => ({ deleted_at: now, answer: undefined }))
  objects.clear()

  await run()

  expect([erasedUnder, objects.size]).toEqual([[folder], 0])
})

const send = { by: { id: 'usr', name: '', key_id: '' }, begun_at: now, order_key: '' } as BeaSend

it.each([
  ['that failed', { state: 'failed' }, false],
  ['that is sent and imported', { state: 'sent', message_id: 'bea_1' }, false],
  ['whose outcome is unknown', { state: 'unknown' }, true],
  ['whose message is not imported yet', { state: 'sent' }, true],
] as const)('whether a send %s keeps the message as it was sent: %j, %s', async (_, state, stays) => {
  const { run, textOf, keys } = await prepare({ ...state, send })

  await run()

  expect(textOf(keys.body_key)).toBe('Für [gelöscht].')
  expect(JSON.parse(textOf(keys.order_key)).body.includes('Anna Meier')).toBe(stays)
})
