import { once } from '#kernel/once.ts'
import type { Scope } from '#kernel/scope.ts'
import { scopes } from '#kernel/scope.ts'
import { type Api, api } from './api.ts'
import { sharedService } from './the-shared-service.ts'

/** A law firm for one test: a workspace of the shared service, and clients with different rights. */
export type Firm = {
  workspace: { id: string; webhook_token: string; inbound_address: string }
  baseUrl: string
  owner: Api
  ownerUser: { id: string; name: string }
  /** A client with a key of the owner that has exactly these scopes. */
  withScopes: (...granted: Scope[]) => Promise<Api>
  /** Another user with every scope. */
  colleague: () => Promise<{ user: { id: string; name: string }; api: Api; key: string; keyId: string }>
}

/** The admin command's use cases, with one connection to the table for all files of this process. */
const useCases = once(async () => (await import('#infra/tools/admin/index.ts')).admin())

/** Creates a firm like the admin command. It has no data of other tests. */
export async function newFirm(name = 'Kanzlei im Test'): Promise<Firm> {
  const [baseUrl, environment] = [sharedService().baseUrl, sharedService().environment]
  Object.assign(process.env, environment)
  const make = await useCases()
  const workspace = await make.createWorkspace({ name, inbound_domain: 'inbound.example.de' })
  const ownerUser = await make.createUser(workspace.id, { name: 'Dr. Jana Vogt', email: 'vogt@example.de' })
  const keyOf = (userId: string, granted: readonly Scope[]) =>
    make.createKey(workspace.id, { user_id: userId, name: 'Test', scopes: [...granted] })
  const ownerKey = await keyOf(ownerUser.id, scopes)
  return {
    workspace,
    baseUrl,
    ownerUser,
    owner: api(baseUrl, ownerKey.key),
    withScopes: async (...granted) => api(baseUrl, (await keyOf(ownerUser.id, granted)).key),
    colleague: async () => {
      const user = await make.createUser(workspace.id, { name: 'Emre Çelik', email: 'celik@example.de' })
      const { key, id } = await keyOf(user.id, scopes)
      return { user, api: api(baseUrl, key), key, keyId: id }
    },
  }
}
