import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { upload } from '#test/support/documents.ts'
import { newFirm } from '#test/support/firm.ts'
import { sharedService } from '#test/support/the-shared-service.ts'

it('aborted and unread downloads do not affect another download', async () => {
  const firm = await newFirm()
  const { key } = await firm.colleague()
  const { body } = await upload(firm.owner, { bytes: 'Wort '.repeat(800_000) })
  const path = `/api/v1/documents/${body.id}/download`

  const brokenOff = await Promise.all(Array.from({ length: 60 }, () => ask(path, key)))
  for (const socket of brokenOff) socket.destroy()
  const unread = await Promise.all(Array.from({ length: 60 }, () => ask(path, key)))
  await setTimeout(3_000)
  const answer = await firm.owner('GET', path)
  for (const socket of unread) socket.destroy()

  expect(answer.status).toBe(200)
  expect(answer.bytes.length).toBe(4_000_000)
})

/** Asks for a file without reading the answer; resolves when the request is sent. */
async function ask(path: string, key: string) {
  const { hostname, port } = new URL(sharedService().baseUrl)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`
  await new Promise((resolve) => socket.write(request, resolve))
  return socket
}
