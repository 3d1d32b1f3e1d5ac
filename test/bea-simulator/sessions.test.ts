import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { callBea, logIn } from '#test/support/bea-client.ts'

let simulator: BeaSimulator
beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})
afterAll(() => simulator.close())
beforeEach(() => simulator.control.reset())

const ended = { error: expect.stringMatching(/session has ended/) }
const postboxes = (token: string) => callBea(simulator, 'bea_get_postboxes', { token })
const login = () => logIn(simulator, simulator.certificates.lindner)

describe('the token of a session', () => {
  it('stays the same if rotation is off', async () => {
    simulator.control.set({ rotation: 'off' })
    const session = await login()

    const [one, two] = [await postboxes(session.token()), await postboxes(session.token())]

    expect([one.token, two.token]).toEqual([session.token(), session.token()])
  })

  it('is new in every answer if rotation is lenient, and the earlier ones stay valid', async () => {
    simulator.control.set({ rotation: 'lenient' })
    const first = (await login()).token()

    const second = (await postboxes(first)).token
    const third = (await postboxes(second)).token
    const again = await postboxes(first)

    expect(new Set([first, second, third, again.token]).size).toBe(4)
  })

  it('is valid for one call if rotation is strict', async () => {
    simulator.control.set({ rotation: 'strict' })
    const first = (await login()).token()

    const second = (await postboxes(first)).token
    const again = await postboxes(first)
    const third = await postboxes(second)

    expect(again).toEqual(ended)
    expect(third.token).toEqual(expect.any(String))
  })

  it('is neither renewed nor used up by bea_check_session, also in strict rotation', async () => {
    simulator.control.set({ rotation: 'strict' })
    const session = await login()

    const check = await session.call('bea_check_session')
    const after = await session.call('bea_get_postboxes')

    expect(check).toEqual({ info: 'ok' })
    expect(after.postboxes).toHaveLength(2)
  })

  it('is refused if it is unknown', async () => {
    expect(await postboxes('t-1')).toEqual(ended)
  })
})

describe('a session', () => {
  it('ends at once by a logout, with all its tokens', async () => {
    const session = await login()
    const first = session.token()
    await session.call('bea_get_postboxes')

    const out = await session.call('bea_logout')

    expect(out).toEqual({ info: 'ok' })
    expect(await postboxes(session.token())).toEqual(ended)
    expect(await postboxes(first)).toEqual(ended)
  })

  it('ends 30 minutes after its last call', async () => {
    const session = await login()

    simulator.control.advanceMinutes(29)
    const used = await session.call('bea_check_session')
    simulator.control.advanceMinutes(29)
    const usedAgain = await session.call('bea_get_postboxes')
    simulator.control.advanceMinutes(31)
    const idle = await session.call('bea_check_session')

    expect(used).toEqual({ info: 'ok' })
    expect(usedAgain.postboxes).toHaveLength(2)
    expect(idle).toEqual(ended)
  })

  it('may be one of several of an identity, unless only one is allowed', async () => {
    const [one, two] = [await login(), await login()]
    const both = [await one.call('bea_check_session'), await two.call('bea_check_session')]

    simulator.control.set({ second_login: 'refused' })
    const third = login()

    expect(both).toEqual([{ info: 'ok' }, { info: 'ok' }])
    await expect(third).rejects.toThrow(/0951/)
    await one.call('bea_logout')
    await two.call('bea_logout')
    await expect(login()).resolves.toMatchObject({ safeId: safeIds.lindner })
  })

  it('is refused while its identity is locked', async () => {
    const session = await login()

    simulator.control.lock(safeIds.lindner)
    const locked = await session.call('bea_get_postboxes')
    simulator.control.unlock(safeIds.lindner)
    const unlocked = await session.call('bea_get_postboxes')

    expect(locked).toEqual({ error: expect.stringMatching(/locked/) })
    expect(unlocked.postboxes).toHaveLength(2)
  })

  it('can use its own postbox and the postboxes that it administers, but no other', async () => {
    const [lindner, demir] = [await login(), await logIn(simulator, simulator.certificates.demir)]
    const [messageId] = await simulator.control.seed({ from: safeIds.demir, to: safeIds.kanzlei })
    const inbox = simulator.control.postbox(safeIds.kanzlei)[0]?.id

    const own = await lindner.call('bea_get_message', { messageId })
    const refused = [
      await demir.call('bea_get_message', { messageId }),
      await demir.call('bea_get_folderoverview', { folderId: inbox }),
      await demir.call('bea_get_folderstructure', { postboxSafeId: safeIds.kanzlei }),
      await demir.call('bea_move_messagetotrash', { messageId }),
      await demir.call('bea_add_folder', { parentFolderId: inbox, newFolderName: 'Neu' }),
    ]

    expect(own.messageId).toBe(messageId)
    for (const answer of refused) expect(answer).toEqual({ error: expect.stringMatching(/does not exist/) })
  })
})
