import { describe, expect, it } from 'vitest'
import { draftFiles } from '#bea/drafts/draft-files.ts'
import type { DueSend } from '#bea/drafts/draft-ports.ts'
import { handOverUnknownSends } from '#bea/sending/due-sends.ts'
import { unknownLogLine } from '#bea/sending/log-lines.ts'
import { beaSending } from '#bea/sending/sending.ts'
import { Failure } from '#kernel/failure.ts'
import { accepted, actor, court, sendingSetup, unknown, workspace_id } from './sending-setup.ts'

/** The sending of a beA message (B7), with a store and a network in memory. */

const gatewayError = () => {
  throw new Failure('upstream', 'BEA_GATEWAY_ERROR', 'The beA gateway did not answer.')
}

describe('a draft that is sent', () => {
  it('reaches the network once, is imported, and has one entry in the timeline of its case', async () => {
    const { id, run, read, network, timeline, imported } = await accepted()

    await run(id)
    await run(id)

    expect(await read()).toMatchObject({ status: 'sent', error: null, message_id: imported.get('m-1') })
    expect(network.sends).toBe(1)
    expect(timeline.map(({ entry }) => [entry.type, entry.summary])).toEqual([
      ['bea.sent', 'beA-Nachricht an Landgericht gesendet: „Klage Meier ./. Schulze“'],
    ])
  })

  it('is sent with the content that it had when it was accepted, and its first file is the pleading', async () => {
    const { id, run, network } = await accepted()

    await run(id)

    expect(network.taken[0]).toMatchObject({
      subject: 'Klage Meier ./. Schulze',
      body: 'Anbei die Klage.',
      reference_sender: '0001/26',
      attachments: [{ filename: 'Klage.pdf', type: 'SCHRIFTSATZ' }, { filename: 'xjustiz_nachricht.xml' }],
    })
  })

  it('is sent once, even if twenty workers try at once', async () => {
    const { id, run, network, read } = await accepted()

    await Promise.all(Array.from({ length: 20 }, () => run(id)))

    expect(network.sends).toBe(1)
    expect((await read()).status).toBe('sent')
  })

  it('is accepted once, even if twenty requests send it at once', async () => {
    const setup = sendingSetup()
    const draft = await setup.aDraft()

    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => setup.service.send(actor, draft.id, { rename: null })),
    )

    const refusals = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    expect(refusals).toEqual(Array(19).fill('DRAFT_ALREADY_SENT'))
  })

  it('can be neither changed, sent, deleted nor resolved while it is being sent or once it is sent', async () => {
    const { id, run, service, draft, sendAgain } = await accepted()
    const input = { ...draft, reference_sender: null, reference_recipient: null, case_id: null }
    const all = () =>
      Promise.all(
        [
          sendAgain(),
          service.save(actor, id, input, () => {}),
          service.remove(actor, id, () => {}),
          service.resolve(actor, id, { outcome: 'not_sent' }),
        ].map((call) => call.then(String, ({ code }) => code)),
      )
    const refused = ['DRAFT_ALREADY_SENT', 'DRAFT_ALREADY_SENT', 'DRAFT_ALREADY_SENT', 'DRAFT_NOT_UNKNOWN']

    expect(await all()).toEqual(refused)
    await run(id)
    expect(await all()).toEqual(refused)
  })

  it('is imported later if the first import fails', async () => {
    const { id, run, read, state, records, wait, network } = await accepted()
    state.canImport = false
    await run(id)
    const before = await read()
    state.canImport = true
    wait(2)

    await run(id)

    expect(before).toMatchObject({ status: 'sent', message_id: null })
    expect((await read()).message_id).toMatch(/^bea_msg_/)
    expect(records.get(id)?.due_at).toBeNull()
    expect(network.sends).toBe(1)
  })
})

describe('a sent draft whose last answer named another message', () => {
  it('is linked to its own message, which is found by its content', async () => {
    const { id, run, read, network, imported, records, taken } = await accepted()
    network.at.answer = () => 'somebody-elses'

    await run(id)

    expect(await read()).toMatchObject({ status: 'sent', message_id: imported.get('m-1') })
    expect(records.get(id)?.send?.remote_id).toBe('m-1')
    // The other message is free for the draft that it belongs to.
    expect([...taken]).toEqual([['m-1', id]])
  })

  it('has no message while the network cannot be read, and finds it later', async () => {
    const { id, run, read, network, wait } = await accepted()
    network.at.answer = () => 'somebody-elses'
    network.at.read = gatewayError
    await run(id)
    const before = await read()
    network.at = {}
    wait(2)

    await run(id)

    expect(before).toMatchObject({ status: 'sent', message_id: null })
    expect((await read()).message_id).toMatch(/^bea_msg_/)
    expect(network.sends).toBe(1)
  })
})

describe('a send of a message that was certainly not sent', () => {
  it.each([
    'begin',
    'last',
  ] as const)('is `failed` at the step `%s`, says why, and may be repeated', async (step) => {
    const { id, run, read, network, sendAgain } = await accepted()
    network.at[step] = gatewayError
    await run(id)
    const failed = await read()
    network.at = {}

    await sendAgain()
    await run(id)

    expect(failed).toMatchObject({
      status: 'failed',
      error: 'BEA_GATEWAY_ERROR: The beA gateway did not answer.',
    })
    expect(await read()).toMatchObject({ status: 'sent', error: null })
    expect(network.sends).toBe(1)
  })

  it('is `failed` if a document was deleted or damaged after the send was accepted', async () => {
    for (const spoil of [
      (objects: Map<string, Uint8Array>, key: string) => objects.delete(key),
      (objects: Map<string, Uint8Array>, key: string) => objects.set(key, new Uint8Array([1])),
    ]) {
      const { id, run, read, files, network } = await accepted()
      const [key] = [...files.objects.keys()].filter((one) => one.startsWith('files/'))
      spoil(files.objects, key as string)

      await run(id)

      expect(await read()).toMatchObject({ status: 'failed', error: expect.stringContaining('Klage.pdf') })
      expect(network.sends).toBe(0)
    }
  })

  it('is logged with its draft and a code, without the name of the file that is gone', async () => {
    const { id, workerDeps, files } = await accepted()
    const lines: object[] = []
    const write = (message: string, fields: object) => void lines.push({ message, ...fields })
    const worker = beaSending({ ...workerDeps, log: { info: write, warn: write, error: write } })
    for (const key of files.objects.keys()) if (key.startsWith('files/')) files.objects.delete(key)

    await worker.run({ workspace_id, draft_id: id }, new AbortController().signal)

    expect(lines).toMatchObject([{ message: 'beA message not sent', draft_id: id, code: 'FileGone' }])
    expect(JSON.stringify(lines)).not.toContain('Klage')
  })

  it('is retried if a file exists but cannot be read now', async () => {
    const { id, run, read, files, network } = await accepted()
    const reading = files.read
    files.read = async (key) => {
      if (key.startsWith('files/')) throw new Error('S3: 500 InternalError')
      return reading(key)
    }
    const first = await run(id).then(String, ({ message }) => message)
    const meanwhile = (await read()).status
    files.read = reading

    await run(id)

    expect([first, meanwhile]).toEqual(['S3: 500 InternalError', 'sending'])
    expect((await read()).status).toBe('sent')
    expect(network.sends).toBe(1)
  })

  it('is retried by the queue if the service itself was not available', async () => {
    const { id, run, read, network } = await accepted()
    network.at.begin = () => {
      throw new Failure('unavailable', 'SERVICE_UNAVAILABLE', 'Busy.')
    }
    const first = await run(id).then(String, ({ code }) => code)
    network.at = {}

    await run(id)

    expect(first).toBe('SERVICE_UNAVAILABLE')
    expect((await read()).status).toBe('sent')
    expect(network.sends).toBe(1)
  })

  it('leaves a draft that can be changed and then has the status `draft` again', async () => {
    const { id, run, read, network, service, draft } = await accepted()
    network.at.begin = gatewayError
    await run(id)

    const saved = await service.save(actor, id, { ...draft, subject: 'Berufung' } as never, () => {})

    expect(saved).toMatchObject({ status: 'draft', subject: 'Berufung', error: null })
    expect((await read()).status).toBe('draft')
  })
})

describe('a worker that dies or is slow', () => {
  it('before the last step has sent nothing: the next worker sends once the lease has ended', async () => {
    const { id, run, network, read, records, wait } = await accepted()
    network.at.begin = () => new Promise(() => {})
    void run(id)
    await expect.poll(() => records.get(id)?.state).toBe('preparing')
    network.at = {}

    await run(id)
    const tooEarly = (await read()).status
    wait(1)
    await run(id)

    expect(tooEarly).toBe('sending')
    expect((await read()).status).toBe('sent')
    expect(network.sends).toBe(1)
  })

  it('after it stored `confirming` leaves the outcome unknown, and nobody sends again', async () => {
    const { id, run, network, read, records, wait, sendAgain } = await accepted()
    network.at.last = () => new Promise(() => {})
    void run(id)
    await expect.poll(() => records.get(id)?.state).toBe('confirming')
    network.at = {}
    wait(1)

    await run(id)

    expect(await read()).toMatchObject({ status: 'unknown', error: expect.stringContaining('lost') })
    expect(await sendAgain().catch(({ code }) => code)).toBe('DRAFT_ALREADY_SENT')
    expect(network.sends).toBe(0)
  })

  it('sends nothing once another worker has taken over', async () => {
    const { id, run, network, records, wait } = await accepted()
    let goOn = () => {}
    network.at.begin = () =>
      new Promise<void>((resolve) => {
        goOn = resolve
      })
    const slow = run(id).catch((error: Error) => error.name)
    await expect.poll(() => records.get(id)?.state).toBe('preparing')
    network.at = {}
    wait(1)
    await run(id)

    goOn()

    expect(await slow).toBe('LeaseLost')
    expect(network.sends).toBe(1)
  })
})

describe('a send whose answer is lost', () => {
  it('is `unknown`, raises an alarm, and is searched for after a minute', async () => {
    const { read, log, records, id, clock } = await unknown({ isTaken: true })

    expect(await read()).toMatchObject({ status: 'unknown', message_id: null })
    const workspace_id = records.get(id)?.workspace_id
    expect(log).toContainEqual({ level: 'error', message: unknownLogLine, workspace_id })
    expect(Date.parse(records.get(id)?.due_at ?? '') - clock.now().getTime()).toBe(60_000)
  })

  it('is `sent` once its message is found: it is imported, with one entry in the timeline', async () => {
    const { id, run, read, network, timeline, wait } = await unknown({ isTaken: true })
    wait(1)

    await run(id)

    expect(await read()).toMatchObject({
      status: 'sent',
      error: null,
      message_id: expect.stringMatching(/^bea_msg_/),
    })
    expect(network.sends).toBe(1)
    expect(timeline).toHaveLength(1)
  })

  it('is `failed` only after two searches without a similar message, ten minutes after the last call', async () => {
    const { id, run, read, wait } = await unknown({ isTaken: false })
    const seen: string[] = []
    for (const minutes of [1, 3, 5, 2]) {
      wait(minutes)
      await run(id)
      seen.push((await read()).status)
    }

    expect(seen).toEqual(['unknown', 'unknown', 'unknown', 'failed'])
  })

  it('stays `unknown` while the network does not answer, however long', async () => {
    const { id, run, read, network, wait, records } = await unknown({ isTaken: false })
    network.at.read = gatewayError
    for (let round = 0; round < 10; round += 1) {
      wait(15)
      await run(id)
    }

    expect((await read()).status).toBe('unknown')
    expect(records.get(id)?.due_at).not.toBeNull()
  })

  it('is handed over by the next synchronisation of its account, and by no other', async () => {
    const { store, account, id } = await unknown({ isTaken: true })
    const sent: DueSend[] = []
    const deps = { drafts: store, send: async (due: DueSend) => void sent.push(due) }

    await handOverUnknownSends(deps, { workspace_id, account_id: 'bea_acc_other' })
    await handOverUnknownSends(deps, { workspace_id, account_id: account.id })

    expect(sent).toEqual([{ workspace_id, draft_id: id }])
  })

  it.each([
    ['another file', { attachments: [] }],
    ['another body', { body: 'Etwas anderes.' }],
    ['another reference of ours', { reference_sender: '0002/26' }],
    ['another reference of the court', { reference_recipient: '3 O 45/26' }],
    ['a time that another zone explains', { sent_at: '2026-11-20T08:00:00.000Z' }],
    ['no time', { sent_at: null }],
    ['no subject', { subject: null }],
    ['no recipient', { recipients: [] }],
    ['a recipient without SAFE-ID', { recipients: [{ safe_id: null, name: 'Landgericht' }] }],
  ])('stays `unknown` if there is a similar message with %s', async (_, differs) => {
    const { id, run, read, network, wait } = await unknown({ isTaken: true })
    Object.assign(network.taken[0] as object, differs)
    for (let round = 0; round < 5; round += 1) {
      wait(15)
      await run(id)
    }

    expect((await read()).status).toBe('unknown')
  })

  it.each([
    ['a cut subject', { subject: 'Klage Mei' }, ['subject']],
    ['the subject in another encoding', { subject: 'Klage Meier ./. Sch?lze' }, ['subject']],
    ['a subject of the network', { subject: 'Nachricht vom 20.11.2026' }, ['subject']],
    [
      'another form of the recipient’s id',
      { recipients: [{ safe_id: 'govello-1234', name: null }] },
      ['recipients'],
    ],
    ['only the recipient’s name', { recipients: [{ safe_id: null, name: 'LG' }] }, ['recipients']],
    ['two recipients', { recipients: [{ safe_id: court }, { safe_id: 'DE.BRAK.copy' }] }, ['recipients']],
    ['a time two days earlier', { sent_at: '2026-11-18T09:00:00.000Z' }, ['sent_at']],
    ['a time a week earlier', { sent_at: '2026-11-13T09:00:00.000Z' }, ['sent_at']],
    ['no files', { attachments: [] }, ['attachments']],
    [
      'every field in another form',
      { subject: '', recipients: [], sent_at: null, body: '', reference_sender: 'x' },
      ['subject', 'recipients', 'sent_at', 'reference_sender'],
    ],
  ])('stays `unknown` and shows the message if the network gives it %s', async (_, differs, differences) => {
    const { id, run, read, network, wait } = await unknown({ isTaken: true })
    Object.assign(network.taken[0] as object, differs)
    for (let round = 0; round < 5; round += 1) {
      wait(15)
      await run(id)
    }

    const draft = await read()
    expect(draft.status).toBe('unknown')
    expect(draft.error).toContain('similar_messages')
    expect(draft.similar_messages).toMatchObject([
      {
        folder: 'SENT',
        message_id: null,
        is_compared: true,
        differences: expect.arrayContaining(differences),
      },
    ])
  })

  it.each([
    ['is thirty-one days older', { sent_at: '2026-10-20T07:00:00.000Z' }],
    [
      'was received',
      {
        sender: { safe_id: court },
        recipients: [{ safe_id: 'DE.BRAK.5F1A2B3C-0002-4a5b-8c6d-7e8f9a0b1c2d.cd34' }],
      },
    ],
    [
      'has another file and none of ours',
      { attachments: [{ filename: 'Klage.pdf', read: async () => new Uint8Array([1, 2, 3]) }] },
    ],
  ])('is `failed` if the only similar message %s', async (_, differs) => {
    const { id, run, read, network, wait } = await unknown({ isTaken: true })
    Object.assign(network.taken[0] as object, differs)
    for (let round = 0; round < 3; round += 1) {
      wait(15)
      await run(id)
    }

    expect(await read()).toMatchObject({ status: 'failed', similar_messages: [] })
  })

  it.each([
    ['a day before the send', '2026-11-19T10:00:00.000Z', 'failed'],
    ['ten minutes before the send', '2026-11-20T09:50:00.000Z', 'failed'],
    ['just before the send, by another clock', '2026-11-20T09:58:00.000Z', 'unknown'],
    ['after the send', '2026-11-20T10:07:00.000Z', 'unknown'],
  ])('depends on when a similar message was imported: %s', async (_, imported_at, status) => {
    const { id, run, read, network, wait, synchronised } = await unknown({ isTaken: true })
    Object.assign(network.taken[0] as object, { subject: 'Klage' })
    synchronised.set('m-1', imported_at)
    for (let round = 0; round < 3; round += 1) {
      wait(15)
      await run(id)
    }

    const draft = await read()
    expect(draft.status).toBe(status)
    expect(draft.similar_messages.map(({ message_id }) => message_id)).toEqual(
      status === 'unknown' ? ['bea_msg_m-1'] : [],
    )
  })

  it('shows at most ten similar messages, the most similar first, and none after a person has decided', async () => {
    const { id, run, read, network, wait, service } = await unknown({ isTaken: true })
    const [taken] = network.taken
    network.taken = Array.from({ length: 30 }, (_, at) => ({
      ...(taken as (typeof network.taken)[number]),
      message_id: `m-${at}`,
      subject: at === 29 ? 'Klage' : null,
      recipients: at === 29 ? (taken?.recipients ?? []) : [],
    }))
    wait(15)
    await run(id)

    const { similar_messages: similar } = await read()
    const settled = await service.resolve(actor, id, { outcome: 'sent' })
    expect(similar).toHaveLength(10)
    expect(similar.map(({ differences }) => differences.length)).toEqual(
      similar.map(({ differences }) => differences.length).toSorted(),
    )
    expect(settled.similar_messages).toEqual([])
  })

  it('stays `unknown` if a similar message cannot be read', async () => {
    const { id, run, read, network, wait } = await unknown({ isTaken: true })
    const [taken] = network.taken
    Object.assign(taken as object, {
      attachments: [{ filename: 'Klage.pdf', read: async () => gatewayError() }],
    })
    for (let round = 0; round < 3; round += 1) {
      wait(15)
      await run(id)
    }

    expect(await read()).toMatchObject({ status: 'unknown', similar_messages: [{ is_compared: false }] })
  })

  it('stays `unknown` if its message has no files, and a similar message differs in subject and recipient', async () => {
    const { id, run, read, network, wait } = await unknownWithoutFiles()
    const [taken] = network.taken
    Object.assign(taken as object, {
      subject: 'Empfangsb',
      recipients: [{ safe_id: 'govello-1', name: null }],
    })
    for (let round = 0; round < 3; round += 1) {
      wait(15)
      await run(id)
    }
    expect((await read()).status).toBe('unknown')
  })

  it('stays `unknown` while a similar message is in the outbox', async () => {
    const { id, run, read, network, wait } = await unknown({ isTaken: true })
    network.outbox = network.taken.splice(0)
    for (let round = 0; round < 3; round += 1) {
      wait(15)
      await run(id)
    }
    const onItsWay = (await read()).status
    network.taken.push(...network.outbox.splice(0))
    await run(id)

    expect([onItsWay, (await read()).status]).toEqual(['unknown', 'sent'])
  })

  it('of one of two equal drafts is `failed` if the network has only one message', async () => {
    const setup = sendingSetup()
    const [one, other] = [await setup.aDraft(), await setup.aDraft()]
    for (const { id } of [one, other]) {
      await setup.service.send(actor, id, { rename: null })
      setup.network.at.answer = () => 'lost'
      await setup.run(id)
    }
    setup.network.taken.pop()
    for (let round = 0; round < 3; round += 1) {
      setup.wait(15)
      await Promise.all([setup.run(one.id), setup.run(other.id)])
    }

    const statuses = [one, other].map(({ id }) => setup.records.get(id)?.state).toSorted()
    expect(statuses).toEqual(['failed', 'sent'])
  })

  it.each([
    ['sent', 'sent', 'bea.resolved_sent'],
    ['not_sent', 'failed', 'bea.resolved_not_sent'],
  ] as const)('is resolved once by a person as `%s`, with an entry in the timeline', async (outcome, status, type) => {
    const { id, service, timeline } = await unknown({ isTaken: false })

    const settled = await service.resolve(actor, id, { outcome })
    const again = await service.resolve(actor, id, { outcome }).catch(({ code }) => code)

    expect([settled.status, again]).toEqual([status, 'DRAFT_NOT_UNKNOWN'])
    expect(timeline.map(({ entry }) => [entry.type, entry.actor.id])).toEqual([[type, actor.user_id]])
  })

  it('that a person resolved as `sent` is linked to its message once that is found', async () => {
    const { id, service, run, read, wait } = await unknown({ isTaken: true })
    await service.resolve(actor, id, { outcome: 'sent' })
    wait(2)

    await run(id)

    expect(await read()).toMatchObject({ status: 'sent', message_id: expect.stringMatching(/^bea_msg_/) })
  })
})

describe('a request to send', () => {
  it('stores the message apart from the draft, with the digests of its files', async () => {
    const { id, files, records, account } = await accepted()
    const order = await draftFiles(files).readOrder(records.get(id)?.send?.order_key ?? '')

    expect(order).toMatchObject({
      account_id: account.id,
      postbox_safe_id: account.postbox_safe_id,
      files: [{ filename: 'Klage.pdf', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    })
    expect(records.get(id)?.workspace_id).toBe(workspace_id)
  })

  it('is refused without a session, and with all faults at once', async () => {
    const setup = sendingSetup()
    const draft = await setup.aDraft({ subject: '', attachments: [setup.aDocument('Klage 1.pdf').id] })

    const refusal = await setup.service.send(actor, draft.id, { rename: false }).catch((error) => error)
    setup.state.isActive = false
    const without = await setup.service.send(actor, draft.id, { rename: false }).catch((error) => error)

    expect([refusal.code, without.code]).toEqual(['BEA_PREFLIGHT_FAILED', 'BEA_NOT_AUTHENTICATED'])
    expect(refusal.details.map(({ path }: { path: string }) => path)).toEqual(['subject', 'attachments.0'])
  })
})

/** As `unknown`, for a message without files. */
async function unknownWithoutFiles() {
  const setup = await accepted({ attachments: [] })
  setup.network.at.answer = () => 'lost'
  await setup.run(setup.id)
  setup.network.at = {}
  return setup
}
