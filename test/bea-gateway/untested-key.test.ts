import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { BeaConnection, GatewaySession } from '#bea/network/gateway-ports.ts'
import { beaGateway } from '#bea-gateway/gateway.ts'
import { keptLog, scriptedGateway } from './scripted-gateway.ts'
import { base64, enc, sessionKey } from './sealed.ts'

/** A session key that a user has decrypted with a card. The user may have sent a wrong one. */

const postbox = 'DE.BRAK.aaaaaaaa-0000-4000-8000-000000000001.0a1b'
const signal = new AbortController().signal
const untested = {
  token: 't-0',
  session_key: base64(sessionKey),
  safe_id: postbox,
  is_key_untested: true,
} as const
const over = { code: 'BEA_NOT_AUTHENTICATED', kind: 'unauthenticated' }
const wrong = randomBytes(32)

type Key = typeof sessionKey

const message = {
  subject: 'Betreff',
  body: 'Text',
  receivers: ['DE.BRAK.x'],
  reference_sender: '',
  reference_recipient: '',
  is_eeb_requested: false,
  attachments: [],
  eeb: null,
}

/** Uses a session. `subjects` has the key of each subject in the folder; `messageKey` encrypts the key of a new message. */
async function using<Result>(
  { subjects = [], messageKey = sessionKey }: { subjects?: (Key | null)[]; messageKey?: Key },
  use: (connection: BeaConnection) => Promise<Result>,
  session: GatewaySession = untested,
) {
  await using server = await scriptedGateway(({ name }) => {
    const messages = subjects.map((key, at) => ({
      messageId: String(at),
      encSubject: key && enc('Ladung', key),
    }))
    const answers: Record<string, object> = {
      bea_get_folderoverview: { messages },
      bea_init_message: { messageToken: 'm', key: enc(Buffer.alloc(32, 9), messageKey) },
      bea_send_message: { validationTokenMSG: 'v', validations: null },
      bea_send_message_validation: { token: 't-9', messageId: 70001 },
    }
    return answers[name] ?? { info: 'ok' }
  })
  const log = keptLog()
  const gateway = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log })
  const connection = gateway.connect(session)
  const outcome = await use(connection).catch((error: unknown) => error)
  return { outcome, calls: server.names(), session: connection.session() }
}

const overview = (connection: BeaConnection) => connection.overview('501', signal)
const send = (connection: BeaConnection) => connection.send(postbox, message, async () => {}, signal)

describe('a key that a card decrypted', () => {
  it('is wrong if it decrypts none of several subjects: the session is ended, and the error names `session_key`', async () => {
    const { outcome, calls } = await using({ subjects: [wrong, null, wrong] }, overview)

    expect(outcome).toMatchObject(over)
    expect(String(outcome)).toContain('session_key')
    expect(calls).toEqual(['bea_get_folderoverview', 'bea_logout'])
  })

  it.each([
    ['there are no subjects', []],
    ['the only subject does not decrypt, since that message may be broken', [wrong]],
    ['one of several subjects decrypts', [wrong, sessionKey, wrong]],
  ])('does not count as wrong if %s', async (_, subjects) => {
    const { outcome, calls } = await using({ subjects }, overview)

    expect(outcome).toHaveLength(subjects.length)
    expect(calls).toEqual(['bea_get_folderoverview'])
  })

  it('counts as right once it has decrypted something', async () => {
    const opened = await using({ subjects: [sessionKey] }, overview)
    const later = await using({ subjects: [wrong, wrong] }, overview, opened.session)

    expect(opened.session).not.toHaveProperty('is_key_untested')
    expect(later.outcome).toHaveLength(2)
  })

  it('is wrong if it does not decrypt the key of a message: nothing is sent, and the message is cleaned up', async () => {
    const { outcome, calls } = await using({ messageKey: wrong }, send)

    expect(outcome).toMatchObject(over)
    expect(calls).toEqual(['bea_init_message', 'bea_cleanup_message', 'bea_logout'])
  })

  it('sends if it is right, and then counts as right', async () => {
    const { outcome, session } = await using({}, send)

    expect(outcome).toEqual({ outcome: 'sent', message_id: '70001' })
    expect(session).not.toHaveProperty('is_key_untested')
  })
})

it('a key that we decrypted ourselves is right: if it does not decrypt several subjects, the messages are broken', async () => {
  const { is_key_untested: _, ...session } = untested

  const { outcome } = await using({ subjects: [wrong, wrong] }, overview, session)

  expect(outcome).toHaveLength(2)
})
