import * as z from 'zod'
import { BeaAccount, BeaFolder, BeaSession } from '#bea/accounts/account-schema.ts'
import type { BeaAccountService } from '#bea/accounts/accounts.ts'
import {
  BeaAccountFields,
  BeaAccountInput,
  BeaEdaMahnInput,
  BeaKanzleiInput,
} from '#bea/accounts/connecting-schema.ts'
import type { BeaNetworkService } from '#bea/network/network.ts'
import { BeaDirectoryQuery, BeaDirectoryResults, BeaPostbox } from '#bea/network/network-schema.ts'
import {
  BeaPermission,
  BeaPermissionEntry,
  BeaPermissionInput,
  BeaPermissionRemoval,
} from '#bea/rights/permission-schema.ts'
import type { BeaPermissionService } from '#bea/rights/permissions.ts'
import type { BeaLoginService } from '#bea/sessions/logins.ts'
import { BeaLocalLogin, BeaLocalLoginInput, BeaLoginInput } from '#bea/sessions/session-schema.ts'
import { endpointsOf } from '#http/endpoint.ts'
import { idOf } from '#kernel/id.ts'
import { onePage, pagesOf } from '#kernel/page.ts'

type Services = {
  accounts: BeaAccountService
  logins: BeaLoginService
  permissions: BeaPermissionService
  network: BeaNetworkService
}

const endpoint = endpointsOf<Services>()

const account_id = idOf('beaAccount')
const user = 'usr_01993f5e-1b07-7e9a-a4d5-6c2e8f1b3d94'
const safeId = 'DE.BRAK.5f1a2b3c-0001-4a5b-8c6d-7e8f9a0b1c2d.ab12'
const officeSafeId = 'DE.BRAK.5f1a2b3c-0003-4a5b-8c6d-7e8f9a0b1c2d.ef56'
const example = {
  id: 'bea_acc_01993f70-2b3c-7d4e-8f5a-6b7c8d9e0f1a',
  label: 'Postfach Dr. Vogt',
  kind: 'person' as const,
  safe_id: safeId,
  owner_name: 'Dr. Jana Vogt',
  postbox_safe_id: safeId,
  login_account_id: null,
  certificate: {
    subject: 'CN=Dr. Jana Vogt',
    issuer: 'CN=beA-Zertifikate',
    serial: '0a1b2c3d',
    thumbprint: '00112233445566778899aabbccddeeff00112233',
    valid_from: '2026-01-01T00:00:00.000Z',
    valid_to: '2028-01-01T00:00:00.000Z',
  },
  status: 'connected' as const,
  last_sync: null,
  eda_mahn: null,
  created_at: '2026-03-16T08:30:00.000Z',
}
const office = {
  ...example,
  id: 'bea_acc_01993f70-3c4d-7e5f-9a6b-7c8d9e0f1a2b',
  label: 'Kanzleipostfach',
  kind: 'kanzlei' as const,
  safe_id: officeSafeId,
  owner_name: 'Vogt & Partner',
  postbox_safe_id: officeSafeId,
  login_account_id: example.id,
  certificate: null,
}
const session = {
  account_id: example.id,
  status: 'active' as const,
  since: '2026-03-16T08:31:00.000Z',
  expires_at: '2026-03-16T09:01:00.000Z',
}
const { label } = example
const params = { account_id }
const byId = { params, errors: { 404: ['BEA_ACCOUNT_NOT_FOUND'] as const } }
const onExample = { params: { account_id: example.id } }

/** The error codes of calls that need a session. */
const inSession = {
  401: ['BEA_NOT_AUTHENTICATED'],
  403: ['BEA_ACCOUNT_LOCKED'],
  422: ['BEA_CERTIFICATE_INVALID'],
  502: ['BEA_GATEWAY_ERROR'],
} as const
const connecting = {
  method: 'POST',
  access: 'bea:admin',
  actsOutside: true,
  status: 201,
  output: BeaAccount,
  errors: {
    403: ['BEA_ACCOUNT_LOCKED'],
    409: ['BEA_ACCOUNT_EXISTS'],
    422: ['BEA_CERTIFICATE_INVALID'],
    502: ['BEA_GATEWAY_ERROR'],
  },
} as const

const connected =
  'The service logs in once, and logs out. It stores the key encrypted, but not the passphrase. A certificate without its key connects the postbox of a card, which logs in with local-login; its SAFE-ID is known after the first login. A postbox that was connected before continues under its old id, with its messages.'

export const connectBeaAccount = endpoint({
  ...connecting,
  path: '/api/v1/bea/accounts',
  summary: 'Connect a beA postbox',
  description: connected,
  body: BeaAccountInput,
  example: {
    body: { certificate_base64: 'MIIKPAIBAzCC', passphrase: 'put-the-passphrase-here', label },
    answer: example,
  },
  handle: ({ accounts }, { actor, body }) => accounts.connect(actor, body),
})

export const uploadBeaAccount = endpoint({
  ...connecting,
  path: '/api/v1/bea/accounts/upload',
  summary: 'Connect a beA postbox with a certificate file',
  description: `The file is \`certificate\` or \`file\`. ${connected}`,
  encoding: 'form',
  body: BeaAccountFields,
  files: { certificate: { max: 1, optional: true }, file: { max: 1, optional: true } },
  example: { body: { passphrase: 'put-the-passphrase-here', label }, answer: example },
  handle: ({ accounts }, { actor, files, body }) => accounts.connectFile(actor, files, body),
})

export const connectBeaKanzlei = endpoint({
  ...connecting,
  path: '/api/v1/bea/accounts/kanzlei',
  summary: 'Connect the postbox of an office',
  description:
    'The postbox must be visible to the login of another account. It has no login of its own and uses the session of that account. Only the user who connected that account may connect the postbox, since this user then has all rights to it. A postbox that was connected before keeps its messages. If another user, who is still active, connected it then, you need all rights to it, without an end (`POST /api/v1/bea/permissions`).',
  body: BeaKanzleiInput,
  errors: {
    ...inSession,
    403: ['BEA_RIGHT_MISSING', 'BEA_ACCOUNT_LOCKED'],
    404: ['BEA_ACCOUNT_NOT_FOUND', 'BEA_POSTBOX_NOT_FOUND'],
    409: ['BEA_ACCOUNT_EXISTS'],
  },
  example: {
    body: { login_account_id: example.id, postbox_safe_id: officeSafeId, label: office.label },
    answer: office,
  },
  handle: ({ accounts }, { actor, body }) => accounts.connectKanzlei(actor, body),
})

export const listBeaAccounts = endpoint({
  method: 'GET',
  path: '/api/v1/bea/accounts',
  access: 'bea:read',
  summary: 'List the connected beA postboxes',
  ...pagesOf(BeaAccount),
  example: { answer: { data: [office, example], pagination: onePage } },
  handle: ({ accounts }, { actor, query }) => accounts.list(actor, query),
})

export const getBeaAccount = endpoint({
  ...byId,
  method: 'GET',
  path: '/api/v1/bea/accounts/{account_id}',
  access: 'bea:read',
  summary: 'Get a beA postbox',
  output: BeaAccount,
  example: { ...onExample, answer: example },
  handle: ({ accounts }, { actor, params }) => accounts.get(actor, params.account_id),
})

const edaMahn = { pvkezi: '07213460', ausbaugrad: 63 }

export const updateBeaEdaMahn = endpoint({
  ...byId,
  method: 'PATCH',
  path: '/api/v1/bea/accounts/{account_id}/eda-mahn',
  access: 'bea:admin',
  summary: 'Store the settings for electronic dunning (EDA-Mahn)',
  description: 'The body `null` clears the settings.',
  body: BeaEdaMahnInput,
  output: BeaAccount,
  example: { ...onExample, body: edaMahn, answer: { ...example, eda_mahn: edaMahn } },
  handle: ({ accounts }, { actor, params, body }) => accounts.setEdaMahn(actor, params.account_id, body),
})

export const disconnectBeaAccount = endpoint({
  ...byId,
  method: 'DELETE',
  path: '/api/v1/bea/accounts/{account_id}',
  access: 'bea:admin',
  summary: 'Disconnect a beA postbox',
  description: 'Ends its session and deletes its key. Its messages, drafts and the rights to them stay.',
  output: z.void(),
  example: onExample,
  handle: ({ accounts }, { actor, params }) => accounts.disconnect(actor, params.account_id),
})

export const logInToBea = endpoint({
  method: 'POST',
  path: '/api/v1/bea/auth/login',
  access: 'bea:write',
  actsOutside: true,
  summary: 'Log in to beA',
  description:
    'Opens a session with the stored key; an open session continues. It ends 30 minutes after its last use. A Kanzlei postbox uses the session of its login account.',
  body: BeaLoginInput,
  output: BeaSession,
  storedAlone: 'An open session continues.',
  errors: { ...inSession, 404: ['BEA_ACCOUNT_NOT_FOUND'], 409: ['BEA_LOCAL_LOGIN_REQUIRED'] },
  example: { body: { account_id: example.id }, answer: session },
  handle: ({ logins }, { actor, body }) => logins.logIn(actor, body.account_id),
})

const loginId = 'bea_login_01993f71-4d5e-7f60-8b7c-8d9e0f1a2b3c'

export const logInToBeaLocally = endpoint({
  method: 'POST',
  path: '/api/v1/bea/auth/local-login',
  access: 'bea:write',
  actsOutside: true,
  summary: 'Log in to beA with a card',
  description:
    'Three calls: `{account_id}` gives challenges to sign, `{login_id, signatures}` gives keys to decrypt, `{login_id, keys}` gives the session. Each step works once, for the user who started, within five minutes. After an error, start again.',
  body: BeaLocalLoginInput,
  output: BeaLocalLogin,
  errors: { ...inSession, 404: ['BEA_ACCOUNT_NOT_FOUND'], 409: ['BEA_ACCOUNT_EXISTS'] },
  example: {
    body: { account_id: example.id },
    answer: {
      login_id: loginId,
      step: 'sign',
      challenges: [{ id: 'challengeVal', data: 'Y2hhbGxlbmdlLUE=' }],
    },
  },
  handle: ({ logins }, { actor, body }) => logins.logInByCard(actor, body),
})

export const logOutOfBea = endpoint({
  ...byId,
  method: 'POST',
  path: '/api/v1/bea/auth/logout/{account_id}',
  access: 'bea:write',
  actsOutside: true,
  summary: 'Log out of beA',
  description: 'The service deletes its session in any case, even if the gateway does not answer.',
  output: z.void(),
  storedAlone: 'A session ends once.',
  errors: { 401: ['BEA_NOT_AUTHENTICATED'], 404: ['BEA_ACCOUNT_NOT_FOUND'] },
  example: onExample,
  handle: ({ logins }, { actor, params }) => logins.logOut(actor, params.account_id),
})

export const getBeaSession = endpoint({
  ...byId,
  method: 'GET',
  path: '/api/v1/bea/accounts/{account_id}/session',
  access: 'bea:read',
  summary: 'Get the session of a beA postbox',
  description: 'The answer is the stored state: the gateway may have ended the session in the meantime.',
  output: BeaSession,
  example: { ...onExample, answer: session },
  handle: ({ logins }, { actor, params }) => logins.session(actor, params.account_id),
})

export const listBeaFolders = endpoint({
  params,
  method: 'GET',
  path: '/api/v1/bea/accounts/{account_id}/folders',
  access: 'bea:read',
  summary: 'List the folders of a beA postbox',
  description: 'Needs a session and the right 01.',
  ...pagesOf(BeaFolder),
  errors: { ...inSession, 403: ['BEA_RIGHT_MISSING', 'BEA_ACCOUNT_LOCKED'], 404: ['BEA_ACCOUNT_NOT_FOUND'] },
  example: {
    ...onExample,
    answer: {
      data: [{ id: '501', parent_id: null, name: 'Posteingang', type: 'INBOX', unread: 2 }],
      pagination: onePage,
    },
  },
  handle: ({ network }, { actor, params, query }) => network.folders(actor, params.account_id, query),
})

export const listAdministeredBeaPostboxes = endpoint({
  params,
  method: 'GET',
  path: '/api/v1/bea/accounts/{account_id}/administered-postboxes',
  access: 'bea:read',
  summary: 'List the postboxes that a beA login sees',
  description: 'Needs a session.',
  ...pagesOf(BeaPostbox),
  errors: { ...inSession, 404: ['BEA_ACCOUNT_NOT_FOUND'] },
  example: {
    ...onExample,
    answer: {
      data: [
        { postbox_safe_id: safeId, name: example.owner_name, own: true },
        { postbox_safe_id: officeSafeId, name: office.owner_name, own: false },
      ],
      pagination: onePage,
    },
  },
  handle: ({ network }, { actor, params, query }) => network.postboxes(actor, params.account_id, query),
})

export const searchBeaDirectory = endpoint({
  method: 'GET',
  path: '/api/v1/bea/directory/search',
  access: 'bea:read',
  summary: 'Search the beA directory',
  description:
    'Needs a session, and the right 03 of its account. Returns at most 200 entries: give a name and a city to find fewer.',
  query: BeaDirectoryQuery,
  output: BeaDirectoryResults,
  errors: { ...inSession, 403: ['BEA_RIGHT_MISSING', 'BEA_ACCOUNT_LOCKED'], 404: ['BEA_ACCOUNT_NOT_FOUND'] },
  example: {
    query: { q: 'Demir' },
    answer: {
      results: [
        {
          bea_id: 'DE.BRAK.5f1a2b3c-0002-4a5b-8c6d-7e8f9a0b1c2d.cd34',
          name: 'Leyla Demir',
          firm: null,
          city: 'Hamburg',
          postfach_active: true,
        },
      ],
    },
  },
  handle: ({ network }, { actor, query }) => network.search(actor, query),
})

export const listBeaPermissions = endpoint({
  params,
  method: 'GET',
  path: '/api/v1/bea/accounts/{account_id}/permissions',
  access: 'bea:read',
  summary: 'List the rights at a beA postbox',
  description:
    'Lists the rights of users of the workspace (`local`), and the rights in the network as far as the gateway reports them (`network`). Needs a session.',
  ...pagesOf(BeaPermissionEntry),
  errors: { ...inSession, 404: ['BEA_ACCOUNT_NOT_FOUND'] },
  example: {
    ...onExample,
    answer: {
      data: [
        {
          user_id: user,
          name: 'Emre Çelik',
          rights: ['03', '06'],
          source: 'local',
          valid_until: '2026-12-31T23:00:00.000Z',
        },
      ],
      pagination: onePage,
    },
  },
  handle: ({ permissions }, { actor, params, query }) => permissions.list(actor, params.account_id, query),
})

const permission = {
  account_id: example.id,
  user_id: user,
  rights: ['03', '06'],
  valid_until: '2036-12-31T23:00:00.000Z',
}
const errors = { 404: ['BEA_ACCOUNT_NOT_FOUND', 'USER_NOT_FOUND'] as const }

export const grantBeaPermission = endpoint({
  method: 'POST',
  path: '/api/v1/bea/permissions',
  access: 'bea:admin',
  summary: 'Give a user rights at a beA postbox',
  description:
    'These rights apply only in this service, in addition to the other rights of the user. The user who connected the postbox has all rights. 07 includes 06, 06 includes 01, 12 includes 11. Users cannot give rights to themselves: 403.',
  body: BeaPermissionInput,
  status: 201,
  output: BeaPermission,
  errors: { ...errors, 403: ['BEA_RIGHT_MISSING'] },
  example: { body: permission, answer: permission },
  handle: ({ permissions }, { actor, body }) => permissions.grant(actor, body),
})

export const revokeBeaPermission = endpoint({
  method: 'DELETE',
  path: '/api/v1/bea/permissions',
  access: 'bea:admin',
  summary: 'Revoke rights at a beA postbox',
  description: 'Without `rights`, revokes all rights that the user was given here.',
  body: BeaPermissionRemoval,
  output: z.void(),
  errors,
  example: { body: { account_id: example.id, user_id: user, rights: ['03'] } },
  handle: ({ permissions }, { actor, body }) => permissions.revoke(actor, body),
})
