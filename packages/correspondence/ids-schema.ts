import type { CorrespondenceRecord } from './ports.ts'

/** The ids under which recipients may know a message: ours, and the one that the provider puts in its place (M4). */
export function knownIds(
  { header_message_id, message_id, direction }: CorrespondenceRecord,
  providerDomain: string,
): string[] {
  if (direction === 'inbound') return header_message_id === '' ? [] : [header_message_id]
  if (message_id === null) return [header_message_id]
  return [header_message_id, `<${message_id}@${providerDomain}>`]
}
