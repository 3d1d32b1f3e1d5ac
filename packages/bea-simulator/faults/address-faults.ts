import type { Identity } from '../directory/identity.ts'
import { type Fault, type FaultKind, faultKinds } from './faults.ts'

/**
 * Faults that an address requests, so that a client without access to the control endpoint can trigger them.
 *
 * A search with `fehler+<fault>` in any member triggers that fault. A search for the surname `Fehler` finds receivers
 * named `fehler+<fault>`; a message to one of them triggers it at `bea_send_message_validation`, the last step.
 */
export function faultOfCall(functionName: string, request: object): Fault | undefined {
  if (functionName !== 'bea_search') return undefined
  for (const value of Object.values(request)) {
    const kind = typeof value === 'string' ? kindOf(value) : undefined
    if (kind !== undefined) return faultOf(functionName, kind)
  }
  return undefined
}

/** The fault of a message to these receivers, at its last step. */
export function faultOfReceivers(receivers: readonly string[]): Fault | undefined {
  const found = faultIdentities.find(({ safeId }) => receivers.includes(safeId))
  const kind = found && kindOf(found.officeName)
  return kind && faultOf('bea_send_message_validation', kind)
}

const prefix = 'fehler+'

function kindOf(text: string): FaultKind | undefined {
  const name = text.trim().toLowerCase()
  return kinds.find((kind) => name === `${prefix}${kind}`)
}

const kinds = Object.keys(faultKinds) as FaultKind[]

function faultOf(functionName: string, fault: FaultKind): Fault {
  return { function: functionName, fault, times: 1, milliseconds: 40_000 }
}

/** One for each fault, in the order of their list. */
export const faultIdentities: readonly Identity[] = kinds.map((kind, at) => ({
  safeId: `DE.BRAK.fe41e700-0000-4000-8000-${String(at + 1).padStart(12, '0')}.fe41`,
  kind: 'lawyer',
  name: `${prefix}${kind}`,
  firstname: kind,
  surname: 'Fehler',
  officeName: `${prefix}${kind}`,
  postalcode: '99999',
  city: 'Fehlerstadt',
  userName: '',
  isActive: true,
}))
