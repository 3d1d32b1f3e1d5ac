import { createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startKms } from '#infra/local/emulators/kms.ts'
import type { SignedServer } from '#infra/local/emulators/signed-server.ts'
import { type CertificateStore, kmsSigner, type StoredCertificates } from '#sealing/kms-signer.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { note } from './office-signer.ts'
import { faultsOf, hasPdfsig, isValidToPdfsig } from './pades-judge.ts'
import { sealPdf } from './seal-pdf.ts'

const folder = mkdtempSync(join(tmpdir(), 'signing-key-'))
const files = { keyFile: join(folder, 'secrets.key'), signingKeyFile: join(folder, 'signing.key') }
const credentials = { accessKeyId: 'local', secretAccessKey: 'of this run' }
let kms: SignedServer
beforeAll(async () => {
  kms = await startKms(files, credentials)
})
afterAll(async () => {
  await kms.close()
  rmSync(folder, { recursive: true })
})

const clientOf = ({ endpoint }: SignedServer) =>
  new KMSClient({ endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 })
const clock = { now: () => note.sealedAt }

/** Certificates in memory. The first caller who adds one wins, even if another was requested at the same time. */
function memoryStore(): CertificateStore & { records: Map<string, StoredCertificates> } {
  const records = new Map<string, StoredCertificates>()
  return {
    records,
    find: async (key) => records.get(key),
    findOrAdd: async (key, make) => {
      const made = records.get(key) ?? (await make())
      const first = records.get(key) ?? made
      records.set(key, first)
      return first
    },
    replace: async (record) => {
      records.set(record.public_key_sha256, record)
    },
  }
}

describe('the signer of a stage', () => {
  it('seals with the key in KMS, strictly read, and with a certificate that the key has signed itself', async () => {
    const findSigner = kmsSigner({ keyId: 'any', certificates: memoryStore(), client: clientOf(kms), clock })

    const signer = await findSigner()
    const sealed = await sealPdf(corpusFile('vertrag.pdf'), { signer, note })

    expect(faultsOf(sealed)).toEqual([])
    if (hasPdfsig) expect(isValidToPdfsig(sealed)).toBe(true)
    const [certificate] = signer.certificates.map((der) => new X509Certificate(der))
    expect(certificate?.verify(certificate.publicKey)).toBe(true)
    expect(certificate?.subject).toContain('Aktenlage')
    expect(certificate?.validToDate.getUTCFullYear()).toBe(2056)
    expect(Number(certificate?.validFromDate)).toBeLessThan(Number(note.sealedAt))
  })

  it('is the same in every worker, after every start, and where two workers begin at the same moment', async () => {
    const certificates = memoryStore()
    const worker = () => kmsSigner({ keyId: 'any', certificates, client: clientOf(kms), clock })()

    const [one, two] = await Promise.all([worker(), worker()])
    const later = await worker()

    expect(one?.certificates).toHaveLength(1)
    expect([two.certificates, later.certificates]).toEqual([one.certificates, one.certificates])
  })

  it('uses a certificate that was brought with the next document', async () => {
    const certificates = memoryStore()
    const findSigner = kmsSigner({ keyId: 'any', certificates, client: clientOf(kms), clock })
    await findSigner()
    const [stored] = certificates.records.values()
    const brought = Buffer.from('certificate of an authority')
    await certificates.replace({ ...(stored as StoredCertificates), chain: [brought.toString('base64')] })

    const { certificates: used } = await findSigner()

    expect(used.map((one) => Buffer.from(one))).toEqual([brought])
  })

  it('signs with ECDSA where the key is P-256, and gives KMS nothing but the digest', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const asked: unknown[] = []
    const signed = new KMSClient({ region: 'eu-central-1', credentials })
    const mock = mockClient(signed)
    mock.on(GetPublicKeyCommand).resolves({ PublicKey: publicKey.export({ type: 'spki', format: 'der' }) })
    // A key that signs digests is beyond Node's crypto, so the test signs the bytes that this signer is about to hash.
    const bytes: Uint8Array[] = []
    mock.on(SignCommand).callsFake((input) => {
      asked.push({ ...input, Message: input.Message.length })
      return { Signature: sign('sha256', bytes.shift() ?? Buffer.alloc(0), privateKey) }
    })
    const { kmsSigningKey } = await import('#sealing/kms-signer.ts')
    const { selfSignedCertificate } = await import('#sealing/self-signed-certificate.ts')
    const key = await kmsSigningKey('arn:key', signed)
    const noting: typeof key = {
      ...key,
      sign: (content) => {
        bytes.push(content.bytes)
        return key.sign(content)
      },
    }
    const validity = { validFrom: new Date('2026-01-01Z'), validTo: new Date('2056-01-01Z') }

    const certificate = await selfSignedCertificate({ ...noting, organization: 'Kanzlei', ...validity })
    const sealed = await sealPdf(corpusFile('vertrag.pdf'), {
      signer: { ...noting, certificates: [certificate] },
      note,
    })

    expect(faultsOf(sealed)).toEqual([])
    const call = { KeyId: 'arn:key', Message: 32, MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' }
    expect(asked).toEqual([call, call])
  })

  it('asks again after KMS did not answer', async () => {
    const stopped = await startKms(files, credentials)
    await stopped.close()
    const clients = [clientOf(stopped), clientOf(kms)]
    const client = { send: (command: never) => clients[0]?.send(command) } as unknown as KMSClient
    const findSigner = kmsSigner({ keyId: 'any', certificates: memoryStore(), client, clock })

    await expect(findSigner()).rejects.toThrow()
    clients.shift()

    expect((await findSigner()).certificates).toHaveLength(1)
  })
})

describe('the signing key on this machine', () => {
  it('is kept where its owner alone can read it, and is the same after a restart', async () => {
    const before = await kmsSigner({ keyId: 'any', certificates: memoryStore(), client: clientOf(kms) })()
    const restarted = await startKms(files, credentials)

    const after = await kmsSigner({
      keyId: 'any',
      certificates: memoryStore(),
      client: clientOf(restarted),
    })()
    await restarted.close()

    const keyOf = (der: Uint8Array | undefined) =>
      new X509Certificate(der ?? Buffer.alloc(0)).publicKey.export({ type: 'spki', format: 'pem' })
    expect(keyOf(after.certificates[0])).toBe(keyOf(before.certificates[0]))
    expect(statSync(files.signingKeyFile).mode & 0o777).toBe(0o600)
    const { asymmetricKeyDetails } = createPublicKey(readFileSync(files.signingKeyFile, 'utf8'))
    expect(asymmetricKeyDetails?.modulusLength).toBe(3_072)
  })

  it.each(['', 'abc'])('does not start on a damaged key: %j', async (content) => {
    const damaged = join(folder, 'damaged.key')
    writeFileSync(damaged, content)

    await expect(startKms({ ...files, signingKeyFile: damaged }, credentials)).rejects.toThrow(/damaged/)
    expect(readFileSync(damaged, 'utf8')).toBe(content)
  })

  it.each([
    ['RAW messages', { MessageType: 'RAW' }],
    ['another algorithm', { SigningAlgorithm: 'ECDSA_SHA_256' }],
    ['a digest that is too short', { Message: new Uint8Array(20) }],
  ] as const)('refuses %s', async (_what, wrong) => {
    const command = new SignCommand({
      KeyId: 'any',
      Message: new Uint8Array(32),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
      ...wrong,
    })

    await expect(clientOf(kms).send(command)).rejects.toMatchObject({ name: 'ValidationException' })
  })
})
