import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { beaGateway } from '#bea-gateway/gateway.ts'
import { keptLog, type Script, scriptedGateway, shownError } from './scripted-gateway.ts'
import {
  base64,
  beaMessage,
  cbc,
  content,
  enc,
  gcm,
  object,
  projectCoco,
  sessionKey,
  sha256,
} from './sealed.ts'

const postbox = 'DE.BRAK.aaaaaaaa-0000-4000-8000-000000000001.0a1b'
const court = 'DE.Justiz.bbbbbbbb-0000-4000-8000-000000000002.0c2d'
const session = { token: 't-0', session_key: base64(sessionKey), safe_id: postbox }
const signal = new AbortController().signal

/** Runs a test against a gateway that gives these answers, by the name of the function. */
async function withAnswers(
  answers: Record<string, object>,
  test: (
    connection: ReturnType<ReturnType<typeof beaGateway>['connect']>,
    log: ReturnType<typeof keptLog>,
  ) => Promise<void>,
  options: Partial<Parameters<typeof beaGateway>[0]> = {},
): Promise<void> {
  const script: Script = ({ name }) => answers[name] ?? { error: 'unknown function' }
  await using server = await scriptedGateway(script)
  const log = keptLog()
  const gateway = beaGateway({ url: server.url, ident: 'i', loginVersion: 2, log, ...options })
  await test(gateway.connect(session), log)
}

const metaData = {
  receptionTime: '2026-03-09T08:15:00+01:00',
  zugegangen: '2026-03-09T08:15:01.123456+01:00',
  created: '09.03.2026 08:14:59',
  sender: { safeId: court, name: 'Amtsgericht Leipzig' },
  addressees: [{ safeId: postbox, firstname: 'Änne', surname: 'Müller', city: 'Köln' }],
  subject: enc('Ladung, 3 O 45/26'),
  referenceNumber: '12/26',
  referenceJustice: '3 O 45/26',
  confidential: false,
  eebAngefordert: false,
}

const pdfKey = randomBytes(32)
const xmlKey = randomBytes(32)
const pdf = Buffer.from('%PDF-1.7 Ladung\n')

const xjustiz =
  '<n:nachricht.gds.uebermittlungSchriftgutobjekte.0005005 xmlns:n="http://www.xjustiz.de"><n:nachrichtenkopf>' +
  '<n:absender><n:eigeneNachrichtenID>4711-abc</n:eigeneNachrichtenID></n:absender></n:nachrichtenkopf>' +
  '<n:schriftgutobjekte><n:ruecksendungEEB.erforderlich>true</n:ruecksendungEEB.erforderlich></n:schriftgutobjekte>' +
  '</n:nachricht.gds.uebermittlungSchriftgutobjekte.0005005>'

/** A message in the current format. `changes` replaces members. */
const answer = (changes: object = {}) => ({
  token: 't-1',
  messageId: 70001,
  osciMessageId: 'govapp_1',
  symEncAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  metaData,
  encryptedObjects: [
    object(
      'project_coco',
      projectCoco([
        { name: 'Ladung.pdf', key: pdfKey },
        { name: 'xjustiz_nachricht.xml', key: xmlKey },
      ]),
    ),
    object('beaMessage.json', beaMessage({ messageSubject: 'Innen', messageBody: 'Grüße\nvom Gericht' })),
  ],
  attachments: [
    {
      reference: 'Ladung.pdf',
      ...gcm(pdf, pdfKey),
      key: '',
      type: 'SCHRIFTSATZ',
      sizeKB: 0,
      hashValue: sha256(pdf),
    },
    { reference: 'xjustiz_nachricht.xml', ...gcm(xjustiz, xmlKey), key: '', type: 30 },
  ],
  ...changes,
})

const read = async (changes: object, options?: Parameters<typeof withAnswers>[2]) => {
  let result: { message: Awaited<ReturnType<typeof readOne>>; warnings: string[] } | undefined
  await withAnswers(
    { bea_get_message: answer(changes) },
    async (connection, log) => {
      const message = await readOne(connection)
      result = { message, warnings: log.lines.map((line) => line.message) }
    },
    options,
  )
  if (result === undefined) throw new Error('Nothing was read.')
  return { ...result.message, warnings: result.warnings }
}

const readOne = async (connection: ReturnType<ReturnType<typeof beaGateway>['connect']>) => {
  const { attachments, ...message } = await connection.message(postbox, '70001', signal)
  const contents: [string, string | null, string][] = []
  for (const { filename, type, read: open } of attachments)
    contents.push([filename, type, Buffer.from(await open()).toString('utf8')])
  return { message, contents }
}

const gatewayError = expect.objectContaining({ kind: 'upstream', code: 'BEA_GATEWAY_ERROR' })

describe('a message', () => {
  it('in the current format is decrypted completely', async () => {
    const { message, contents, warnings } = await read({})

    expect(message).toEqual({
      message_id: '70001',
      osci_message_id: 'govapp_1',
      subject: 'Ladung, 3 O 45/26',
      body: 'Grüße\nvom Gericht',
      sender: { safe_id: court, name: 'Amtsgericht Leipzig', firm: null, city: null, is_active: null },
      recipients: [{ safe_id: postbox, name: 'Änne Müller', firm: null, city: 'Köln', is_active: null }],
      received_at: '2026-03-09T07:15:00.000Z',
      sent_at: '2026-03-09T07:14:59.000Z',
      delivered_at: '2026-03-09T07:15:01.123Z',
      delivery_status: null,
      reference_sender: '12/26',
      reference_recipient: '3 O 45/26',
      is_confidential: false,
      is_eeb_requested: true,
      xjustiz_id: '4711-abc',
      proof_of_origin: null,
    })
    expect(contents).toEqual([
      ['Ladung.pdf', 'SCHRIFTSATZ', pdf.toString()],
      ['xjustiz_nachricht.xml', '30', xjustiz],
    ])
    expect(warnings).toEqual([])
  })

  it.each([
    'direct',
    'below',
  ] as const)('in an older format is decrypted: CBC, contents in the layout `%s`', async (layout) => {
    const record =
      '<Nachricht><Betreff>Alt &amp; gut</Betreff><Freitext>Sehr geehrte</Freitext>' +
      '<Aktenzeichen_Absender>1 C 2/26</Aktenzeichen_Absender><Aktenzeichen_Empfaenger>12/26</Aktenzeichen_Empfaenger></Nachricht>'
    const infos = `transport=osci\r\nuser_id=${court}\r\nx=y`
    const contents = content('nachricht.xml', record, layout) + content('additional_infos', infos, layout)
    const first = cbc(pdf, pdfKey)
    const second = cbc('zweite', pdfKey)
    const { message, contents: attachments } = await read({
      metaData: {
        ...metaData,
        subject: { iv: '', tag: '', value: '' },
        sender: { name: 'AG' },
        referenceNumber: '',
        referenceJustice: null,
      },
      encryptedObjects: [
        object('govello_coco', projectCoco([], contents), 'cbc'),
        // One key for two names: it is the key of both.
        object(
          'project_coco',
          projectCoco([
            { name: 'a.pdf', key: pdfKey },
            { name: 'b%C3%A4.pdf', key: null },
          ]),
          'cbc',
        ),
      ],
      attachments: [
        {
          reference: 'a.pdf',
          iv: '',
          tag: '',
          data: base64(Buffer.concat([first.iv, first.data])),
          key: null,
        },
        {
          reference: 'bä.pdf',
          iv: base64(second.iv),
          tag: '',
          data: base64(second.data),
          key: null,
        },
      ],
      symEncAlgorithm: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
    })

    expect(message).toMatchObject({
      subject: 'Alt & gut',
      body: 'Sehr geehrte',
      sender: { safe_id: court, name: 'AG' },
      reference_sender: '1 C 2/26',
      reference_recipient: '12/26',
      is_eeb_requested: false,
      xjustiz_id: null,
    })
    expect(attachments).toEqual([
      ['a.pdf', null, pdf.toString()],
      ['bä.pdf', null, 'zweite'],
    ])
  })

  it('with fewer keys than names uses the first key for all of them', async () => {
    const names = ['a.txt', 'b.txt', 'c.txt']
    const keys = [pdfKey, xmlKey, null]
    const { contents } = await read({
      encryptedObjects: [
        object('project_coco', projectCoco(names.map((name, at) => ({ name, key: keys[at] ?? null })))),
      ],
      attachments: names.map((name) => ({ reference: name, ...gcm(name, pdfKey), key: base64(xmlKey) })),
    })

    expect(contents.map(([, , text]) => text)).toEqual(names)
  })

  it('with equal or differently written names uses the right key for each', async () => {
    const files = [
      { name: 'Anlage.pdf', text: 'eins', key: randomBytes(32) },
      { name: 'Anlage.pdf', text: 'zwei', key: randomBytes(32) },
      { name: 'c\r\nd.pdf', text: 'fünf', key: randomBytes(32) },
      { name: 'a b.pdf', text: 'drei', key: randomBytes(32) },
      { name: 'a%20b.pdf', text: 'vier', key: randomBytes(32) },
    ]
    const listed = files.map(({ name, key }) => ({ name, key }))
    const { contents } = await read({
      encryptedObjects: [
        object('project_coco', projectCoco([...listed.slice(0, 2), ...listed.slice(2).toReversed()])),
      ],
      attachments: files.map(({ name, text, key }) => ({ reference: name, ...gcm(text, key), key: '' })),
    })

    expect(contents.map(([, , text]) => text)).toEqual(files.map(({ text }) => text))
  })

  it('with half a surrogate pair in a text is read with U+FFFD, since the table refuses such texts', async () => {
    const { message } = await read({
      metaData: { ...metaData, subject: null, referenceJustice: `${'x'.repeat(5_000)}\ud800` },
      encryptedObjects: [
        object(
          'beaMessage.json',
          beaMessage({ messageSubject: 'Ladung \ud83d', messageBody: '\udc00 Text' }),
        ),
      ],
      attachments: [],
    })

    expect([message.subject, message.body]).toEqual(['Ladung \ufffd', '\ufffd Text'])
    expect(message.reference_recipient?.endsWith('x\ufffd')).toBe(true)
  })

  it('without a container uses the key in the attachment', async () => {
    const own = cbc('eigen', xmlKey)
    const { contents, message } = await read({
      encryptedObjects: [],
      attachments: [
        {
          reference: 'x.txt',
          iv: null,
          tag: null,
          data: base64(Buffer.concat([own.iv, own.data])),
          key: base64(xmlKey),
        },
      ],
    })

    expect(contents).toEqual([['x.txt', null, 'eigen']])
    expect(message.body).toBe('')
  })

  it('without attachments has none', async () => {
    const { contents } = await read({ encryptedObjects: [], attachments: null })

    expect(contents).toEqual([])
  })

  it('keeps its proof of origin unchanged, whatever its form and length', async () => {
    const proof = { vhn: [{ name: 'vhn.xml', data: 'Ä'.repeat(9_000) }] }
    const { message } = await read({ vhn2attachments: proof })

    expect(JSON.parse(message.proof_of_origin ?? '')).toEqual(proof)
  })

  it('with a digest that does not match is read, with a warning', async () => {
    const { contents, warnings } = await read({
      encryptedObjects: [],
      attachments: [
        {
          reference: 'x.txt',
          ...gcm(pdf, pdfKey),
          key: base64(pdfKey),
          hashValue: sha256(Buffer.from('other')),
        },
      ],
    })

    expect(contents).toEqual([['x.txt', null, pdf.toString()]])
    expect(warnings).toEqual(['The digest of an attachment in a beA message does not fit.'])
  })

  it.each([
    ['by its digest', { data: '', tag: '', hashValue: sha256(Buffer.alloc(0)) }],
    [
      'by its digest, without a member for its contents',
      { data: null, tag: null, hashValue: sha256(Buffer.alloc(0)) },
    ],
    ['by its empty contents', { data: '', tag: null }],
  ])('with an empty file is read; the file is recognised %s', async (_, members) => {
    const { contents } = await read({
      encryptedObjects: [],
      attachments: [{ reference: 'leer.txt', iv: '', key: base64(pdfKey), ...members }],
    })
    expect(contents).toEqual([['leer.txt', null, '']])
  })

  it('with a broken XJustiz record is read, with a warning', async () => {
    const { contents, warnings } = await read({
      encryptedObjects: [],
      attachments: [
        { reference: 'xjustiz_nachricht.xml', ...gcm('<a><b></a>', xmlKey), key: base64(xmlKey) },
      ],
    })

    expect(contents).toEqual([['xjustiz_nachricht.xml', null, '<a><b></a>']])
    expect(warnings).toEqual(['The XJustiz record of a beA message cannot be read.'])
  })

  const secret = /Ladung|Gericht|t-[01]\b|Müller|geheim/
  const changedKey = { ...gcm(pdf, randomBytes(32)) }
  it.each([
    ['another id', { messageId: 70002 }],
    ['no metaData', { metaData: null }],
    ['another postbox as its recipient', { metaData: { ...metaData, addressees: [{ safeId: court }] } }],
    ['a subject that does not decrypt', { metaData: { ...metaData, subject: enc('x', randomBytes(32)) } }],
    ['a tag that is too short', { metaData: { ...metaData, subject: { ...enc('x'), tag: 'AAAAAAAA' } } }],
    [
      'an object that does not decrypt',
      { encryptedObjects: [{ ...object('project_coco', '<a/>'), enc_data: base64('changed') }] },
    ],
    [
      'an object key of another length',
      { encryptedObjects: [{ ...object('x', 'y'), encKeyInfo: { encKey: enc('short') } }] },
    ],
    [
      'texts that are not JSON',
      {
        attachments: [],
        encryptedObjects: [
          object('beaMessage.json', projectCoco([], content('', '{"messageBody":"geheim"'))),
        ],
      },
    ],
    [
      'a long text with a broken escape',
      {
        attachments: [],
        encryptedObjects: [{ ...object('x', 'y'), enc_data: `geheim${'x'.repeat(5_000)}` }],
      },
    ],
    ['XML that is not well-formed', { encryptedObjects: [object('project_coco', '<a><b></a>')] }],
    [
      'XML with a document type',
      { encryptedObjects: [object('project_coco', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')] },
    ],
    ['an attachment that is missing', { attachments: [] }],
    [
      'an attachment without contents',
      { attachments: [{ ...answer().attachments[0], data: null, tag: null }, answer().attachments[1]] },
    ],
    [
      'an attachment that another key encrypts',
      { attachments: [{ reference: 'Ladung.pdf', ...changedKey }, answer().attachments[1]] },
    ],
    [
      'an attachment without a name',
      { encryptedObjects: [], attachments: [{ ...changedKey, key: base64(pdfKey) }] },
    ],
    ['attachments that are not a list', { attachments: 'two' }],
    [
      'contents that are not base64',
      {
        encryptedObjects: [],
        attachments: [{ reference: 'a', iv: '', tag: '', data: '?'.repeat(9_000), key: base64(pdfKey) }],
      },
    ],
    [
      'a padding that is impossible',
      {
        encryptedObjects: [],
        attachments: [
          { reference: 'a', iv: '', tag: '', data: base64(randomBytes(33)), key: base64(pdfKey) },
        ],
      },
    ],
  ])('with %s is refused: 502, and none of its content is in the log', async (_, changes) => {
    await withAnswers({ bea_get_message: answer(changes) }, async (connection, log) => {
      const error = await readOne(connection).catch((thrown: unknown) => thrown)

      expect(error).toEqual(gatewayError)
      expect(shownError(error)).not.toMatch(secret)

      expect(log.lines).toHaveLength(1)
      expect(log.lines[0]).toMatchObject({
        level: 'error',
        fields: { function: 'bea_get_message', kind: 'unreadable' },
      })
      expect(JSON.stringify(log.lines)).not.toMatch(secret)
    })
  })
})

describe('the overview of a folder', () => {
  const entry = {
    messageId: '1',
    encSubject: enc('Ladung'),
    sender: { safeId: court, surname: 'Gericht' },
    addressees: [{ safeId: postbox }],
    zugegangen: '2026-03-09T08:15:00Z',
    sent: '2026-03-09 08:14:00',
    received: 'gestern',
    egvpStatus: 3,
    referenceNumber: 'A',
    referenceNumberJustice: 'B',
    confidential: 'true',
    folderId: '501',
  }
  const overviewOf = async (messages: unknown, options?: Parameters<typeof withAnswers>[2]) => {
    let found: unknown
    await withAnswers(
      { bea_get_folderoverview: { messages } },
      async (connection) => {
        found = await connection.overview('501', signal)
      },
      options,
    )
    return found
  }

  it('gives its entries, with null for fields that are missing or cannot be read', async () => {
    const bare = { messageId: 2, encSubject: null, sender: null, addressees: null, folderId: 501 }

    expect(await overviewOf([entry, bare])).toEqual([
      {
        message_id: '1',
        subject: 'Ladung',
        sender: { safe_id: court, name: 'Gericht', firm: null, city: null, is_active: null },
        recipients: [{ safe_id: postbox, name: null, firm: null, city: null, is_active: null }],
        received_at: '2026-03-09T08:15:00.000Z',
        sent_at: '2026-03-09T07:14:00.000Z',
        delivered_at: '2026-03-09T08:15:00.000Z',
        delivery_status: '3',
        reference_sender: 'A',
        reference_recipient: 'B',
        is_confidential: true,
      },
      {
        message_id: '2',
        subject: null,
        sender: null,
        recipients: [],
        received_at: null,
        sent_at: null,
        delivered_at: null,
        delivery_status: null,
        reference_sender: null,
        reference_recipient: null,
        is_confidential: false,
      },
    ])
    expect(await overviewOf(null)).toEqual([])
  })

  it('gives an entry without its subject if that does not decrypt, so that it does not block others', async () => {
    const broken = { ...entry, messageId: '3', encSubject: enc('x', randomBytes(32)) }
    await withAnswers({ bea_get_folderoverview: { messages: [broken, entry] } }, async (connection, log) => {
      const found = await connection.overview('501', signal)

      expect(found.map(({ message_id, subject }) => [message_id, subject])).toEqual([
        ['3', null],
        ['1', 'Ladung'],
      ])
      expect(log.lines).toMatchObject([{ level: 'warn', fields: { message_id: '3' } }])
    })
  })

  it('gives an entry without an id as such, so that it does not block others, and logs it', async () => {
    const nameless = { ...entry, messageId: null }
    await withAnswers(
      { bea_get_folderoverview: { messages: [nameless, entry] } },
      async (connection, log) => {
        const found = await connection.overview('501', signal)

        expect(found.map(({ message_id, subject }) => [message_id, subject])).toEqual([
          [null, 'Ladung'],
          ['1', 'Ladung'],
        ])
        expect(log.lines).toMatchObject([{ level: 'error', fields: { folder_id: '501' } }])
      },
    )
  })

  it.each([
    ['of another folder', { ...entry, messageId: '3', folderId: '502' }],
    ['with a very long id', { ...entry, messageId: '3'.repeat(600_000) }],
    ['that is null', null],
    ['that is a text', 'kaputt'],
    ['that is a list', [entry]],
  ])('gives an entry %s as an entry without an id, so that it does not block others', async (_, odd) => {
    await withAnswers({ bea_get_folderoverview: { messages: [odd, entry] } }, async (connection) => {
      const found = await connection.overview('501', signal)
      expect(found.map(({ message_id }) => message_id)).toEqual([null, '1'])
    })
  })

  it('reads a single recipient as a list of one', async () => {
    expect(await overviewOf([{ ...entry, addressees: { safeId: postbox } }])).toMatchObject([
      { recipients: [{ safe_id: postbox }] },
    ])
  })

  it('reads times without an offset in the time zone that is set', async () => {
    expect(await overviewOf([entry], { timeZone: 'UTC' })).toMatchObject([
      { sent_at: '2026-03-09T08:14:00.000Z' },
    ])
  })

  it.each([
    ['of another folder', [{ ...entry, folderId: '502' }]],
    ['that are not a list', { 0: entry }],
    ['that are missing', undefined],
  ])('with entries %s is refused', async (_, messages) => {
    await expect(overviewOf(messages)).rejects.toEqual(gatewayError)
  })
})

describe('postboxes and folders', () => {
  const folder = {
    id: 501,
    type: 'INBOX',
    postboxSafeId: postbox,
    name: 'Posteingang',
    unreadMessageCount: 3,
  }
  const custom = { id: '9', type: 'CUSTOM', parentId: 501, name: 'Importiert' }
  const shown = [
    { id: '501', parent_id: null, name: 'Posteingang', type: 'INBOX', unread: 3 },
    { id: '9', parent_id: '501', name: 'Importiert', type: 'CUSTOM', unread: null },
  ]
  const postboxes = [{ postboxSafeId: postbox, folder: [folder, custom] }]

  it.each([
    'folder',
    'folders',
    'folderstructure',
  ])('reads the structure of folders from the member %s', async (name) => {
    await withAnswers({ bea_get_folderstructure: { [name]: [folder, custom] } }, async (connection) => {
      expect(await connection.folders(postbox, signal)).toEqual(shown)
    })
  })

  it('falls back to the folders of the postboxes', async () => {
    await withAnswers(
      { bea_get_folderstructure: { token: 'x' }, bea_get_postboxes: { postboxes } },
      async (connection) => {
        expect(await connection.folders(postbox.toUpperCase(), signal)).toEqual(shown)
      },
    )
  })

  it.each([
    ['without an id', { ...folder, id: undefined }],
    ['with an id that is an object', { ...folder, id: { value: 501 } }],
    ['with a very long id', { ...folder, id: '5'.repeat(600) }],
    ['of another postbox', { ...folder, postboxSafeId: court }],
    ['that is a text', 'INBOX'],
    ['that is null', null],
    ['that is a list', [folder]],
  ])('keeps the other folders if there is an entry %s', async (_, odd) => {
    await withAnswers({ bea_get_folderstructure: { folder: [folder, odd, custom] } }, async (connection) => {
      expect(await connection.folders(postbox, signal)).toEqual([shown[0], null, shown[1]])
    })
  })

  it('refuses folders of another postbox, and postboxes of another login', async () => {
    const foreign = [{ ...folder, postboxSafeId: court }]
    const others = [{ postboxSafeId: court, folder: [] }]
    const answers = { bea_get_folderstructure: { folder: foreign }, bea_get_postboxes: { postboxes: others } }
    await withAnswers(answers, async (connection) => {
      await expect(connection.folders(postbox, signal)).rejects.toEqual(gatewayError)
      await expect(connection.postboxes(signal)).rejects.toEqual(gatewayError)
    })
  })
})
