import { describe, expect, it } from 'vitest'
import type { BeaOrder } from '#bea/drafts/order-schema.ts'
import { importing } from '#bea/messages/importing.ts'
import type { BeaConnection, RemoteMessage } from '#bea/network/gateway-ports.ts'
import type { UseBeaSession } from '#bea/ports.ts'
import { importingSent } from '#bea/sending/sent-import.ts'
import { hexDigest } from '#kernel/hex-digest.ts'
import { aBeaAccount } from '#test/support/bea-account.ts'
import { courtSafeId, identity, remoteAttachment, remoteMessage } from '#test/support/bea-remote.ts'
import { memoryBeaFiles } from '#test/support/memory-bea-files.ts'
import { memoryBeaMessages } from '#test/support/memory-bea-messages.ts'

/** The import of a sent message by the id in the answer to the last call of its send (B7). */

const clock = { now: () => new Date('2026-11-20T10:00:00.000Z') }
const signal = new AbortController().signal
const case_id = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
const pleading = '%PDF-1.7 Klage'

/** A network with one message, and the functions that import it. */
function prepare(changes: Partial<RemoteMessage> = {}) {
  const account = aBeaAccount()
  const us = identity(account.safe_id, account.owner_name)
  const remote = remoteMessage({
    sender: us,
    recipients: [identity(courtSafeId, 'Landgericht')],
    subject: 'Klage',
    sent_at: '2026-11-20T09:59:00.000Z',
    attachments: [remoteAttachment('Klage.pdf', pleading), remoteAttachment('xjustiz_nachricht.xml', '<a/>')],
    ...changes,
  })
  const order: BeaOrder = {
    account_id: account.id,
    postbox_safe_id: account.postbox_safe_id ?? '',
    subject: 'Klage',
    body: 'Anbei.',
    to: [{ name: 'Landgericht', bea_id: courtSafeId }],
    reference_sender: '',
    reference_recipient: '',
    eeb_requested: false,
    files: [
      {
        document_id: 'doc_1',
        filename: 'Klage.pdf',
        mime_type: 'application/pdf',
        size_bytes: pleading.length,
        sha256: hexDigest(pleading),
        key: 'k',
      },
    ],
    eeb: null,
  }
  const messages = memoryBeaMessages()
  const { files } = memoryBeaFiles()
  const connection = { message: async () => remote } as unknown as BeaConnection
  const imports = importing({
    store: messages.store,
    files,
    describe: async () => 'application/pdf',
    clock,
  })
  const importSent = importingSent({
    messages: messages.store,
    importing: imports,
    useSession: (async (_, use) => use(connection, async () => false)) as UseBeaSession,
    clock,
  })
  const since = new Date('2026-11-20T09:58:00.000Z')
  return {
    ...messages,
    bySynchronisation: (type: string) =>
      imports.add(
        { ...account, postbox_safe_id: order.postbox_safe_id },
        { type, name: null },
        remote,
        signal,
      ),
    importSent: () => importSent(account, remote.message_id, { order, since, case_id }, signal),
  }
}

describe('the message with the id that the last call of a send returned', () => {
  it.each([
    ['is imported and filed, once', {}],
    ['may have another reference and no body', { reference_sender: '12/26', body: '' }],
  ])('%s', async (_, changes) => {
    const { importSent, records } = prepare(changes)

    const [first, second] = [await importSent(), await importSent()]

    expect(second).toBe(first)
    expect([...records.values()].map(({ id, case_id: filed }) => [id, filed])).toEqual([[first, case_id]])
  })

  it.each([
    ['another id of the recipient', { recipients: [identity('govello-1', 'Landgericht')] }],
    ['a cut subject', { subject: 'Kla' }],
    ['a time that is weeks earlier', { sent_at: '2026-11-01T09:00:00.000Z' }],
    ['neither subject nor recipients', { subject: null, recipients: [] }],
  ])('is imported and filed even if the network gives it %s', async (_, changes) => {
    const { importSent, records } = prepare(changes)

    const imported = await importSent()

    expect([...records.values()].map(({ id, case_id: filed }) => [id, filed])).toEqual([[imported, case_id]])
  })

  it.each([
    ['was received', { sender: identity(courtSafeId, 'Landgericht'), recipients: [] }],
    ['is far older', { sent_at: '2026-10-01T09:00:00.000Z' }],
  ])('is not imported if it %s', async (_, changes) => {
    const { importSent, records } = prepare(changes)

    expect([await importSent(), records.size]).toEqual([undefined, 0])
  })

  it('is not filed if it has other files', async () => {
    const { importSent, records } = prepare({ attachments: [remoteAttachment('Klage.pdf', 'anders')] })

    const imported = await importSent()

    expect([imported, [...records.values()].map(({ case_id: filed }) => filed)]).toEqual([undefined, [null]])
  })

  it('is not filed if it was imported before the send began', async () => {
    const { importSent, bySynchronisation, records } = prepare()
    const id = await bySynchronisation('SENT')
    const earlier = records.get(id)
    if (earlier !== undefined) records.set(id, { ...earlier, imported_at: '2026-11-19T08:00:00.000Z' })

    expect([await importSent(), records.get(id)?.case_id]).toEqual([undefined, null])
  })

  it('is not filed if the synchronisation found it among the received messages', async () => {
    const { importSent, bySynchronisation, records } = prepare()
    const id = await bySynchronisation('INBOX')

    const imported = await importSent()

    expect([imported, records.get(id)?.case_id]).toEqual([undefined, null])
  })
})
