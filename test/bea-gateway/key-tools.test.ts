import { createHash, createPublicKey, publicEncrypt, verify, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import forge from 'node-forge'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyTools } from '#bea-gateway/key-tools.ts'
import { epochMilliseconds } from '#kernel/clock.ts'
import { Failure } from '#kernel/failure.ts'
import { type Workbench, workbench } from './authority.ts'

let bench: Workbench
// A certificate that is created now is valid from the next second.
const now = new Date(epochMilliseconds() + 3_600_000)
const tools = keyTools({ loginVersion: 2 })
const passphrase = 'Geheim-Schlüssel 1'

beforeAll(() => {
  bench = workbench()
  bench.issue('Anna')
  bench.issue('Bert')
  bench.issue('Curve', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'])
})
afterAll(() => bench[Symbol.dispose]())

/** A PKCS#12 file of a holder, created by OpenSSL with these parameters. */
function pkcs12(holder: string, ...parameters: string[]): Buffer {
  const pass = ['-passout', `pass:${passphrase}`]
  const all = ['-export', '-inkey', `${holder}.key`, '-in', `${holder}.pem`, '-out', 'file.p12', ...pass]
  bench.openssl('pkcs12', ...all, ...parameters)
  return bench.read('file.p12')
}

const refusal = async (bytes: Uint8Array, pass = passphrase, at = now) => {
  const error = await tools.open(bytes, pass, at).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Failure)) throw error ?? new Error('It opened.')
  expect([error.kind, error.code]).toEqual(['unprocessable', 'BEA_CERTIFICATE_INVALID'])
  expect(error.message).not.toContain(pass === '' ? '\0' : pass)
  return error.message
}

describe('a PKCS#12 file', () => {
  it.each([
    ['of OpenSSL 3: AES-256, a MAC of SHA-256', []],
    [
      'of old programs: 3DES, a MAC of SHA-1',
      ['-legacy', '-keypbe', 'PBE-SHA1-3DES', '-certpbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'],
    ],
    [
      'of old programs: RC2 with 40 bits for certificates',
      ['-legacy', '-certpbe', 'PBE-SHA1-RC2-40', '-macalg', 'sha1'],
    ],
    ['with as many iterations as BouncyCastle uses', ['-iter', '51200']],
    [
      'of old programs, with as many iterations',
      [
        '-iter',
        '51200',
        '-legacy',
        '-keypbe',
        'PBE-SHA1-3DES',
        '-certpbe',
        'PBE-SHA1-3DES',
        '-macalg',
        'sha1',
      ],
    ],
    [
      'with AES-128 and a MAC of SHA-512',
      ['-keypbe', 'AES-128-CBC', '-certpbe', 'AES-128-CBC', '-macalg', 'sha512'],
    ],
    ['with unencrypted certificates', ['-certpbe', 'NONE']],
  ])('%s opens with its passphrase, which has an umlaut', async (_, parameters) => {
    const opened = await tools.open(pkcs12('Anna', ...parameters), passphrase, now)

    const der = new X509Certificate(bench.read('Anna.pem')).raw
    expect(opened.certificate.thumbprint).toBe(createHash('sha1').update(der).digest('hex'))
    expect(opened.certificate).toMatchObject({ owner_name: 'Dr. Anna', issuer: 'CN=Test CA' })
    const own = new X509Certificate(opened.certificate.pem)
    expect(createPublicKey(opened.private_key_pem ?? '').equals(own.publicKey)).toBe(true)
  })

  it('gives the holder’s certificate, even if the authority’s comes first', async () => {
    const first = await tools.open(pkcs12('Anna', '-certfile', 'ca.pem'), passphrase, now)
    // The authority's certificate is before the holder's.
    writeFileSync(bench.path('chain.pem'), Buffer.concat([bench.read('ca.pem'), bench.read('Anna.pem')]))
    bench.openssl(
      'pkcs12',
      '-export',
      '-inkey',
      'Anna.key',
      '-in',
      'chain.pem',
      '-out',
      'c.p12',
      '-passout',
      'pass:x',
    )
    const second = await tools.open(bench.read('c.p12'), 'x', now)

    expect([first.certificate.owner_name, second.certificate.owner_name]).toEqual(['Dr. Anna', 'Dr. Anna'])
  })

  it('names its holder as the certificate does, also with a comma', async () => {
    bench.issue('Berg, LL.M.')

    const { certificate } = await tools.open(pkcs12('Berg, LL.M.'), passphrase, now)

    expect(certificate.owner_name).toBe('Dr. Berg, LL.M.')
  })

  it('does not open with another passphrase, or with none', async () => {
    const file = pkcs12('Anna')

    expect(await refusal(file, 'geheim')).toMatch(/passphrase does not open/)
    expect(await refusal(file, '')).toMatch(/needs a passphrase/)
  })

  it('is refused without an RSA key', async () => {
    bench.openssl('pkcs12', '-export', '-nokeys', '-in', 'Anna.pem', '-out', 'n.p12', '-passout', 'pass:x')

    expect(await refusal(pkcs12('Curve'))).toMatch(/RSA/)
    expect(await refusal(bench.read('n.p12'), 'x')).toMatch(/no private key/)
  })

  it('is refused if it has expired or is not valid yet, with the day', async () => {
    const file = pkcs12('Anna')
    const { validFromDate, validToDate } = new X509Certificate(bench.read('Anna.pem'))

    const after = await refusal(file, passphrase, new Date('2099-01-01'))
    const before = await refusal(file, passphrase, new Date('2001-01-01'))

    expect(after).toContain(`expired on ${validToDate.toISOString().slice(0, 10)}`)
    expect(before).toContain(`valid only from ${validFromDate.toISOString().slice(0, 10)}`)
  })

  it('with so many iterations that opening takes seconds is refused', async () => {
    expect(await refusal(pkcs12('Anna', '-iter', '401000'))).toMatch(/too many iterations/)
  })

  it('with too many iterations of the key’s encryption is refused as well', async () => {
    // OpenSSL uses another number of iterations for the MAC.
    const file = pkcs12('Anna', '-iter', '900000', '-nomaciter', '-certpbe', 'NONE')
    const old = pkcs12(
      'Anna',
      '-iter',
      '140000',
      '-nomaciter',
      '-legacy',
      '-keypbe',
      'PBE-SHA1-3DES',
      '-certpbe',
      'NONE',
    )

    expect(await refusal(old)).toMatch(/too many iterations/)
    expect(await refusal(file)).toMatch(/too many iterations/)
  })

  it('that is incomplete, or another file, is refused at every length', async () => {
    const file = pkcs12('Anna', '-iter', '1')
    for (let length = 0; length < file.length; length += 61) {
      expect(await refusal(file.subarray(0, length))).toMatch(/empty|neither/)
    }
    expect(await refusal(Buffer.from('<html>no</html>'))).toMatch(/neither/)
    expect(await refusal(Buffer.alloc(1_000_000, 0x30))).toMatch(/256 KiB/)
    expect(await refusal(Buffer.alloc(200_000, Buffer.from('3080', 'hex')))).toMatch(/neither/)
  })

  it('with changed bytes is either refused or opens as before', async () => {
    const file = pkcs12('Anna', '-iter', '1')
    const { certificate } = await tools.open(file, passphrase, now)
    for (let at = 0; at < file.length; at += 37) {
      const changed = Buffer.from(file)
      changed[at] = (changed[at] ?? 0) ^ 0x15
      const outcome = await tools.open(changed, passphrase, now).then(
        (opened) => opened.certificate.thumbprint,
        (error: unknown) => (error instanceof Failure ? error.code : error),
      )
      expect([certificate.thumbprint, 'BEA_CERTIFICATE_INVALID']).toContain(outcome)
    }
  })

  it('with two keys is refused, since it is unclear which one logs in', async () => {
    const file = twoKeys()

    expect(await refusal(file)).toMatch(/several keys/)
  })
})

describe('a certificate without a key', () => {
  it('is read from DER, and from PEM with text around it', async () => {
    const der = new X509Certificate(bench.read('Anna.pem')).raw
    const pem = Buffer.concat([Buffer.from('Bag Attributes\n'), bench.read('Anna.pem'), bench.read('ca.pem')])

    const opened = [await tools.open(der, '', now), await tools.open(pem, '', now)]

    expect(opened.map((it) => it.private_key_pem)).toEqual([null, null])
    expect(opened.map((it) => it.certificate.owner_name)).toEqual(['Dr. Anna', 'Dr. Anna'])
  })

  it('is refused if it is damaged, one of several, not RSA, or comes with an unencrypted key', async () => {
    const two = Buffer.concat([bench.read('Anna.pem'), bench.read('Bert.pem')])
    const withKey = Buffer.concat([bench.read('Anna.pem'), bench.read('Anna.key')])

    expect(
      await refusal(Buffer.from('-----BEGIN CERTIFICATE-----\nrubbish\n-----END CERTIFICATE-----')),
    ).toMatch(/damaged/)
    expect(await refusal(bench.read('Anna.pem').subarray(0, 500))).toMatch(/no certificate/)
    expect(await refusal(two)).toMatch(/several certificates/)
    expect(await refusal(withKey)).toMatch(/private key/)
    expect(await refusal(bench.read('Curve.pem'))).toMatch(/RSA/)
  })
})

describe('the key of an account', () => {
  const challenge = { id: 'challenge', data: 'Y2hhbGxlbmdlLUE=' }
  const material = async () => {
    const { certificate, private_key_pem } = await tools.open(pkcs12('Anna'), passphrase, now)
    return { certificate, private_key_pem: private_key_pem ?? '' }
  }

  it('signs the decoded challenge for version 1', async () => {
    const [signature] = await keyTools({ loginVersion: 1 }).sign(await material(), [challenge])

    const { publicKey } = new X509Certificate(bench.read('Anna.pem'))
    expect(
      verify('sha256', Buffer.from('challenge-A'), publicKey, Buffer.from(signature?.data ?? '', 'base64')),
    ).toBe(true)
  })

  it('signs the undecoded challenge for version 2, and OpenSSL verifies the signature', async () => {
    const [signature] = await tools.sign(await material(), [challenge])
    writeFileSync(bench.path('challenge'), challenge.data)
    writeFileSync(bench.path('signature'), Buffer.from(signature?.data ?? '', 'base64'))
    const verifyCms = (content: string) =>
      bench.openssl(
        'cms',
        '-verify',
        '-inform',
        'DER',
        '-in',
        'signature',
        '-content',
        content,
        '-CAfile',
        'ca.pem',
        '-purpose',
        'any',
        '-out',
        'verified',
      )

    verifyCms('challenge')
    expect(bench.read('verified').toString()).toBe(challenge.data)
    const text = bench.openssl('cms', '-cmsout', '-print', '-inform', 'DER', '-in', 'signature')
    expect(text).toMatch(/algorithm: rsassaPss[\s\S]*sha256[\s\S]*mgf1[\s\S]*sha256[\s\S]*20/)
    expect(text.match(/object: \w+/g)).toEqual([
      'object: contentType',
      'object: signingTime',
      'object: messageDigest',
    ])
    writeFileSync(bench.path('other'), 'Y2hhbGxlbmdlLUI=')
    expect(() => verifyCms('other')).toThrow(/digest|verif/i)
  })

  it('unwraps keys, and refuses keys that are wrapped with another digest', async () => {
    const key = await material()
    const { publicKey } = new X509Certificate(key.certificate.pem)
    const wrapped = (oaepHash: string) =>
      publicEncrypt({ key: publicKey, oaepHash }, Buffer.alloc(32, 7)).toString('base64')

    expect(await tools.unwrap(key, [{ id: 'session_key', data: wrapped('sha256') }])).toEqual([
      { id: 'session_key', data: Buffer.alloc(32, 7).toString('base64') },
    ])
    await expect(tools.unwrap(key, [{ id: 'session_key', data: wrapped('sha1') }])).rejects.toMatchObject({
      code: 'BEA_GATEWAY_ERROR',
    })
  })
})

/** A file with two keys. OpenSSL writes only one key, so this joins the contents of two files without a MAC. */
function twoKeys(): Buffer {
  const [one, other] = ['Anna', 'Bert'].map((holder) =>
    forge.asn1.fromDer(pkcs12(holder, '-nomac').toString('latin1')),
  )
  const contents = (pfx: forge.asn1.Asn1 | undefined) =>
    (((pfx?.value[1] as forge.asn1.Asn1).value[1] as forge.asn1.Asn1).value[0] ?? pfx) as forge.asn1.Asn1
  const safes = [one, other].map((pfx) => forge.asn1.fromDer(contents(pfx).value as string))
  const [first, second] = safes.map(({ value }) => value as forge.asn1.Asn1[])
  const both = forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.SEQUENCE, true, [
    ...(first ?? []),
    ...(second ?? []),
  ])
  contents(one).value = forge.asn1.toDer(both).getBytes()
  return Buffer.from(forge.asn1.toDer(one as forge.asn1.Asn1).getBytes(), 'latin1')
}
