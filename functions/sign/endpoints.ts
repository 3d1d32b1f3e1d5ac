import * as z from 'zod'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import type { verificationService } from '#signing/sealing/verification.ts'
import { Verification, VerifyInput } from '#signing/sealing/verify-schema.ts'
import type { accessAttempts } from '#signing/signer/access-attempts.ts'
import {
  AccessForm,
  DecliningForm,
  maxSignatureFieldBytes,
  SigningForm,
} from '#signing/signer/form-schema.ts'
import type { signerActions } from '#signing/signer/signer-actions.ts'
import type { signerViews } from '#signing/signer/signer-views.ts'
import type { signingLinks, Visit } from '#signing/signer/signing-links.ts'
import { errorPageAt, readerFacts, visitorFacts } from './error-page.ts'
import { pageHeaders, verifyHeaders } from './html-page.ts'
import { signerPage } from './signer-page.ts'
import { verifyErrorPage, verifyPage } from './verify-page.ts'

type SignServices = {
  links: ReturnType<typeof signingLinks>
  attempts: ReturnType<typeof accessAttempts>
  signer: ReturnType<typeof signerActions>
  views: ReturnType<typeof signerViews>
  verification: ReturnType<typeof verificationService>
}

const endpoint = endpointsOf<SignServices>()

const token = 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w'
const documentId = 'sigdoc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31'

/** Hours for which a browser remembers a correct access code. */
const accessHours = 12

const access = {
  in: 'path' as const,
  name: 'token' as const,
  description: 'the token of a magic link. It belongs to one signer of one envelope.',
  example: token,
  verify: ({ links }: SignServices, shown: string | undefined) => links.admit(shown),
}

type Facts = { actor: Visit; caller: { cookie: string | undefined } }

const permitPage = ({ links }: SignServices, { actor }: Facts) => links.permitPage(actor)
const permit = ({ links }: SignServices, { actor, caller }: Facts) => links.permit(actor, caller.cookie)

const signerFacts = { ...visitorFacts, ip: true, userAgent: true } as const

/** The errors of every request through a link. */
const linkErrors = { 404: ['SIGNING_LINK_NOT_FOUND'], 410: ['SIGNING_LINK_ENDED'] } as const
/** The errors of forms and documents, which also need the access code. */
const contentErrors = { ...linkErrors, 403: ['ACCESS_CODE_REQUIRED'] } as const

/** The common part of the forms of a link. */
const form = {
  method: 'POST' as const,
  access,
  params: { token: z.string() },
  encoding: 'urlencoded' as const,
  formLimits: { fields: 10, fieldBytes: maxSignatureFieldBytes },
  malformed: 422 as const,
  produces: 'redirect' as const,
  streamed: true,
  headers: pageHeaders,
  errorPage: errorPageAt('../'),
}

const pagePath = (token: string) => `/sign/${token}`

export const getSignerPage = endpoint({
  method: 'GET',
  path: '/sign/{token}',
  access,
  permit: permitPage,
  summary: 'View the documents to sign',
  description:
    'A page in German or English. Viewing it changes nothing. If the link has an access code, the page first shows only the form for the code. After completion it shows the sealed copies for 30 days.',
  params: { token: z.string() },
  produces: 'text/html',
  streamed: true,
  caller: visitorFacts,
  output: z.string(),
  headers: pageHeaders,
  errors: { ...linkErrors, 409: ['SIGNING_LINK_LOCKED'] },
  errorPage: errorPageAt('./'),
  example: { params: { token } },
  handle: async ({ views }, { actor, params, caller }) =>
    signerPage(views.show(actor, caller.cookie), {
      language: caller.language,
      token: params.token,
      root: './',
    }),
})

export const enterAccessCode = endpoint({
  ...form,
  path: '/sign/{token}/access',
  permit: permitPage,
  summary: 'Enter the access code of a magic link',
  description:
    'Five wrong codes lock the link until the office creates a new one. A correct code is remembered in a cookie.',
  caller: signerFacts,
  body: AccessForm,
  errors: { ...linkErrors, 409: ['SIGNING_LINK_LOCKED', 'ENVELOPE_ENDED'] },
  example: { params: { token }, body: { code: 'Ahorn-27' } },
  handle: async ({ attempts }, { actor, params, body, caller }) => {
    const value = await attempts.unlock(actor, body.code, caller)
    const location = pagePath(params.token)
    if (value === undefined) return { location }
    return {
      location,
      setCookie: { name: visitorFacts.cookie, value, path: location, maxAgeSeconds: accessHours * 3_600 },
    }
  },
})

export const openForSigning = endpoint({
  ...form,
  path: '/sign/{token}/open',
  permit,
  summary: 'Open the documents of an envelope',
  description:
    'The first signer who opens them makes the envelope `in_progress`. Opening them again changes nothing.',
  caller: signerFacts,
  errors: { ...contentErrors, 409: ['SIGNING_LINK_LOCKED', 'NOT_YOUR_TURN'] },
  example: { params: { token } },
  handle: async ({ signer }, { actor, params, caller }) => {
    await signer.open(actor, caller)
    return { location: pagePath(params.token) }
  },
})

export const signEnvelope = endpoint({
  ...form,
  path: '/sign/{token}/sign',
  permit,
  summary: 'Sign an envelope',
  description:
    'The typed name is the signature; a drawn one is optional. After the last signature the documents are sealed.',
  caller: signerFacts,
  body: SigningForm,
  errors: {
    ...contentErrors,
    409: ['SIGNING_LINK_LOCKED', 'NOT_YOUR_TURN', 'ENVELOPE_NOT_OPENED', 'ALREADY_SIGNED'],
    422: ['SIGNATURE_INVALID'],
  },
  example: { params: { token }, body: { name: 'Anna Meier', consent: 'yes' } },
  handle: async ({ signer }, { actor, params, body, caller }) => {
    await signer.sign(actor, body, caller)
    return { location: pagePath(params.token) }
  },
})

export const declineEnvelope = endpoint({
  ...form,
  path: '/sign/{token}/decline',
  permit,
  summary: 'Decline to sign an envelope',
  description: 'This ends the envelope for everybody. The signer does not have to open the documents first.',
  caller: signerFacts,
  body: DecliningForm,
  errors: { ...contentErrors, 409: ['SIGNING_LINK_LOCKED', 'NOT_YOUR_TURN', 'ALREADY_SIGNED'] },
  example: { params: { token }, body: { reason: 'Der Betrag stimmt nicht.' } },
  handle: async ({ signer }, { actor, params, body, caller }) => {
    await signer.decline(actor, body, caller)
    return { location: pagePath(params.token) }
  },
})

/** Redirects from the address of a form to the page, if somebody enters or reloads it. It reads no records. */
const formAddress = (name: 'access' | 'open' | 'sign' | 'decline') =>
  endpoint({
    method: 'GET',
    path: `/sign/{token}/${name}`,
    access: 'public',
    summary: `Redirect from the address of the ${name} form to the signing page`,
    description:
      'For people who enter or reload the address of a form. It neither changes nor reads anything: the page says whether the link is valid.',
    params: { token: z.string() },
    produces: 'redirect',
    streamed: true,
    caller: visitorFacts,
    headers: pageHeaders,
    errorPage: errorPageAt('../'),
    example: { params: { token } },
    handle: async (_services, { params }) => ({ location: pagePath(encodeURIComponent(params.token)) }),
  })

export const leaveAccessForm = formAddress('access')
export const leaveOpenForm = formAddress('open')
export const leaveSignForm = formAddress('sign')
export const leaveDeclineForm = formAddress('decline')

/** The common part of documents and sealed copies. */
const file = {
  method: 'GET' as const,
  access,
  permit,
  params: { token: z.string(), sigdoc_id: idOf('envelopeDocument') },
  produces: 'file' as const,
  disposition: 'inline' as const,
  caller: visitorFacts,
  headers: pageHeaders,
  errorPage: errorPageAt('../../'),
}

export const readDocumentToSign = endpoint({
  ...file,
  path: '/sign/{token}/documents/{sigdoc_id}',
  summary: 'Read a document to sign',
  errors: {
    ...contentErrors,
    404: ['SIGNING_LINK_NOT_FOUND', 'DOCUMENT_NOT_FOUND'],
    409: ['SIGNING_LINK_LOCKED', 'ENVELOPE_NOT_OPENED', 'NOT_YOUR_TURN'],
  },
  example: { params: { token, sigdoc_id: documentId } },
  handle: async ({ views }, { actor, params }) => views.document(actor, params.sigdoc_id),
})

export const readSealedCopy = endpoint({
  ...file,
  path: '/sign/{token}/copies/{sigdoc_id}',
  summary: 'Read a sealed copy',
  description: 'Available for 30 days after the completion.',
  errors: {
    ...contentErrors,
    404: ['SIGNING_LINK_NOT_FOUND', 'DOCUMENT_NOT_FOUND'],
    409: ['SIGNING_LINK_LOCKED'],
  },
  example: { params: { token, sigdoc_id: documentId } },
  handle: async ({ views }, { actor, params }) => views.sealedCopy(actor, params.sigdoc_id),
})

const sha256 = 'c2c4f2b9bb7a9a1e6cb1d5cc1aa3b1a1e1a0c3b0e7c0c8a6f5d9b7e3f1a2b4c6'

export const getVerifyPage = endpoint({
  method: 'GET',
  path: '/verify',
  access: 'public',
  summary: 'View the page that verifies sealed files',
  description: 'The browser computes the digest of a file. The file is not uploaded.',
  query: z.object({ sha256: z.string().max(200).optional() }),
  produces: 'text/html',
  streamed: true,
  caller: readerFacts,
  output: z.string(),
  headers: verifyHeaders,
  errorPage: (_services, { status }, { caller }) => verifyErrorPage(status, caller.language),
  example: { query: { sha256 } },
  handle: async ({ verification }, { query, caller }) => {
    if (query.sha256 === undefined) return verifyPage(undefined, caller.language)
    const input = VerifyInput.safeParse({ sha256: query.sha256 })
    if (!input.success) return verifyPage({ sha256: query.sha256 }, caller.language)
    const answer = await verification.verify(input.data)
    return verifyPage({ ...input.data, answer }, caller.language)
  },
})

export const verifySealedFile = endpoint({
  method: 'POST',
  path: '/api/v1/signing/verify',
  access: 'public',
  summary: 'Verify a sealed file',
  description: 'The service knows only the digests of sealed files, not of the originals.',
  body: VerifyInput,
  streamed: true,
  output: Verification,
  example: { body: { sha256 }, answer: { known: false } },
  handle: ({ verification }, { body }) => verification.verify(body),
})
