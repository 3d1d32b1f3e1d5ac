import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolderOf, ownTable } from '#test/support/own-table.ts'
import { hasOpenSsl } from '../sealing/pades-judge.ts'
import { runAdmin } from './run-admin.ts'

const folder = mkdtempSync(join(tmpdir(), 'signing-'))
const file = (name: string) => join(folder, name)
let dataDir: string
beforeAll(async () => {
  dataDir = dataFolderOf(await ownTable())
})
afterAll(() => {
  for (const path of [folder, dataDir]) rmSync(path, { recursive: true })
})

const admin = (...args: string[]) => runAdmin(['signing', ...args], { LOCAL_DATA_DIR: dataDir })
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
const request = (name: string) =>
  admin('csr', '--common-name', 'Kanzlei Şahin', '--organization', 'Şahin & Łukasz', '--file', file(name))

/** A root and an intermediate authority made with OpenSSL, and the certificate that it issues for a request. */
function issue(csr: string, days = '365'): string {
  const extensions = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n'
  writeFileSync(file('ca.cnf'), extensions)
  writeFileSync(
    file('leaf.cnf'),
    'basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature,nonRepudiation\n',
  )
  const newKey = ['-newkey', 'rsa:2048', '-nodes']
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
    '-subj',
    '/CN=Root',
    '-days',
    '9',
  )
  openssl('req', '-new', ...newKey, '-keyout', 'ca.key', '-out', 'ca.csr', '-subj', '/CN=Authority')
  const sign = ['x509', '-req', '-CAcreateserial', '-days', days]
  openssl(
    ...sign,
    '-in',
    'ca.csr',
    '-CA',
    'root.pem',
    '-CAkey',
    'root.key',
    '-out',
    'ca.pem',
    '-extfile',
    'ca.cnf',
  )
  openssl(
    ...sign,
    '-in',
    csr,
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-out',
    'leaf.pem',
    '-extfile',
    'leaf.cnf',
  )
  return ['root.pem', 'leaf.pem', 'ca.pem'].map((name) => readFileSync(file(name), 'utf8')).join('\n')
}

describe.skipIf(!hasOpenSsl)('npm run admin -- signing', () => {
  it('writes a request that names the office and is signed with the key that it is for', async () => {
    const { code, out, err } = await request('a.csr')

    expect([code, err]).toEqual([0, ''])
    const { public_key_sha256 } = JSON.parse(out)
    const said = openssl(
      'req',
      '-in',
      'a.csr',
      '-verify',
      '-noout',
      '-subject',
      '-nameopt',
      'utf8,sep_comma_plus',
    )
    expect(said.toString()).toBe('subject=C=DE,O=Şahin & Łukasz,CN=Kanzlei Şahin\n')
    const key = openssl('req', '-in', 'a.csr', '-pubkey', '-noout')
    writeFileSync(file('a.pub'), key)
    const der = openssl('pkey', '-pubin', '-in', 'a.pub', '-outform', 'DER')
    writeFileSync(file('a.der'), der)
    expect(openssl('dgst', '-sha256', '-r', 'a.der').toString()).toContain(public_key_sha256)
  })

  it('imports the certificate that an authority issued, with its chain to the root, in their order', async () => {
    await request('b.csr')
    writeFileSync(file('b.pem'), issue('b.csr'))

    const imported = await admin('certificate', 'import', '--file', file('b.pem'))
    const shown = await admin('certificate', 'show')

    expect([imported.err, imported.out]).toEqual(['', shown.out])
    const { origin, certificates } = JSON.parse(shown.out)
    expect(origin).toBe('imported')
    expect(certificates.map(({ issuer }: { issuer: string }) => issuer)).toEqual([
      'CN=Authority',
      'CN=Root',
      'CN=Root',
    ])
    expect(certificates[0].subject).toContain('Şahin & Łukasz')
  })

  it.each([
    ['of another key', () => readFileSync(file('root.pem'), 'utf8'), 'No certificate of the file is for'],
    ['without its issuer', () => readFileSync(file('leaf.pem'), 'utf8'), 'issuer is missing'],
    ['with one that has no part in it', () => `${issue('b.csr')}${other()}`, 'has no part in the chain'],
    ['that has expired', () => issue('b.csr', '0'), 'is not valid now'],
    ['that is damaged', () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'damaged'],
    ['that is no certificate', () => 'kein Zertifikat', 'no certificate in PEM'],
  ])('refuses a certificate %s, and keeps the one before', async (_what, pem, explanation) => {
    const before = await admin('certificate', 'show')
    writeFileSync(file('wrong.pem'), pem())

    const { code, out, err } = await admin('certificate', 'import', '--file', file('wrong.pem'))

    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(explanation)
    expect((await admin('certificate', 'show')).out).toBe(before.out)
  })

  it.each([
    [['csr', '--organization', 'A', '--file', 'x'], '--common-name is missing'],
    [['csr', '--common-name', 'A', '--organization', 'A', '--country', 'D', '--file', 'x'], 'two capital'],
    [['certificate', 'import'], '--file is missing'],
    [['certificate', 'import', '--file', '/nirgends'], 'cannot be read'],
  ])('%j ends with an explanation', async (args, explanation) => {
    const { code, out, err } = await admin(...args)

    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(explanation)
    expect(err).not.toMatch(/^\s+at /m)
  })
})

/** A certificate of somebody else. */
function other(): string {
  const how = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=Other', '-days', '9']
  openssl(...how, '-keyout', 'other.key', '-out', 'other.pem')
  return readFileSync(file('other.pem'), 'utf8')
}
