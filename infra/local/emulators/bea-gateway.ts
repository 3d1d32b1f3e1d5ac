import { type DemoName, readDemoCertificates } from '#bea-simulator/certificates/demo-certificates.ts'
import { beaIdent } from '#bea-simulator/ident.ts'
import { CannotStart } from '../cannot-start.ts'
import type { Credentials } from '../credentials.ts'
import { startThread } from './thread.ts'

/** The gateway to the beA network in a local run: the simulator, or nothing if the environment names a gateway. */
export type LocalBea = {
  /**
   * `BEA_GATEWAY_URL`, `BEA_GATEWAY_IDENT` and `BEA_LOGIN_VERSION` for the functions; empty if they are already set.
   */
  environment: Record<string, string>
  /** The demo certificates for `credentials.json` (B1); undefined if the environment names a gateway. */
  certificates: Credentials['bea']
  /** Resolves with the reason if it ends and cannot be started again. */
  died?: Promise<string>
  stop: () => Promise<void>
}

/** The identities that log in: two lawyers with a software certificate, and one with a card. */
const shown: readonly DemoName[] = ['lindner', 'demir', 'petersen']

/**
 * Starts the simulator in a thread of this process, on a free port, unless `BEA_GATEWAY_URL` is set.
 *
 * @param dataDir the folder of its certificates and messages; it is created
 * @throws CannotStart if it does not start
 */
export async function startBea(
  dataDir: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<LocalBea> {
  if (environment.BEA_GATEWAY_URL) return { environment: {}, certificates: undefined, stop: async () => {} }
  const module = new URL('./bea-gateway-thread.ts', import.meta.url)
  const { endpoint, died, stop } = await startThread({
    name: 'beA gateway',
    module,
    workerData: { dataDir },
  }).catch((error: unknown) => {
    throw new CannotStart(`The local beA gateway does not start: ${String(error)}`, error)
  })
  const { issued } = readDemoCertificates(`${dataDir}/certificates`)
  return {
    environment: {
      BEA_GATEWAY_URL: endpoint,
      BEA_GATEWAY_IDENT: beaIdent,
      BEA_LOGIN_VERSION: environment.BEA_LOGIN_VERSION || '2',
    },
    certificates: shown.map((name) => {
      const { label, certificate_base64, passphrase, safe_id, private_key_pem } = issued[name]
      // A real card keeps its key. Here somebody must sign instead of the card.
      const isCard = passphrase === ''
      return {
        label,
        certificate_base64,
        passphrase,
        safe_id: safe_id ?? '',
        ...(isCard && { private_key_pem }),
      }
    }),
    died,
    stop,
  }
}
