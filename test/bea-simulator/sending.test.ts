import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { type BeaClient, logIn } from '#test/support/bea-client.ts'
import { beaInfos, encryptedFor, initBea, sendBea, validationsOf } from '#test/support/bea-sending.ts'

let simulator: BeaSimulator
let session: BeaClient
beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})
afterAll(() => simulator.close())
beforeEach(async () => {
  await simulator.control.reset()
  session = await logIn(simulator, simulator.certificates.lindner)
})

const { lindner, demir, landgericht, kanzlei } = safeIds
const files = [{ name: 'Klage.pdf', bytes: Buffer.from('%PDF-1.7 Klage') }]
const inboxOf = (safeId: string) => simulator.control.messages(safeId, 'INBOX')
const sentOf = (safeId: string) => simulator.control.messages(safeId, 'SENT')

describe('a send in three steps', () => {
  it.each([
    0, 2,
  ])('delivers with %i validations, acknowledges, and gives the id of the sent message', async (validations) => {
    simulator.control.set({ validations })
    const infos = beaInfos({
      receivers: [demir],
      betreff: 'Grüße',
      msg_text: 'Hallo',
      attachments: ['Klage.pdf'],
    })

    const answer = await sendBea(session, lindner, infos, files)

    const [arrived] = inboxOf(demir)
    const [sent] = sentOf(lindner)
    expect(answer).toEqual({ token: expect.any(String), info: 'ok', messageId: sent?.id })
    expect(arrived).toMatchObject({
      subject: 'Grüße',
      body: 'Hallo',
      sender: { safeId: lindner },
      addressees: [{ safeId: demir }],
    })
    expect(sent).toMatchObject({ zugegangen: expect.stringMatching(/^\d{4}-/), egvpStatus: 'ERFOLGREICH' })
    expect(simulator.control.attachment(arrived?.id ?? '', 'Klage.pdf')).toEqual(files[0]?.bytes)
    expect(arrived?.attachments.map(({ name }) => name)).toEqual([
      'Nachrichtentext.pdf',
      'xjustiz_nachricht.xml',
      'Klage.pdf',
    ])
  })

  it('reaches every receiver once, and names the administered postbox as the sender', async () => {
    const infos = beaInfos({ receivers: [demir, lindner, demir] })

    await sendBea(session, kanzlei, infos, [])

    expect(inboxOf(demir)).toHaveLength(1)
    expect(inboxOf(lindner)).toHaveLength(1)
    expect(sentOf(kanzlei)).toHaveLength(1)
    expect(inboxOf(demir)[0]?.sender.safeId).toBe(kanzlei)
  })

  it('can acknowledge a message later', async () => {
    simulator.control.set({ acknowledged_after_minutes: 10 })
    const { messageId } = await sendBea(session, lindner, beaInfos({ receivers: [demir] }), [])
    const [sent] = simulator.control.postbox(lindner).filter(({ type }) => type === 'SENT')
    const entry = async () =>
      (await session.call('bea_get_folderoverview', { folderId: sent?.id })).messages[0]

    const before = [await entry(), (await session.call('bea_get_message', { messageId })).metaData]
    simulator.control.advanceMinutes(10)
    const after = [await entry(), (await session.call('bea_get_message', { messageId })).metaData]

    expect(before.map(({ zugegangen }) => zugegangen)).toEqual([null, null])
    expect(before[0].egvpStatus).toBeNull()
    expect(after.map(({ zugegangen }) => zugegangen)).toEqual([expect.any(String), expect.any(String)])
    expect(after[0].egvpStatus).toBe('ERFOLGREICH')
  })

  it('has sent nothing before its last step', async () => {
    const infos = beaInfos({ receivers: [demir] })
    const composed = await initBea(session, lindner, infos)
    await session.call('bea_send_message', encryptedFor(composed, infos, []))

    expect([...inboxOf(demir), ...sentOf(lindner)]).toEqual([])
  })

  it('accepts each token once, and no token of a message that was cleaned up', async () => {
    const infos = beaInfos({ receivers: [demir] })
    const abandoned = await initBea(session, lindner, infos)
    const cleaned = await session.call('bea_cleanup_message', { messageToken: abandoned.messageToken })
    const afterwards = await session.call('bea_send_message', encryptedFor(abandoned, infos, []))
    const composed = await initBea(session, lindner, infos)
    const body = encryptedFor(composed, infos, [])
    const sent = await session.call('bea_send_message', body)
    const twice = await session.call('bea_send_message', body)
    const last = { validationTokenMSG: sent.validationTokenMSG, validations: validationsOf(session, sent) }
    const done = await session.call('bea_send_message_validation', last)
    const again = await session.call('bea_send_message_validation', last)

    expect(cleaned).toEqual({ info: 'ok' })
    expect(done.messageId).toEqual(expect.any(String))
    for (const answer of [afterwards, twice, again])
      expect(answer).toEqual({ error: expect.stringMatching(/not initialised/) })
    expect(inboxOf(demir)).toHaveLength(1)
  })

  it('uses up the token of the session in strict rotation; the last answer has the next token', async () => {
    simulator.control.set({ rotation: 'strict' })
    const infos = beaInfos({ receivers: [demir] })
    const composed = await initBea(session, lindner, infos)
    const meanwhile = await session.call('bea_check_session')
    const sent = await session.call('bea_send_message', encryptedFor(composed, infos, []))
    const { validationTokenMSG } = sent
    await session.call('bea_send_message_validation', {
      validationTokenMSG,
      validations: validationsOf(session, sent),
    })
    const afterwards = await session.call('bea_check_session')

    expect(meanwhile).toEqual({ error: expect.stringMatching(/session/) })
    expect(afterwards).toEqual({ info: 'ok' })
  })

  it('ends with the session', async () => {
    const infos = beaInfos({ receivers: [demir] })
    const composed = await initBea(session, lindner, infos)
    simulator.control.endSessions()

    const answer = await session.call('bea_send_message', encryptedFor(composed, infos, []))

    expect(answer).toEqual({ error: expect.stringMatching(/session has ended/) })
  })
})

describe('the checks of a sent message', () => {
  const sendChanged = async (change: (body: ReturnType<typeof encryptedFor>) => void) => {
    const infos = beaInfos({ receivers: [demir], attachments: ['Klage.pdf', 'Anlage.pdf'] })
    const both = [...files, { name: 'Anlage.pdf', bytes: Buffer.from('%PDF-1.7 Anlage') }]
    const body = encryptedFor(await initBea(session, lindner, infos), infos, both)
    change(body)
    return session.call('bea_send_message', body)
  }

  it.each([
    [
      'a wrong hash',
      (body) => {
        first(body).hash = Buffer.alloc(32).toString('base64')
      },
      /hash/,
    ],
    [
      'another key at an attachment',
      (body) => {
        first(body).key = Buffer.alloc(32).toString('base64')
      },
      /key is not/,
    ],
    [
      'another key at the subject',
      (body) => {
        body.encrypted_data.encSubject.key = ''
      },
      /key is not/,
    ],
    [
      'ciphertext that does not fit its tag',
      (body) => {
        first(body).tag = Buffer.alloc(16).toString('base64')
      },
      /cannot be decrypted/,
    ],
    [
      'another subject than announced',
      (body) => {
        body.msg_infos.betreff = 'Anderes'
      },
      /subject/,
    ],
    [
      'another order of files',
      (body) => {
        body.encrypted_data.attachments.reverse()
      },
      /not the announced ones/,
    ],
    [
      'a file fewer than announced',
      (body) => {
        body.encrypted_data.attachments.pop()
      },
      /not the announced ones/,
    ],
    [
      'no receiver',
      (body) => {
        body.msg_infos.receivers = []
      },
      /no receiver/,
    ],
    [
      'an unknown receiver',
      (body) => {
        body.msg_infos.receivers = ['DE.BRAK.x.0000']
      },
      /does not exist/,
    ],
    [
      'a locked receiver',
      (body) => {
        body.msg_infos.receivers = [safeIds.locked]
      },
      /locked/,
    ],
    [
      'a court and somebody else',
      (body) => {
        body.msg_infos.receivers = [landgericht, demir]
      },
      /court has one receiver/,
    ],
  ] as [
    string,
    (body: ReturnType<typeof encryptedFor>) => void,
    RegExp,
  ][])('%s is refused', async (_, change, reason) => {
    const answer = await sendChanged(change)

    expect(answer).toEqual({ error: expect.stringMatching(reason) })
    expect(inboxOf(demir)).toEqual([])
  })

  it.each([
    ['a name twice', { attachments: ['a.pdf', 'a.pdf'] }, /the same name/],
    ['a name with a blank', { attachments: ['a b.pdf'] }, /not allowed/],
    ['a name of 91 characters', { attachments: [`${'a'.repeat(87)}.pdf`] }, /not allowed/],
    ['a name with two dots', { attachments: ['a.b.pdf'] }, /not allowed/],
    ['a file that the gateway makes itself', { attachments: ['xjustiz_nachricht.xml'] }, /not allowed/],
    ['a receipt asked for without XJustiz', { eeb_erforderlich: true, xj: false }, /XJustiz/],
    [
      'a receipt with attachments',
      { is_eeb: true, is_eeb_response: true, attachments: ['a.pdf'] },
      /neither attachments/,
    ],
    ['a type that is not known', { nachrichten_typ: 'BRIEF' }, /malformed: msg_infos.nachrichten_typ/],
    ['a flag that is no boolean', { dringend: 'nein' }, /malformed: msg_infos.dringend/],
  ])('bea_init_message refuses %s', async (_, change, reason) => {
    const msg_infos = { ...beaInfos({ receivers: [demir] }), ...change }

    const answer = await session.call('bea_init_message', { postboxSafeId: lindner, msg_infos })

    expect(answer).toEqual({ error: expect.stringMatching(reason) })
  })

  it('refuse wrong, missing and additional validations, and nothing is sent', async () => {
    const infos = beaInfos({ receivers: [demir] })
    for (const change of [
      (all: { id: string; data: string }[]) => all.slice(1),
      (all: { id: string; data: string }[]) => all.map((it) => ({ ...it, data: 'AAAA' })),
      (all: { id: string; data: string }[]) => [...all, { id: 'v9', data: 'AAAA' }],
      ([one]: { id: string; data: string }[]) => (one ? [one, one] : []),
    ]) {
      const sent = await session.call(
        'bea_send_message',
        encryptedFor(await initBea(session, lindner, infos), infos, []),
      )
      const validations = change(validationsOf(session, sent))
      const answer = await session.call('bea_send_message_validation', {
        validationTokenMSG: sent.validationTokenMSG,
        validations,
      })

      expect(answer).toEqual({ error: expect.stringMatching(/validations are wrong/) })
    }
    expect(inboxOf(demir)).toEqual([])
  })

  it('refuse the postbox of somebody else as the sender', async () => {
    const answer = await session.call('bea_init_message', { postboxSafeId: demir, msg_infos: beaInfos({}) })

    expect(answer).toEqual({ error: expect.stringMatching(/does not exist/) })
  })
})

describe('a draft', () => {
  it('can be saved without receivers and opened again, and is gone once it is sent', async () => {
    const empty = beaInfos({ betreff: 'Entwurf', attachments: ['Klage.pdf'] })
    const saved = await session.call(
      'bea_save_message',
      encryptedFor(await initBea(session, lindner, empty), empty, files),
    )
    const opened = await initBea(session, lindner, undefined, saved.messageId)
    const infos = { ...empty, receivers: [demir] }
    const sent = await session.call('bea_send_message', encryptedFor(opened, infos, files))
    await session.call('bea_send_message_validation', {
      validationTokenMSG: sent.validationTokenMSG,
      validations: validationsOf(session, sent),
    })

    expect(saved).toMatchObject({ token: expect.any(String), messageId: expect.any(String) })
    expect(opened.answer.msg_infos).toMatchObject({
      receivers: [],
      attachments: [{ reference: 'Klage.pdf' }],
    })
    expect(simulator.control.messages(lindner, 'DRAFT')).toEqual([])
    expect(inboxOf(demir)).toHaveLength(1)
  })

  it('gets a new id when it is saved again', async () => {
    const infos = beaInfos({ betreff: 'Entwurf' })
    const one = await session.call(
      'bea_save_message',
      encryptedFor(await initBea(session, lindner, infos), infos, []),
    )
    const opened = await initBea(session, lindner, undefined, one.messageId)
    const changed = { ...infos, betreff: 'Geändert' }
    const two = await session.call('bea_save_message', encryptedFor(opened, changed, []))

    expect(two.messageId).not.toBe(one.messageId)
    expect(simulator.control.messages(lindner, 'DRAFT')).toMatchObject([
      { id: two.messageId, subject: 'Geändert' },
    ])
  })
})

function first(body: ReturnType<typeof encryptedFor>) {
  const [attachment] = body.encrypted_data.attachments
  if (attachment === undefined) throw new Error('There is no attachment.')
  return attachment
}
