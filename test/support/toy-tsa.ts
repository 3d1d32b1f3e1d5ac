import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The key of the authority, P-384 or RSA, which takes longer to make, and the validity of its certificate. */
export type TsaCertificate = { days?: number; rsa?: boolean }

export type ToyTsa = {
  url: string
  /** The certificate of the authority in PEM; it signs itself. */
  certificate: string
  /** OpenSSL's answer to a request. */
  reply: (request: Uint8Array) => Uint8Array
  /** The number of requests. */
  asked: () => number
  close: () => void
}

export type Respond = (
  tsa: { reply: (request: Uint8Array) => Uint8Array },
  request: Uint8Array,
  response: ServerResponse,
) => void

/** A time-stamping authority: `openssl ts -reply` behind HTTP on the loopback interface. */
export async function startToyTsa(
  { days = 9, rsa = false }: TsaCertificate = {},
  respond: Respond = ({ reply }, request, response) =>
    response.writeHead(200, { 'Content-Type': 'application/timestamp-reply' }).end(reply(request)),
): Promise<ToyTsa> {
  const folder = mkdtempSync(join(tmpdir(), 'tsa-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  writeFileSync(
    join(folder, 'tsa.cnf'),
    `[req]
distinguished_name=name
x509_extensions=extensions
prompt=no
[name]
CN=Zeitstempel
[extensions]
basicConstraints=CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=critical,timeStamping
[tsa]
default_tsa=tsa1
[tsa1]
serial=${join(folder, 'serial')}
default_policy=1.2.3.4.1
digests=sha256
signer_digest=${rsa ? 'sha256' : 'sha384'}
ess_cert_id_alg=sha256
`,
  )
  const kind = rsa ? ['rsa:2048'] : ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384']
  const key = ['-newkey', ...kind, '-nodes', '-keyout', 'key.pem']
  openssl('req', '-x509', '-config', 'tsa.cnf', ...key, '-out', 'cert.pem', '-days', String(days), '-sha256')
  const reply = (request: Uint8Array): Uint8Array => {
    writeFileSync(join(folder, 'query'), request)
    const how = ['-config', 'tsa.cnf', '-section', 'tsa1', '-queryfile', 'query', '-out', 'reply']
    openssl('ts', '-reply', ...how, '-inkey', 'key.pem', '-signer', 'cert.pem')
    return readFileSync(join(folder, 'reply'))
  }

  let asked = 0
  const server = createServer(async (incoming, response) => {
    asked += 1
    respond({ reply }, await bodyOf(incoming), response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stamp`,
    certificate: readFileSync(join(folder, 'cert.pem'), 'utf8'),
    reply,
    asked: () => asked,
    close: () => {
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true })
    },
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}
