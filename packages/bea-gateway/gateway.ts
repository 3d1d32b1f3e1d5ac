import type { BeaConnection, BeaGateway, GatewaySession } from '#bea/network/gateway-ports.ts'
import type { Log } from '#kernel/log.ts'
import { gatewayClient } from './client.ts'
import { connection } from './connection.ts'
import { newIv } from './envelope.ts'
import { answerChallenges, finishLogin, startLogin } from './login.ts'
import type { LoginVersion } from './signatures.ts'
import { type CallLimits, transport } from './transport.ts'

export type GatewayOptions = {
  /** The address of the gateway: `https:`, or `http:` on this machine. */
  url: string
  /** The account identifier of the subscription. */
  ident: string
  /** How a login is signed. */
  loginVersion: LoginVersion
  log: Log
  /** The time zone of times without an offset, which the gateway does not specify. */
  timeZone?: string
  /** Milliseconds for one call. */
  timeLimits?: Partial<CallLimits>
  /** Bytes of one answer. A message takes about its size in memory, plus the size of its largest attachment. */
  answerLimits?: Partial<CallLimits>
  /** Gives the 16 bytes of an IV; tests replace it. */
  newIv?: () => Buffer
}

/** The loaded adapter, whose `connect` is synchronous. */
export type LoadedGateway = Omit<BeaGateway, 'connect'> & {
  connect: (session: GatewaySession) => BeaConnection
}

/** Users' requests stop waiting before that; a synchronisation works even if every call takes 40 seconds. */
const timeLimits: CallLimits = { metadata: 60_000, overview: 120_000, message: 400_000 }

const mebibyte = 1024 * 1024

/** A message with 60 MB of attachments is 80 MB of JSON. */
const answerLimits: CallLimits = {
  metadata: 8 * mebibyte,
  overview: 64 * mebibyte,
  message: 100 * mebibyte,
}

/**
 * The beA network through the REST gateway of bea.expert (B1). It follows the vendor's samples; what they do not
 * specify is an option or has a tolerant reader. The gateway's error texts are logged, never thrown.
 *
 * @throws TypeError for a URL that is neither `https:` nor `http:` on this machine
 */
export function beaGateway(options: GatewayOptions): LoadedGateway {
  const { url, ident, loginVersion, log } = options
  const call = transport({
    url,
    ident,
    timeLimits: { ...timeLimits, ...options.timeLimits },
    answerLimits: { ...answerLimits, ...options.answerLimits },
  })
  const client = gatewayClient(call, log)
  const login = { client, version: loginVersion }
  return {
    startLogin: (certificate, signal) => startLogin(certificate, signal, login),
    answerChallenges: (step, signatures, signal) => answerChallenges(step, signatures, signal, login),
    finishLogin: (step, keys, signal) => finishLogin(step, keys, signal, login),
    connect: (session) =>
      connection(session, {
        client,
        log,
        timeZone: options.timeZone ?? 'Europe/Berlin',
        newIv: options.newIv ?? newIv,
      }),
  }
}
