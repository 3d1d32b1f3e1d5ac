import type { DeadlineService } from '#deadlines/deadlines.ts'
import {
  Register,
  RegisterDay,
  RegisterQuery,
  RegisterSignature,
  SigningInput,
} from '#deadlines/register-schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { quietRegister, signature } from './examples.ts'
import { registerCsv, registerFilename } from './register-csv.ts'
import { registerPage } from './register-page.ts'

const endpoint = endpointsOf<{ deadlines: DeadlineService }>()

export const getDeadlineRegister = endpoint({
  method: 'GET',
  path: '/api/v1/deadlines/register',
  access: 'deadlines:read',
  summary: 'Get the deadline register of a day',
  description:
    'Lists what is open from earlier days (`open_before`), everything due on that day, including struck deadlines, what was completed without exit control, the Vorfristen of the next seven days (`ahead`), and everything created, changed, verified, completed, checked, reopened or struck on that day. It is the control printout that the courts require (BGH III ZB 96/18, VIII ZB 38/14). `Accept: text/csv` returns a table, `Accept: text/html` a page to print. A day that does not fit into one answer is split into parts, each with the `cursor` of the next part. With `signed=true` it is exactly the version that was signed last.',
  query: RegisterQuery,
  output: Register,
  renderings: {
    'text/csv': { render: registerCsv, filename: registerFilename },
    'text/html': { render: registerPage },
  },
  errors: { 404: ['REGISTER_NOT_SIGNED'] },
  headers: { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'" },
  example: { query: { date: '2026-03-16' }, answer: quietRegister },
  handle: ({ deadlines }, { actor, query }) => deadlines.register(actor, query),
})

export const signDeadlineRegister = endpoint({
  method: 'POST',
  path: '/api/v1/deadlines/register/{date}/sign',
  access: 'deadlines:write',
  summary: 'Sign the deadline register of a day',
  description:
    'The evening check: stores the current register of that day with its hash, the signing user, the time, and remarks. Signing again adds another version. A future day cannot be signed.',
  params: { date: RegisterDay },
  body: SigningInput,
  output: RegisterSignature,
  example: {
    params: { date: '2026-03-16' },
    body: { remarks: 'Postausgang verglichen, keine Abweichung.' },
    answer: signature,
  },
  handle: ({ deadlines }, { actor, params, body }) =>
    deadlines.signRegister(actor, params.date, body?.remarks ?? undefined),
})
