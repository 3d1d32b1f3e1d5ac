import { entity, json, number, oneOf, optional, recordKey, text } from '../entity.ts'

/** A law firm with its settings and the token of its ingestion webhook. */
export const workspaceEntity = entity('workspace', recordKey('${id}#workspace'), {
  name: text,
  time_zone: text,
  /** ISO 3166-2 */
  holiday_region: text,
  inbound_address: text,
  auto_file: oneOf(['certain', 'off']),
  /** The firm as it appears on invoices. */
  seller: optional(json),
  /** The numbers under which DATEV books invoices. */
  datev: optional(json),
  webhook_token: text,
  webhook_token_created_at: text,
  created_at: text,
  version: number,
})
