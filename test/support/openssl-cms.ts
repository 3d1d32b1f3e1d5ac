import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Signer = { certificate_pem: string; private_key_pem: string }

/** The options of OpenSSL for RSASSA-PSS with a salt of this number of bytes. */
export const pssOptions = (salt: number) => [
  '-keyopt',
  'rsa_padding_mode:pss',
  '-keyopt',
  `rsa_pss_saltlen:${salt}`,
]

/**
 * Signs a challenge as the second version of the login requires, in the way of the vendor's sample: OpenSSL's own
 * CMS, without the lines of PEM around it.
 *
 * @param options options of OpenSSL that replace RSASSA-PSS if they say how the key is used
 */
export function opensslCms(
  challenge: string,
  { certificate_pem, private_key_pem }: Signer,
  ...options: string[]
): string {
  const folder = mkdtempSync(join(tmpdir(), 'aktenlage-cms-'))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  try {
    const signer = ['-signer', file('cert', certificate_pem), '-inkey', file('key', private_key_pem)]
    const padding = options.includes('-keyopt') ? [] : pssOptions(32)
    const how = ['-md', 'sha256', ...padding, ...options]
    const files = ['-in', file('in', challenge), '-outform', 'PEM', '-out', join(folder, 'out')]
    execFileSync('openssl', ['cms', '-sign', ...signer, ...how, ...files], { stdio: 'pipe' })
    return readFileSync(join(folder, 'out'), 'utf8').replace(/-----[^-]+-----|\s/g, '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
