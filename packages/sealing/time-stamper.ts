import { randomBytes, type X509Certificate } from 'node:crypto'
import * as asn1js from 'asn1js'
import {
  AlgorithmIdentifier,
  Certificate,
  ExtKeyUsage,
  MessageImprint,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs'
import { type Clock, systemClock } from '#kernel/clock.ts'
import { bytesOf, contentOf, type TimeStamper, verifyCms } from './cms.ts'
import { limits } from './limits.ts'
import { SealFault } from './signer.ts'

/**
 * Requests a time stamp from an authority over HTTP (RFC 3161, 3.4), and checks the answer: status, nonce, digest, and
 * the signature of the token. The certificate must be valid and only for time stamps, and the time must be within an
 * hour of now. It does not check whether the authority is trusted: readers of the seal decide that.
 *
 * @throws SealFault `time_stamp` if the answer is missing, too long, too late or wrong
 */
export function httpTimeStamper(
  url: string,
  { clock = systemClock, milliseconds = 15_000 }: { clock?: Clock; milliseconds?: number } = {},
): TimeStamper {
  return async (digest) => {
    const nonce = newNonce()
    try {
      const answer = await post(url, requestOf(digest, nonce), milliseconds)
      return tokenOf(answer, { digest, nonce, now: clock.now() })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new SealFault('time_stamp', `There is no time stamp: ${reason}`, { cause: error })
    }
  }
}

const oid = {
  sha256: '2.16.840.1.101.3.4.2.1',
  timeStampInfo: '1.2.840.113549.1.9.16.1.4',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
} as const

/** Sixteen random bytes as a positive DER integer in its shortest form. */
function newNonce(): Uint8Array {
  const nonce = randomBytes(16)
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40
  return nonce
}

function requestOf(digest: Uint8Array, nonce: Uint8Array): Uint8Array {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: oid.sha256, algorithmParams: new asn1js.Null() }),
      hashedMessage: new asn1js.OctetString({ valueHex: digest.slice().buffer as ArrayBuffer }),
    }),
    nonce: new asn1js.Integer({ valueHex: nonce.slice().buffer as ArrayBuffer }),
    certReq: true,
  })
  return new Uint8Array(request.toSchema().toBER())
}

/** Returns the whole answer. A redirect is an error: the operator must configure the final address. */
async function post(url: string, body: Uint8Array, milliseconds: number): Promise<Uint8Array> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/timestamp-query', Accept: 'application/timestamp-reply' },
    body: body.slice(),
    redirect: 'error',
    signal: AbortSignal.timeout(milliseconds),
  })
  const type = response.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (response.status !== 200 || type !== 'application/timestamp-reply') {
    await response.body?.cancel()
    throw new Error(`the authority answered ${response.status}, ${type ?? 'without a type'}.`)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Leaving the loop ends the connection.
    if (length > limits.timeStampBytes) throw new Error('the answer is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Asked = { digest: Uint8Array; nonce: Uint8Array; now: Date }

function tokenOf(answer: Uint8Array, asked: Asked): Uint8Array {
  const { result, offset } = asn1js.fromBER(answer)
  if (offset !== answer.length) throw new Error('the answer is not DER.')
  const { status } = new TimeStampResp({ schema: result })
  // granted, grantedWithMods
  if (status.status !== 0 && status.status !== 1)
    throw new Error(`the authority refused with status ${status.status}.`)
  const block = result instanceof asn1js.Sequence ? result.valueBlock.value[1] : undefined
  if (block === undefined) throw new Error('the answer has no token.')
  // The original bytes: if they were encoded again, the signature might not match.
  const token = new Uint8Array(block.valueBeforeDecodeView)
  checkToken(token, asked)
  return token
}

function checkToken(token: Uint8Array, { digest, nonce, now }: Asked): void {
  const { signedData, certificate } = verifyCms(token)
  if (signedData.encapContentInfo.eContentType !== oid.timeStampInfo)
    throw new Error('it is not a time stamp.')
  const info = TSTInfo.fromBER(contentOf(signedData))
  const { hashAlgorithm, hashedMessage } = info.messageImprint
  if (hashAlgorithm.algorithmId !== oid.sha256 || !Buffer.from(digest).equals(bytesOf(hashedMessage))) {
    throw new Error('it is for something else.')
  }
  if (info.nonce === undefined || !Buffer.from(nonce).equals(info.nonce.valueBlock.valueHexView)) {
    throw new Error('it answers another request.')
  }
  const { genTime } = info
  if (Math.abs(genTime.getTime() - now.getTime()) > maxClockDifferenceMilliseconds) {
    throw new Error(`its time is ${genTime.toISOString()}.`)
  }
  if (genTime < certificate.validFromDate || genTime > certificate.validToDate) {
    throw new Error('the certificate of the authority was not valid.')
  }
  if (!isForTimeStamps(certificate))
    throw new Error('the certificate of the authority is not for time stamps.')
}

const maxClockDifferenceMilliseconds = 60 * 60 * 1_000

/** Whether the extended key usage is critical and names only time stamps (RFC 3161, 2.3). */
function isForTimeStamps({ raw }: X509Certificate): boolean {
  const usage = Certificate.fromBER(raw).extensions?.find(({ extnID }) => extnID === oid.extendedKeyUsage)
  const { parsedValue, critical } = usage ?? {}
  return (
    critical === true &&
    parsedValue instanceof ExtKeyUsage &&
    parsedValue.keyPurposes.join() === oid.timeStamping
  )
}
