import * as z from 'zod'
import type { SharedLinkPageService } from '#correspondence/shared-link-page.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import type { AccessReportLinks } from '#parties/access-reports.ts'
import { errorPage, languages, pageHeaders, sharedPage } from './page.ts'

const endpoint = endpointsOf<{ links: SharedLinkPageService; reports: AccessReportLinks }>()

const ofLink = { caller: { languages }, headers: pageHeaders, errorPage }

const token = 'kTqNfQ0o2mJr8vY1XbZcW5sLhA7uDgE3iPyR9tKxV4w'
const access = {
  in: 'path' as const,
  name: 'token' as const,
  description: 'the token of the address in the mail, valid for 30 days.',
  example: token,
  verify: ({ links }: { links: SharedLinkPageService }, shown: string | undefined) => links.admit(shown),
}

export const getSharedPage = endpoint({
  ...ofLink,
  method: 'GET',
  path: '/shared/{token}',
  access,
  summary: 'View documents that were sent as links',
  description: 'A page in German or English with the documents of a mail. Viewing it is not recorded.',
  params: { token: z.string() },
  produces: 'text/html',
  streamed: true,
  output: z.string(),
  errors: { 404: ['SHARED_LINK_NOT_FOUND'] },
  example: { params: { token } },
  handle: async ({ links }, { actor, params, caller }) =>
    sharedPage(await links.show(actor), { token: params.token, language: caller.language }),
})

export const downloadSharedDocument = endpoint({
  ...ofLink,
  method: 'GET',
  path: '/shared/{token}/documents/{document_id}',
  access,
  summary: 'Download a document that was sent as a link',
  description: 'The first download of a document in an hour is recorded in the timeline of the case.',
  params: { token: z.string(), document_id: idOf('document') },
  produces: 'file',
  errors: { 404: ['SHARED_LINK_NOT_FOUND', 'DOCUMENT_NOT_FOUND'] },
  example: { params: { token, document_id: 'doc_01993f62-4b8e-7f20-8c15-6d9a2e4b7f31' } },
  handle: ({ links }, { actor, params }) => links.download(actor, params.document_id),
})

export const downloadAccessReport = endpoint({
  ...ofLink,
  method: 'GET',
  path: '/shared/access-reports/{token}',
  access: {
    in: 'path',
    name: 'token',
    description: 'the token of the link to a report, valid for 14 days.',
    example: token,
    verify: ({ reports }, shown) => reports.admit(shown),
  },
  summary: 'Download a report on a party',
  description:
    'Redirects to the ZIP in the bucket, since a report may have 10 GB. The address is valid for five minutes; a download that has begun continues after that. The first download in an hour is recorded in the audit of the firm.',
  params: { token: z.string() },
  produces: 'redirect',
  streamed: true,
  errors: { 404: ['SHARED_LINK_NOT_FOUND'] },
  example: { params: { token } },
  handle: async ({ reports }, { actor, isHead }) => ({ location: await reports.address(actor, { isHead }) }),
})
