import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateFor } from './certificate-for.ts'

/**
 * A message that OpenSSL makes of a MIME part.
 *
 * @param options such as `['smime', '-sign', '-nodetach']`; with `-outform DER` the result is the CMS alone
 */
export function opensslSmime(part: string | Buffer, options: readonly string[]): Buffer {
  const { cert, key } = certificateFor('anna.example')
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-smime-'))
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  try {
    const certificate = file('cert', cert)
    const who = options.includes('-sign') ? ['-signer', certificate, '-inkey', file('key', key)] : []
    const files = ['-in', file('in', part), '-out', join(folder, 'out')]
    const recipients = options.includes('-encrypt') ? [certificate] : []
    execFileSync('openssl', [...options, ...who, ...files, ...recipients], { stdio: 'pipe' })
    return readFileSync(join(folder, 'out'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
