import * as z from 'zod'
import type { MailWebhook } from '#correspondence/mail-webhook.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { shownId } from '#kernel/id.ts'

const endpoint = endpointsOf<{ webhook: MailWebhook }>()

const texts = z.union([z.string(), z.array(z.string())]).optional()

/** Other fields are header fields of the message. They are read too. */
const MailFields = z.looseObject({
  from: texts,
  to: texts,
  recipient: texts.meta({
    description: 'The recipients of the envelope, separated by commas. The addresses in `to` count too.',
  }),
  subject: texts,
  'body-plain': texts,
  'body-html': texts,
  'body-mime': texts.meta({ description: 'The whole message, instead of its parts.' }),
  'message-headers': texts.meta({ description: 'The header as JSON: `[["Subject","…"],…]`.' }),
  'content-id-map': texts.meta({
    description: 'A JSON object that maps each content id to the form field of its file.',
  }),
})

/** The largest number of files in a form. API Gateway accepts no form over 4.4 MiB. */
const maxFiles = 1_000

export const receiveMail = endpoint({
  method: 'POST',
  path: '/api/v1/email/inbound',
  access: {
    in: 'form',
    names: ['timestamp', 'token', 'signature'],
    description:
      '`signature` is the lower-case hexadecimal HMAC-SHA256 of `timestamp` (seconds) followed by `token`, with the mail signing key of the deployment. It is valid for five minutes. A signature that was accepted with one form is refused with any other.',
    verify: ({ webhook }, shown) => webhook.admit(shown),
  },
  summary: 'Receive a mail from the mail service',
  description:
    'For routes of Mailgun. 200 means that the mail is stored. The service reads and files it afterwards. A repeated call gets the same answer.',
  encoding: ['form', 'urlencoded'],
  body: MailFields,
  files: {
    attachments: {
      max: maxFiles,
      optional: true,
      named: '*',
      description: 'The attachments, as `attachment-N`.',
    },
  },
  // Each header field of the message is a form field; a mail server accepts about 100 KB of them. Each body is one
  // field.
  formLimits: { fields: 10_000, fieldBytes: 4.4 * 1024 * 1024, orWindows1252: true },
  output: z
    .object({ status: z.literal('ok'), correspondence_id: shownId('correspondence') })
    .meta({ id: 'ReceivedMail' }),
  errors: { 401: ['MAIL_SIGNATURE_INVALID'], 406: ['RECIPIENT_UNKNOWN'] },
  example: {
    body: {
      from: '"Müller, Max" <max@mueller.example>',
      subject: 'Termin am 3. Dezember',
      'body-plain': 'Guten Tag, ich kann am 3. Dezember.',
    },
    answer: { status: 'ok', correspondence_id: 'corr_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31' },
  },
  handle: ({ webhook }, { actor, body, files }) => {
    const fields = Object.entries(body).filter(
      (pair): pair is [string, string | string[]] => pair[1] !== undefined,
    )
    return webhook.accept(actor, { fields: Object.fromEntries(fields), files: files.attachments })
  },
})
