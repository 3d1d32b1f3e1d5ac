import { createDecipheriv, createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import type { Packaging } from '#bea-simulator/messages/postbox-message.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import type { WireAttachment, WireEncryptedObject, WireMessage } from '#bea-wire/wire.ts'
import { readXJustiz } from '#formats/xjustiz.ts'
import { type BeaClient, decryptGcm, logIn } from '#test/support/bea-client.ts'

/** This file reads messages as the description of the protocol says (section 3.5), without code of the simulator. */
let simulator: BeaSimulator
let session: BeaClient
beforeAll(async () => {
  simulator = await startBeaSimulator()
  session = await logIn(simulator, simulator.certificates.lindner)
})
afterAll(() => simulator.close())

const { lindner, landgericht } = safeIds
const base64 = (text: string) => Buffer.from(text, 'base64')

/** XML Encryption pads with arbitrary bytes; the last byte is their number. */
function decryptCbc(key: Buffer, iv: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-cbc', key, iv).setAutoPadding(false)
  const plain = Buffer.concat([decipher.update(data), decipher.final()])
  return plain.subarray(0, plain.length - (plain.at(-1) ?? 0))
}

function openObject({ enc_data, enc_iv, enc_tag, encKeyInfo }: WireEncryptedObject): string {
  const key = decryptGcm(session.sessionKey, encKeyInfo.encKey)
  if (enc_iv && enc_tag) return decryptGcm(key, { iv: enc_iv, tag: enc_tag, value: enc_data }).toString()
  const data = base64(enc_data)
  return decryptCbc(key, data.subarray(0, 16), data.subarray(16)).toString()
}

function openAttachment(keys: Map<string, Buffer>, attachment: WireAttachment): Buffer {
  const { reference, data, iv, tag, key, symEncAlgorithm } = attachment
  const found = keys.get(reference) ?? [...keys.values()][0] ?? base64(key ?? '')
  if (!symEncAlgorithm?.endsWith('#aes256-cbc'))
    return decryptGcm(found, { iv: iv ?? '', tag: tag ?? '', value: data })
  if (iv) return decryptCbc(found, base64(iv), base64(data))
  return decryptCbc(found, base64(data).subarray(0, 16), base64(data).subarray(16))
}

const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

function open(message: WireMessage) {
  const objects = new Map(message.encryptedObjects.map((it) => [it.enc_name, openObject(it)]))
  const container = objects.get('project_coco') ?? ''
  const encrypted = container.matchAll(/MgmtData[^>]*>([^<]+)<.*?URI="cid:([^"]*)"/g)
  const keys = new Map([...encrypted].map(([, key = '', name = '']) => [unescaped(name), base64(key)]))
  const contents = [...objects.values()].flatMap((xml) =>
    [...xml.matchAll(/Base64Content[^>]* Id="([^"]+)"[^>]*>([^<]+)</g)].map(
      ([, id = '', text = '']) => [id, base64(text).toString()] as const,
    ),
  )
  return {
    objects,
    contents: new Map(contents),
    keys,
    attachments: (message.attachments ?? []).map((it) => ({ it, bytes: openAttachment(keys, it) })),
  }
}

const folderOf = (type: string) => simulator.control.postbox(lindner).find((it) => it.type === type)
const overview = async (type: string) =>
  (await session.call('bea_get_folderoverview', { folderId: folderOf(type)?.id })).messages

describe('a seeded message', () => {
  it('decrypts to its original content, with all attachments', async () => {
    for (const { id, messages } of simulator.control.postbox(lindner)) {
      const { messages: entries } = await session.call('bea_get_folderoverview', { folderId: id })
      if (messages.length === 0) expect(entries).toBeNull()
      for (const [at, plain] of messages.entries()) {
        const message = await session.call('bea_get_message', { messageId: entries[at].messageId })
        const { contents, attachments } = open(message)

        const { subject, body, packaging } = plain
        if (packaging.text === 'beaMessage')
          expect(JSON.parse(contents.get('beaMessage.json') ?? '')).toEqual({
            messageSubject: subject,
            messageBody: body,
          })
        else if (packaging.text === 'none') expect(contents.size).toBe(0)
        else expect(unescaped(contents.get('nachricht.xml') ?? '')).toContain(`<Betreff>${subject}</Betreff>`)
        expect(attachments.map(({ it }) => it.reference)).toEqual(plain.attachments.map(({ name }) => name))
        for (const [position, { it, bytes }] of attachments.entries()) {
          const hash = createHash('sha256').update(bytes).digest('base64')
          expect([it.hashValue, plain.attachments[position]?.sha256]).toEqual([hash, hash])
          expect(bytes.subarray(0, 5).toString()).toMatch(
            it.reference.endsWith('.xml') ? /^<\?xml/ : /^%PDF-/,
          )
        }
      }
    }
  })

  it('exists in every format that the description names', async () => {
    const inbox = simulator.control.messages(lindner, 'INBOX')
    const has = (wanted: Partial<Packaging>) =>
      inbox.some(({ packaging }) =>
        Object.entries(wanted).every(([name, value]) => packaging[name as keyof Packaging] === value),
      )
    const names = inbox.flatMap(({ attachments }) => attachments.map(({ name }) => name))

    for (const cipher of ['gcm', 'cbc', 'cbc_iv'] as const) expect(has({ cipher })).toBe(true)
    for (const layout of ['direct', 'content'] as const)
      expect(has({ layout, showsSender: false })).toBe(true)
    for (const text of ['beaMessage', 'project_coco', 'govello_coco', 'none'] as const)
      expect(has({ text })).toBe(true)
    for (const keys of ['each', 'one', 'attachment'] as const) expect(has({ keys })).toBe(true)
    expect(inbox.filter(({ subject }) => subject === '')).toHaveLength(1)
    expect(inbox.filter(({ confidential }) => confidential)).toHaveLength(1)
    expect(inbox.filter(({ eebRequested }) => eebRequested)).toHaveLength(1)
    expect(inbox.filter(({ attachments }) => attachments.length === 0)).not.toEqual([])
    expect(names).toContain('Nachrichtentext.pdf')
    expect(names.filter((name) => !/^[\p{L}\d_.-]+$/u.test(name)).length).toBeGreaterThan(1)
    expect(folderOf('CUSTOM')?.messages).toHaveLength(1)
    expect(simulator.control.messages(lindner, 'SENT')[0]).toMatchObject({ egvpStatus: 'ERFOLGREICH' })
  })

  it('of a court names its sender only in its content, and an entry without a subject has empty members', async () => {
    const entries: { encSubject: object; sender: { safeId: string }; messageId: string }[] =
      await overview('INBOX')
    const hidden = entries.filter(({ sender }) => sender.safeId === '')
    const empty = entries.filter(
      ({ encSubject }) => JSON.stringify(encSubject) === '{"iv":"","tag":"","value":""}',
    )
    const infos = []
    for (const { messageId } of hidden)
      infos.push(open(await session.call('bea_get_message', { messageId })).contents.get('additional_infos'))

    expect(hidden).toHaveLength(3)
    expect(infos).toEqual(hidden.map(() => expect.stringMatching(/^user_id=DE\.Justiz\./m)))
    expect(empty).toHaveLength(2)
  })

  it('with a text that looks like a reference of XML has well-formed XML', async () => {
    const subject = 'F&E; ./. M & A <GmbH>'
    const [id = ''] = await simulator.control.seed({
      to: lindner,
      from: landgericht,
      folder: 'TRASH',
      subject,
      reference_number: 'F&E;1',
      xjustiz: true,
      packaging: { text: 'project_coco' },
    })
    // Act
    const { contents } = open(await session.call('bea_get_message', { messageId: id }))
    const record = readXJustiz(simulator.control.attachment(id, 'xjustiz_nachricht.xml') ?? Buffer.of())
    // Assess
    expect(contents.get('nachricht.xml')).toContain('<Betreff>F&amp;E; ./. M &amp; A &lt;GmbH&gt;</Betreff>')
    expect(record?.sender_references).toEqual(['F&E;1'])
  })

  it('without attachments has null, and several attachments may have the same key', async () => {
    const entries: { messageId: string }[] = await overview('INBOX')
    const messages = []
    for (const { messageId } of entries) messages.push(await session.call('bea_get_message', { messageId }))

    expect(messages.some(({ attachments }) => attachments === null)).toBe(true)
    expect(messages.some((it) => open(it).keys.size === 1 && it.attachments.length > 2)).toBe(true)
    expect(messages.some((it) => open(it).keys.size === 0 && it.attachments?.[0]?.key !== '')).toBe(true)
  })

  it('is the same after every first start', async () => {
    const clock = () => new Date('2026-03-09T10:00:00Z')
    const one = await startBeaSimulator({ seed: 'one', clock })
    const other = await startBeaSimulator({ seed: 'another', clock })
    const shape = (it: BeaSimulator) =>
      it.control
        .messages(lindner, 'INBOX')
        .map(({ subject, osciMessageId, attachments }) => ({ subject, osciMessageId, attachments }))
    const shapes = [shape(one), shape(other)]
    await Promise.all([one.close(), other.close()])

    expect(shapes[0]).toEqual(shapes[1])
  })
})

describe('many seeded messages', () => {
  it('have files of the requested size, all different', async () => {
    const ids = await simulator.control.seed({
      from: landgericht,
      to: safeIds.kanzlei,
      subject: 'Masse',
      count: 120,
      attachments: [
        { name: 'a.pdf', size_bytes: 30_000 },
        { name: 'b.pdf', size_bytes: 30_000 },
      ],
    })

    const seeded = simulator.control
      .messages(safeIds.kanzlei, 'INBOX')
      .filter(({ subject }) => subject.startsWith('Masse '))
    const files = seeded.flatMap(({ attachments }) => attachments)
    expect(ids).toHaveLength(120)
    expect(seeded.map(({ id }) => id)).toEqual(ids)
    expect(new Set(files.map(({ sizeBytes }) => sizeBytes))).toEqual(new Set([30_000]))
    expect(new Set(files.map(({ sha256 }) => sha256)).size).toBe(240)
  })
})
