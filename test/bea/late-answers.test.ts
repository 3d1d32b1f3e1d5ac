import { describe, expect, it } from 'vitest'
import type { BeaConnection } from '#bea/network/gateway-ports.ts'
import type { UseBeaSession } from '#bea/ports.ts'
import { searchForSent } from '#bea/sending/reconcile.ts'
import { leasedConnection } from '#bea/sessions/leased-connection.ts'
import { systemClock } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { actor, court, remoteOf, sendingSetup } from './sending-setup.ts'

/** A send whose worker lost its lease during the last step, and a send whose message somebody moved (B7). */

describe('an answer that comes after the lease ended', () => {
  it('is stored: the message was sent once, with one entry in the timeline', async () => {
    const { id, run, network, records, wait, service, timeline, first, answer } = await confirming()
    wait(1)
    await run(id)
    const meanwhile = records.get(id)?.state
    // Act
    answer()
    await first
    // Assess
    expect(meanwhile).toBe('unknown')
    expect(await service.get(actor, id)).toMatchObject({ status: 'sent', error: null })
    expect([network.sends, timeline.length]).toEqual([1, 1])
  })

  it('does not change a later send of the same draft', async () => {
    const { id, run, network, records, wait, service, first, answer } = await confirming()
    wait(1)
    await run(id)
    await service.resolve(actor, id, { outcome: 'not_sent' })
    await service.send(actor, id, { rename: null })
    // Act
    answer()
    await first
    // Assess
    expect(records.get(id)?.state).toBe('queued')
    network.at = {}
    await run(id)
    expect((await service.get(actor, id)).status).toBe('sent')
  })

  it('arrives even if the lease is lost during the last step, which is not aborted', async () => {
    const lost = new AbortController()
    const aborted: boolean[] = []
    const connection = {
      send: async (_postbox: string, _message: unknown, before: () => Promise<void>, signal: AbortSignal) => {
        await before()
        lost.abort(new Failure('unavailable', 'SERVICE_UNAVAILABLE', 'The session was ended.'))
        aborted.push(signal.aborted)
        return { outcome: 'sent', message_id: 'm-1' }
      },
    } as unknown as BeaConnection
    const leased = leasedConnection(connection, lost.signal, () => {})
    // Act
    const sent = await leased.send('postbox', {} as never, async () => {}, new AbortController().signal)
    // Assess
    expect([sent, aborted]).toEqual([{ outcome: 'sent', message_id: 'm-1' }, [false]])
  })

  it('does not arrive if the lease is lost before the last step: the send is aborted', async () => {
    const lost = new AbortController()
    const connection = {
      send: async (_postbox: string, _message: unknown, before: () => Promise<void>, signal: AbortSignal) => {
        lost.abort(new Failure('unavailable', 'SERVICE_UNAVAILABLE', 'The session was ended.'))
        signal.throwIfAborted()
        await before()
      },
    } as unknown as BeaConnection
    const leased = leasedConnection(connection, lost.signal, () => {})
    // Act
    const sending = leased.send('postbox', {} as never, async () => {}, new AbortController().signal)
    // Assess
    await expect(sending).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })
})

describe('a search for a message that somebody moved after it was sent', () => {
  it.each([
    ['TRASH', 'unclear'],
    ['CUSTOM', 'unclear'],
    ['INBOX', 'absent'],
    ['DRAFT', 'absent'],
  ])('in a folder of the type %s gives `%s`', async (type, kind) => {
    const at = new Date('2026-11-20T10:00:00.000Z')
    const order = {
      account_id: 'bea_1',
      postbox_safe_id: 'DE.BRAK.us',
      subject: 'Klage',
      body: 'Anbei.',
      to: [{ name: 'Landgericht', bea_id: court }],
      reference_sender: '0001/26',
      reference_recipient: '',
      eeb_requested: false,
      files: [],
      eeb: null,
    }
    const message = { ...order, receivers: [court], is_eeb_requested: false, attachments: [] }
    const folder = { parent_id: null, name: null, unread: null }
    const connection = {
      folders: async () => [
        { ...folder, id: 'sent', type: 'SENT' },
        { ...folder, id: 'other', type },
      ],
      overview: async (id: string) => (id === 'other' ? [remoteOf(message, 'm-1', at)] : []),
      message: async (_: string, id: string) => remoteOf(message, id, at),
    } as unknown as BeaConnection
    const deps = {
      useSession: (async (_, use) => use(connection, async () => false)) as UseBeaSession,
      drafts: { draftOf: async () => undefined },
      messages: { known: async () => new Map(), findAll: async () => [] },
    }
    // Act
    const result = await searchForSent(
      deps,
      { workspace_id: 'ws_1', id: 'bea_1' },
      order,
      at,
      new AbortController().signal,
    )
    // Assess
    expect(result.kind).toBe(kind)
  })
})

describe('a search in folders, if an entry without an id is in one', () => {
  it.each([
    ['SENT', 'unclear'],
    ['TRASH', 'unclear'],
    ['INBOX', 'absent'],
  ])('of the type %s, gives `%s`: the entry may be any message that such a folder can hold', async (type, kind) => {
    const entry = { message_id: null, recipients: [], received_at: null, sent_at: null }
    const sent = { id: 'sent', type: 'SENT' }
    const connection = {
      folders: async () => (type === 'SENT' ? [sent] : [sent, { id: 'other', type }]),
      overview: async (id: string) => (id === 'other' || type === 'SENT' ? [entry] : []),
    } as unknown as BeaConnection
    const deps = {
      useSession: (async (_, use) => use(connection, async () => false)) as UseBeaSession,
      drafts: { draftOf: async () => undefined },
      messages: { known: async () => new Map(), findAll: async () => [] },
    }
    const order = { postbox_safe_id: 'DE.BRAK.us', to: [] } as unknown as Parameters<typeof searchForSent>[2]
    // Act
    const result = await searchForSent(
      deps,
      { workspace_id: 'ws_1', id: 'bea_1' },
      order,
      systemClock.now(),
      signalOf(),
    )
    // Assess
    expect(result.kind).toBe(kind)
  })
})

const signalOf = () => new AbortController().signal

/** A send that has made its last call. It gets the answer when `answer` is called. */
async function confirming() {
  const setup = sendingSetup()
  const { id } = await setup.aDraft()
  await setup.service.send(actor, id, { rename: null })
  const { promise, resolve } = Promise.withResolvers<void>()
  setup.network.at.answer = () => promise
  const first = setup.run(id)
  await expect.poll(() => setup.network.sends).toBe(1)
  return { ...setup, id, first, answer: resolve }
}
