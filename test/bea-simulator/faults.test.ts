import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type FaultKind, faultKinds } from '#bea-simulator/faults/faults.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { type BeaClient, directoryQuery, logIn } from '#test/support/bea-client.ts'
import { beaInfos, encryptedFor, initBea, validationsOf } from '#test/support/bea-sending.ts'

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

/** The answer to a call, as status and text; `cut` if there is no answer. */
async function callRaw(name: string, request: object = {}, signal?: AbortSignal) {
  try {
    const answer = await fetch(simulator.url + name, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'bex-ident': simulator.ident },
      body: `j=${Buffer.from(JSON.stringify({ token: session.token(), ...request })).toString('base64url')}`,
      ...(signal && { signal }),
    })
    return { status: answer.status, text: await answer.text() }
  } catch {
    return 'cut' as const
  }
}

const addFolder = (newFolderName: string) =>
  callRaw('bea_add_folder', {
    parentFolderId: simulator.control.postbox(safeIds.lindner)[0]?.id,
    newFolderName,
  })
const folderNames = () =>
  simulator.control.postbox(safeIds.lindner).flatMap(({ type, name }) => (type === 'CUSTOM' ? [name] : []))

describe('a fault', () => {
  it.each([
    ['html', { status: 200, text: expect.stringMatching(/^<!DOCTYPE html>/) }, false],
    ['http_500', { status: 500, text: 'Internal Server Error' }, false],
    ['missing_members', { status: 200, text: '{}' }, false],
    ['error_string', { status: 200, text: '{"error":"General fault 9999."}' }, false],
    [
      'error_object',
      { status: 200, text: '{"error":{"code":"9999","message":"General fault 9999."}}' },
      false,
    ],
    ['locked', { status: 200, text: expect.stringMatching(/identity is locked/) }, false],
    [
      'certificate_expired',
      { status: 200, text: expect.stringMatching(/certificate is invalid: it has expired/) },
      false,
    ],
    ['session_ended', { status: 200, text: expect.stringMatching(/session has ended/) }, false],
    ['connection_cut', 'cut', false],
    ['answer_lost', 'cut', true],
    ['half_json', { status: 200, text: expect.stringMatching(/^{"token":"[^}]*$/) }, true],
    ['other_user', { status: 200, text: expect.stringMatching(/^{"token":/) }, true],
  ] as [
    FaultKind,
    unknown,
    boolean,
  ][])('`%s` happens once, with the documented answer and effect', async (fault, seen, hasEffect) => {
    simulator.control.inject({ function: 'bea_add_folder', fault })

    const answer = await addFolder('Neu')
    const names = folderNames()
    session = await logIn(simulator, simulator.certificates.lindner)
    const next = await addFolder('Danach')

    expect(answer).toEqual(seen)
    expect(names).toEqual(hasEffect ? ['Neu'] : [])
    expect(next).toMatchObject({ status: 200, text: expect.stringContaining('"id":') })
  })

  it('`slow` waits for the given time, then answers', async () => {
    simulator.control.inject({ function: 'bea_check_session', fault: 'slow', milliseconds: 300 })

    const began = performance.now()
    const answer = await callRaw('bea_check_session')

    expect(answer).toEqual({ status: 200, text: '{"info":"ok"}' })
    expect(performance.now() - began).toBeGreaterThan(290)
  })

  it('`slow` has its effect even if the caller gave up meanwhile', async () => {
    simulator.control.inject({ function: 'bea_add_folder', fault: 'slow', milliseconds: 2_000 })
    const parentFolderId = simulator.control.postbox(safeIds.lindner)[0]?.id

    const request = { parentFolderId, newFolderName: 'Neu' }
    const leaving = new AbortController()
    const answer = callRaw('bea_add_folder', request, leaving.signal)
    await vi.waitFor(() => expect(simulator.control.calls().bea_add_folder).toBe(1), { timeout: 60_000 })
    leaving.abort()

    expect(await answer).toBe('cut')
    await vi.waitFor(() => expect(folderNames()).toEqual(['Neu']), { timeout: 60_000 })
  })

  it('`timeout` never answers and has no effect, and the next call succeeds', async () => {
    simulator.control.inject({ function: 'bea_add_folder', fault: 'timeout' })

    const answer = await callRaw(
      'bea_add_folder',
      { parentFolderId: '501', newFolderName: 'Neu' },
      AbortSignal.timeout(300),
    )

    expect(answer).toBe('cut')
    expect(folderNames()).toEqual([])
    expect(await callRaw('bea_check_session')).toEqual({ status: 200, text: '{"info":"ok"}' })
  })

  it('happens the given number of times, and only to the named function', async () => {
    simulator.control.inject({ function: 'bea_check_session', fault: 'http_500', times: 2 })
    simulator.control.inject({ function: '*', fault: 'html' })

    const statuses = []
    for (const name of [
      'bea_check_session',
      'bea_get_accessrights',
      'bea_check_session',
      'bea_check_session',
    ])
      statuses.push(await callRaw(name))

    expect(statuses).toMatchObject([
      { status: 500 },
      { text: expect.stringMatching(/^<!D/) },
      { status: 500 },
      { status: 200, text: '{"info":"ok"}' },
    ])
  })

  it('`other_user` answers with the SAFE-IDs and ids of another user', async () => {
    simulator.control.inject({ function: 'bea_get_postboxes', fault: 'other_user' })

    const { postboxes } = await session.call('bea_get_postboxes')

    expect(postboxes[0].postboxSafeId).toMatch(/^DE\.BRAK\./)
    expect(JSON.stringify(postboxes)).not.toContain(safeIds.lindner)
  })

  it('can be cleared before it happens', async () => {
    simulator.control.inject({ function: '*', fault: 'http_500', times: 100 })
    simulator.control.clearFaults()

    expect(await callRaw('bea_check_session')).toMatchObject({ status: 200 })
  })
})

describe('a fault in the name of a receiver', () => {
  const search = (values: object) => callRaw('bea_search', directoryQuery(values))

  it('happens to a search for this name, in any member', async () => {
    const answers = [
      await search({ identitySurname: 'fehler+http_500' }),
      await search({ identityCity: 'fehler+connection_cut' }),
    ]

    expect(answers).toMatchObject([{ status: 500 }, 'cut'])
  })

  it('exists for each kind of fault: a search for Fehler finds the receivers', async () => {
    const answer = await search({ identitySurname: 'Fehler' })

    const { results } = JSON.parse(answer === 'cut' ? '{}' : answer.text)
    expect(results.map(({ name }: { name: string }) => name)).toEqual(
      Object.keys(faultKinds).map((kind) => `fehler+${kind}`),
    )
  })

  it.each([
    ['fehler+answer_lost', 1],
    ['fehler+half_json', 1],
    ['fehler+connection_cut', 0],
    ['fehler+http_500', 0],
  ])('happens to a message to %s at its last step; %i messages are sent', async (name, count) => {
    const found = await search({ identityOfficeName: '+' })
    const { results } = JSON.parse(found === 'cut' ? '{}' : found.text)
    const { safeId } = results.find((it: { name: string }) => it.name === name)
    const infos = beaInfos({ receivers: [safeId] })
    const sent = await session.call(
      'bea_send_message',
      encryptedFor(await initBea(session, safeIds.lindner, infos), infos, []),
    )

    const answer = await callRaw('bea_send_message_validation', {
      validationTokenMSG: sent.validationTokenMSG,
      validations: validationsOf(session, sent),
    })

    expect(answer === 'cut' || answer.status === 500 || answer.text.length < 100).toBe(true)
    expect(answer).not.toMatchObject({ text: expect.stringMatching(/messageId":"\d+"}$/) })
    expect(simulator.control.messages(safeIds.lindner, 'SENT')).toHaveLength(count)
    expect(simulator.control.messages(safeId, 'INBOX')).toHaveLength(count)
  })
})
