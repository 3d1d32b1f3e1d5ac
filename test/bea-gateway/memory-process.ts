import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { beaGateway } from '#bea-gateway/gateway.ts'

/**
 * Reads or sends messages in its own process, and prints its growth in bytes: its peak memory minus its memory after a
 * small message. Parameters: the URL of a gateway, `read` or `send`, the number of attachments, and the bytes of each.
 */
const [url = '', operation, count = '0', size = '0'] = process.argv.slice(2)
const ignore = () => {}
const gateway = beaGateway({
  url,
  ident: 'i',
  loginVersion: 2,
  log: { info: ignore, warn: ignore, error: console.error },
})
const safeId = 'DE.BRAK.aaaaaaaa-0000-4000-8000-000000000001.0a1b'
const session_key = Buffer.alloc(32, 1).toString('base64')
const connection = gateway.connect({ token: 't', session_key, safe_id: safeId })
const signal = AbortSignal.timeout(100_000)

async function read(id: string): Promise<number> {
  const { attachments } = await connection.message(safeId, id, signal)
  let bytes = 0
  for (const attachment of attachments) bytes += (await attachment.read()).length
  return bytes
}

async function send(attachments: number, bytes: number): Promise<number> {
  const files = Array.from({ length: attachments }, (_, at) => ({
    filename: `${at}.pdf`,
    type: 'ATTACHMENT' as const,
    bytes: Buffer.alloc(bytes, at + 1),
  }))
  const message = {
    subject: 'S',
    body: '',
    receivers: [safeId],
    reference_sender: '',
    reference_recipient: '',
    is_eeb_requested: false,
    attachments: files,
    eeb: null,
  }
  const { outcome } = await connection.send(safeId, message, async () => {}, signal)
  return outcome === 'sent' ? attachments * bytes : 0
}

if (operation === 'read') await read('small')
else await send(1, 1_000)
await sleep(200)
const before = process.memoryUsage.rss()
const bytes = operation === 'read' ? await read('large') : await send(Number(count), Number(size))
// `resourceUsage` does not help: its figure includes the memory of the process that started this one.
const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
console.log(JSON.stringify({ bytes, growth: peak - before }))
process.exit(0)
