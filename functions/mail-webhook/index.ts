import { mailWebhook } from '#correspondence/mail-webhook.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { indexWakes } from '#foundation/index-wakes.ts'
import { receptionFoundation } from '#foundation/reception.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import { receivedForms } from '#mail/received-form.ts'
import { mailSigningKeyStore } from '#store/correspondence/mail-signing-key-store.ts'
import * as endpoints from './endpoints.ts'

const base = announcingFoundation('mail-webhook')
indexWakes(base)

export const handler = serve(endpoints, {
  ...base,
  readForm,
  services: {
    webhook: mailWebhook({
      ...base,
      reception: receptionFoundation(base),
      forms: receivedForms,
      checksSenders: process.env.MAIL_SERVICE_CHECKS_SENDERS === 'true',
      signingKey: mailSigningKeyStore(base.db).find,
    }),
  },
})
