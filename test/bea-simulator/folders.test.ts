import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { identities, safeIds } from '#bea-simulator/directory/identities.ts'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { type BeaClient, directoryQuery, logIn } from '#test/support/bea-client.ts'

let simulator: BeaSimulator
let session: BeaClient
let messageId: string
beforeAll(async () => {
  simulator = await startBeaSimulator({ empty: true })
})
afterAll(() => simulator.close())
beforeEach(async () => {
  await simulator.control.reset()
  session = await logIn(simulator, simulator.certificates.lindner)
  ;[messageId = ''] = await simulator.control.seed({ from: demir, to: lindner, subject: 'Eins' })
})

const { lindner, demir, kanzlei, landgericht } = safeIds
const folders = () => simulator.control.postbox(lindner)
const idOf = (type: string) => folders().find((it) => it.type === type)?.id
const placeOf = (id: string) => folders().find(({ messages }) => messages.some((it) => it.id === id))?.type
const refused = (reason: RegExp) => ({ error: expect.stringMatching(reason) })

describe('folders', () => {
  it('are at first the five base folders, in the answers of both functions', async () => {
    const { postboxes } = await session.call('bea_get_postboxes')
    const structure = await session.call('bea_get_folderstructure', { postboxSafeId: lindner })

    expect(structure.folders).toEqual(postboxes[0].folder)
    expect(structure.folders.map(({ type }: { type: string }) => type)).toEqual([
      'INBOX',
      'DRAFT',
      'OUTBOX',
      'SENT',
      'TRASH',
    ])
  })

  it('are added, hold messages, and are removed once they are empty', async () => {
    const added = await session.call('bea_add_folder', {
      parentFolderId: idOf('INBOX'),
      newFolderName: 'Importiert',
    })
    const twice = await session.call('bea_add_folder', {
      parentFolderId: idOf('INBOX'),
      newFolderName: 'Importiert',
    })
    await session.call('bea_move_messagetofolder', { folderId: added.id, messageId })
    const place = placeOf(messageId)
    const full = await session.call('bea_remove_folder', { folderId: added.id })
    await session.call('bea_move_messagetofolder', { folderId: idOf('INBOX'), messageId })
    const removed = await session.call('bea_remove_folder', { folderId: added.id })

    expect(twice).toEqual(refused(/with this name/))
    expect(place).toBe('CUSTOM')
    expect(full).toEqual(refused(/not empty/))
    expect(removed.info).toBe('ok')
    expect(folders()).toHaveLength(5)
  })

  it('of the base cannot be removed, and no message can be moved to drafts or to another postbox', async () => {
    const base = await session.call('bea_remove_folder', { folderId: idOf('TRASH') })
    const draft = await session.call('bea_move_messagetofolder', { folderId: idOf('DRAFT'), messageId })
    const other = simulator.control.postbox(kanzlei)[0]?.id
    const postbox = await session.call('bea_move_messagetofolder', { folderId: other, messageId })

    expect(base).toEqual(refused(/cannot be removed/))
    for (const answer of [draft, postbox]) expect(answer).toEqual(refused(/cannot be moved/))
  })
})

describe('a message', () => {
  it('can be moved to the trash, restored to its folder, and deleted only from the trash', async () => {
    const early = await session.call('bea_delete_message', { messageId })
    await session.call('bea_move_messagetotrash', { messageId })
    const inTrash = placeOf(messageId)
    await session.call('bea_restore_messagefromtrash', { messageId })
    const restored = placeOf(messageId)
    await session.call('bea_move_messagetotrash', { messageId })
    await session.call('bea_delete_message', { messageId })
    const gone = await session.call('bea_get_message', { messageId })

    expect(early).toEqual(refused(/not in the trash/))
    expect([inTrash, restored, placeOf(messageId)]).toEqual(['TRASH', 'INBOX', undefined])
    expect(gone).toEqual(refused(/does not exist/))
  })

  it('with an unknown id does not exist', async () => {
    for (const id of ['1', 'x', '', '../70001'])
      expect(await session.call('bea_get_message', { messageId: id })).toEqual(refused(/does not exist/))
  })
})

describe('the directory', () => {
  const search = async (wanted: object) => {
    const { results } = await session.call('bea_search', directoryQuery(wanted))
    return results.map(({ safeId }: { safeId: string }) => safeId)
  }

  it('is searched by SAFE-ID, names, office, postal code and city; all given values must match', async () => {
    expect(await search({ identitySafeId: demir })).toEqual([demir])
    expect(await search({ identitySurname: 'DEMIR' })).toEqual([demir])
    expect(await search({ identityFirstname: 'Katharina', identitySurname: 'Lindner' })).toEqual([lindner])
    expect(await search({ identityOfficeName: 'landgericht' })).toEqual([landgericht])
    expect(await search({ identityPostalcode: '10115' })).toEqual([demir])
    expect(await search({ identitySurname: 'Demir', identityCity: 'München' })).toEqual([])
  })

  it('has a unique SAFE-ID for each entry: DE.BRAK for lawyers and offices, DE.Justiz for courts', () => {
    const ids = identities.map(({ safeId }) => safeId)
    const forms = identities.map(({ kind, safeId }) =>
      new RegExp(`^DE\\.${kind === 'court' ? 'Justiz' : 'BRAK'}\\.[0-9a-f-]{36}\\.[0-9a-f]{4}$`).test(safeId),
    )

    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(forms)).toEqual(new Set([true]))
  })

  it('cannot be read as a whole', async () => {
    expect(await session.call('bea_search', directoryQuery({}))).toEqual(refused(/needs a value/))
    expect(await session.call('bea_search', { identitySurname: 'Demir' })).toEqual(refused(/malformed/))
  })

  it('gives the identity of the caller and its rights, names of users, and codes of courts', async () => {
    const identity = await session.call('bea_get_identitydata')
    const rights = await session.call('bea_get_accessrights')
    const name = await session.call('bea_get_username', { identitySafeId: demir })
    const codes = await session.call('bex_get_gericht_codes')

    expect(identity).toMatchObject({ safeId: lindner, surname: 'Lindner', userName: 'lindner' })
    expect(rights.accessRights).toMatchObject([
      { postboxSafeId: lindner, safeId: lindner, rights: expect.arrayContaining(['01', '05', '14']) },
      { postboxSafeId: kanzlei, safeId: lindner },
    ])
    expect(name.userName).toBe('demir')
    expect(codes.gerichtCodes).toContainEqual({ code: 'D2601', name: 'Landgericht München I' })
  })
})

describe('control', () => {
  it('counts calls, shows postboxes in plain text, and resets everything', async () => {
    const shown = await simulator.control.run({ postbox: lindner })
    const { calls } = (await simulator.control.run({ calls: true })) as { calls: Record<string, number> }
    await simulator.control.run({ set: { rotation: 'strict' } })
    await simulator.control.run({ reset: true })
    const after = await session.call('bea_check_session')

    expect(JSON.stringify(shown)).toContain('Eins')
    expect(calls).toMatchObject({ bea_login_step1: 1, bea_login_step3: 1 })
    expect(after).toEqual(refused(/session has ended/))
    expect(simulator.control.messages(lindner, 'INBOX')).toEqual([])
    expect(await simulator.control.run({ calls: true })).toEqual({ calls: { bea_check_session: 1 } })
  })

  it('accepts the fault in the form that the README shows', async () => {
    await simulator.control.run({ function: 'bea_check_session', fault: 'error_string', times: 1 })

    expect(await session.call('bea_check_session')).toEqual({ error: 'General fault 9999.' })
  })

  it.each([
    ['two commands at once', { reset: true, calls: true }],
    ['an unknown fault', { function: '*', fault: 'earthquake' }],
    ['somebody who is not in the directory', { postbox: 'DE.BRAK.nobody' }],
    ['a sender who is not in the directory', { seed: { from: 'DE.BRAK.nobody', to: lindner } }],
  ])('refuses %s', async (_, command) => {
    await expect(simulator.control.run(command)).rejects.toThrow()
  })

  it('can make errors objects, with another status', async () => {
    simulator.control.set({ error_shape: 'object', error_status: 400 })

    const answer = await fetch(`${simulator.url}bea_check_session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'bex-ident': simulator.ident },
      body: 'j=eyJ0b2tlbiI6IngifQ',
    })

    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: { code: '9999', message: expect.any(String) } })
  })
})
