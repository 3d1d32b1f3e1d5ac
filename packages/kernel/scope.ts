import * as z from 'zod'

/** The permissions of an API key (G11). */
export const scopes = [
  'cases:read',
  'cases:write',
  'cases:delete',
  'documents:read',
  'documents:write',
  'documents:delete',
  'calendar:read',
  'calendar:write',
  'deadlines:read',
  'deadlines:write',
  'reports:read',
  'reports:write',
  'inbox:read',
  'inbox:write',
  'bea:read',
  'bea:write',
  'bea:admin',
  'contacts:read',
  'contacts:write',
  'billing:read',
  'billing:write',
  'workspace:admin',
] as const

export type Scope = (typeof scopes)[number]

export const Scope = z.enum(scopes).meta({ id: 'Scope', description: 'A permission of an API key.' })
