import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type {
  BeaConnection,
  GatewaySession,
  KeyMaterial,
  OutgoingMessage,
} from '#bea/network/gateway-ports.ts'
import { searchDirectory } from '#bea-gateway/directory.ts'
import { beaGateway, type GatewayOptions } from '#bea-gateway/gateway.ts'
import { keyTools } from '#bea-gateway/key-tools.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { systemClock } from '#kernel/clock.ts'
import { keptLog } from './scripted-gateway.ts'

/** The adapter against the simulator, which was written independently from the same description of the protocol. */

type Name = keyof BeaSimulator['certificates']

const signal = new AbortController().signal
let simulator: BeaSimulator
let log: ReturnType<typeof keptLog>

beforeAll(async () => {
  simulator = await startBeaSimulator()
})
afterAll(() => simulator.close())
beforeEach(async () => {
  await simulator.control.reset()
  log = keptLog()
})

const gatewayOf = (options: Partial<GatewayOptions> = {}) =>
  beaGateway({ url: simulator.url, ident: simulator.ident, loginVersion: 2, log, ...options })

const materialOf = async (name: Name): Promise<KeyMaterial> => {
  const { certificate_base64, passphrase, private_key_pem } = simulator.certificates[name]
  const tools = keyTools({ loginVersion: 2 })
  const opened = await tools.open(Buffer.from(certificate_base64, 'base64'), passphrase, systemClock.now())
  return { certificate: opened.certificate, private_key_pem: opened.private_key_pem ?? private_key_pem }
}

const sessionOf = async (name: Name, loginVersion: 1 | 2 = 2): Promise<GatewaySession> => {
  const gateway = gatewayOf({ loginVersion })
  const tools = keyTools({ loginVersion })
  const material = await materialOf(name)
  const signing = await gateway.startLogin(material.certificate, signal)
  const signatures = await tools.sign(material, signing.challenges)
  const decrypting = await gateway.answerChallenges(signing, signatures, signal)
  return gateway.finishLogin(decrypting, await tools.unwrap(material, decrypting.keys), signal)
}

const connect = async (name: Name, options: Partial<GatewayOptions> = {}): Promise<BeaConnection> =>
  gatewayOf(options).connect(await sessionOf(name))

const idOf = (name: Name) => simulator.certificates[name].safe_id ?? ''
const found = async (connection: BeaConnection, q: string) =>
  (await connection.search({ q }, signal))[0]?.safe_id ?? ''

const message = (receivers: string[], changes: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  subject: 'Größe & Maß <1>',
  body: 'Sehr geehrte Damen und Herren,\n\nanbei.',
  receivers,
  reference_sender: '0264/25',
  reference_recipient: '',
  is_eeb_requested: false,
  attachments: [
    { filename: 'Schriftsatz_ä.pdf', type: 'SCHRIFTSATZ', bytes: Buffer.from('%PDF-1.7\n') },
    { filename: 'leer.txt', type: 'ATTACHMENT', bytes: Buffer.alloc(0) },
    { filename: 'groß.bin', type: 'ATTACHMENT', bytes: Buffer.alloc(1_000_001, 'abc') },
  ],
  eeb: null,
  ...changes,
})

describe.each([1, 2] as const)('a login of version %i', (version) => {
  it('succeeds for software certificates of both kinds, and for a card', async () => {
    for (const name of ['lindner', 'demir', 'petersen'] as const) {
      expect(await sessionOf(name, version)).toMatchObject({ safe_id: idOf(name) })
    }
  })

  it.each([
    ['locked', 'BEA_ACCOUNT_LOCKED'],
    ['unknown', 'BEA_CERTIFICATE_INVALID'],
    ['foreign', 'BEA_CERTIFICATE_INVALID'],
    ['expired', 'BEA_CERTIFICATE_INVALID'],
    ['notYetValid', 'BEA_CERTIFICATE_INVALID'],
    ['ec', 'BEA_CERTIFICATE_INVALID'],
  ] as const)('of the certificate "%s" fails with %s', async (name, code) => {
    await expect(sessionOf(name, version)).rejects.toMatchObject({ code })
  })

  it('fails with a wrong validation key', async () => {
    const gateway = gatewayOf({ loginVersion: version })
    const tools = keyTools({ loginVersion: version })
    const material = await materialOf('lindner')
    const signing = await gateway.startLogin(material.certificate, signal)
    const signatures = await tools.sign(material, signing.challenges)
    const decrypting = await gateway.answerChallenges(signing, signatures, signal)
    const keys = await tools.unwrap(material, decrypting.keys)
    const wrong = keys.map((key) =>
      key.id === 'validation_key' ? { ...key, data: keys[0]?.data ?? '' } : key,
    )

    await expect(gateway.finishLogin(decrypting, wrong, signal)).rejects.toMatchObject({
      code: 'BEA_CERTIFICATE_INVALID',
    })
  })
})

describe.each(['off', 'lenient', 'strict'] as const)('with rotation %s', (rotation) => {
  beforeEach(() => simulator.control.set({ rotation }))

  it('all calls of a session succeed, also several at once', async () => {
    const connection = await connect('lindner')

    const [postboxes, folders] = await Promise.all([
      connection.postboxes(signal),
      connection.folders(idOf('lindner'), signal),
      connection.check(signal),
      connection.search({ q: 'Demir' }, signal),
      connection.accessRights(signal),
    ])
    const sent = await connection.send(idOf('lindner'), message([idOf('demir')]), async () => {}, signal)
    await connection.check(signal)
    await connection.logout(signal)

    expect(postboxes.map((it) => it.postbox_safe_id)).toContain(idOf('lindner'))
    expect(folders.map((folder) => folder?.type)).toEqual(
      expect.arrayContaining(['INBOX', 'DRAFT', 'OUTBOX', 'SENT', 'TRASH', 'CUSTOM']),
    )
    expect(sent).toMatchObject({ outcome: 'sent' })
    await expect(connection.check(signal)).rejects.toMatchObject({ code: 'BEA_NOT_AUTHENTICATED' })
  })
})

describe('every seeded message', () => {
  it('is decrypted to its original content', async () => {
    let messages = 0
    for (const name of ['lindner', 'demir'] as const) {
      const connection = await connect(name)
      for (const { postbox_safe_id, folders } of await connection.postboxes(signal)) {
        const plain = simulator.control.postbox(postbox_safe_id)
        for (const folder of folders) {
          if (folder === null) throw new Error('A folder cannot be read.')
          const expected = plain.find(({ id }) => id === folder.id)?.messages ?? []
          const overview = await connection.overview(folder.id, signal)
          expect(overview.map((it) => it.message_id)).toEqual(expected.map(({ id }) => id))
          for (const one of expected) {
            const read = await connection.message(postbox_safe_id, one.id, signal)
            expect(read).toMatchObject({ subject: one.subject || null, osci_message_id: one.osciMessageId })
            if (one.packaging.text !== 'none') expect(read.body).toBe(one.body)
            const received = one.received ?? one.zugegangen
            expect(read.received_at).toBe(received === null ? null : new Date(received).toISOString())
            expect(read.is_eeb_requested).toBe(one.eebRequested)
            expect(read.attachments.map(({ filename }) => filename)).toEqual(
              one.attachments.map((it) => it.name),
            )
            for (const { filename, read: open } of read.attachments) {
              const bytes = simulator.control.attachment(one.id, filename)
              expect(Buffer.compare(Buffer.from(await open()), bytes ?? Buffer.alloc(0))).toBe(0)
            }
            messages += 1
          }
        }
      }
    }
    expect(messages).toBeGreaterThan(8)
    expect(log.lines).toEqual([])
  })

  it.each([
    'gcm',
    'cbc',
    'cbc_iv',
  ] as const)('is read in every packaging, encrypted with %s', async (cipher) => {
    const packagings = (['beaMessage', 'project_coco', 'govello_coco', 'none'] as const).flatMap((text) =>
      (['direct', 'content'] as const).flatMap((layout) =>
        (['each', 'one', 'attachment'] as const).map((keys) => ({ cipher, text, layout, keys })),
      ),
    )
    const from = await court()
    const connection = await connect('demir')
    for (const packaging of packagings) {
      const [id = ''] = await simulator.control.seed({
        to: idOf('demir'),
        from,
        subject: 'Ladung',
        body: 'Grüße',
        xjustiz: true,
        eeb_requested: true,
        packaging: { ...packaging, showsSubject: false, showsSender: false },
        attachments: [
          { name: 'Ladung_ü.pdf', type: 'SCHRIFTSATZ', text: 'Ladung' },
          { name: 'groß.bin', size_bytes: 100_000 },
        ],
      })

      const read = await connection.message(idOf('demir'), id, signal)

      if (packaging.text !== 'none') expect(read).toMatchObject({ subject: 'Ladung', body: 'Grüße' })
      expect(read.is_eeb_requested).toBe(true)
      expect(read.xjustiz_id).toMatch(/\S/)
      expect(read.attachments.length).toBeGreaterThanOrEqual(3)
      for (const { filename, read: open } of read.attachments) {
        const bytes = simulator.control.attachment(id, filename) ?? Buffer.alloc(1)
        expect(Buffer.compare(Buffer.from(await open()), bytes)).toBe(0)
      }
    }
    expect(log.lines).toEqual([])
  })
})

describe('a message that is sent', () => {
  it('arrives with its attachments, and the sent copy shows when it was delivered', async () => {
    const sender = await connect('lindner')
    let isBefore = false
    const outcome = await sender.send(
      idOf('lindner'),
      message([idOf('demir')]),
      async () => {
        isBefore = simulator.control.calls().bea_send_message_validation === undefined
      },
      signal,
    )

    expect(isBefore).toBe(true)
    const receiver = await connect('demir')
    const inbox = (await receiver.folders(idOf('demir'), signal)).find((one) => one?.type === 'INBOX')
    const entry = (await receiver.overview(inbox?.id ?? '', signal)).find(
      (it) => it.subject === 'Größe & Maß <1>',
    )
    const read = await receiver.message(idOf('demir'), entry?.message_id ?? '', signal)
    expect(read.body).toBe('Sehr geehrte Damen und Herren,\n\nanbei.')
    expect(read.sender?.safe_id).toBe(idOf('lindner'))
    for (const { filename, bytes } of message([]).attachments) {
      const attachment = read.attachments.find((it) => it.filename === filename)
      expect(Buffer.from((await attachment?.read()) ?? [1]).equals(bytes)).toBe(true)
    }
    const sentId = outcome.outcome === 'sent' ? outcome.message_id : ''
    const sent = await sender.message(idOf('lindner'), sentId, signal)
    expect(sent.delivered_at).toMatch(/Z$/)
  })

  it('is cleaned up if the send fails before the last step: nothing arrives', async () => {
    const sender = await connect('lindner')
    const before = simulator.control.messages(idOf('demir'), 'INBOX').length
    const stop = () => Promise.reject(new Error('stop'))

    await expect(sender.send(idOf('lindner'), message([idOf('demir')]), stop, signal)).rejects.toThrow('stop')

    expect(simulator.control.calls().bea_cleanup_message).toBe(1)
    expect(simulator.control.messages(idOf('demir'), 'INBOX')).toHaveLength(before)
    await sender.send(idOf('lindner'), message([idOf('demir')]), async () => {}, signal)
    expect(simulator.control.messages(idOf('demir'), 'INBOX')).toHaveLength(before + 1)
  })

  it.each([
    ['answer_lost', { outcome: 'unknown' }, 1],
    ['half_json', { outcome: 'unknown' }, 1],
    ['connection_cut', { outcome: 'unknown' }, 0],
    ['html', { outcome: 'unknown' }, 0],
    ['http_500', { outcome: 'unknown' }, 0],
    ['missing_members', { outcome: 'unknown' }, 0],
    ['timeout', { outcome: 'unknown' }, 0],
    ['slow', { outcome: 'unknown' }, 0],
    ['error_string', { outcome: 'unknown' }, 0],
    ['error_object', { outcome: 'unknown' }, 0],
    ['session_ended', 'BEA_NOT_AUTHENTICATED', 0],
    ['locked', 'BEA_GATEWAY_ERROR', 0],
  ] as const)('is never sent twice if its last step has the fault "%s"', async (fault, expected, arrived) => {
    const sender = await connect('lindner', { timeLimits: { message: 2_000 } })
    const before = simulator.control.messages(idOf('demir'), 'INBOX').length
    simulator.control.inject({
      function: 'bea_send_message_validation',
      fault,
      times: 9,
      milliseconds: 60_000,
    })

    const outcome = await sender
      .send(idOf('lindner'), message([idOf('demir')]), async () => {}, signal)
      .catch((error: { code: string }) => error.code)

    expect(outcome).toEqual(expected)
    expect(simulator.control.calls().bea_send_message_validation).toBe(1)
    expect(simulator.control.messages(idOf('demir'), 'INBOX').length - before).toBe(arrived)
  })

  it('to a locked receiver fails, but our account is not locked and our session continues', async () => {
    const sender = await connect('lindner')
    const locked = await found(sender, 'Gesperrt')

    const sending = sender.send(idOf('lindner'), message([locked]), async () => {}, signal)

    await expect(sending).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
    await sender.check(signal)
  })

  it('from a locked postbox fails with BEA_ACCOUNT_LOCKED', async () => {
    const sender = await connect('lindner')
    const lock = async () => simulator.control.lock(idOf('lindner'))

    const sending = sender.send(idOf('lindner'), message([idOf('demir')]), lock, signal)

    await expect(sending).rejects.toMatchObject({ code: 'BEA_ACCOUNT_LOCKED' })
    simulator.control.unlock(idOf('lindner'))
  })

  it('to a court gets an XJustiz record; an eEB answers the request of a court', async () => {
    const sender = await connect('demir')
    const to = await court()
    const [id = ''] = await simulator.control.seed({
      to: idOf('demir'),
      from: to,
      xjustiz: true,
      eeb_requested: true,
    })
    const request = await sender.message(idOf('demir'), id, signal)
    const eeb = { action: 'confirm', foreign_id: request.xjustiz_id ?? '', date: '2026-03-09' } as const

    const filed = await sender.send(idOf('demir'), message([to]), async () => {}, signal)
    const receipt = await sender.send(
      idOf('demir'),
      message([to], { eeb, attachments: [] }),
      async () => {},
      signal,
    )

    expect([filed.outcome, receipt.outcome]).toEqual(['sent', 'sent'])
    const names = simulator.control.messages(to, 'INBOX').map((it) => it.attachments.map(({ name }) => name))
    expect(names.at(-2)).toContain('xjustiz_nachricht.xml')
  })
})

describe('the directory', () => {
  it.each([
    ['an office of two words', 'Amtsgericht München', 'Amtsgericht München'],
    ['an office with unusual blanks', '  arbeitsgericht \t münchen ', 'Arbeitsgericht München'],
    ['an office of three words', 'Landgericht München I', 'Landgericht München I'],
    ['a firm of two words', 'Kanzlei Falkenberg', 'Beate Falkenberg'],
    ['a firm with a sign between its names', 'Lindner & Partner', 'Kanzlei Lindner & Partner'],
    ['a person', 'Aylin Demir', 'Aylin Demir'],
    ['a person with a title', 'Dr. Katharina Lindner', 'Dr. Katharina Lindner'],
    ['a person, surname first', 'Demir, Aylin', 'Aylin Demir'],
    ['a person, surname first, with a title', 'Lindner , Dr. Katharina', 'Dr. Katharina Lindner'],
    ['a person with a title that the directory does not have', 'RAin Dr. Aylin Demir', 'Aylin Demir'],
    ['a surname with a title', 'Rechtsanwältin Demir', 'Aylin Demir'],
  ])('finds %s by the name', async (_, q, name) => {
    const connection = await connect('lindner')

    const found = await connection.search({ q }, signal)

    expect(found.map((one) => one.name)).toContain(name)
  })

  it('is searched by SAFE-ID, postal code, one word, two words, and city; nobody appears twice', async () => {
    const connection = await connect('lindner')
    const names = async (query: { q?: string; city?: string }) =>
      (await connection.search(query, signal)).map(({ name }) => name)

    expect(await names({ q: idOf('demir') })).toEqual(['Aylin Demir'])
    expect(await names({ q: '10115' })).toEqual(['Aylin Demir'])
    // Matches of the surname come first, then matches of office names.
    expect(await names({ q: 'lindner' })).toEqual([
      'Dr. Katharina Lindner',
      'Kanzlei Lindner & Partner',
      'Jonas Petersen',
    ])
    expect(await names({ q: 'Aylin Demir' })).toEqual(['Aylin Demir'])
    expect(await names({ q: 'Aylin Demir', city: 'München' })).toEqual([])
    expect(await names({ city: 'köln' })).toHaveLength(1)
    const [locked] = await connection.search({ q: 'Gesperrt' }, signal)
    expect(locked).toMatchObject({ firm: 'Kanzlei Gesperrt', city: 'Köln', is_active: false })
  })

  it.each([
    'DE.Justiz.0a1b.2c3d',
    'govello-1273063535525-000216931',
    'safe-sp1-1323163297230-011164095',
  ])('is searched by the SAFE-ID %s of a court', async (q) => {
    const asked: string[] = []
    await searchDirectory({ q }, async ({ identitySafeId }, read) => {
      asked.push(identitySafeId)
      return read({ results: [] })
    })

    expect(asked).toEqual([q])
  })

  it.each([
    ['fehler+html', 'BEA_GATEWAY_ERROR'],
    ['fehler+session_ended', 'BEA_NOT_AUTHENTICATED'],
    ['fehler+locked', 'BEA_ACCOUNT_LOCKED'],
  ])('fails for %s with %s', async (q, code) => {
    const connection = await connect('lindner')

    await expect(connection.search({ q }, signal)).rejects.toMatchObject({ code })
  })
})

describe('somebody else’s data', () => {
  it.each([
    'bea_get_postboxes',
    'bea_get_folderstructure',
    'bea_get_message',
  ] as const)('in an answer of %s is refused', async (name) => {
    const connection = await connect('lindner')
    const [id = ''] = await simulator.control.seed({ to: idOf('lindner'), from: idOf('demir') })
    simulator.control.inject({ function: name, fault: 'other_user' })
    const call = {
      bea_get_postboxes: () => connection.postboxes(signal),
      bea_get_folderstructure: () => connection.folders(idOf('lindner'), signal),
      bea_get_message: () => connection.message(idOf('lindner'), id, signal),
    }[name]

    await expect(call()).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
  })
})

describe('access rights', () => {
  it('are the rights at the postboxes that the login sees', async () => {
    const connection = await connect('lindner')

    const rights = await connection.accessRights(signal)

    expect(rights).toHaveLength(2)
    expect(rights[0]).toMatchObject({
      postbox_safe_id: idOf('lindner'),
      holder: { safe_id: idOf('lindner') },
      valid_until: null,
    })
    expect(rights[0]?.rights).toEqual(Array.from({ length: 22 }, (_, at) => String(at + 1).padStart(2, '0')))
  })
})

async function court(): Promise<string> {
  return found(await connect('lindner'), 'Amtsgericht')
}
