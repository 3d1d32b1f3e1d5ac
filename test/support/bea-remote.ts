import type { RemoteAttachment, RemoteIdentity, RemoteMessage } from '#bea/network/gateway-ports.ts'

export const ourSafeId = 'DE.BRAK_SPT.11111111-2222-4333-8444-555555555555.abcd'
export const courtSafeId = 'DE.Justiztest.99999999-2222-4333-8444-555555555555.beef'

export const identity = (safe_id: string | null, name: string): RemoteIdentity => ({
  safe_id,
  name,
  firm: null,
  city: null,
  is_active: true,
})

/** An attachment of the network; `broken`: it does not decrypt. */
export const remoteAttachment = (
  filename: string,
  content: string | Uint8Array | Error,
): RemoteAttachment => ({
  filename,
  type: 'SCHRIFTSATZ',
  size_bytes: content instanceof Error ? 0 : content.length,
  read: async () => {
    if (content instanceof Error) throw content
    return typeof content === 'string' ? Buffer.from(content) : content
  },
})

/** A message that a court has sent to us. */
export const remoteMessage = (changes: Partial<RemoteMessage> = {}): RemoteMessage => ({
  message_id: '70001',
  subject: 'Ladung zum Termin',
  sender: identity(courtSafeId, 'Landgericht München I'),
  recipients: [identity(ourSafeId, 'Dr. Jana Vogt')],
  received_at: '2026-03-02T08:30:00.000Z',
  sent_at: '2026-03-02T08:29:00.000Z',
  delivered_at: null,
  delivery_status: null,
  reference_sender: '3 O 45/26',
  reference_recipient: '0012/26',
  is_confidential: false,
  osci_message_id: null,
  body: 'Anbei erhalten Sie die Ladung.',
  is_eeb_requested: false,
  xjustiz_id: null,
  attachments: [remoteAttachment('Ladung.pdf', '%PDF-1.7 Ladung')],
  proof_of_origin: null,
  ...changes,
})
