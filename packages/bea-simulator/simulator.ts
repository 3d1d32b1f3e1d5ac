import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type Behaviour, usualBehaviour } from './behaviour.ts'
import { type DemoCertificates, demoCertificates } from './certificates/demo-certificates.ts'
import { type Control, openControl } from './control/control.ts'
import { beaIdent } from './ident.ts'
import { openNetwork } from './network/network.ts'
import { type Randomness, seededRandomness } from './randomness.ts'
import { serve } from './server/serve.ts'
import { openSimulation } from './simulation.ts'

export type BeaSimulatorOptions = {
  /** The folder of certificates and messages. Without it, messages are in memory and all tests share certificates. */
  dataDir?: string
  /** The clock of the simulator; the system's clock by default. */
  clock?: () => Date
  /** A free port by default. */
  port?: number
  /** The same seed gives the same keys and tokens. */
  seed?: string
  /** Replaces the seed. */
  randomness?: Randomness
  /** Leaves the postboxes empty. */
  empty?: boolean
  behaviour?: Partial<Behaviour>
}

export type BeaSimulator = {
  /** The base URL, for `BEA_GATEWAY_URL`: `http://127.0.0.1:41337/`. */
  url: string
  /** For `BEA_GATEWAY_IDENT`. */
  ident: string
  /** The demo certificates by name, with their keys. */
  certificates: DemoCertificates['issued']
  control: Control
  close: () => Promise<void>
}

/**
 * Starts a simulator of the bea.expert REST gateway on the loopback interface. It has its own certificate authority,
 * postboxes of lawyers, an office and courts, and messages of every kind, and delivers messages between the postboxes.
 * It accepts only calls in the form of the vendor's samples, and shares only types with the adapter.
 *
 * Sessions are in memory and end with it. Postboxes survive if there is a `dataDir`.
 *
 * @throws Error if the port is taken
 */
export async function startBeaSimulator(options: BeaSimulatorOptions = {}): Promise<BeaSimulator> {
  const { dataDir, clock = () => new Date(), port = 0, empty = false } = options
  const certificates = await demoCertificates(
    dataDir === undefined ? sharedFolder() : join(dataDir, 'certificates'),
  )
  let offsetMinutes = 0
  const now = () => new Date(clock().getTime() + offsetMinutes * 60_000)
  const random = options.randomness ?? seededRandomness(options.seed ?? 'beA')
  const initial = { ...usualBehaviour, ...options.behaviour }
  const network = openNetwork(dataDir)
  const isNew = network.isEmpty()
  const simulation = openSimulation({ network, certificates, random, behaviour: { ...initial }, now })
  const fill = async () => {
    if (empty) return
    const { seedMessages } = await import('./messages/seed-messages.ts')
    await seedMessages(network, now())
  }
  const control = openControl({
    simulation,
    initial,
    setOffsetMinutes: (minutes) => {
      offsetMinutes = minutes
    },
    fill,
  })
  if (isNew) await fill()
  const server = await serve({ simulation, control, ident: beaIdent, port }).catch((error: unknown) => {
    network.close()
    throw error
  })
  return {
    url: server.url,
    ident: beaIdent,
    certificates: certificates.issued,
    control,
    close: async () => {
      await server.close()
      network.close()
    },
  }
}

/** Creating keys takes a second, so all tests of this user share them. */
function sharedFolder(): string {
  return join(tmpdir(), `aktenlage-bea-${userInfo().uid}`, 'certificates-2')
}
