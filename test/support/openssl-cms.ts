import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Signer = { certificate_pem: string; private_key_pem: string }

/** RSASSA-PSS with a salt of so many bytes, as OpenSSL is asked for it. */
export const pssOptions = (salt: number) => [
  '-keyopt',
  'rsa_padding_mode:pss',
  '-keyopt',
  `rsa_pss_saltlen:${salt}`,
]

/**
 * Signs a challenge as the second version of the login wants it, as the vendor's sample does it: OpenSSL's own CMS, without
 * the lines of PEM around it.
 *
 * @param options of OpenSSL, instead of RSASSA-PSS where they say how the key is used
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
