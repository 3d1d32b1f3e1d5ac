import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import type { DisposalCertificates } from '#retention/certificates.ts'
import { DisposalCertificate } from '#retention/disposal-schema.ts'

const endpoint = endpointsOf<{ certificates: DisposalCertificates }>()

const disposalId = 'dsp_01993f80-2b1c-7d4e-9f50-6a7b8c9d0e1f'

export const getDisposalCertificate = endpoint({
  method: 'GET',
  path: '/api/v1/disposals/{id}/certificate',
  access: 'workspace:admin',
  summary: 'Get the certificate of a disposal',
  description:
    'The removed cases, the rule, the numbers of records by kind, and the users who proposed and approved. It names cases only by their file numbers. `Accept: application/pdf` returns it as a PDF in German, sealed with the key of the service (PAdES).',
  params: { id: idOf('disposal') },
  produces: 'stream',
  types: ['application/json', 'application/pdf'],
  json: {
    schema: DisposalCertificate,
    example: {
      disposal_id: disposalId,
      rule: '§ 50 Abs. 1 BRAO',
      cases: [{ file_number: '0001/26' }],
      kept: [],
      counts: { case: 1, correspondence: 30, deadline: 4, document: 12 },
      digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      proposed_by: 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94',
      approved_by: 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d95',
      begun_at: '2033-01-11T09:16:00.000Z',
      done_at: '2033-01-11T09:16:20.000Z',
    },
  },
  caller: { accepts: ['application/json', 'application/pdf'] },
  errors: { 404: ['DISPOSAL_NOT_FOUND'], 409: ['DISPOSAL_NOT_DONE'] },
  example: { params: { id: disposalId } },
  handle: ({ certificates }, { actor, params, caller }) =>
    certificates.file(actor, params.id, caller.accepted === 'application/pdf' ? 'pdf' : 'json'),
})
