import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as asn1js from 'asn1js'
import { SignedData, TimeStampResp } from 'pkijs'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { epochMilliseconds } from '#kernel/clock.ts'
import type { TimeStamper } from '#sealing/cms.ts'
import { httpTimeStamper } from '#sealing/time-stamper.ts'
import { corpusFile } from '#test/support/corpus.ts'
import { type Respond, startToyTsa, type ToyTsa, type TsaCertificate } from '#test/support/toy-tsa.ts'
import { note, officeSigner } from './office-signer.ts'
import { faultsOf, hasOpenSsl, hasPdfsig, isValidToPdfsig, readSeal } from './pades-judge.ts'
import { sealPdf } from './seal-pdf.ts'

const folder = mkdtempSync(join(tmpdir(), 'stamps-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function tsaWith(certificate: TsaCertificate = {}, respond?: Respond): Promise<ToyTsa> {
  const tsa = await startToyTsa(certificate, respond)
  onTestFinished(tsa.close)
  return tsa
}

const digest = createHash('sha256').update('Signatur').digest()
const type = { 'Content-Type': 'application/timestamp-reply' }

/** What OpenSSL says of a token over a digest. */
function verified(token: Uint8Array, of: Uint8Array, certificate: string): string {
  writeFileSync(join(folder, 'token'), token)
  writeFileSync(join(folder, 'ca.pem'), certificate)
  const how = ['ts', '-verify', '-digest', Buffer.from(of).toString('hex'), '-token_in', '-in', 'token']
  return execFileSync('openssl', [...how, '-CAfile', 'ca.pem', '-partial_chain'], {
    cwd: folder,
    stdio: 'pipe',
  }).toString()
}

describe.skipIf(!hasOpenSsl)('a time stamp (S7, RFC 3161)', () => {
  it.each([
    ['RSA', { rsa: true }],
    ['ECDSA with another digest', {}],
  ])('of an authority with %s is taken, and OpenSSL takes it too', async (_what, certificate) => {
    const tsa = await tsaWith(certificate)

    const token = await httpTimeStamper(tsa.url)(digest)

    expect(verified(token, digest, tsa.certificate)).toContain('OK')
    expect(tsa.asked()).toBe(1)
  })

  it('stands in the seal as the authority gave it, over its signature (B-T)', async () => {
    const tsa = await tsaWith()
    const given: { digest: Uint8Array; token: Uint8Array }[] = []
    const timeStamper: TimeStamper = async (of) => {
      const token = await httpTimeStamper(tsa.url)(of)
      given.push({ digest: of, token })
      return token
    }

    const sealed = await sealPdf(corpusFile('vertrag.pdf'), {
      signer: await officeSigner('rsa'),
      note,
      timeStamper,
    })

    const [signerInfo] = readSeal(sealed).signedData.signerInfos
    const [attribute, ...others] = signerInfo?.unsignedAttrs?.attributes ?? []
    const signature = new Uint8Array(signerInfo?.signature.getValue() ?? new ArrayBuffer())
    expect([attribute?.type, others]).toEqual(['1.2.840.113549.1.9.16.2.14', []])
    expect(given[0]?.digest).toEqual(createHash('sha256').update(signature).digest())
    expect(Buffer.from(attribute?.values[0].toBER()).equals(given[0]?.token ?? Buffer.alloc(0))).toBe(true)
    expect(
      verified(new Uint8Array(attribute?.values[0].toBER()), given[0]?.digest ?? digest, tsa.certificate),
    ).toContain('OK')
    expect(faultsOf(sealed)).toEqual([])
    if (hasPdfsig) expect(isValidToPdfsig(sealed)).toBe(true)
  })

  /** The request with other bytes in place of some. */
  const changed = (request: Uint8Array, from: Uint8Array, to: Uint8Array) => {
    const at = Buffer.from(request).indexOf(from)
    if (at < 0) throw new Error('It does not stand in the request.')
    const copy = Buffer.from(request)
    copy.set(to, at)
    return copy
  }
  const nonceOf = (request: Uint8Array) => {
    const at = Buffer.from(request).lastIndexOf(Buffer.from([0x02, 0x10]))
    return Buffer.from(request).subarray(at + 2, at + 18)
  }
  const answering =
    (make: (reply: (request: Uint8Array) => Uint8Array, request: Uint8Array) => Uint8Array): Respond =>
    ({ reply }, request, response) =>
      response.writeHead(200, type).end(make(reply, request))

  it.each<[string, RegExp, Respond]>([
    [
      'for another digest',
      /something else/,
      answering((reply, request) => reply(changed(request, digest, randomBytes(32)))),
    ],
    [
      'for another request',
      /another request/,
      answering((reply, request) =>
        reply(changed(request, nonceOf(request), Buffer.concat([Buffer.from([1]), randomBytes(15)]))),
      ),
    ],
    [
      'with a wrong signature',
      /./,
      answering((reply, request) => {
        const answer = Buffer.from(reply(request))
        answer[answer.length - 10] = (answer[answer.length - 10] ?? 0) ^ 1
        return answer
      }),
    ],
    [
      'that was changed inside',
      /./,
      answering((reply, request) => {
        const answer = Buffer.from(reply(request))
        const at = answer.indexOf(digest) + digest.length + 4
        answer[at] = (answer[at] ?? 0) ^ 1
        return answer
      }),
    ],
    [
      'that is followed by something',
      /DER/,
      answering((reply, request) => Buffer.concat([reply(request), digest])),
    ],
    ['that refuses', /status 2/, answering((reply) => reply(Buffer.from('keine Anfrage')))],
    ['that is empty', /./, answering(() => Buffer.alloc(0))],
    ['that is no DER', /./, answering(() => Buffer.from('kein Zeitstempel'))],
    ['that is cut off', /./, answering((reply, request) => reply(request).subarray(0, 500))],
    [
      'without end',
      /too long/,
      (_tsa, _request, response) => {
        response.writeHead(200, type)
        const more = () => {
          if (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) setImmediate(more)
        }
        response.on('drain', more)
        more()
      },
    ],
    [
      'that never ends',
      /time|abort/i,
      (_tsa, _request, response) => {
        response.writeHead(200, type).write('0')
      },
    ],
    ['that never begins', /time|abort/i, () => {}],
    [
      'that leads elsewhere',
      /redirect|fetch failed/,
      (_tsa, _request, response) => response.writeHead(302, { Location: '/elsewhere' }).end(),
    ],
    [
      'in HTML',
      /text\/html/,
      (_tsa, _request, response) =>
        response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Willkommen</h1>'),
    ],
    [
      'with an error',
      /503/,
      ({ reply }, request, response) => response.writeHead(503, type).end(reply(request)),
    ],
    ['that breaks off', /./, (_tsa, _request, response) => response.socket?.destroy()],
  ])('an answer %s is refused', async (_what, explanation, respond) => {
    const tsa = await tsaWith({}, respond)

    const stamping = httpTimeStamper(tsa.url, { milliseconds: 3_000 })(digest)

    await expect(stamping).rejects.toMatchObject({
      name: 'SealFault',
      kind: 'time_stamp',
      message: expect.stringMatching(explanation),
    })
    expect(tsa.asked()).toBe(1)
  })

  it.each([
    ['not for time stamps alone', 'critical,timeStamping,codeSigning'],
    ['for time stamps, but not critically so', 'timeStamping'],
    ['for web servers', 'critical,serverAuth'],
    ['for nothing in particular', ''],
  ])('a token with a certificate %s is refused', async (_what, extendedKeyUsage) => {
    // OpenSSL stamps only with a fitting certificate, so what it stamped is signed again with the other.
    makeOther(extendedKeyUsage)
    const tsa = await tsaWith(
      {},
      answering((reply, request) => signedAgain(reply(request))),
    )

    await expect(httpTimeStamper(tsa.url)(digest)).rejects.toThrow('is not for time stamps')
  })

  it('a token that is signed again with a fitting certificate is accepted', async () => {
    makeOther('critical,timeStamping')
    const tsa = await tsaWith(
      {},
      answering((reply, request) => signedAgain(reply(request))),
    )

    expect(await httpTimeStamper(tsa.url)(digest)).toBeInstanceOf(Uint8Array)
  })

  it('a token of another time is refused, and one with a certificate that has ended', async () => {
    const tsa = await tsaWith({ days: 1 })
    const at = (hours: number) => ({
      clock: { now: () => new Date(epochMilliseconds() + hours * 3_600_000) },
    })

    for (const hours of [-2, 2]) {
      await expect(httpTimeStamper(tsa.url, at(hours))(digest)).rejects.toThrow(/its time is/)
    }
    expect(await httpTimeStamper(tsa.url, at(0))(digest)).toBeInstanceOf(Uint8Array)
  })

  it('a seal is not made without the time stamp that it should have', async () => {
    const timeStamper = httpTimeStamper('http://127.0.0.1:1/stamp')

    const sealing = sealPdf(corpusFile('vertrag.pdf'), {
      signer: await officeSigner('p256'),
      note,
      timeStamper,
    })

    await expect(sealing).rejects.toMatchObject({ kind: 'time_stamp' })
  })
})

const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })

/** Another key with a certificate with this extended key usage. */
function makeOther(extendedKeyUsage: string): void {
  const usage = extendedKeyUsage === '' ? [] : ['-addext', `extendedKeyUsage=${extendedKeyUsage}`]
  const curve = ['-pkeyopt', 'ec_paramgen_curve:P-256']
  const key = ['-newkey', 'ec', ...curve, '-nodes', '-keyout', 'other.key', '-subj', '/CN=Other']
  openssl('req', '-x509', ...key, '-days', '9', '-out', 'other.pem', ...usage)
}

/** The answer of an authority with its token signed by the other key. */
function signedAgain(answer: Uint8Array): Uint8Array {
  const { timeStampToken } = TimeStampResp.fromBER(answer)
  const { encapContentInfo } = new SignedData({ schema: timeStampToken?.content })
  writeFileSync(join(folder, 'info'), Buffer.from(encapContentInfo.eContent?.getValue() ?? new ArrayBuffer()))
  const content = ['-binary', '-nodetach', '-econtent_type', '1.2.840.113549.1.9.16.1.4', '-in', 'info']
  const signer = ['-cades', '-signer', 'other.pem', '-inkey', 'other.key', '-outform', 'DER']
  const token = openssl('cms', '-sign', '-md', 'sha256', ...content, ...signer)
  const granted = new asn1js.Sequence({ value: [new asn1js.Integer({ value: 0 })] })
  const whole = new asn1js.Sequence({ value: [granted, asn1js.fromBER(new Uint8Array(token)).result] })
  return new Uint8Array(whole.toBER())
}
