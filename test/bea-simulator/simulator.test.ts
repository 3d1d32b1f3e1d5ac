import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BeaSimulator, startBeaSimulator } from '#bea-simulator/simulator.ts'
import { decryptGcm, logIn } from '#test/support/bea-client.ts'

let simulator: BeaSimulator
beforeAll(async () => {
  simulator = await startBeaSimulator()
})
afterAll(() => simulator.close())

it('a lawyer logs in, sees her own postbox and the postbox of her firm, and opens a message from a court', async () => {
  const session = await logIn(simulator, simulator.certificates.lindner)

  const { postboxes } = await session.call('bea_get_postboxes')
  const inbox = postboxes[0].folder.find(({ type }: { type: string }) => type === 'INBOX')
  const { messages } = await session.call('bea_get_folderoverview', { folderId: inbox.id })
  const court = messages.find(
    (it: { referenceNumberJustice: string }) => it.referenceNumberJustice === '3 O 4512/25',
  )
  const message = await session.call('bea_get_message', { messageId: court.messageId })

  expect(session.safeId).toBe(simulator.certificates.lindner.safe_id)
  expect(postboxes.map(({ name }: { name: string }) => name)).toEqual([
    'Dr. Katharina Lindner',
    'Kanzlei Lindner & Partner',
  ])
  expect(decryptGcm(session.sessionKey, court.encSubject).toString()).toContain('Donau Medtec')
  expect(message.metaData).toMatchObject({ eebAngefordert: true, sender: { safeId: '' } })
  expect(message.attachments.map(({ reference }: { reference: string }) => reference)).toEqual([
    'Hinweisbeschluss.pdf',
    'Begleitschreiben.pdf',
    'xjustiz_nachricht.xml',
  ])
})
