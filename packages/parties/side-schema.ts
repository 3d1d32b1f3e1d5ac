import { fold } from '#kernel/fold.ts'

/** The sides of a case by which conflicts of interest are judged (C10). */
export const sides = ['client', 'opponent'] as const

export type Side = (typeof sides)[number]

const roles: Record<Side, readonly string[]> = {
  client: ['client', 'mandant', 'mandantin'],
  opponent: ['opponent', 'gegner', 'gegnerin'],
}

/** The side of a role, if it is on one: roles are free text (C1). */
export function sideOf(role: string): Side | undefined {
  return sides.find((side) => roles[side].includes(fold(role)))
}

/** Whether a case names this party in a role on this side. */
export function isOn(side: Side, partyId: string, parties: readonly { id: string; role: string }[]): boolean {
  return parties.some(({ id, role }) => id === partyId && sideOf(role) === side)
}
