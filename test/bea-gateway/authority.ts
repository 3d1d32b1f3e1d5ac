import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files of a test certificate authority, created with OpenSSL. */
export type Workbench = {
  /** Runs OpenSSL in the folder of the files. */
  openssl: (...parameters: string[]) => string
  read: (name: string) => Buffer
  path: (name: string) => string
  /** Creates `<name>.key`, and `<name>.pem`, a certificate that the authority issues. */
  issue: (name: string, key?: string[]) => void
  [Symbol.dispose]: () => void
}

export function workbench(): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'bea-'))
  const path = (name: string) => join(folder, name)
  const openssl = (...parameters: string[]) =>
    execFileSync('openssl', parameters, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const rsa = ['-newkey', 'rsa:2048']
  openssl(
    'req',
    '-x509',
    ...rsa,
    '-nodes',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '3650',
    '-subj',
    '/CN=Test CA',
  )
  return {
    openssl,
    path,
    read: (name) => readFileSync(path(name)),
    issue: (name, key = rsa) => {
      const subject = `/O=Kanzlei Müller/CN=Dr. ${name}`
      openssl(
        'req',
        '-utf8',
        ...key,
        '-nodes',
        '-keyout',
        `${name}.key`,
        '-out',
        `${name}.csr`,
        '-subj',
        subject,
      )
      const serial = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
      openssl('x509', '-req', '-in', `${name}.csr`, ...serial, '-out', `${name}.pem`, '-days', '365')
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
