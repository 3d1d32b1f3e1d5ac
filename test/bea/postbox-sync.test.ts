import { describe, expect, it } from 'vitest'
import { dismissed, reopened } from '#bea/messages/filing.ts'
import { importing } from '#bea/messages/importing.ts'
import { MessageTooLarge } from '#bea/network/gateway-ports.ts'
import type { BeaAccountRecord, BeaMessageRecord } from '#bea/ports.ts'
import { missingLogLine } from '#bea/sync/log-lines.ts'
import { missingNotices } from '#bea/sync/missing-messages.ts'
import { postboxSync } from '#bea/sync/postbox-sync.ts'
import type { DoneFolders } from '#bea/sync/sync-queue.ts'
import { inboxOfSent } from '#bea/sync/unacknowledged.ts'
import { Failure } from '#kernel/failure.ts'
import { newId } from '#kernel/id.ts'
import type { Log } from '#kernel/log.ts'
import {
  courtSafeId,
  identity,
  ourSafeId,
  remoteAttachment,
  remoteMessage,
} from '#test/support/bea-remote.ts'
import { memoryBeaFiles } from '#test/support/memory-bea-files.ts'
import { memoryBeaMessages } from '#test/support/memory-bea-messages.ts'
import { gatewayError, toyPostbox } from '#test/support/toy-postbox.ts'
import { answered } from '#timeline/schema.ts'

const signal = new AbortController().signal

function office(begin = '2026-03-20T12:00:00.000Z', maxMilliseconds = 60_000) {
  let now = new Date(begin)
  const clock = { now: () => now }
  const postbox = toyPostbox()
  const memory = memoryBeaMessages()
  const bucket = memoryBeaFiles()
  const lines: string[] = []
  const firms: unknown[] = []
  const log = {
    warn: (line: string) => lines.push(line),
    error: (line: string, { workspace_id }: Record<string, unknown>) => {
      lines.push(line)
      firms.push(workspace_id)
    },
  } as unknown as Log
  const account = {
    workspace_id: newId('workspace'),
    id: newId('beaAccount'),
    postbox_safe_id: ourSafeId,
    created_at: '2026-01-01T00:00:00.000Z',
  } as BeaAccountRecord
  const underWay = watchedWork(postbox.fetched)
  const importMessage = importing({
    store: { add: (change) => underWay.watch(change.record.remote_id, () => memory.store.add(change)) },
    files: bucket.files,
    describe: async (filename) => {
      if (filename === 'kaputt.pdf') throw new TypeError('A reader of files failed.')
      return 'application/pdf'
    },
    clock,
  })
  const missing = missingNotices({
    store: memory.store,
    unimported: memory.unimported,
    timeZoneOf: async () => 'Europe/Berlin',
    clock,
    log,
  })
  const syncPostbox = postboxSync({
    store: memory.store,
    use: postbox.use,
    importMessage,
    missing,
    clock,
    log,
    maxMilliseconds,
  })
  const sync = (done?: DoneFolders) => syncPostbox(account, signal, { new_messages: 0, kept_out: 0 }, done)
  const subjects = () =>
    [...memory.records.values()]
      .filter(({ is_missing }) => !is_missing)
      .map(({ subject }) => subject)
      .toSorted()
  const passDays = (days: number) => {
    now = new Date(now.getTime() + days * 86_400_000)
  }
  return {
    ...memory,
    postbox,
    lines,
    firms,
    sync,
    subjects,
    account,
    passDays,
    underWay,
    objects: bucket.objects,
  }
}

/** Counts the messages that are stored at once, and the messages that are fetched while one is stored. */
function watchedWork(fetched: string[]) {
  const atOnce: number[] = []
  const fetchedMeanwhile = new Map<string, number>()
  let running = 0
  return {
    atOnce,
    fetchedBeside: (id: string) => fetchedMeanwhile.get(id),
    watch: async <Result>(id: string, work: () => Promise<Result>): Promise<Result> => {
      running += 1
      atOnce.push(running)
      const before = fetched.length
      await new Promise((resolve) => setTimeout(resolve, 20))
      fetchedMeanwhile.set(id, fetched.length - before)
      running -= 1
      return work()
    },
  }
}

/** The inbox notices about messages that were not imported. */
const notices = (records: ReadonlyMap<string, BeaMessageRecord>) =>
  [...records.values()]
    .filter(({ is_missing }) => is_missing)
    .map(({ inbox }) => [inbox?.state, inbox?.notice])

const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    remoteMessage({
      message_id: String(at),
      subject: `Nachricht ${String(at).padStart(2, '0')}`,
      received_at: new Date(Date.UTC(2026, 2, 1, at)).toISOString(),
    }),
  )

const created_at = '2026-03-02T07:00:00.000Z'
const sent_at = '2026-03-02T08:29:00.000Z'
const received_at = '2026-03-02T08:30:00.000Z'

describe('a synchronisation', () => {
  it('releases the session after the current message if somebody begins to wait for it', async () => {
    const turnsOf = async (wantedAfter: number[]) => {
      const { postbox, sync } = office()
      for (const message of numbered(6)) postbox.put('1', message)
      for (const count of wantedAfter) postbox.wantedAfter.add(count)
      const { new_messages } = await sync()
      return [new_messages, postbox.fetched.length, postbox.counts().turns]
    }

    const [alone, wanted] = [await turnsOf([]), await turnsOf([1, 3])]

    // Six turns: the list of folders, four overviews, and all messages.
    expect([alone, wanted]).toEqual([
      [6, 6, 6],
      [6, 6, 8],
    ])
  })

  it('imports the messages in inbox, sent, trash and custom folders, but neither drafts nor the outbox', async () => {
    const { postbox, sync, records } = office()
    const fromUs = { sender: identity(ourSafeId, 'Wir'), recipients: [identity(courtSafeId, 'Gericht')] }
    for (const [at, changes] of [{}, fromUs, fromUs, fromUs, fromUs, {}].entries())
      postbox.put(String(at + 1), remoteMessage({ message_id: `m${at + 1}`, ...changes }))
    // Act
    const result = await sync()
    // Assess
    expect(result).toEqual({
      isWhole: true,
      done: null,
      areAllFoldersRead: true,
      new_messages: 4,
      kept_out: 0,
      error: null,
    })
    const found = [...records.values()].map(({ remote_id, folder, direction }) => [
      remote_id,
      folder,
      direction,
    ])
    expect(found.toSorted()).toEqual([
      ['m1', 'INBOX', 'inbound'],
      ['m2', 'SENT', 'outbound'],
      ['m5', 'TRASH', 'outbound'],
      ['m6', 'Mandate', 'inbound'],
    ])
  })

  it('fetches each message once, the oldest first, since the network deletes it first', async () => {
    const { postbox, sync } = office()
    for (const message of numbered(12).toReversed()) postbox.put('1', message)
    // Act
    await sync()
    await sync()
    // Assess
    expect(postbox.fetched).toEqual(numbered(12).map(({ message_id }) => message_id))
  })

  it('imports the other messages if some fail, says so, and tries the failed ones again', async () => {
    const { postbox, sync, subjects } = office()
    for (const message of numbered(20)) postbox.put('1', message)
    for (const id of ['3', '4', '5', '6', '11']) postbox.faults.set(id, gatewayError)
    // Act
    const first = await sync()
    postbox.faults.clear()
    const second = await sync()
    // Assess
    expect([first.new_messages, first.kept_out]).toEqual([15, 5])
    expect(first.error).toContain('5 of 20')
    expect(second).toEqual({
      isWhole: true,
      done: null,
      areAllFoldersRead: true,
      new_messages: 5,
      kept_out: 0,
      error: null,
    })
    expect(subjects()).toHaveLength(20)
  })

  it('imports the other messages if our own code fails for one, and raises the alarm for that one', async () => {
    const { postbox, sync, records, lines, firms, account } = office('2026-06-20T12:00:00.000Z')
    const attachments = [remoteAttachment('kaputt.pdf', 'eins')]
    for (const [at, message] of numbered(5).entries())
      postbox.put('1', at === 0 ? { ...message, attachments } : message)
    // Act
    const result = await sync()
    // Assess
    expect([result.new_messages, result.error]).toEqual([4, expect.stringContaining('1 of 5')])
    expect(records.size).toBe(5)
    expect(lines).toContain(missingLogLine)
    expect(firms).toContain(account.workspace_id)
  })

  it('fails if our own code fails for every message', async () => {
    const { postbox, sync } = office()
    for (const message of numbered(30))
      postbox.put('1', { ...message, attachments: [remoteAttachment('kaputt.pdf', 'eins')] })
    await expect(sync()).rejects.toThrow('A reader of files failed.')
  })

  it('does not import a message if one of its attachments does not decrypt', async () => {
    const { postbox, sync, records } = office()
    const attachments = [remoteAttachment('eins.pdf', 'eins'), remoteAttachment('zwei.pdf', gatewayError())]
    postbox.put('1', remoteMessage({ attachments }))
    postbox.put('1', remoteMessage({ message_id: 'whole' }))
    // Act
    const { new_messages, error } = await sync()
    // Assess
    expect([new_messages, error]).toEqual([1, expect.stringContaining('1 of 2')])
    const imported = [...records.values()].filter(({ is_missing }) => !is_missing)
    expect(imported.map(({ remote_id }) => remote_id)).toEqual(['whole'])
  })

  it('fails if the gateway does not answer', async () => {
    const { postbox, sync } = office()
    for (const message of numbered(20)) postbox.put('1', message)
    postbox.setReachable(false)
    await expect(sync()).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
  })

  it('continues with a new session if its session ends, and fetches nothing twice', async () => {
    const { postbox, sync, subjects } = office()
    for (const message of numbered(9)) postbox.put('1', message)
    postbox.endSessionAfter(4)
    // Act
    const result = await sync()
    // Assess
    expect(result.new_messages).toBe(9)
    expect(subjects()).toHaveLength(9)
    expect(postbox.fetched).toHaveLength(9)
    expect(postbox.counts().logins).toBe(1)
  })

  it('imports the other messages if an entry of the overview has no id, and says so', async () => {
    const { postbox, sync, subjects, lines } = office('2026-06-20T12:00:00.000Z')
    for (const message of numbered(3)) postbox.put('1', message)
    postbox.putNameless('1', remoteMessage())
    // Act
    const result = await sync()
    // Assess
    expect([result.new_messages, result.kept_out]).toEqual([3, 1])
    expect(result.error).toContain('1 of 4')
    expect(subjects()).toHaveLength(3)
    expect(lines).toContain(missingLogLine)
  })

  it('shortens a file name that is longer than an item of the table, and keeps its beginning and extension', async () => {
    const { postbox, sync, records } = office()
    const endless = remoteAttachment(`${'Anlage '.repeat(60_000)}.pdf`, '%PDF-1.7')
    postbox.put('1', remoteMessage({ attachments: [endless] }))
    // Act
    await sync()
    // Assess
    const [name = ''] = [...records.values()].flatMap(({ attachments }) =>
      attachments.map((one) => one.filename),
    )
    expect([name.slice(0, 6), name.slice(-5), name.length <= 500]).toEqual(['Anlage', '….pdf', true])
  })

  it('stores up to eight messages at once, and stores a large one before it fetches the next', async () => {
    const { postbox, sync, underWay } = office()
    const large = { ...remoteAttachment('gross.pdf', '%PDF-1.7'), size_bytes: 5_000_000 }
    for (const [at, message] of numbered(30).entries())
      postbox.put('1', at === 20 ? { ...message, attachments: [large] } : message)
    // Act
    await sync()
    // Assess
    expect(Math.max(...underWay.atOnce)).toBe(8)
    expect(underWay.fetchedBeside('20')).toBe(0)
  })

  const another = [identity('DE.BRAK_SPT.00000000-2222-4333-8444-555555555555.aaaa', 'Andere')]

  it('imports our messages, and of the messages of another postbox shows only their number', async () => {
    const { postbox, sync, records, subjects } = office()
    for (const message of numbered(3)) postbox.put('1', message)
    for (const id of ['theirs', 'theirs too'])
      postbox.put('6', remoteMessage({ message_id: id, subject: 'Geheim', recipients: another }))
    // Act
    const result = await sync()
    // Assess
    expect(result).toMatchObject({ new_messages: 3, kept_out: 2, areAllFoldersRead: true })
    expect(result.error).toContain('2 of 5')
    expect(subjects()).toHaveLength(3)
    expect(postbox.fetched).not.toContain('theirs')
    const notices = [...records.values()].filter(({ is_missing }) => is_missing)
    expect(notices.map(({ inbox }) => inbox?.notice)).toEqual([expect.stringContaining('2 Einträge')])
    expect(JSON.stringify(notices)).not.toMatch(/Geheim|Andere/)
  })

  it.each([
    null,
    identity(null, 'Wir'),
  ])('imports what we sent if the overview knows no sender: %j', async (sender) => {
    const { postbox, sync, records } = office()
    const sent = remoteMessage({ sender: identity(ourSafeId, 'Wir'), recipients: another })
    const delivered_at = '2026-03-02T08:31:00.000Z'
    postbox.put('2', sent, { sender })
    // Act
    const first = await sync()
    postbox.put('2', sent, { sender, delivered_at })
    const second = await sync()
    // Assess
    expect(first).toMatchObject({ new_messages: 1, kept_out: 0, error: null })
    expect(second).toMatchObject({ new_messages: 0, kept_out: 0, error: null })
    expect([...records.values()]).toMatchObject([{ folder: 'SENT', receipt: { delivered_at } }])
  })

  it('fails and imports nothing if all messages belong to another postbox', async () => {
    const { postbox, sync, records } = office()
    postbox.put('1', remoteMessage({ message_id: 'theirs', recipients: another }))
    postbox.put('6', remoteMessage({ message_id: 'theirs too', recipients: another }))
    await expect(sync()).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
    expect([...records.values()].filter(({ is_missing }) => !is_missing)).toEqual([])
  })

  it.each([
    ['the gateway fails', gatewayError],
    ['our own reader fails', () => new TypeError('A reader of overviews failed.')],
    ['the answer cannot be read', () => new Failure('upstream', 'BEA_GATEWAY_ERROR', 'Unreadable.')],
  ])('imports the other folders if one overview fails: %s', async (_, fault) => {
    const { postbox, sync, subjects, records } = office()
    for (const [at, message] of numbered(6).entries()) postbox.put(at % 2 === 0 ? '1' : '6', message)
    postbox.folderFaults.set('6', fault)
    // Act
    const first = await sync()
    const [imported, noticed] = [subjects().length, notices(records)]
    postbox.folderFaults.clear()
    const second = await sync()
    // Assess
    expect(first).toMatchObject({ isWhole: true, areAllFoldersRead: false, new_messages: 3 })
    expect(first.error).toContain('custom folder 6')
    expect(first.error).not.toContain('Mandate')
    expect([imported, noticed]).toEqual([3, [['open', expect.stringContaining('Mandate')]]])
    expect(second).toMatchObject({ areAllFoldersRead: true, new_messages: 3, kept_out: 0, error: null })
    expect(notices(records)).toEqual([['dismissed', null]])
  })

  it('names each folder that was not read, and leaves the messages in it unchanged', async () => {
    const { postbox, sync, records } = office()
    postbox.put('1', remoteMessage({ message_id: 'inbox' }))
    postbox.put('6', remoteMessage({ message_id: 'custom' }))
    await sync()
    for (const id of ['1', '5']) postbox.folderFaults.set(id, gatewayError)
    // Act
    const { error, new_messages } = await sync()
    // Assess
    expect([error, new_messages]).toEqual(['Not read, will be retried: INBOX, TRASH.', 0])
    const imported = [...records.values()].filter(({ is_missing }) => !is_missing)
    expect(imported.map(({ folder }) => folder).toSorted()).toEqual(['INBOX', 'Mandate'])
  })

  it('fails if no folder can be read', async () => {
    const { postbox, sync } = office()
    for (const id of ['1', '2', '5', '6']) postbox.folderFaults.set(id, gatewayError)
    await expect(sync()).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
  })

  it('fails if the gateway does not answer after three folders failed', async () => {
    const { postbox, sync } = office()
    postbox.put('6', remoteMessage())
    for (const id of ['1', '2', '5']) postbox.folderFaults.set(id, gatewayError)
    postbox.setReachable(false)
    await expect(sync()).rejects.toMatchObject({ code: 'BEA_GATEWAY_ERROR' })
    expect(postbox.fetched).toEqual([])
  })

  it('keeps the acknowledgement of a sent message whose entry in another folder does not show it', async () => {
    const { postbox, sync, records } = office()
    const sent = remoteMessage({ message_id: 'sent', sender: identity(ourSafeId, 'Wir') })
    const receipts: unknown[] = []
    const syncWith = async (
      folder: string,
      entry: { delivered_at: string | null; delivery_status: string },
    ) => {
      postbox.put(folder, sent, entry)
      await sync()
      receipts.push([...records.values()][0]?.receipt)
    }

    await syncWith('2', { delivered_at: '2026-03-03T08:00:00.000Z', delivery_status: 'OK' })
    await syncWith('5', { delivered_at: null, delivery_status: 'DELETED' })

    expect(receipts).toEqual([
      { delivered_at: '2026-03-03T08:00:00.000Z', status: 'OK' },
      { delivered_at: '2026-03-03T08:00:00.000Z', status: 'DELETED' },
    ])
  })

  const sentTo = (recipient: string, sent_at: string) =>
    remoteMessage({
      message_id: 'sent',
      sender: identity(ourSafeId, 'Wir'),
      recipients: [identity(recipient, 'Empfänger')],
      received_at: null,
      sent_at,
    })
  const minutes = (count: number) => count / 1_440

  it('puts a message to a court into the inbox until the court has acknowledged it', async () => {
    const { postbox, sync, records, passDays } = office()
    const states: unknown[] = []
    const syncAfter = async (count: number) => {
      passDays(minutes(count))
      await sync()
      states.push([...records.values()].map(({ inbox }) => inbox?.state ?? null))
    }
    const sent = sentTo(courtSafeId, '2026-03-20T12:00:00.000Z')
    postbox.put('2', sent)
    // Act
    for (const count of [1, 10, 5]) await syncAfter(count)
    const notice = [...records.values()][0]?.inbox?.notice
    postbox.put('2', sent, { delivered_at: '2026-03-20T12:17:00.000Z' })
    for (const count of [1, 30]) await syncAfter(count)
    // Assess
    expect(states).toEqual([[null], [null], ['open'], ['dismissed'], ['dismissed']])
    expect(notice).toContain('keine Eingangsbestätigung')
  })

  it('leaves a notice dismissed that a person has dismissed, and reopening it leaves the message in its case', async () => {
    const { postbox, sync, records, store, account, passDays } = office()
    postbox.put('2', sentTo(courtSafeId, '2026-03-20T12:00:00.000Z'))
    await sync()
    passDays(minutes(16))
    await sync()
    const record = () => [...records.values()][0] as BeaMessageRecord
    const by = {
      actor: { type: 'user' as const, id: 'usr_1', name: 'Jana Vogt' },
      at: '2026-03-20T13:00:00.000Z',
    }
    const case_id = '01993f5e-7c1a-7d2e-9b64-2f0c5a1d8e10'
    const change = (decide: Parameters<typeof store.change>[2]) =>
      store.change(account.workspace_id, record().id, decide)
    // Act
    await change((current) => {
      const filed: BeaMessageRecord = { ...current, case_id }
      return answered(filed, dismissed(filed, by), String)
    })
    await sync()
    const after = record().inbox?.state
    await change((current) => answered(current, reopened(current, by), String))
    // Assess
    expect(after).toBe('dismissed')
    expect(record()).toMatchObject({ case_id, inbox: { state: 'open' } })
  })

  it('reports no message whose acknowledgement was stored since the synchronisation read it', () => {
    const receipt = { delivered_at: '2026-03-20T12:17:00.000Z', status: null }
    const now = new Date('2026-03-20T12:30:00.000Z')
    expect(inboxOfSent({ direction: 'outbound', receipt, inbox: null }, true, now)).toBeNull()
  })

  it.each([
    ['to a lawyer', sentTo('DE.BRAK.1', '2026-03-20T11:00:00.000Z')],
    ['of last week', sentTo(courtSafeId, '2026-03-13T11:00:00.000Z')],
  ])('puts no message %s into the inbox because it lacks an acknowledgement', async (_, message) => {
    const { postbox, sync, records } = office()
    postbox.put('2', message)
    // Act
    await sync()
    await sync()
    // Assess
    expect([...records.values()].map(({ inbox }) => inbox)).toEqual([null])
  })

  it('says when the network deletes a failed message by the calendar of the firm', async () => {
    const { postbox, sync, records } = office()
    postbox.put('1', remoteMessage({ message_id: 'night', received_at: '2026-03-01T23:30:00.000Z' }))
    postbox.faults.set('night', gatewayError)
    // Act
    await sync()
    // Assess
    expect(notices(records)).toEqual([['open', expect.stringContaining('beA löscht sie am 30.06.2026')]])
  })

  it('has added the notices about failed messages even if it fails itself', async () => {
    const { postbox, sync, records } = office()
    for (const message of numbered(6)) postbox.put('1', message)
    for (const id of ['0', '1']) postbox.faults.set(id, gatewayError)
    postbox.faults.set('4', () => new Failure('unavailable', 'BEA_ACCOUNT_LOCKED', 'Locked.'))
    await expect(sync()).rejects.toMatchObject({ code: 'BEA_ACCOUNT_LOCKED' })
    expect(notices(records)).toHaveLength(2)
  })

  it('stores the new folder of a moved message, and the acknowledgement of a sent one', async () => {
    const { postbox, sync, records } = office()
    const sent = remoteMessage({ message_id: 'sent', sender: identity(ourSafeId, 'Wir') })
    postbox.put('1', remoteMessage({ message_id: 'moved' }))
    postbox.put('2', sent)
    await sync()
    const recordOf = (id: string) => [...records.values()].find(({ remote_id }) => remote_id === id)
    expect(recordOf('sent')?.receipt).toBeNull()
    // Act
    postbox.put('6', remoteMessage({ message_id: 'moved' }))
    postbox.put('2', { ...sent, delivered_at: '2026-03-03T08:00:00.000Z', delivery_status: 'OK' })
    await sync()
    // Assess
    expect(recordOf('moved')?.folder).toBe('Mandate')
    expect(recordOf('sent')?.receipt).toEqual({ delivered_at: '2026-03-03T08:00:00.000Z', status: 'OK' })
    expect(postbox.fetched).toHaveLength(2)
  })

  it('imports the other messages if a known message is moved whose record was disposed of with its case', async () => {
    const { postbox, sync, store, records, subjects } = office()
    postbox.put('1', remoteMessage({ message_id: 'disposed' }))
    await sync()
    // A disposal removes the record; its identity stays, so that it is not imported again.
    const identities = await store.known('', ourSafeId, ['disposed'])
    records.clear()
    const known = store.known
    store.known = async (...of) => new Map([...(await known(...of)), ...identities])
    // Act
    postbox.put('5', remoteMessage({ message_id: 'disposed' }))
    postbox.put('1', remoteMessage({ message_id: 'new', subject: 'Urteil' }))
    const result = await sync()
    // Assess
    expect(result).toMatchObject({ new_messages: 1, areAllFoldersRead: true, error: null })
    expect(subjects()).toEqual(['Urteil'])
  })

  it.each([
    [
      'the fields that only the overview has',
      { subject: 'Ladung', received_at },
      { subject: 'Ladung', received_at },
    ],
    [
      'the subject of the overview instead of its own',
      { subject: 'Ladung' },
      { subject: 'Ladung' },
      'Betreff',
    ],
    ['its own subject if the overview has none', { subject: null }, { subject: 'Betreff' }, 'Betreff'],
    ['its own times if the overview has none', { sent_at: null }, { sent_at: created_at }],
  ])('imports a message with %s', async (_, summary, expected, subject: string | null = null) => {
    const { postbox, sync, records } = office()
    const remote = remoteMessage({ subject, sent_at: created_at, received_at: null })
    postbox.put('2', remote, { sent_at, ...summary })

    await sync()

    expect([...records.values()]).toMatchObject([{ sent_at, ...expected }])
  })

  it('writes nothing if nothing has changed', async () => {
    const { postbox, sync, changes } = office()
    for (const message of numbered(5)) postbox.put('1', message)
    await sync()
    const before = changes.length
    await sync()
    expect(changes.length).toBe(before)
  })

  it('imports the other folders if an entry of the list of folders cannot be read, and says so', async () => {
    const { postbox, sync } = office()
    postbox.putOddFolder()
    for (const message of numbered(3)) postbox.put('6', message)

    const result = await sync()

    expect(result).toMatchObject({ new_messages: 3, isWhole: true, done: null, areAllFoldersRead: false })
    expect(result.error).toMatch(/list of folders/)
  })

  it.each([
    ['no time at all', -1, 0],
    ['overviews that use up the time of a worker', 40, 50],
    ['time for some of the folders', 100, 30],
  ])('leaves folders to later workers, and the last one finishes: %s', async (_, milliseconds, eachOverview) => {
    const { postbox, sync, subjects } = office(undefined, milliseconds)
    postbox.slowOverviews(eachOverview)
    const messages = numbered(12)
    for (const [at, message] of messages.entries()) postbox.put(['1', '2', '5', '6'][at % 4] ?? '', message)

    const results = [await sync()]
    for (let last = results[0]; last?.done && results.length < 10; last = results.at(-1))
      results.push(await sync(last.isWhole ? last.done : undefined))

    expect(results.length).toBeGreaterThan(1)
    expect(results.at(-1)).toMatchObject({ isWhole: true, done: null, areAllFoldersRead: true, error: null })
    expect(subjects()).toEqual(messages.map(({ subject }) => subject))
  })

  it('reports at its end everything that earlier workers could not read', async () => {
    const { postbox, sync } = office(undefined, -1)
    postbox.folderFaults.set('2', gatewayError)
    postbox.putNameless('1', remoteMessage({ subject: 'Ohne Kennung' }))
    postbox.put('6', remoteMessage({ message_id: 'm6' }))

    let result = await sync()
    for (let round = 0; result.done !== null && round < 10; round += 1) result = await sync(result.done)

    expect(result).toMatchObject({ done: null, areAllFoldersRead: false, kept_out: 1 })
    expect(result.error).toMatch(/will be retried/)
  })

  it('that runs twice at once imports every message once', async () => {
    const { postbox, sync, subjects } = office()
    for (const message of numbered(30)) postbox.put('1', message)
    await Promise.all([sync(), sync()])
    expect(subjects()).toEqual(numbered(30).map(({ subject }) => subject))
  })
})

const alarms = (lines: string[]) => lines.filter((line) => line === missingLogLine).length

describe('a message that cannot be imported', () => {
  it('for 90 days raises the alarm with every synchronisation, and has one notice in the inbox', async () => {
    const { postbox, sync, records, lines } = office('2026-05-31T08:30:00.000Z')
    postbox.put('1', remoteMessage({ received_at }))
    postbox.faults.set('70001', gatewayError)
    // Act
    await sync()
    await sync()
    // Assess
    expect(lines.filter((line) => line === missingLogLine)).toHaveLength(2)
    expect(records.size).toBe(1)
    const [notice] = [...records.values()]
    expect(notice?.remote_id).toContain('missing')
    expect(notice).toMatchObject({ is_missing: true, attachments: [], inbox: { state: 'open' } })
    expect(notice?.inbox?.notice).toContain('30.06.2026')
  })

  it('gets a notice in the inbox at once, without an alarm', async () => {
    const { postbox, sync, records, lines } = office('2026-05-30T08:30:00.000Z')
    postbox.put('1', remoteMessage({ received_at }))
    postbox.faults.set('70001', gatewayError)
    await sync()
    expect([lines.includes(missingLogLine), records.size]).toEqual([false, 1])
    expect([...records.values()]).toMatchObject([{ is_missing: true, inbox: { state: 'open' } }])
  })

  it('has its 90 days counted from the day on which it was first seen, if its date cannot be read', async () => {
    const { postbox, sync, records, lines, passDays } = office('2026-03-02T08:30:00.000Z')
    postbox.put('1', remoteMessage({ received_at: null, sent_at: null }))
    postbox.faults.set('70001', gatewayError)
    await sync()
    passDays(89)
    await sync()
    await sync()
    expect([alarms(lines), records.size]).toEqual([1, 1])
    // Act
    passDays(1)
    await sync()
    // Assess
    expect([alarms(lines), records.size]).toEqual([2, 2])
    expect([...records.values()].map(({ inbox }) => inbox?.state)).toEqual(['dismissed', 'open'])
  })

  it('raises the alarm once, after a day, and has one notice in the inbox', async () => {
    const { postbox, sync, records, lines, passDays } = office()
    postbox.put('1', remoteMessage({ received_at: '2026-03-19T08:30:00.000Z' }))
    postbox.faults.set('70001', gatewayError)
    await sync()
    const atFirst = alarms(lines)
    // Act
    passDays(1)
    await sync()
    await sync()
    passDays(30)
    await sync()
    // Assess
    expect([atFirst, alarms(lines), records.size]).toEqual([0, 1, 1])
  })

  it('is reported once and at once if it is too large, and is fetched again a day later', async () => {
    const { postbox, sync, records, lines, passDays } = office()
    postbox.put('1', remoteMessage({ received_at: '2026-03-19T08:30:00.000Z' }))
    postbox.faults.set('70001', () => new MessageTooLarge(undefined))
    // Act
    const first = await sync()
    const second = await sync()
    // Assess
    expect([first.error, second.error]).toEqual([
      expect.stringContaining('1 of 1'),
      expect.stringContaining('1 of 1'),
    ])
    expect(postbox.fetched).toEqual(['70001'])
    expect(lines.filter((line) => line === missingLogLine)).toHaveLength(1)
    expect([...records.values()]).toMatchObject([{ is_missing: true, inbox: { state: 'open' } }])
    expect([...records.values()][0]?.inbox?.notice).toContain('zu groß')
    passDays(1)
    postbox.faults.clear()
    expect(await sync()).toMatchObject({ new_messages: 1, error: null })
    expect([...records.values()].map(({ inbox }) => inbox?.state)).toEqual(['dismissed', 'open'])
  })

  it('has its notice removed by the next synchronisation, if that failed at its import', async () => {
    const { postbox, sync, records, store } = office('2026-06-10T08:30:00.000Z')
    postbox.put('1', remoteMessage({ received_at }))
    postbox.faults.set('70001', gatewayError)
    await sync()
    postbox.faults.clear()
    const { change } = store
    store.change = async () => {
      throw new Error('The table is busy.')
    }
    const atImport = await sync()
    store.change = change
    // Act
    await sync()
    // Assess
    expect(atImport).toMatchObject({ new_messages: 1, error: null })
    const notice = [...records.values()].find(({ is_missing }) => is_missing)
    expect(notice?.inbox?.state).toBe('dismissed')
  })

  it('has its notice removed when it is imported after all', async () => {
    const { postbox, sync, records } = office('2026-06-10T08:30:00.000Z')
    postbox.put('1', remoteMessage({ received_at }))
    postbox.faults.set('70001', gatewayError)
    await sync()
    postbox.faults.clear()
    // Act
    await sync()
    // Assess
    const states = [...records.values()].map(({ is_missing, inbox }) => [is_missing, inbox?.state])
    expect(states.toSorted()).toEqual([
      [false, 'open'],
      [true, 'dismissed'],
    ])
  })

  it('is quoted by none of its notices when it is imported after all, also not by one that a user has dismissed', async () => {
    const { postbox, sync, records, store, account, passDays } = office('2026-03-20T12:00:00.000Z')
    postbox.put('1', remoteMessage({ received_at, subject: 'Zwx ./. Qvl', reference_sender: '7 O 1/26' }))
    postbox.faults.set('70001', gatewayError)
    await sync()
    passDays(100)
    await sync()
    const dismissed = { state: 'dismissed' as const }
    for (const { id } of [...records.values()])
      await store.change(account.workspace_id, id, (before) => ({
        record: { ...before, inbox: before.inbox && { ...before.inbox, ...dismissed } },
        answer: undefined,
      }))
    const quoted = JSON.stringify([...records.values()])
    postbox.faults.clear()
    // Act
    await sync()
    // Assess
    const left = [...records.values()].filter(({ is_missing }) => is_missing)
    expect(quoted).toContain('Zwx')
    expect(left).toHaveLength(2)
    expect(JSON.stringify(left)).not.toMatch(/Zwx|7 O 1|Landgericht|DE\.Justiz/)
    expect(left).toMatchObject(
      Array(2).fill({ subject: '', sender: { name: null, bea_id: null }, recipients: [] }),
    )
  })
})

describe('unusual messages', () => {
  it('that fail do not block others, however many they are, and come last the next time', async () => {
    const { postbox, sync, subjects } = office()
    for (const message of numbered(25))
      postbox.put('1', { ...message, attachments: [remoteAttachment('kaputt.pdf', 'eins')] })
    postbox.put(
      '1',
      remoteMessage({ message_id: 'good', subject: 'gut', received_at: '2026-03-19T08:30:00.000Z' }),
    )
    const result = await sync()
    expect([result.new_messages, result.error]).toEqual([1, expect.stringContaining('25 of 26')])
    expect(subjects()).toContain('gut')
    postbox.put('1', remoteMessage({ message_id: 'newer', received_at: '2026-03-19T09:30:00.000Z' }))
    await sync()
    expect(postbox.fetched[26]).toBe('newer')
  })

  it.each([
    [
      '5,000 recipients',
      {
        recipients: [
          identity(ourSafeId, 'Wir'),
          ...Array.from({ length: 5_000 }, (_, at) => identity(`DE.BRAK.${at}`, `Nr. ${at}`)),
        ],
      },
    ],
    ['a subject of a megabyte', { subject: 'ü'.repeat(1_000_000) }],
    ['a very long name', { sender: identity(courtSafeId, 'Gericht '.repeat(90_000)) }],
    [
      'very long references',
      { reference_sender: '3 O '.repeat(90_000), reference_recipient: 'x'.repeat(400_000) },
    ],
  ])('with %s are imported, and fit into an item of the table', async (_, odd) => {
    const { postbox, sync, records } = office()
    postbox.put('1', remoteMessage({ message_id: 'odd', ...odd }))
    postbox.put('1', remoteMessage({ message_id: 'usual' }))
    expect(await sync()).toMatchObject({ new_messages: 2, error: null })
    for (const record of records.values())
      expect(Buffer.byteLength(JSON.stringify(record))).toBeLessThan(300_000)
  })

  it('keep all recipients, even if the record holds only some', async () => {
    const { postbox, sync, objects } = office()
    const recipients = [
      identity(ourSafeId, 'Wir'),
      ...Array.from({ length: 1_234 }, (_, at) => identity(`DE.BRAK.${at}`, `Nr. ${at}`)),
    ]
    postbox.put('1', remoteMessage({ recipients }))
    await sync()
    const contents = [...objects.values()].map((bytes) => Buffer.from(bytes as Uint8Array).toString())
    expect(contents.some((text) => text.includes('Nr. 1233'))).toBe(true)
  })

  it('without an id have one notice per folder, with their number, which leaves the inbox when they are gone', async () => {
    const { postbox, sync, records } = office()
    postbox.putNameless('1', remoteMessage())
    const nameless = postbox.putNameless('6', remoteMessage())
    await sync()
    await sync()
    const notices = () => [...records.values()].map(({ inbox }) => [inbox?.state, inbox?.notice])
    const twice = notices()
    postbox.putNameless('6', remoteMessage())
    await sync()
    expect(nameless).toBe(2)
    expect(twice).toEqual([
      ['open', expect.stringContaining('INBOX')],
      ['open', expect.stringContaining('Mandate')],
    ])
    expect(notices()[1]).toEqual(['open', expect.stringContaining('2 Einträge')])
    postbox.clearNameless()
    await sync()
    expect(notices().map(([state]) => state)).toEqual(['dismissed', 'dismissed'])
  })
})
