import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { readXJustiz } from '#formats/xjustiz.ts'
import { type BeaClient, logIn } from '#test/support/bea-client.ts'
import { beaInfos, sendBea } from '#test/support/bea-sending.ts'

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

const { lindner, landgericht } = safeIds
const files = [{ name: 'Klage.pdf', bytes: Buffer.from('%PDF-1.7 Klage') }]
const inboxOf = (safeId: string) => simulator.control.messages(safeId, 'INBOX')

describe('a court', () => {
  const receive = async () => {
    const seed = {
      from: landgericht,
      to: lindner,
      reference_justice: '3 O 1/26',
      reference_number: '0264/25',
      eeb_requested: true,
      xjustiz: true,
    }
    const [id = ''] = await simulator.control.seed(seed)
    return { id, message: inboxOf(lindner).find((it) => it.id === id) }
  }
  const answerOf = (change: object) =>
    beaInfos({
      receivers: [landgericht],
      xj: false,
      xj_version3: false,
      msg_text: '',
      is_eeb: true,
      is_eeb_response: true,
      ...change,
    })

  it('receives a pleading with its XJustiz record', async () => {
    await sendBea(
      session,
      lindner,
      beaInfos({
        receivers: [landgericht],
        aktz_sender: '0264/25',
        aktz_rcv: '3 O 1/26',
        attachments: ['Klage.pdf'],
      }),
      files,
    )

    const [arrived] = inboxOf(landgericht)
    const xml = simulator.control.attachment(arrived?.id ?? '', 'xjustiz_nachricht.xml')
    expect(readXJustiz(xml ?? Buffer.alloc(0))).toMatchObject({
      sender: { kind: 'other', name: 'Dr. Katharina Lindner' },
      sender_references: ['0264/25'],
      recipient_references: ['3 O 1/26'],
    })
  })

  it('requests a receipt in its XJustiz record, which names both references', async () => {
    const { id, message } = await receive()

    const xml = simulator.control.attachment(id, 'xjustiz_nachricht.xml')
    expect(message?.eebRequested).toBe(true)
    expect(xml?.toString()).toContain(
      `<tns:eigeneNachrichtenID>${message?.osciMessageId}</tns:eigeneNachrichtenID>`,
    )
    expect(readXJustiz(xml ?? Buffer.alloc(0))).toMatchObject({
      sender: { kind: 'court', code: 'D2601', name: 'Landgericht München I' },
      sender_references: ['3 O 1/26'],
      recipient_references: ['0264/25'],
    })
  })

  it('records a receipt with the day that the lawyer states', async () => {
    const { message } = await receive()

    await sendBea(
      session,
      lindner,
      answerOf({ eeb_accept: true, eeb_fremdid: message?.osciMessageId, eeb_date: '2026-03-09' }),
      [],
    )

    const [receipt] = inboxOf(landgericht)
    expect(receipt?.eeb).toEqual({
      accepted: true,
      foreignId: message?.osciMessageId,
      date: '2026-03-09',
      rejectCode: '',
      rejectReason: '',
    })
    const xml = simulator.control.attachment(receipt?.id ?? '', 'xjustiz_nachricht.xml')?.toString()
    expect(xml).toContain('nachricht.eeb.zuruecklaufend.2200007')
    expect(xml).toContain(`<tns:fremdeNachrichtenID>${message?.osciMessageId}</tns:fremdeNachrichtenID>`)
    expect(xml).toContain('2026-03-09')
  })

  it('records a refusal with its code and reason, also if it names the gateway’s id', async () => {
    const { id } = await receive()

    await sendBea(
      session,
      lindner,
      answerOf({ eeb_fremdid: id, eeb_reject_code: 'not_party', eeb_reject_grund: 'Kein Mandat' }),
      [],
    )

    expect(inboxOf(landgericht)[0]?.eeb).toMatchObject({
      accepted: false,
      foreignId: id,
      rejectCode: 'not_party',
      rejectReason: 'Kein Mandat',
    })
  })

  it('refuses a receipt that it did not request, and a receipt from or for somebody else', async () => {
    const { message } = await receive()
    const [plain] = await simulator.control.seed({ from: landgericht, to: lindner })
    const receipt = { eeb_accept: true, eeb_date: '2026-03-09', eeb_fremdid: message?.osciMessageId ?? '' }
    const init = (postboxSafeId: string, change: object) =>
      session.call('bea_init_message', { postboxSafeId, msg_infos: answerOf({ ...receipt, ...change }) })

    const refused = [
      await init(lindner, { eeb_fremdid: 'unbekannt' }),
      await init(lindner, { eeb_fremdid: plain }),
      await init(lindner, { receivers: [safeIds.amtsgericht] }),
      await init(safeIds.kanzlei, {}),
    ]
    const fine = await init(lindner, {})

    for (const answer of refused)
      expect(answer).toEqual({ error: expect.stringMatching(/was not requested/) })
    expect(fine.messageToken).toEqual(expect.any(String))
  })

  it('does not accept a refusal without a code', async () => {
    const { message } = await receive()

    const msg_infos = answerOf({ eeb_fremdid: message?.osciMessageId })
    const answer = await session.call('bea_init_message', { postboxSafeId: lindner, msg_infos })

    expect(answer).toEqual({ error: expect.stringMatching(/no code/) })
  })
})
