import { faultIdentities } from '../faults/address-faults.ts'
import type { Identity } from './identity.ts'

/** The identities that the certificates and the seeded messages name. */
export const safeIds = {
  lindner: 'DE.BRAK.3f0c51a8-6f0d-4b7e-9a51-2d7c80f4a101.1a2b',
  demir: 'DE.BRAK.8d2e7b10-51c4-4a0f-8f6e-b05d9c3e4202.2c3d',
  petersen: 'DE.BRAK.5a9b4c77-0e3d-4d18-b7a2-61f8e2d09303.3e4f',
  kanzlei: 'DE.BRAK.c41d90e2-7b58-4f36-a3c9-94e60b1d7404.4a5b',
  falkenberg: 'DE.BRAK.e7f26a35-2c81-49bd-8e04-3b9a5d6c1505.5c6d',
  reuter: 'DE.BRAK.19c8d3b4-f6a2-4e5d-91b7-07c5e4a2f606.6e7f',
  locked: 'DE.BRAK.b6e05f19-8d43-4c2a-bf71-58a1d0c39707.7a8b',
  landgericht: 'DE.Justiz.a02b6c4e-19d7-4f83-8c50-e1f2a3b4c808.8c9d',
  amtsgericht: 'DE.Justiz.d59e8f01-3a6b-4c7d-9e20-f4a5b6c7d909.9e0f',
  arbeitsgericht: 'DE.Justiz.67f1a2b3-c4d5-4e6f-8a70-1b2c3d4e5010.0a1b',
} as const

/** All identities that a search finds and a message reaches. Each has a postbox. */
export const identities: readonly Identity[] = [
  lawyer(safeIds.lindner, 'Dr. Katharina', 'Lindner', 'Kanzlei Lindner & Partner', '80331', 'München'),
  lawyer(safeIds.demir, 'Aylin', 'Demir', 'Rechtsanwältin Aylin Demir', '10115', 'Berlin'),
  lawyer(safeIds.petersen, 'Jonas', 'Petersen', 'Kanzlei Lindner & Partner', '80331', 'München'),
  lawyer(safeIds.falkenberg, 'Beate', 'Falkenberg', 'Kanzlei Falkenberg', '80539', 'München'),
  lawyer(safeIds.reuter, 'Martin', 'Reuter', 'Kanzlei Reuter', '80331', 'München'),
  { ...lawyer(safeIds.locked, 'Gregor', 'Gesperrt', 'Kanzlei Gesperrt', '50667', 'Köln'), isActive: false },
  office(safeIds.kanzlei, 'office', 'Kanzlei Lindner & Partner', '80331', 'München'),
  office(safeIds.landgericht, 'court', 'Landgericht München I', '80333', 'München'),
  office(safeIds.amtsgericht, 'court', 'Amtsgericht München', '80333', 'München'),
  office(safeIds.arbeitsgericht, 'court', 'Arbeitsgericht München', '80797', 'München'),
  ...faultIdentities,
]

export function findIdentity(safeId: string): Identity | undefined {
  return identities.find((identity) => identity.safeId === safeId)
}

/** The other postboxes that a login sees besides its own: a lawyer administers the postbox of her firm. */
export const administered: Readonly<Record<string, readonly string[]>> = {
  [safeIds.lindner]: [safeIds.kanzlei],
}

/** The codes of the courts in XJustiz (GDS.Gerichte). */
export const courtCodes: readonly { code: string; name: string; safeId: string }[] = [
  { code: 'D2601', name: 'Landgericht München I', safeId: safeIds.landgericht },
  { code: 'D2602', name: 'Amtsgericht München', safeId: safeIds.amtsgericht },
  { code: 'D2A01', name: 'Arbeitsgericht München', safeId: safeIds.arbeitsgericht },
]

function lawyer(
  safeId: string,
  firstname: string,
  surname: string,
  officeName: string,
  postalcode: string,
  city: string,
): Identity {
  const userName = surname.toLowerCase()
  const name = `${firstname} ${surname}`
  return {
    safeId,
    kind: 'lawyer',
    name,
    firstname,
    surname,
    officeName,
    postalcode,
    city,
    userName,
    isActive: true,
  }
}

function office(
  safeId: string,
  kind: 'office' | 'court',
  name: string,
  postalcode: string,
  city: string,
): Identity {
  return {
    safeId,
    kind,
    name,
    firstname: '',
    surname: name,
    officeName: name,
    postalcode,
    city,
    userName: '',
    isActive: true,
  }
}
