import {
  createPrivateKey,
  generateKeyPair as generateKeyPairWithCallback,
  type KeyObject,
  X509Certificate,
} from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { safeIds } from '../directory/identities.ts'

/** A demo certificate with its holder's secrets. Only the certificate itself is not secret. */
export type DemoCertificate = {
  label: string
  /** Null if no identity has it. */
  safe_id: string | null
  /** Base64 of the PKCS#12 file. For a card: of the certificate in DER, since its key stays on the card. */
  certificate_base64: string
  /** Empty for a card. */
  passphrase: string
  certificate_pem: string
  /** PKCS#8. The key of a card is here too, so that somebody can sign instead of the card. */
  private_key_pem: string
}

/**
 * `lindner` and `demir` log in; `petersen` has a card. `locked`: its identity is locked. `unknown`: the network does
 * not know it. `foreign`: issued by another authority with the same name. `expired`, `notYetValid`: as the names say.
 * `ec`: its key is not an RSA key.
 */
export const demoNames = [
  'lindner',
  'demir',
  'petersen',
  'locked',
  'unknown',
  'foreign',
  'expired',
  'notYetValid',
  'ec',
] as const

export type DemoName = (typeof demoNames)[number]

/**
 * The simulator keeps the certificate of its authority and all issued certificates. It discards the authority's key.
 */
export type DemoCertificates = { authority_pem: string; issued: Record<DemoName, DemoCertificate> }

const generateKeyPair = promisify(generateKeyPairWithCallback)

/** The same for all demo certificates: everybody who can read the file has the key anyway. */
const passphrase = 'beA-Simulator'

const usual = { validFrom: new Date('2020-01-01T00:00:00Z'), validTo: new Date('2045-01-01T00:00:00Z') }

/**
 * The certificates in this folder. If there are none, a new authority issues them, which takes about a second, and
 * they are stored: only their owner can read them. Two processes that start at the same time get the same
 * certificates.
 */
export async function demoCertificates(folder: string): Promise<DemoCertificates> {
  const file = fileIn(folder)
  if (existsSync(file)) return readDemoCertificates(folder)
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  const unfinished = mkdtempSync(join(dirname(folder), `${basename(folder)}-`))
  try {
    write(unfinished, await issueAll())
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return readDemoCertificates(folder)
}

/** @throws Error if the folder has none */
export function readDemoCertificates(folder: string): DemoCertificates {
  return JSON.parse(readFileSync(fileIn(folder), 'utf8'))
}

function fileIn(folder: string): string {
  return join(folder, 'certificates.json')
}

/** Writes everything as JSON, and each certificate as a file that can be uploaded. */
function write(folder: string, certificates: DemoCertificates): void {
  const save = (name: string, content: string | Buffer) =>
    writeFileSync(join(folder, name), content, { mode: 0o600 })
  for (const [name, { certificate_base64, passphrase }] of Object.entries(certificates.issued))
    save(`${name}.${passphrase === '' ? 'cer' : 'p12'}`, Buffer.from(certificate_base64, 'base64'))
  save('certificates.json', `${JSON.stringify(certificates, null, 2)}\n`)
}

async function issueAll(): Promise<DemoCertificates> {
  const { issueCertificate } = await import('./issue-certificate.ts')
  const name = 'beA-Simulator CA'
  // Creating keys takes most of the time. Certificates that only fail, and the untrusted authority, share a key.
  const [authority, shared, lindner, demir, petersen, ec] = await Promise.all([
    rsaKeyPair(),
    rsaKeyPair(),
    rsaKeyPair(),
    rsaKeyPair(),
    rsaKeyPair(),
    ecKeyPair(),
  ])
  const keyPairs: Partial<Record<DemoName, KeyPair>> = { lindner, demir, petersen, ec }
  const issue = async (demoName: DemoName): Promise<[DemoName, DemoCertificate]> => {
    const { publicKey, privateKey } = keyPairs[demoName] ?? shared
    const { privateKey: key } = demoName === 'foreign' ? shared : authority
    const { subject, safe_id, ...validity } = details[demoName]
    const made = { ...usual, ...validity, subject, publicKey, isAuthority: false }
    const certificatePem = issueCertificate({ name, key }, made)
    return [demoName, await packed(demoName, subject, safe_id, certificatePem, privateKey)]
  }
  const root = { ...usual, subject: name, publicKey: authority.publicKey, isAuthority: true }
  return {
    authority_pem: issueCertificate({ name, key: authority.privateKey }, root),
    issued: Object.fromEntries(await Promise.all(demoNames.map(issue))) as DemoCertificates['issued'],
  }
}

const details: Record<
  DemoName,
  { subject: string; safe_id: string | null; validFrom?: Date; validTo?: Date }
> = {
  lindner: { subject: 'Dr. Katharina Lindner', safe_id: safeIds.lindner },
  demir: { subject: 'Aylin Demir', safe_id: safeIds.demir },
  petersen: { subject: 'Jonas Petersen', safe_id: safeIds.petersen },
  locked: { subject: 'Gregor Gesperrt', safe_id: safeIds.locked },
  unknown: { subject: 'Ulla Unbekannt', safe_id: null },
  foreign: { subject: 'Dr. Katharina Lindner', safe_id: safeIds.lindner },
  expired: {
    subject: 'Beate Falkenberg',
    safe_id: safeIds.falkenberg,
    validTo: new Date('2022-01-01T00:00:00Z'),
  },
  notYetValid: {
    subject: 'Beate Falkenberg',
    safe_id: safeIds.falkenberg,
    validFrom: new Date('2044-01-01T00:00:00Z'),
  },
  ec: { subject: 'Martin Reuter', safe_id: safeIds.reuter },
}

async function packed(
  name: DemoName,
  label: string,
  safe_id: string | null,
  certificatePem: string,
  privateKey: KeyObject,
): Promise<DemoCertificate> {
  const { legacyPkcs12Of, pkcs12Of } = await import('./pkcs12.ts')
  const isCard = name === 'petersen'
  const keyPair = { certificatePem, privateKey }
  // Lawyers have both kinds of files.
  const file = isCard
    ? new X509Certificate(certificatePem).raw
    : name === 'demir'
      ? legacyPkcs12Of(keyPair, passphrase)
      : await pkcs12Of(keyPair, passphrase)
  return {
    label: isCard ? `${label} (Karte)` : label,
    safe_id,
    certificate_base64: file.toString('base64'),
    passphrase: isCard ? '' : passphrase,
    certificate_pem: certificatePem,
    private_key_pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

type KeyPair = { publicKey: KeyObject; privateKey: KeyObject }

function rsaKeyPair(): Promise<KeyPair> {
  return generateKeyPair('rsa', { modulusLength: 2_048 })
}

function ecKeyPair(): Promise<KeyPair> {
  return generateKeyPair('ec', { namedCurve: 'P-256' })
}

/** The key of a demo certificate, to sign with. */
export function keyOf({ private_key_pem }: DemoCertificate): KeyObject {
  return createPrivateKey(private_key_pem)
}
