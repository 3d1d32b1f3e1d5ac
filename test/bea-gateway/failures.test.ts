import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type BeaConnection, type Certificate, MessageTooLarge } from '#bea/network/gateway-ports.ts'
import { beaGateway, type GatewayOptions } from '#bea-gateway/gateway.ts'
import { Failure } from '#kernel/failure.ts'
import { workbench } from './authority.ts'
import { keptLog, type Script, scriptedGateway, shownError } from './scripted-gateway.ts'
import { base64, enc, gcm, sessionKey } from './sealed.ts'

const postbox = 'DE.BRAK.aaaaaaaa-0000-4000-8000-000000000001.0a1b'
const secrets = {
  token: 'token-of-the-session-1234567890',
  session_key: base64(sessionKey),
  safe_id: postbox,
}
const signal = new AbortController().signal
const certificate = { thumbprint: '00'.repeat(20), pem: '' } as Certificate

type Outcome = {
  shown: string
  status: string
  code: string
  calls: string[]
  lines: ReturnType<typeof keptLog>['lines']
}

/** The error that an operation throws when the gateway follows the script. */
async function failing(
  script: Script,
  operation: (connection: BeaConnection, gateway: ReturnType<typeof beaGateway>) => Promise<unknown>,
  options: Partial<GatewayOptions> = {},
): Promise<Outcome> {
  await using server = await scriptedGateway(script)
  const log = keptLog()
  const gateway = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log, ...options })
  const error = await operation(gateway.connect(secrets), gateway).then(
    () => new Error('It did not fail.'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Failure)) throw error
  return {
    shown: shownError(error),
    status: error.kind,
    code: error.code,
    calls: server.names(),
    lines: log.lines,
  }
}

const login = (_: BeaConnection, gateway: ReturnType<typeof beaGateway>) =>
  gateway.startLogin(certificate, signal)
const finish = (_: BeaConnection, gateway: ReturnType<typeof beaGateway>) =>
  gateway.finishLogin(
    { certificate, keys: [], state: JSON.stringify({ safeId: postbox, tokenValidation: 'tv' }) },
    ['session_key', 'validation_key'].map((id) => ({ id, data: base64(sessionKey) })),
    signal,
  )
const check = (connection: BeaConnection) => connection.check(signal)
const overview = (connection: BeaConnection) => connection.overview('501', signal)

const refusing =
  (error: unknown, status = 200): Script =>
  (_, response) => {
    response.statusCode = status
    return { error }
  }

describe('a refusal of the gateway', () => {
  it.each([
    ['because a session has ended', 'Session expired', overview, 'unauthenticated', 'BEA_NOT_AUTHENTICATED'],
    [
      'because of an unknown token',
      { code: 17, message: 'invalid token' },
      overview,
      'unauthenticated',
      'BEA_NOT_AUTHENTICATED',
    ],
    ['because nobody is logged in', 'Nicht angemeldet', overview, 'unauthenticated', 'BEA_NOT_AUTHENTICATED'],
    ['at a check of a session, whatever the text', 'nope', check, 'unauthenticated', 'BEA_NOT_AUTHENTICATED'],
    ['because of a locked postbox', 'Das Postfach ist gesperrt', overview, 'forbidden', 'BEA_ACCOUNT_LOCKED'],
    [
      'because of a locked identity',
      'identity is LOCKED (session closed)',
      login,
      'forbidden',
      'BEA_ACCOUNT_LOCKED',
    ],
    [
      'because nobody released the security token',
      'Sicherheits-Token nicht freigeschaltet',
      login,
      'forbidden',
      'BEA_ACCOUNT_LOCKED',
    ],
    [
      'because of a deactivated postbox',
      { text: 'postbox deactivated' },
      login,
      'forbidden',
      'BEA_ACCOUNT_LOCKED',
    ],
    ['because of the fingerprint', 'unknown thumbprint', login, 'unprocessable', 'BEA_CERTIFICATE_INVALID'],
    [
      'because of the certificate',
      ['Zertifikat abgelaufen'],
      login,
      'unprocessable',
      'BEA_CERTIFICATE_INVALID',
    ],
    ['because of wrong keys', 'wrong validationKey', finish, 'unprocessable', 'BEA_CERTIFICATE_INVALID'],
    [
      'because a login took too long',
      'tokenValidation is unknown',
      finish,
      'unauthenticated',
      'BEA_NOT_AUTHENTICATED',
    ],
    ['of a login, for another reason', 'please try later', login, 'upstream', 'BEA_GATEWAY_ERROR'],
    ['because of our identifier', 'bex-ident unknown: no session', overview, 'upstream', 'BEA_GATEWAY_ERROR'],
    [
      'because of our identifier, at a login',
      'invalid bex-ident for certificate',
      login,
      'upstream',
      'BEA_GATEWAY_ERROR',
    ],
    [
      'because the network is down',
      '9999: general fault in login',
      overview,
      'upstream',
      'BEA_GATEWAY_ERROR',
    ],
    ['with an unknown text', 'Xyzzy', overview, 'upstream', 'BEA_GATEWAY_ERROR'],
    ['with a number', 42, overview, 'upstream', 'BEA_GATEWAY_ERROR'],
    ['with true', true, overview, 'upstream', 'BEA_GATEWAY_ERROR'],
  ])('%s has the right kind and code', async (_, error, operation, status, code) => {
    const outcome = await failing(refusing(error), operation)

    expect([outcome.status, outcome.code]).toEqual([status, code])
    // A refused call is never repeated.
    expect(outcome.calls).toHaveLength(1)
    // An error line calls the operators: nobody else can fix a fault of the gateway.
    expect(outcome.lines.map(({ level }) => level)).toEqual([code === 'BEA_GATEWAY_ERROR' ? 'error' : 'warn'])
  })

  it.each([
    'This message is locked by another user',
    'Nachricht gesperrt',
    'The token of the message has expired',
  ])('of one message, such as “%s”, does not concern the session or the account', async (error) => {
    const script: Script = ({ name }) => (name === 'bea_check_session' ? { info: 'ok' } : { error })

    const outcome = await failing(script, (connection) => connection.message(postbox, '7', signal))

    expect([outcome.code, outcome.calls]).toEqual([
      'BEA_GATEWAY_ERROR',
      ['bea_get_message', 'bea_check_session'],
    ])
  })

  it('means the same with every status', async () => {
    for (const status of [200, 400, 401, 500]) {
      expect((await failing(refusing('Session expired', status), overview)).code).toBe(
        'BEA_NOT_AUTHENTICATED',
      )
    }
  })

  it('is logged with the text of the gateway, but without values that we sent and possible keys', async () => {
    const key = base64(sessionKey)
    const { lines } = await failing(
      refusing(`Xyzzy for ${secrets.token} in folder 501, key ${key}`),
      overview,
    )

    expect(lines).toEqual([
      {
        level: 'error',
        message: 'A call of the beA gateway failed.',
        fields: {
          function: 'bea_get_folderoverview',
          kind: 'refused',
          reason: 'The gateway refused the call.',
          status: 200,
          gateway_text: 'Xyzzy for […] in folder […], key […]',
          code: 'BEA_GATEWAY_ERROR',
        },
      },
    ])
  })

  it('is not assumed if the member `error` is empty', async () => {
    for (const error of [null, '', false, 0]) {
      await using server = await scriptedGateway(() => ({ error, messages: [] }))
      const gateway = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log: keptLog() })

      expect(await overview(gateway.connect(secrets))).toEqual([])
    }
  })
})

describe('an answer that cannot be read', () => {
  const raw =
    (text: string | Buffer, status = 200, headers: Record<string, string> = {}): Script =>
    (_, response) => {
      response.writeHead(status, headers)
      response.end(text)
      return undefined
    }

  it.each([
    ['HTML', raw('<html><body>503</body></html>')],
    ['nothing', raw('')],
    ['half of JSON', raw('{"token":"t","messages":[')],
    ['JSON that ends in a long text', raw(`{"token":"${'x'.repeat(100_000)}`)],
    ['faulty JSON with a secret', raw('{"token":"geheim" "messages":[]}')],
    ['a list', raw('[]')],
    ['null', raw('null')],
    ['bytes that are not UTF-8', raw(Buffer.from('{"messages":[],"x":"\xff"}', 'latin1'))],
    ['another status', raw('{"token":"t","messages":[]}', 503)],
    ['a redirect', raw('', 302, { location: 'http://127.0.0.1:1/' })],
    ['missing members', raw('{"token":"t"}')],
    ['more than the limit', raw(`{"messages":[],"x":"${'x'.repeat(70_000)}"}`)],
    ['JSON that is nested very deep', raw('['.repeat(60_000))],
  ])('(%s) is 502, without another call', async (_, script) => {
    const outcome = await failing(script, overview, { answerLimits: { overview: 65_536 } })

    expect([outcome.status, outcome.code]).toEqual(['upstream', 'BEA_GATEWAY_ERROR'])
    expect(outcome.calls).toHaveLength(1)
    expect(outcome.lines[0]).toMatchObject({ fields: { kind: 'unreadable' } })
    expect(outcome.shown + JSON.stringify(outcome.lines)).not.toContain('geheim')
  })
})

describe('a message', () => {
  it('that is longer than the limit is `MessageTooLarge`', async () => {
    const long = (_: unknown, response: Parameters<Script>[1]) => {
      response.end(`{"messageId":"1","x":"${'x'.repeat(70_000)}"}`)
      return undefined
    }
    const outcome = await failing(
      long,
      async (connection) => {
        const error = await connection.message('DE.BRAK.us', '1', signal).catch((thrown: unknown) => thrown)
        expect(error).toBeInstanceOf(MessageTooLarge)
        throw error
      },
      { answerLimits: { message: 65_536 } },
    )
    expect(outcome.code).toBe('BEA_GATEWAY_ERROR')
  })
})

describe('a connection', () => {
  it('that breaks is repeated once for a read, and never for a step of a login', async () => {
    const breaking: Script = (_, response) => {
      response.socket?.destroy()
      return undefined
    }

    const read = await failing(breaking, overview)
    const step = await failing(breaking, login)

    expect([read.code, read.calls.length]).toEqual(['BEA_GATEWAY_ERROR', 2])
    expect([step.code, step.calls.length]).toEqual(['BEA_GATEWAY_ERROR', 1])
  })

  it('that breaks once does not make a read fail', async () => {
    let calls = 0
    await using server = await scriptedGateway((_, response) => {
      calls += 1
      if (calls > 1) return { messages: [] }
      response.write('{"mess')
      setTimeout(() => response.socket?.destroy(), 20)
      return undefined
    })
    const gateway = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log: keptLog() })

    expect(await overview(gateway.connect(secrets))).toEqual([])
  })

  it('that nobody accepts is 502', async () => {
    const log = keptLog()
    const gateway = beaGateway({ url: 'http://127.0.0.1:9/', ident: 'i', loginVersion: 2, log })

    await expect(overview(gateway.connect(secrets))).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
    expect(log.lines[0]).toMatchObject({ fields: { kind: 'not_connected' } })
  })

  it('has a time limit for the whole answer, even a slow stream of bytes, and is not repeated', async () => {
    const trickling: Script = (_, response) => {
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
      return undefined
    }
    const startedAt = performance.now()

    const outcome = await failing(trickling, overview, { timeLimits: { overview: 300 } })

    expect([outcome.code, outcome.calls.length]).toEqual(['BEA_GATEWAY_ERROR', 1])
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  it('ends when the caller gives up, and is not made if the caller has given up before', async () => {
    const leaving = new AbortController()
    const silent: Script = () => {
      leaving.abort()
      return undefined
    }

    const outcome = await failing(silent, (connection) => connection.overview('501', leaving.signal))
    const before = await failing(silent, (connection) => connection.overview('501', AbortSignal.abort()))

    expect([outcome.code, outcome.calls.length]).toEqual(['BEA_GATEWAY_ERROR', 1])
    expect([before.code, before.calls.length]).toEqual(['BEA_GATEWAY_ERROR', 0])
  })

  it('needs TLS with a valid certificate; without TLS it is made only on this machine', async () => {
    using bench = workbench()
    const tls = createTlsServer({ key: bench.read('ca.key'), cert: bench.read('ca.pem') }, (_, response) =>
      response.end('{"messages":[]}'),
    )
    await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve))
    const { port } = tls.address() as AddressInfo
    const open = (url: string) =>
      beaGateway({ url, ident: 'i', loginVersion: 2, log: keptLog() }).connect(secrets)

    await expect(overview(open(`https://127.0.0.1:${port}/`))).rejects.toMatchObject({
      code: 'BEA_GATEWAY_ERROR',
    })
    expect(() => open('http://gateway.example/')).toThrow(/https/)
    tls.close()
  })
})

describe('sending', () => {
  const messageKey = Buffer.alloc(32, 9)
  const message = {
    subject: 'Geheimer Betreff',
    body: 'Geheimer Text',
    receivers: ['DE.BRAK.x'],
    reference_sender: '',
    reference_recipient: '',
    is_eeb_requested: false,
    attachments: [],
    eeb: null,
  }
  const ready: Record<string, object> = {
    bea_init_message: { messageToken: 'mt-secret', key: enc(messageKey) },
    bea_send_message: { validationTokenMSG: 'vt-secret', validations: null },
    bea_send_message_validation: { token: 't-9', messageId: 70001 },
    bea_cleanup_message: {},
    bea_check_session: { info: 'ok' },
  }
  /** Sends a message. The script answers the named functions, and all others succeed. */
  const sendWith = async (name: string | string[], script: Script, before = async () => {}, limits = {}) => {
    await using server = await scriptedGateway((call, response) =>
      [name].flat().includes(call.name) ? script(call, response) : ready[call.name],
    )
    const log = keptLog()
    const gateway = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log, timeLimits: limits })
    const connection = gateway.connect(secrets)
    const outcome = await connection.send(postbox, message, before, signal).catch((error: unknown) => error)
    expect(JSON.stringify(log.lines)).not.toMatch(/Geheim|secret|token-of/)
    return {
      outcome,
      calls: server.names().map((it) => it.replace(/^bea_(?!check)|_message/g, '')),
      connection,
    }
  }
  const failed = (code: string) => expect.objectContaining({ code })
  const cut: Script = (_, response) => {
    response.socket?.destroy()
    return undefined
  }
  const cutInTheMiddle: Script = (_, response) => {
    response.writeHead(200, { 'Content-Length': '500' })
    response.write('{"token":"t-10","mess')
    setTimeout(() => response.socket?.destroy(), 20)
    return undefined
  }
  const html: Script = (_, response) => {
    response.statusCode = 502
    response.end('<html>Bad Gateway</html>')
    return undefined
  }

  it('takes three steps', async () => {
    const { outcome, calls, connection } = await sendWith('', () => undefined)

    expect(outcome).toEqual({ outcome: 'sent', message_id: '70001' })
    expect(calls).toEqual(['init', 'send', 'send_validation'])
    expect(connection.session().token).toBe('t-9')
  })

  it.each([
    ['the connection breaks', cut],
    ['the answer breaks off', cutInTheMiddle],
    ['a proxy answers', html],
    ['a proxy reports an error', refusing('upstream timed out', 504)],
    ['the gateway reports a fault of the network', refusing('9999: general fault')],
    ['the network did not answer the gateway in time', refusing('beA: Zeitüberschreitung')],
    ['the id of the message is missing', () => ({ token: 't-9', info: 'ok' })],
    ['no answer comes in time', () => undefined],
  ] as [
    string,
    Script,
  ][])('has an unknown outcome if %s at the last step, which is not repeated', async (_, script) => {
    const { outcome, calls } = await sendWith('bea_send_message_validation', script, undefined, {
      message: 3_000,
    })

    expect(outcome).toEqual({ outcome: 'unknown' })
    expect(calls).toEqual(['init', 'send', 'send_validation'])
  })

  it.each([
    ['bea_init_message', 'A receiver does not exist.'],
    ['bea_send_message', 'Unbekannter Empfänger'],
    ['bea_send_message_validation', 'recipient unknown'],
  ])('fails with a message about the recipient if %s refuses the recipient', async (name, text) => {
    const { outcome } = await sendWith(name, refusing(text))
    expect(outcome).toMatchObject({
      code: 'BEA_GATEWAY_ERROR',
      message: expect.stringMatching(/does not accept a recipient/),
    })
  })

  it('has certainly failed if the gateway itself refuses the last step', async () => {
    const { outcome, calls } = await sendWith('bea_send_message_validation', refusing('recipient unknown'))

    expect(outcome).toEqual(failed('BEA_GATEWAY_ERROR'))
    expect(calls).toEqual(['init', 'send', 'send_validation', 'cleanup'])
  })

  it('has certainly failed if no connection is made for the last step', async () => {
    const server = await scriptedGateway(({ name }) => ready[name])
    const gateway = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log: keptLog() })
    // The gateway is gone before the last step.
    const stop = () => server[Symbol.asyncDispose]()

    const sending = gateway.connect(secrets).send(postbox, message, stop, signal)

    await expect(sending).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
    expect(server.names()).toEqual(['bea_init_message', 'bea_send_message'])
  })

  it.each([
    ['the connection breaks', cut, 'BEA_GATEWAY_ERROR'],
    ['a proxy answers', html, 'BEA_GATEWAY_ERROR'],
    ['the gateway refuses', refusing('nope'), 'BEA_GATEWAY_ERROR'],
    ['the token is missing', () => ({ validations: [] }), 'BEA_GATEWAY_ERROR'],
    [
      'a validation does not decrypt',
      () => ({ validationTokenMSG: 'v', validations: [{ id: 1, ...gcm('x', messageKey) }] }),
      'BEA_GATEWAY_ERROR',
    ],
  ] as [
    string,
    Script,
    string,
  ][])('has failed if %s before the last step, and cleans up', async (_, script, code) => {
    const { outcome, calls } = await sendWith('bea_send_message', script)

    expect(outcome).toEqual(failed(code))
    expect(calls).toEqual(['init', 'send', 'cleanup'])
  })

  it('has failed if the key of the message does not decrypt, and cleans up', async () => {
    const { outcome, calls } = await sendWith('bea_init_message', () => ({
      messageToken: 'mt',
      key: enc('short'),
    }))

    expect(outcome).toEqual(failed('BEA_GATEWAY_ERROR'))
    expect(calls).toEqual(['init', 'cleanup'])
  })

  it('has failed if it cannot begin, and there is nothing to clean up', async () => {
    const { outcome, calls } = await sendWith('bea_init_message', refusing('nope'))

    expect(outcome).toEqual(failed('BEA_GATEWAY_ERROR'))
    expect(calls).toEqual(['init'])
  })

  describe.each([
    ['bea_init_message', ['init']],
    ['bea_send_message', ['init', 'send', 'cleanup']],
    ['bea_send_message_validation', ['init', 'send', 'send_validation', 'cleanup']],
  ])('that is refused at %s', (name, before) => {
    it.each([
      ['session expired', 'session expired', 'BEA_NOT_AUTHENTICATED'],
      ['postbox locked', 'Das Postfach ist gesperrt', 'BEA_ACCOUNT_LOCKED'],
    ])('with “%s” fails with the error of the session, if a check shows one', async (text, given, code) => {
      const script: Script = (call) => ({ error: call.name === 'bea_check_session' ? given : text })

      const { outcome, calls } = await sendWith([name, 'bea_check_session'], script)

      expect(outcome).toEqual(failed(code))
      expect(calls).toEqual([...before, 'bea_check_session'])
    })

    it.each([
      'Das Postfach des Empfängers ist gesperrt',
      'recipient identity is locked',
      'messageToken unknown',
      'The session of this message has expired',
      'nicht angemeldet',
    ])('with “%s” concerns only the message, if the session is still valid', async (text) => {
      const { outcome, calls } = await sendWith([name], refusing(text))

      expect(outcome).toEqual(failed('BEA_GATEWAY_ERROR'))
      expect(calls).toEqual([...before, 'bea_check_session'])
    })
  })

  it('has an unknown outcome if a proxy answers the last step that the session has ended', async () => {
    const { outcome } = await sendWith('bea_send_message_validation', refusing('session expired', 503))

    expect(outcome).toEqual({ outcome: 'unknown' })
  })

  it('stops if the caller refuses the last step, and cleans up, even if that fails', async () => {
    const refused = new Error('not now')
    const { outcome, calls } = await sendWith('bea_cleanup_message', cut, () => Promise.reject(refused))

    expect(outcome).toBe(refused)
    expect(calls).toEqual(['init', 'send', 'cleanup'])
  })

  it('is refused before any call for an eEB with attachments, or a confirmation without a day', async () => {
    await using server = await scriptedGateway(({ name }) => ready[name])
    const connection = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log: keptLog() }).connect(
      secrets,
    )
    const send = (changes: object) =>
      connection.send(postbox, { ...message, ...changes }, async () => {}, signal)
    const file = { filename: 'a.pdf', type: 'ATTACHMENT', bytes: Buffer.from('a') }
    const eeb = { action: 'confirm', foreign_id: '4711', date: '2026-03-09' }

    await expect(send({ eeb, attachments: [file] })).rejects.toThrow(TypeError)
    await expect(send({ eeb: { ...eeb, date: '' } })).rejects.toThrow(TypeError)
    expect(server.calls).toEqual([])
  })

  it.each([
    [
      'a confirmation',
      { action: 'confirm', foreign_id: '4711', date: '2026-03-09' },
      { eeb_accept: true, eeb_date: '2026-03-09', eeb_reject_code: '', eeb_reject_grund: '' },
    ],
    // The codes of the XJustiz list EEB.Stoerungs-ID.
    ...(
      [
        ['not_party', '1'],
        ['unclear', '2'],
        ['incomplete', '2'],
        ['certificate', '3'],
      ] as const
    ).map(
      ([code, eeb_reject_code]) =>
        [
          `a refusal: ${code}`,
          { action: 'reject', foreign_id: '4711', code, reason: 'Anlage fehlt' },
          { eeb_accept: false, eeb_date: '', eeb_reject_code, eeb_reject_grund: 'Anlage fehlt' },
        ] as const,
    ),
  ] as const)('answers a request for a receipt with %s: without attachments and XJustiz', async (_, eeb, fields) => {
    await using server = await scriptedGateway(({ name }) => ready[name])
    const connection = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log: keptLog() }).connect(
      secrets,
    )

    await connection.send(postbox, { ...message, receivers: ['DE.Justiz.x'], eeb }, async () => {}, signal)

    expect(server.calls[0]?.request.msg_infos).toMatchObject({
      is_eeb: true,
      is_eeb_response: true,
      eeb_fremdid: '4711',
      attachments: [],
      xj: false,
      xj_version3: false,
      ...fields,
    })
  })
})

describe('the token of a session', () => {
  it('is the newest in any answer, also in a refusal; it stays if an answer has none', async () => {
    const answers = [
      { token: 't-2', messages: [] },
      { messages: [] },
      { token: '', messages: [] },
      { token: 't-3', error: 'Xyzzy' },
      { token: 't-4', messages: [] },
    ]
    await using server = await scriptedGateway(() => answers.shift())
    const connection = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log: keptLog() }).connect(
      secrets,
    )

    // All at once: each waits for the one before it.
    await Promise.allSettled(Array.from({ length: 5 }, () => overview(connection)))

    expect(server.calls.map(({ request }) => request.token)).toEqual([
      secrets.token,
      't-2',
      't-2',
      't-2',
      't-3',
    ])
    expect(connection.session()).toEqual({ ...secrets, token: 't-4' })
  })
})
