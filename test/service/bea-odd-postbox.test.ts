import { afterAll, beforeAll, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { connectSimulated } from '#test/support/bea-network-firm.ts'
import { newFirm } from '#test/support/firm.ts'
import { rewritingProxy, type Wire } from '#test/support/rewriting-proxy.ts'

/** Odd messages through the whole way (B5): each is imported, or told of in the inbox and counted, and none stops another. */

let simulator: BeaSimulator
let proxy: Awaited<ReturnType<typeof rewritingProxy>>

beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
  proxy = await rewritingProxy(simulator.url)
})

afterAll(async () => {
  await proxy.close()
  await simulator.close()
})

async function connected() {
  await simulator.control.reset()
  proxy.clear()
  const firm = await newFirm()
  const { network, order, lastSync } = await connectSimulated(firm, { ...simulator, url: proxy.url })
  const [{ foundation }, { inboxFoundation }, { beaMessageFoundation }, { beaSyncing }] = await Promise.all([
    import('#foundation/foundation.ts'),
    import('#foundation/inbox.ts'),
    import('#foundation/bea-messages.ts'),
    import('#foundation/bea-sync.ts'),
  ])
  const base = foundation('bea-sync')
  inboxFoundation(base)
  const { run } = beaSyncing(base, network, beaMessageFoundation(base), 200_000)
  const { owner } = firm
  const all = async (path: string) => (await owner('GET', `${path}limit=100`)).body.data
  return {
    owner,
    sync: async () => {
      await run(await order(), new AbortController().signal)
      return lastSync()
    },
    imported: () => all('/api/v1/bea/messages?'),
    notices: async (): Promise<string[]> =>
      (await all('/api/v1/inbox?kind=bea&')).flatMap(({ notice }: { notice: string | null }) => notice ?? []),
    seed: async (message: object = {}): Promise<string> => {
      const usual = { to: safeIds.lindner, from: safeIds.demir, subject: 'Nachricht', body: 'Anbei.' }
      const [id = ''] = await simulator.control.seed({ ...usual, ...message })
      return id
    },
  }
}

/**
 * The data that a gateway may send about a message, in the overview and in the message. `seed`: what the simulator
 * gives by itself.
 */
type Odd = { seed?: object; entry?: (entry: Wire) => void; message?: (message: Wire, metaData: Wire) => void }

const noTimes = { received: null, sent: null, zugegangen: null, receptionTime: null, created: null }
const oddTime = { received: 'gestern', sent: -1, zugegangen: {}, receptionTime: '31.02.2026', created: 1e30 }
const crowd = Array.from({ length: 5_000 }, (_, at) => ({ safeId: `DE.BRAK.${at}`, name: `Nr. ${at}` }))
const files = (...names: string[]) => ({ attachments: names.map((name) => ({ name, text: name })) })
const both = (members: Wire): Odd => ({
  entry: (entry) => Object.assign(entry, members),
  message: (_, metaData) => Object.assign(metaData, members),
})
const sentByUs = { from: safeIds.lindner, to: safeIds.demir, folder: 'SENT' }
const us = { safeId: safeIds.lindner, name: 'Wir' }

const imported: [string, Odd][] = [
  ['without any date', both(noTimes)],
  ['with dates that are none', both(oddTime)],
  ['of the year 2999', both({ received: '2999-01-01T00:00:00Z', receptionTime: '2999-01-01T00:00:00Z' })],
  ['a subject of 10,000 characters', { seed: { subject: 'Ladung '.repeat(1_500) } }],
  ['a subject of signs', { seed: { subject: '\u202e\u0007 <b>😀</b>\n{"a":1}' } }],
  ['an empty subject', { seed: { subject: '' } }],
  ['names of files with slashes', { seed: files('../../etc/passwd', 'a/b\\c.pdf', '/', '..', 'C:\\x.exe') }],
  ['an empty file', { seed: { attachments: [{ name: 'leer.txt', base64: '' }] } }],
  ['no recipients', both({ addressees: [] })],
  ['recipients that are no list', both({ addressees: us })],
  ['recipients that are null', both({ addressees: null })],
  ['5,000 recipients', both({ addressees: [us, ...crowd] })],
  ['no sender', both({ sender: null })],
  ['no sender, sent by us', { seed: sentByUs, ...both({ sender: null }) }],
  ['a sender that is a number', both({ sender: 4711 })],
  [
    'an id that is a number',
    { entry: (entry) => Object.assign(entry, { messageId: Number(entry.messageId) }) },
  ],
  ['marks that are none', both({ confidential: 'vielleicht', urgent: [], egvpStatus: {} })],
  [
    'references that are objects',
    both({ referenceNumber: {}, referenceJustice: [], referenceNumberJustice: 7 }),
  ],
]

const keptOut: [string, Odd][] = [
  ['an entry that is null', { entry: (entry) => Object.assign(entry, { isNull: true }) }],
  ['an entry without an id', { entry: (entry) => Object.assign(entry, { messageId: null }) }],
  ['an endless id', { entry: (entry) => Object.assign(entry, { messageId: 'x'.repeat(501) }) }],
  ['an entry of another folder', { entry: (entry) => Object.assign(entry, { folderId: '4711' }) }],
  [
    'an entry of another postbox',
    { entry: (entry) => Object.assign(entry, { addressees: crowd.slice(0, 1) }) },
  ],
  [
    'a message of another postbox',
    { message: (_, metaData) => Object.assign(metaData, { addressees: crowd }) },
  ],
  ['another message', { message: (message) => Object.assign(message, { messageId: '1' }) }],
  ['a message without metadata', { message: (message) => Object.assign(message, { metaData: null }) }],
  ['objects that are no list', { message: (message) => Object.assign(message, { encryptedObjects: 'x' }) }],
  [
    'a file without a name',
    {
      seed: files('eins.pdf'),
      message: (message) => Object.assign((message.attachments as Wire[])[0] ?? {}, { reference: '' }),
    },
  ],
  [
    'a file that does not decrypt',
    {
      seed: files('zwei.pdf'),
      message: (message) => Object.assign((message.attachments as Wire[])[0] ?? {}, { data: 'AAAA' }),
    },
  ],
]

it('of a postbox full of odd messages each is imported, or told of and counted, and all when they are sound again', async () => {
  const { sync, imported: inStore, notices, seed } = await connected()
  const odd = new Map<string, Odd>()
  for (const [, one] of [...imported, ...keptOut]) odd.set(await seed(one.seed), one)
  const usual = [await seed(), await seed()]
  const total = odd.size + usual.length
  proxy.rewrite('bea_get_folderoverview', (answer) => {
    const entries = (answer.messages ?? []) as Wire[]
    for (const entry of entries) odd.get(String(entry.messageId))?.entry?.(entry)
    // The same message twice.
    const again = entries.filter(({ messageId }) => messageId === usual[0])
    answer.messages = [...entries, ...again].map((entry) => (entry.isNull ? null : entry))
  })
  proxy.rewrite('bea_get_message', (answer) => {
    odd.get(String(answer.messageId))?.message?.(answer, answer.metaData as Wire)
  })

  const first = await sync()
  const [stored, told] = [await inStore(), await notices()]
  proxy.clear()
  const second = await sync()

  expect([first?.status, first?.new_messages, first?.kept_out]).toEqual([
    'done',
    imported.length + usual.length,
    keptOut.length,
  ])
  expect(stored).toHaveLength(imported.length + usual.length)
  // Those of the overview have one notice together.
  expect(told.filter((notice) => notice.includes('5 Einträge'))).toHaveLength(1)
  expect(told).toHaveLength(1 + keptOut.length - 5)
  expect([second?.new_messages, second?.kept_out, second?.error]).toEqual([keptOut.length, 0, null])
  expect([await inStore(), await notices()]).toEqual([expect.objectContaining({ length: total }), []])
})

it('an overview that no reader understands leaves the other folders whole, and is read the next time', async () => {
  const { sync, imported: inStore, notices, seed } = await connected()
  await seed()
  await seed({ ...sentByUs, subject: 'Gesendet' })
  await seed({ folder: 'TRASH', subject: 'Gelöscht' })
  const inbox = simulator.control.postbox(safeIds.lindner).find(({ type }) => type === 'INBOX')
  proxy.rewrite('bea_get_folderoverview', (answer) => {
    const entries = (answer.messages ?? []) as Wire[]
    if (entries.some(({ folderId }) => folderId === inbox?.id)) answer.messages = 'none'
  })

  const first = await sync()
  const [stored, told] = [await inStore(), await notices()]
  proxy.clear()
  const second = await sync()

  expect([first?.status, first?.new_messages, first?.error, first?.succeeded_at]).toEqual([
    'done',
    2,
    'Not read, will be retried: INBOX.',
    null,
  ])
  expect([stored.length, told]).toEqual([2, [expect.stringContaining('INBOX')]])
  expect([second?.new_messages, second?.error, await notices()]).toEqual([1, null, []])
})

it('a message of 90 MB is told of as too large, and the others are imported', async () => {
  const { sync, imported: inStore, notices, seed } = await connected()
  await seed()
  await seed({
    attachments: [45, 45].map((megabytes, at) => ({ name: `${at}.bin`, size_bytes: megabytes * 1e6 })),
  })
  await seed()

  const first = await sync()

  expect([first?.status, first?.new_messages, first?.kept_out]).toEqual(['done', 2, 1])
  expect([(await inStore()).length, await notices()]).toEqual([2, [expect.stringContaining('zu groß')]])
})
