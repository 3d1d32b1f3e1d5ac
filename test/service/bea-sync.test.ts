import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { requestedSync } from '#bea/sync/sync-state.ts'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { connectSimulated } from '#test/support/bea-network-firm.ts'
import { beaOffice } from '#test/support/bea-office.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { sharedTable } from '#test/support/table.ts'

/** Synchronisations (B5) over the real table and bucket, with the simulator as the network. */

let simulator: BeaSimulator

beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})

beforeEach(() => simulator.control.reset())

afterAll(() => simulator.close())

/** An account of a firm with a worker in this process, and three messages in its inbox. */
async function connected() {
  const firm = await newFirm()
  const { network, account, order, lastSync } = await connectSimulated(firm, simulator)
  const [{ foundation }, { inboxFoundation }, { beaMessageFoundation }, { beaSyncing }] = await Promise.all([
    import('#foundation/foundation.ts'),
    import('#foundation/inbox.ts'),
    import('#foundation/bea-messages.ts'),
    import('#foundation/bea-sync.ts'),
  ])
  const base = foundation('bea-sync')
  inboxFoundation(base)
  const { run } = beaSyncing(base, network, beaMessageFoundation(base), 600_000)
  await simulator.control.seed({
    to: safeIds.lindner,
    from: safeIds.landgericht,
    subject: 'Ladung',
    body: 'Anbei die Ladung.',
    reference_number: '3 O 45/26',
    count: 3,
    xjustiz: true,
    attachments: [{ name: 'Ladung.pdf', text: 'Ladung zum Termin' }],
  })
  return {
    firm,
    account,
    lastSync,
    sync: async () => {
      await run(await order(), new AbortController().signal)
      return lastSync()
    },
    subjects: async () =>
      (await firm.owner('GET', '/api/v1/bea/messages')).body.data.map(
        (one: { subject: string }) => one.subject,
      ),
  }
}

describe('a synchronisation with the gateway', () => {
  it('imports messages with body, sender, references and attachments, and has them judged', async () => {
    const { firm, sync, subjects } = await connected()
    // Act
    const result = await sync()
    // Assess
    expect(result).toMatchObject({ status: 'done', new_messages: 3, error: null })
    expect((await subjects()).toSorted()).toEqual(['Ladung 1', 'Ladung 2', 'Ladung 3'])
    const { data } = (await firm.owner('GET', '/api/v1/bea/messages?search=ladung')).body
    const { body } = await firm.owner('GET', `/api/v1/bea/messages/${data[0].id}`)
    expect(body).toMatchObject({
      body: 'Anbei die Ladung.',
      direction: 'inbound',
      folder: 'INBOX',
      sender: { name: 'Landgericht München I', bea_id: safeIds.landgericht },
      reference_sender: '3 O 45/26',
    })
    const names = body.attachments.map(({ filename }: { filename: string }) => filename)
    expect(names).toEqual(expect.arrayContaining(['Ladung.pdf', 'xjustiz_nachricht.xml']))
  })

  it.each([
    'half_json',
    'html',
    'missing_members',
    'other_user',
  ] as const)('of which one message is answered with %s imports the others, and that one the next time', async (fault) => {
    const { sync, subjects } = await connected()
    // A read is tried twice.
    simulator.control.inject({ function: 'bea_get_message', fault, times: 2 })
    const first = await sync()
    simulator.control.clearFaults()
    // Act
    const second = await sync()
    // Assess
    expect(first?.status).toBe('done')
    expect(first?.new_messages).toBeLessThan(3)
    expect(first?.error).toContain('could not be fetched')
    expect(second).toMatchObject({ status: 'done', error: null })
    expect((first?.new_messages ?? 0) + (second?.new_messages ?? 0)).toBe(3)
    expect(await subjects()).toHaveLength(3)
  })

  it('shows in the inbox what it kept out, until it is imported; a message with an empty file is imported', async () => {
    const { firm, sync, lastSync } = await connected()
    const empty = { name: 'leer.txt', base64: '' }
    const seed = { to: safeIds.lindner, from: safeIds.demir, body: 'Anbei.' }
    await simulator.control.seed({ ...seed, subject: 'leer', attachments: [empty] })
    const notices = async () =>
      (await firm.owner('GET', '/api/v1/inbox?kind=bea&limit=100')).body.data.flatMap(
        ({ notice }: { notice: string | null }) => notice ?? [],
      )
    // A read is tried twice.
    simulator.control.inject({ function: 'bea_get_message', fault: 'half_json', times: 2 })
    // Act
    await sync()
    const [keptOut, error] = [await notices(), (await lastSync())?.error]
    await sync()
    // Assess
    expect(keptOut.length).toBeGreaterThan(0)
    for (const notice of keptOut) expect(notice).toContain('konnte nicht abgeholt')
    expect(error).toContain(`${keptOut.length} of 4`)
    expect([await notices(), (await lastSync())?.error]).toEqual([[], null])
    const { data } = (await firm.owner('GET', '/api/v1/bea/messages?search=leer')).body
    expect(data).toMatchObject([{ attachments: [{ filename: 'leer.txt', size_bytes: 0 }] }])
  })

  it('with the overview of another user imports nothing and fails', async () => {
    const { sync, subjects } = await connected()
    simulator.control.inject({ function: 'bea_get_folderoverview', fault: 'other_user', times: 100 })
    const result = await sync()
    expect([result?.status, await subjects()]).toEqual(['failed', []])
  })

  it('goes on where the gateway ends the session in the middle', async () => {
    const { sync, subjects } = await connected()
    simulator.control.inject({ function: 'bea_get_message', fault: 'session_ended' })
    expect(await sync()).toMatchObject({ status: 'done', new_messages: 3, error: null })
    expect(await subjects()).toHaveLength(3)
  })

  it('where every call is slow imports everything all the same', async () => {
    const { sync } = await connected()
    simulator.control.inject({ function: '*', fault: 'slow', times: 100, milliseconds: 300 })
    expect(await sync()).toMatchObject({ status: 'done', new_messages: 3, error: null })
  })

  it('where a call takes 40 seconds imports everything all the same', async () => {
    const { sync } = await connected()
    simulator.control.inject({ function: 'bea_get_folderstructure', fault: 'slow', milliseconds: 40_000 })
    simulator.control.inject({ function: 'bea_get_postboxes', fault: 'slow', milliseconds: 40_000 })
    expect(await sync()).toMatchObject({ status: 'done', new_messages: 3, error: null })
  })

  it('where the gateway locks the identity fails and says so', async () => {
    const { sync } = await connected()
    simulator.control.lock(safeIds.lindner)
    const result = await sync()
    simulator.control.unlock(safeIds.lindner)
    expect(result?.status).toBe('failed')
    expect(result?.error).not.toBeNull()
  })
})

describe('POST …/sync', () => {
  const sync = (firm: Firm['owner'], id: string) => firm('POST', `/api/v1/bea/accounts/${id}/sync`)

  it('answers 202, and the same to whoever asks meanwhile', async () => {
    const firm = await newFirm()
    const { account, openSession, whileInUse } = await beaOffice(firm)
    await openSession()
    // Act
    const answers = await whileInUse(() =>
      Promise.all(Array.from({ length: 5 }, () => sync(firm.owner, account.id))),
    )
    // Assess
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect(answers[0]?.body).toMatchObject({ account_id: account.id, status: 'running' })
    expect(new Set(answers.map(({ body }) => body.started_at)).size).toBe(1)
  })

  it('of a worker that died shows as failed a minute later', async () => {
    const firm = await newFirm()
    const { account } = await beaOffice(firm)
    const { beaAccountStore } = await import('#store/bea/bea-account-store.ts')
    const silentFor = async (seconds: number) => {
      const at = new Date(epochMilliseconds() - seconds * 1_000).toISOString()
      await beaAccountStore(await sharedTable()).change(account.workspace_id, account.id, (current) => ({
        ...current,
        last_sync: requestedSync(null, at),
      }))
      return (await firm.owner('GET', `/api/v1/bea/accounts/${account.id}`)).body.last_sync
    }
    expect(await silentFor(30)).toMatchObject({ status: 'running', error: null })
    expect(await silentFor(61)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('interrupted'),
    })
  })

  it('needs a session, the right 01 and an account of the workspace', async () => {
    const [firm, stranger] = [await newFirm(), await newFirm()]
    const { account, openSession } = await beaOffice(firm)
    const codeOf = async (answer: ReturnType<typeof sync>) => (await answer).body.error.code
    expect(await codeOf(sync(firm.owner, account.id))).toBe('BEA_NOT_AUTHENTICATED')
    await openSession()
    expect(await codeOf(sync((await firm.colleague()).api, account.id))).toBe('BEA_RIGHT_MISSING')
    expect(await codeOf(sync(stranger.owner, account.id))).toBe('BEA_ACCOUNT_NOT_FOUND')
  })
})
