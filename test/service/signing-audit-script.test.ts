import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Firm, newFirm } from '#test/support/firm.ts'
import { type SentEnvelope, sendEnvelope, visitor } from '#test/support/signing.ts'

/** The script in the README with which a third party checks an audit trail (S8). */

const folder = mkdtempSync(join(tmpdir(), 'check-audit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let firm: Firm
let envelope: SentEnvelope
beforeAll(async () => {
  const readme = readFileSync(new URL('../../packages/signing/README.md', import.meta.url), 'utf8')
  writeFileSync(join(folder, 'check-audit.mjs'), /```js\n([\s\S]+?)```/.exec(readme)?.[1] ?? '')
  firm = await newFirm()
  envelope = await sendEnvelope(firm, { signers: [{ name: 'Łukasz „Ömer“ Şahin' }] })
  const signer = visitor(firm, await envelope.link())
  await signer.open()
  await signer.sign({ name: 'Łukasz Şahin' })
  await vi.waitFor(async () => expect((await envelope.get()).status).toBe('completed'), {
    timeout: 100_000,
    interval: 200,
  })
})

/** Runs the script against an address that answers with this audit trail. */
async function check(data: unknown[]): Promise<{ output: string; isFailed: boolean }> {
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ data, pagination: { cursor: null, has_more: false }, intact: true }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const args = [join(folder, 'check-audit.mjs'), base, 'ak_key', envelope.id]
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) => {
      server.close()
      resolve({ output: stdout + stderr, isFailed: error !== null })
    })
  })
}

it('computes the trail again from the answer alone, and prints the hash that the certificates name', async () => {
  const audit = await envelope.audit()

  const { output, isFailed } = await check(audit)

  expect([isFailed, output]).toEqual([
    false,
    `${audit.length} entries are intact.\nThe certificates name ${audit.at(-2).hash}\n`,
  ])
})

it('finds what was changed, left out, or put in another order', async () => {
  const audit = await envelope.audit()
  const forged = [
    audit.map((entry, at) => (at === 1 ? { ...entry, at: '2020-01-01T00:00:00.000Z' } : entry)),
    audit.filter((_, at) => at !== 1),
    audit.slice(1),
    audit.toReversed(),
  ]

  for (const data of forged) expect((await check(data)).output).toContain('is not what it was')
})
