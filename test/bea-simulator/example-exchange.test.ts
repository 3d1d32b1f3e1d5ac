import { sign, X509Certificate } from 'node:crypto'
import { expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import type { Randomness } from '#bea-simulator/randomness.ts'
import { startBeaSimulator } from '#bea-simulator/simulator.ts'
import { callBea, decryptGcm, unwrap } from '#test/support/bea-client.ts'

/** The keys, IVs and tokens of the example exchange. */
function exampleRandomness(): Randomness {
  const from = (first: number, count: number) =>
    Buffer.from(Array.from({ length: count }, (_, at) => first + at))
  const values: Partial<Record<string, Buffer[]>> = {
    challenge: [Buffer.from('challenge-A'), Buffer.from('challenge-B')],
    sessionKey: [from(0x00, 32)],
    messageKey: [from(0x20, 32)],
    validation: [Buffer.from('validation-blob-1')],
    // The IV of the message's key, then the IV of the validation.
    iv: [from(0xa0, 16), from(0xd0, 16)],
  }
  const counts: Record<string, number> = {}
  return {
    bytes: (count, purpose) => values[purpose]?.shift() ?? Buffer.alloc(count, 7),
    token: (prefix) => {
      counts[prefix] = (counts[prefix] ?? 0) + 1
      return `${prefix}-${counts[prefix]}`
    },
  }
}

const key = 'ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8='
const infos = {
  betreff: 'Müller ./. Schmidt, Klageerwiderung',
  msg_text: 'Anbei der Schriftsatz.',
  aktz_sender: '12/26',
  aktz_rcv: '3 O 45/26',
  receivers: [safeIds.demir],
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
const encrypted_data = {
  encSubject: {
    iv: 'sLGys7S1tre4ubq7vL2+vw==',
    tag: 'ZXsayY6BGoBA94CzPkKu+Q==',
    data: '1TpLXvnOeBS31qokRAMMjJbCWvoZdIsTYY6T4GzrjfK0XSa2',
    key,
  },
  attachments: [
    {
      name: 'klageerwiderung.pdf',
      iv: 'wMHCw8TFxsfIycrLzM3Ozw==',
      tag: 'L3uIfOWs9zZKe4GbaIhhqQ==',
      data: 'feMlnqDLNUvJRSAfSDyb',
      key,
      sizeKB: 0,
      hash: 'nVwQkoycudugrOc0ht+pR7AgnnsLlDOFEZyZTkAffOE=',
      att_type: 'SCHRIFTSATZ',
    },
  ],
}

it('repeats the example exchange of the protocol byte for byte, and the message arrives', async () => {
  const randomness = exampleRandomness()
  const behaviour = { validations: 1 }
  await using simulator = closing(await startBeaSimulator({ randomness, behaviour, empty: true }))
  const { lindner } = simulator.certificates
  const call = (name: string, request: object) => callBea(simulator, name, request)
  const { fingerprint } = new X509Certificate(lindner.certificate_pem)
  const signed = (text: string) =>
    sign('sha256', Buffer.from(text), lindner.private_key_pem).toString('base64')

  const challenges = await call('bea_login_step1', {
    thumbprint: fingerprint.replaceAll(':', '').toLowerCase(),
  })
  const keys = await call('bea_login_step2', {
    tokenPAOS: 'paos-1',
    userCert: Buffer.from(lindner.certificate_pem).toString('base64'),
    challengeSigned: signed('challenge-A'),
    validationSigned: signed('challenge-B'),
  })
  const validationKey = unwrap(lindner, keys.validationKey).toString('base64')
  const session = await call('bea_login_step3', { tokenValidation: 'tv-1', validationKey })
  const postboxes = await call('bea_get_postboxes', { token: 't-1' })
  const postboxSafeId = safeIds.lindner
  const initialised = await call('bea_init_message', { token: 't-2', postboxSafeId, msg_infos: infos })
  const validation = await call('bea_send_message', {
    messageToken: 'mt-1',
    msg_infos: infos,
    encrypted_data,
  })
  const sent = await call('bea_send_message_validation', {
    validationTokenMSG: 'vt-1',
    validations: [{ id: 'v1', data: 'dmFsaWRhdGlvbi1ibG9iLTE=' }],
  })
  const [arrived] = simulator.control.messages(safeIds.demir, 'INBOX')

  expect(challenges).toEqual({
    challengeVal: 'Y2hhbGxlbmdlLUE=',
    challengeValidation: 'Y2hhbGxlbmdlLUI=',
    tokenPAOS: 'paos-1',
  })
  expect(keys).toMatchObject({ safeId: safeIds.lindner, tokenValidation: 'tv-1' })
  expect(unwrap(lindner, keys.sessionKey).toString('base64')).toBe(
    'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
  )
  expect(session).toEqual({ token: 't-1' })
  expect(postboxes).toMatchObject({
    token: 't-2',
    postboxes: [{ postboxSafeId, folder: [{ id: '501', type: 'INBOX', postboxSafeId }, {}, {}, {}, {}] }, {}],
  })
  expect(initialised).toEqual({
    messageToken: 'mt-1',
    key: {
      iv: 'oKGio6SlpqeoqaqrrK2urw==',
      tag: 'q84BPTw7yWS7c1Pd6+wGVg==',
      value: 'CoIBnzzo61HrtzWawTmjv7J0cUpKAWebxStQjSUIGLg=',
    },
  })
  expect(decryptGcm(unwrap(lindner, keys.sessionKey), initialised.key).toString('base64')).toBe(key)
  expect(validation).toEqual({
    validationTokenMSG: 'vt-1',
    validations: [
      {
        id: 'v1',
        iv: '0NHS09TV1tfY2drb3N3e3w==',
        tag: 'uCBRkrfM+AfS7E1ymML1tQ==',
        data: 'lCXT+hJahPWHsrKqkbTJDdI=',
      },
    ],
  })
  expect(sent).toEqual({ token: 't-3', info: 'ok', messageId: expect.stringMatching(/^7000\d$/) })
  expect(arrived).toMatchObject({
    subject: infos.betreff,
    body: infos.msg_text,
    referenceJustice: '3 O 45/26',
  })
  expect(simulator.control.attachment(arrived?.id ?? '', 'klageerwiderung.pdf')?.toString()).toBe(
    '%PDF-1.7 dummy\n',
  )
})

function closing<Simulator extends { close: () => Promise<void> }>(simulator: Simulator) {
  return { ...simulator, [Symbol.asyncDispose]: simulator.close }
}
