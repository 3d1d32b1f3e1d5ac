import { publicEncrypt, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KeyMaterial, OutgoingMessage } from '#bea/network/gateway-ports.ts'
import { beaGateway } from '#bea-gateway/gateway.ts'
import { keyTools } from '#bea-gateway/key-tools.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { type Workbench, workbench } from './authority.ts'
import { keptLog, type Script, scriptedGateway } from './scripted-gateway.ts'

/** The example exchange in the description of the protocol (section 4), byte for byte. */

const sessionKey = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const messageKey = 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8='
const safeId = 'DE.SIM.11111111-2222-4333-8444-555555555555.abcd'
const signal = new AbortController().signal

let bench: Workbench
let material: KeyMaterial

beforeAll(async () => {
  bench = workbench()
  bench.issue('Anna')
  const files = ['-inkey', 'Anna.key', '-in', 'Anna.pem', '-out', 'file.p12']
  bench.openssl('pkcs12', '-export', ...files, '-passout', 'pass:x')
  const now = new Date(epochMilliseconds() + 3_600_000)
  const opened = await keyTools({ loginVersion: 1 }).open(bench.read('file.p12'), 'x', now)
  material = { certificate: opened.certificate, private_key_pem: opened.private_key_pem ?? '' }
})
afterAll(() => bench[Symbol.dispose]())

describe.each([1, 2] as const)('a login of version %i', (loginVersion) => {
  it('takes three steps and gives a session', async () => {
    const wrapped = (key: string) =>
      publicEncrypt(
        { key: new X509Certificate(material.certificate.pem).publicKey, oaepHash: 'sha256' },
        Buffer.from(key, 'base64'),
      ).toString('base64')
    const answers: Record<string, object> = {
      step1: {
        challengeVal: 'Y2hhbGxlbmdlLUE=',
        challengeValidation: 'Y2hhbGxlbmdlLUI=',
        tokenPAOS: 'paos-1',
      },
      step2: {
        safeId,
        sessionKey: wrapped(sessionKey),
        validationKey: wrapped(messageKey),
        tokenValidation: 'tv-1',
      },
      step3: { token: 't-1' },
    }
    await using server = await scriptedGateway(({ name }) => answers[name.slice(-5)])
    const gateway = beaGateway({ url: server.url, ident: 'demo-ident', loginVersion, log: keptLog() })
    const tools = keyTools({ loginVersion })

    const signing = await gateway.startLogin(material.certificate, signal)
    const signatures = await tools.sign(material, signing.challenges)
    const decrypting = await gateway.answerChallenges(signing, signatures, signal)
    const session = await gateway.finishLogin(
      decrypting,
      await tools.unwrap(material, decrypting.keys),
      signal,
    )

    expect(session).toEqual({ token: 't-1', session_key: sessionKey, safe_id: safeId })
    const prefix = loginVersion === 1 ? 'bea' : 'bex'
    expect(server.names()).toEqual([1, 2, 3].map((step) => `${prefix}_login_step${step}`))
    const [first, second, third] = server.calls
    expect(first?.headers).toMatchObject({
      'bex-ident': 'demo-ident',
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(first?.request).toEqual({ thumbprint: material.certificate.thumbprint })
    expect(second?.request).toEqual({
      tokenPAOS: 'paos-1',
      userCert: Buffer.from(material.certificate.pem).toString('base64'),
      challengeSigned: signatures[0]?.data,
      validationSigned: signatures[1]?.data,
    })
    expect(third?.request).toEqual({ tokenValidation: 'tv-1', validationKey: messageKey })
  })

  it('refuses a wrong signature without a call', async () => {
    const challenges = {
      challengeVal: 'Y2hhbGxlbmdlLUE=',
      challengeValidation: 'Y2hhbGxlbmdlLUI=',
      tokenPAOS: 'p',
    }
    await using server = await scriptedGateway(() => challenges)
    const gateway = beaGateway({ url: server.url, ident: 'demo-ident', loginVersion, log: keptLog() })
    const signing = await gateway.startLogin(material.certificate, signal)
    const right = await keyTools({ loginVersion }).sign(material, signing.challenges)
    const other = await keyTools({ loginVersion: loginVersion === 1 ? 2 : 1 }).sign(
      material,
      signing.challenges,
    )
    const swapped = right.map(({ id }, at) => ({ id, data: right[1 - at]?.data ?? '' }))

    for (const wrong of [
      swapped,
      other,
      right.slice(1),
      [{ id: 'challenge', data: '!' }, ...right.slice(1)],
    ]) {
      await expect(gateway.answerChallenges(signing, wrong, signal)).rejects.toMatchObject({
        kind: 'unprocessable',
        code: 'BEA_CERTIFICATE_INVALID',
      })
    }

    expect(server.names()).toHaveLength(1)
  })
})

describe('the example exchange', () => {
  const message: OutgoingMessage = {
    subject: 'Müller ./. Schmidt, Klageerwiderung',
    body: 'Anbei der Schriftsatz.',
    receivers: ['DE.Justiz.9999.beef'],
    reference_sender: '12/26',
    reference_recipient: '3 O 45/26',
    is_eeb_requested: false,
    attachments: [
      { filename: 'klageerwiderung.pdf', type: 'SCHRIFTSATZ', bytes: Buffer.from('%PDF-1.7 dummy\n') },
    ],
    eeb: null,
  }
  const infos = {
    betreff: 'Müller ./. Schmidt, Klageerwiderung',
    msg_text: 'Anbei der Schriftsatz.',
    aktz_sender: '12/26',
    aktz_rcv: '3 O 45/26',
    receivers: ['DE.Justiz.9999.beef'],
    attachments: ['klageerwiderung.pdf'],
    dringend: false,
    pruefen: false,
    nachrichten_typ: 'ALLGEMEINE_NACHRICHT',
    xj: true,
    xj_version3: true,
    gericht_code: '',
    verfahrensgegenstand: '',
    eeb_erforderlich: false,
    is_eeb: false,
    is_eeb_response: false,
    eeb_accept: false,
    eeb_fremdid: '',
    eeb_date: '',
    eeb_reject_code: '',
    eeb_reject_grund: '',
  }
  const script: Script = ({ name }) =>
    ({
      bea_get_postboxes: {
        token: 't-2',
        postboxes: [{ postboxSafeId: safeId, folder: [{ id: '501', type: 'INBOX', postboxSafeId: safeId }] }],
      },
      bea_init_message: {
        messageToken: 'mt-1',
        key: {
          iv: 'oKGio6SlpqeoqaqrrK2urw==',
          tag: 'q84BPTw7yWS7c1Pd6+wGVg==',
          value: 'CoIBnzzo61HrtzWawTmjv7J0cUpKAWebxStQjSUIGLg=',
        },
      },
      bea_send_message: {
        validationTokenMSG: 'vt-1',
        validations: [
          {
            id: 'v1',
            iv: '0NHS09TV1tfY2drb3N3e3w==',
            tag: 'uCBRkrfM+AfS7E1ymML1tQ==',
            data: 'lCXT+hJahPWHsrKqkbTJDdI=',
          },
        ],
      },
      bea_send_message_validation: { token: 't-3', info: 'ok', messageId: '70001' },
    })[name]

  it('sends the described requests, with the token of the last answer', async () => {
    await using server = await scriptedGateway(script)
    const ivs = ['sLGys7S1tre4ubq7vL2+vw==', 'wMHCw8TFxsfIycrLzM3Ozw=='].map((iv) =>
      Buffer.from(iv, 'base64'),
    )
    const gateway = beaGateway({
      url: server.url,
      ident: 'demo-ident',
      loginVersion: 2,
      log: keptLog(),
      newIv: () => ivs.shift() ?? Buffer.alloc(0),
    })
    const connection = gateway.connect({ token: 't-1', session_key: sessionKey, safe_id: safeId })
    let callsBeforeLastStep = 0

    const postboxes = await connection.postboxes(signal)
    const sent = await connection.send(
      safeId,
      message,
      async () => {
        callsBeforeLastStep = server.calls.length
      },
      signal,
    )

    expect(postboxes).toEqual([
      {
        postbox_safe_id: safeId,
        name: null,
        folders: [{ id: '501', type: 'INBOX', name: null, parent_id: null, unread: null }],
      },
    ])
    expect(sent).toEqual({ outcome: 'sent', message_id: '70001' })
    expect(connection.session().token).toBe('t-3')
    expect(callsBeforeLastStep).toBe(3)
    expect(server.calls.map(({ request }) => request)).toEqual([
      { token: 't-1' },
      { token: 't-2', postboxSafeId: safeId, msg_infos: infos },
      {
        messageToken: 'mt-1',
        encrypted_data: {
          encSubject: {
            iv: 'sLGys7S1tre4ubq7vL2+vw==',
            tag: 'ZXsayY6BGoBA94CzPkKu+Q==',
            data: '1TpLXvnOeBS31qokRAMMjJbCWvoZdIsTYY6T4GzrjfK0XSa2',
            key: messageKey,
          },
          attachments: [
            {
              name: 'klageerwiderung.pdf',
              iv: 'wMHCw8TFxsfIycrLzM3Ozw==',
              tag: 'L3uIfOWs9zZKe4GbaIhhqQ==',
              data: 'feMlnqDLNUvJRSAfSDyb',
              key: messageKey,
              sizeKB: 0,
              hash: 'nVwQkoycudugrOc0ht+pR7AgnnsLlDOFEZyZTkAffOE=',
              att_type: 'SCHRIFTSATZ',
            },
          ],
        },
        msg_infos: infos,
      },
      { validationTokenMSG: 'vt-1', validations: [{ id: 'v1', data: 'dmFsaWRhdGlvbi1ibG9iLTE=' }] },
    ])
  })

  it('is encoded as the gateway requires: URL-safe base64 without padding in the field j', async () => {
    await using server = await scriptedGateway(() => ({ error: 'no' }))
    const gateway = beaGateway({ url: server.url, ident: 'demo-ident', loginVersion: 1, log: keptLog() })
    const certificate = { ...material.certificate, thumbprint: '00112233445566778899aabbccddeeff00112233' }

    await gateway.startLogin(certificate, signal).catch(() => {})

    expect(server.calls[0]?.form).toBe(
      'j=eyJ0aHVtYnByaW50IjoiMDAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2NkZGVlZmYwMDExMjIzMyJ9',
    )
  })
})
