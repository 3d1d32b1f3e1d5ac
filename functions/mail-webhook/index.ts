import { mailWebhook } from '#correspondence/mail-webhook.ts'
import { reception } from '#correspondence/reception.ts'
import { bucketFiles } from '#files/bucket.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import { readHeader } from '#mail/read-header.ts'
import { receivedForms } from '#mail/received-form.ts'
import { mailSigningKeyStore } from '#store/correspondence/mail-signing-key-store.ts'
import { receptionStore } from '#store/correspondence/reception-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('mail-webhook')
indexWakes(base)
inboxFoundation(base)

export const handler = serve(endpoints, {
  ...base,
  readForm,
  services: {
    webhook: mailWebhook({
      ...base,
      reception: reception({ ...base, store: receptionStore(base), files: bucketFiles(), readHeader }),
      forms: receivedForms,
      checksSenders: process.env.MAIL_SERVICE_CHECKS_SENDERS === 'true',
      signingKey: mailSigningKeyStore(base.db).find,
    }),
  },
})
