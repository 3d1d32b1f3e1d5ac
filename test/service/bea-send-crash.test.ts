import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BeaAccountRecord } from '#bea/ports.ts'
import { handOverSend } from '#bea/sending/send-jobs.ts'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { jobRunner } from '#jobs/runner.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { outbox } from '#store/outbox.ts'
import { connectPostbox } from '#test/support/bea-postbox.ts'
import { upload } from '#test/support/documents.ts'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { storeDeps } from '#test/support/mail-stores.ts'
import { sharedTable } from '#test/support/table.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

/** Sends of beA messages (B7) whose worker is killed, over the real table, the bucket, the adapter and the simulator. */

const worker = fileURLToPath(new URL('../support/bea-send-process.ts', import.meta.url))

/**
 * The tests work ten days ahead, the network too: so the sweeper of the shared service, which has another network, never
 * finds their drafts due.
 */
const aheadOfAll = 14_400
const clock = { now: () => new Date(epochMilliseconds() + aheadOfAll * 60_000) }

let simulator: BeaSimulator
let firm: Firm
let account: BeaAccountRecord

beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true, clock: clock.now })
  firm = await newFirm()
  account = await connectPostbox(simulator, firm, clock)
})
afterAll(() => simulator.close())
beforeEach(() => simulator.control.clearFaults())

/** Works on a draft in a process of its own. @returns the signal that killed it, null if it ended by itself */
async function workApart(
  draftId: string,
  step: string,
  aheadMinutes: number,
): Promise<NodeJS.Signals | null> {
  const child = spawn(
    process.execPath,
    [worker, firm.workspace.id, draftId, step, String(aheadOfAll + aheadMinutes)],
    {
      env: {
        ...process.env,
        ...sharedService().environment,
        BEA_GATEWAY_URL: simulator.url,
        BEA_GATEWAY_IDENT: simulator.ident,
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const [code, signal] = await once(child, 'exit')
  if (signal === null) expect(code).toBe(0)
  return signal
}

/** A draft whose send was accepted. */
async function acceptedSend(subject: string): Promise<string> {
  const [
    { beaDraftService },
    { draftFiles },
    { beaDraftStore },
    { bucketFiles },
    { existingDocuments },
    { bytesKey },
  ] = await Promise.all([
    import('#bea/drafts/drafts.ts'),
    import('#bea/drafts/draft-files.ts'),
    import('#store/bea/bea-draft-store.ts'),
    import('#files/bucket.ts'),
    import('#store/documents/existing-documents.ts'),
    import('#documents/keys.ts'),
  ])
  const db = await sharedTable()
  // No queue gets it: the worker of the shared service has another network.
  const handedOver = jobRunner(handOverSend.handledBy(async () => {}))
  const deps = { ...storeDeps(db), clock, outbox: outbox(db, handedOver, { error: () => {} }) }
  const files = bucketFiles()
  const service = beaDraftService({
    ...deps,
    drafts: beaDraftStore(deps),
    accounts: { find: async () => account, findEver: async () => account, listEver: async () => [account] },
    access: { rightsOf: async () => new Set(['03', '05']) },
    sessions: { requireActive: async () => {} },
    documents: existingDocuments({ ...deps, bytesKey }),
    objects: draftFiles(files),
  })
  const actor = {
    workspace_id: firm.workspace.id,
    user_id: firm.ownerUser.id,
    user_name: 'Dr. Jana Vogt',
    key_id: 'ak_test',
    scopes: ['documents:read' as const],
  }
  const document = (await upload(firm.owner)).body.id
  const case_id = (await firm.owner('POST', '/api/v1/cases', { body: { name: subject } })).body.id
  const { id } = await service.create(actor, {
    account_id: account.id,
    to: [{ name: 'Demir', bea_id: safeIds.demir }],
    subject,
    body: 'Anbei.',
    attachments: [document],
    reference_sender: null,
    reference_recipient: null,
    eeb_requested: false,
    case_id,
  })
  await service.send(actor, id, { rename: true })
  return id
}

async function draftOf(id: string) {
  const { beaDraftStore } = await import('#store/bea/bea-draft-store.ts')
  return beaDraftStore(storeDeps(await sharedTable())).find(firm.workspace.id, id)
}

async function sendEntries(caseId: string | null | undefined): Promise<string[]> {
  const { body } = await firm.owner('GET', `/api/v1/cases/${caseId}/timeline`)
  return body.data.map(({ type }: { type: string }) => type).filter((type: string) => type.startsWith('bea.'))
}

const arrived = (subject: string) =>
  simulator.control.messages(safeIds.demir, 'INBOX').filter((one) => one.subject === subject)

describe('a worker that is killed', () => {
  it('again and again before the last step has sent nothing, and the next one sends once', async () => {
    const id = await acceptedSend('Vor dem letzten Schritt')
    const steps = ['claimed', 'read', 'initialised']

    const killed: (string | null)[] = []
    for (const [at, step] of steps.entries()) killed.push(await workApart(id, step, at))
    const nothingYet = arrived('Vor dem letzten Schritt').length
    const end = await workApart(id, 'never', steps.length)

    const draft = await draftOf(id)
    expect([killed, nothingYet, end]).toEqual([steps.map(() => 'SIGKILL'), 0, null])
    expect(draft).toMatchObject({
      state: 'sent',
      error: null,
      message_id: expect.stringMatching(/^bea_msg_/),
    })
    expect(arrived('Vor dem letzten Schritt')).toHaveLength(1)
    expect(await sendEntries(draft?.case_id)).toEqual(['bea.sent'])
  })

  it.each([
    ['confirming', 'Vor dem Aufruf', 0, 'failed'],
    ['answered', 'Nach dem Aufruf', 1, 'sent'],
  ] as const)(
    'at `%s` leaves the outcome unknown; what the network has decides, and nothing is sent again',
    async (step, subject, messages, outcome) => {
      const id = await acceptedSend(subject)
      const stateOf = async () => (await draftOf(id))?.state

      const killed = await workApart(id, step, 0)
      await workApart(id, 'never', 1)
      const first = await stateOf()
      await workApart(id, 'never', 2)
      const second = await stateOf()
      // A look that the network did not answer proves nothing: another one follows.
      for (const ahead of [15, 30, 45, 60])
        if ((await stateOf()) === 'unknown') await workApart(id, 'never', ahead)

      expect([killed, first]).toEqual(['SIGKILL', 'unknown'])
      // That it was not sent is certain only after ten minutes.
      expect(['unknown', 'sent']).toContain(second)
      expect(await stateOf()).toBe(outcome)
      expect(arrived(subject)).toHaveLength(messages)
    },
    120_000,
  )

  it.each([
    'sent',
    'imported',
  ])('at `%s` has sent once; the next one imports the message once', async (step) => {
    const subject = `Getötet: ${step}`
    const id = await acceptedSend(subject)

    const killed = await workApart(id, step, 0)
    const end = await workApart(id, 'never', 1)

    const draft = await draftOf(id)
    expect([killed, end]).toEqual(['SIGKILL', null])
    expect(draft).toMatchObject({ state: 'sent', message_id: expect.stringMatching(/^bea_msg_/) })
    expect(arrived(subject)).toHaveLength(1)
    expect(await sendEntries(draft?.case_id)).toEqual(['bea.sent'])
  })
})

describe('a send whose network fails', () => {
  it.each([
    ['bea_init_message', 'http_500', 'failed', 0],
    ['bea_init_message', 'html', 'failed', 0],
    ['bea_send_message', 'half_json', 'failed', 0],
    ['bea_send_message', 'error_object', 'failed', 0],
    ['bea_send_message', 'connection_cut', 'failed', 0],
    ['bea_send_message_validation', 'error_string', 'unknown', 0],
    ['bea_send_message_validation', 'answer_lost', 'unknown', 1],
    ['bea_send_message_validation', 'half_json', 'unknown', 1],
    ['bea_send_message_validation', 'http_500', 'unknown', 0],
    ['bea_send_message_validation', 'connection_cut', 'unknown', 0],
  ] as const)(
    'at %s with %s is `%s`',
    async (name, fault, state, messages) => {
      const subject = `${name} ${fault}`
      const id = await acceptedSend(subject)
      simulator.control.inject({ function: name, fault, times: 1 })

      await workApart(id, 'never', 0)

      expect((await draftOf(id))?.state).toBe(state)
      expect(arrived(subject)).toHaveLength(messages)
    },
    60_000,
  )

  it.each([
    ['once', 1, 'sent', 1],
    ['again and again', 9, 'failed', 0],
  ])(
    'by a session that ends at the last step %s is renewed once',
    async (often, times, state, messages) => {
      const subject = `Sitzung endet ${often}`
      const id = await acceptedSend(subject)
      simulator.control.inject({ function: 'bea_send_message_validation', fault: 'session_ended', times })

      await workApart(id, 'never', 0)

      expect((await draftOf(id))?.state).toBe(state)
      expect(arrived(subject)).toHaveLength(messages)
    },
    60_000,
  )

  it('by naming the message of another user is `sent`, and linked with its own message', async () => {
    const subject = 'Nachricht eines anderen'
    const id = await acceptedSend(subject)
    simulator.control.inject({ function: 'bea_send_message_validation', fault: 'other_user', times: 1 })

    await workApart(id, 'never', 0)

    const draft = await draftOf(id)
    expect(draft).toMatchObject({ state: 'sent', message_id: expect.stringMatching(/^bea_msg_/) })
    expect((await firm.owner('GET', `/api/v1/bea/messages/${draft?.message_id}`)).body.subject).toBe(subject)
    expect(arrived(subject)).toHaveLength(1)
  })

  it('by a session that ended is repeated with a new one, and sent once', async () => {
    const id = await acceptedSend('Sitzung beendet')
    simulator.control.endSessions()

    await workApart(id, 'never', 0)

    expect((await draftOf(id))?.state).toBe('sent')
    expect(arrived('Sitzung beendet')).toHaveLength(1)
  })
})

it('twenty workers at once send a draft once', async () => {
  const id = await acceptedSend('Zwanzig zugleich')
  const { beaSendingDeps } = await import('#foundation/bea-sending.ts')
  const { foundation } = await import('#foundation/foundation.ts')
  const { beaSending } = await import('#bea/sending/sending.ts')
  Object.assign(process.env, { BEA_GATEWAY_URL: simulator.url, BEA_GATEWAY_IDENT: simulator.ident })
  const { run } = beaSending(beaSendingDeps({ ...foundation('bea-send'), clock }))
  const due = { workspace_id: firm.workspace.id, draft_id: id }

  await Promise.all(Array.from({ length: 20 }, () => run(due, AbortSignal.timeout(60_000))))

  expect((await draftOf(id))?.state).toBe('sent')
  expect(arrived('Zwanzig zugleich')).toHaveLength(1)
})
