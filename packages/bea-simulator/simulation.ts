import { X509Certificate } from 'node:crypto'
import type { Behaviour } from './behaviour.ts'
import type { DemoCertificates } from './certificates/demo-certificates.ts'
import { findIdentity, identities } from './directory/identities.ts'
import { faultOfCall, faultOfReceivers } from './faults/address-faults.ts'
import { type Fault, type Faults, openFaults } from './faults/faults.ts'
import { openAccess } from './functions/access.ts'
import { type Compositions, openCompositions } from './functions/compositions.ts'
import { directoryFunctions } from './functions/directory-functions.ts'
import { folderFunctions } from './functions/folder-functions.ts'
import { readingFunctions } from './functions/reading-functions.ts'
import { type FunctionName, type Handlers, requests } from './functions/requests.ts'
import { sendingFunctions } from './functions/sending-functions.ts'
import { sessionFunctions } from './functions/session-functions.ts'
import { GatewayError, lockedError } from './gateway-error.ts'
import { openLogin } from './login/login.ts'
import { openSessions, type Sessions } from './login/sessions.ts'
import type { Network } from './network/network.ts'
import type { Randomness } from './randomness.ts'

/** The gateway without HTTP: its functions, its data, and the pending faults. */
export type Simulation = {
  /**
   * Answers a call. The caller produces the faults of the connection.
   *
   * @throws GatewayError if the gateway answers with `error`
   */
  call: (name: FunctionName, request: object) => Promise<object>
  /** The next fault of this call: an injected one, or one that its address requests. */
  faultOf: (name: FunctionName, request: object) => Fault | undefined
  network: Network
  random: Randomness
  sessions: Sessions
  compositions: Compositions
  faults: Faults
  behaviour: Behaviour
  /** Locked SAFE-IDs, in addition to the ones that are always locked. */
  locked: Set<string>
  now: () => Date
}

export type SimulationOptions = {
  network: Network
  certificates: DemoCertificates
  random: Randomness
  behaviour: Behaviour
  now: () => Date
}

export function openSimulation(options: SimulationOptions): Simulation {
  const { network, certificates, random, behaviour, now } = options
  const locked = new Set<string>()
  const isActive = (safeId: string) => findIdentity(safeId)?.isActive === true && !locked.has(safeId)
  const milliseconds = () => now().getTime()
  const sessions = openSessions(milliseconds, random, behaviour, isActive)
  const compositions = openCompositions(sessions, random)
  const registry = { authorityPem: certificates.authority_pem, thumbprints: thumbprintsOf(certificates) }
  const login = openLogin({ registry, sessions, random, now: milliseconds, isActive })
  const access = openAccess(network)
  const handlers: Handlers<FunctionName> = {
    ...sessionFunctions(login, sessions),
    ...folderFunctions(network, sessions, access),
    ...readingFunctions(network, sessions, access, random, { behaviour, now }),
    ...directoryFunctions(sessions, access),
    ...sendingFunctions({ network, sessions, access, compositions, random, behaviour, now }),
  }
  const faults = openFaults()
  openPostboxes(network)

  return {
    call: async (name, request) => {
      const parsed = requests[name].safeParse(request)
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        throw new GatewayError(`The request is malformed: ${issue?.path.join('.')}: ${issue?.message}`)
      }
      const handle = handlers[name] as (request: unknown) => object | Promise<object>
      return handle(parsed.data)
    },
    faultOf: (name, request) => {
      const injected = faults.next(name) ?? faultOfCall(name, request)
      if (injected !== undefined || name !== 'bea_send_message_validation') return injected
      const { validationTokenMSG } = request as { validationTokenMSG?: unknown }
      return faultOfReceivers(compositions.receiversOf(String(validationTokenMSG)))
    },
    network,
    random,
    sessions,
    compositions,
    faults,
    behaviour,
    locked,
    now,
  }
}

/** Creates the missing postboxes of everybody in the directory. */
export function openPostboxes(network: Network): void {
  for (const { safeId } of identities) if (network.folders(safeId).length === 0) network.addPostbox(safeId)
}

function thumbprintsOf({ issued }: DemoCertificates): Map<string, string> {
  return new Map(
    Object.values(issued).flatMap(({ safe_id, certificate_pem }) => {
      const { fingerprint } = new X509Certificate(certificate_pem)
      return safe_id === null ? [] : [[fingerprint.replaceAll(':', '').toLowerCase(), safe_id] as const]
    }),
  )
}

/** The gateway's error if a fault makes it refuse a call. */
export function errorOfFault({ fault }: Fault): GatewayError | undefined {
  if (fault === 'error_string' || fault === 'error_object') return new GatewayError('General fault 9999.')
  if (fault === 'locked') return lockedError()
  if (fault === 'certificate_expired') return new GatewayError('The certificate is invalid: it has expired.')
  return undefined
}
