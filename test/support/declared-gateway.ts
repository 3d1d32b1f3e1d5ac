import type { FunctionDeclaration } from '#functions/declaration.ts'
import { pathsOf } from '#functions/manifest.ts'
import { readForm } from '#http/form.ts'
import { serve } from '#http/serve.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { openGateway } from '#infra/local/gateway.ts'
import { installStreaming } from '#infra/local/response-stream.ts'
import { systemClock } from '#kernel/clock.ts'
import { newId } from '#kernel/id.ts'
import { type Scope, scopes } from '#kernel/scope.ts'
import { authenticator, hashSecret } from '#workspace/authenticate.ts'
import type { KeyStore } from '#workspace/ports.ts'
import { type Api, api } from './api.ts'
import { localFunction } from './local-function.ts'

/** The declared endpoints behind a gateway in this process. */
export type DeclaredGateway = {
  withoutKey: Api
  /** A caller with a new key that has these scopes; without an argument, every scope. */
  withScopes: (granted?: readonly Scope[]) => Api
  close: () => Promise<void>
}

/** The secret part of each key. */
const secret = 'a'.repeat(43)

/**
 * Serves what functions declare, with real authentication and without any use case: for requests that their
 * declaration refuses. A request that gets any further fails with 500.
 */
export async function serveDeclared(functions: readonly FunctionDeclaration[]): Promise<DeclaredGateway> {
  installStreaming()
  const keys = new Map<string, readonly Scope[]>()
  const deps = {
    services: {} as never,
    authenticate: authenticator({ keys: keyStore(keys), clock: systemClock }),
    log: { info: () => {}, error: () => {} },
    readForm,
  }
  const gateway = await openGateway(0)
  gateway.serve(
    functions.map((declaration) => {
      const { name, endpoints = {}, streams } = declaration
      const paths = pathsOf(declaration) as `/${string}`[]
      return streams
        ? localFunction(paths, () => undefined, { name, stream: serveStreamed(endpoints, deps) as never })
        : localFunction(paths, serve(endpoints, deps), { name })
    }),
  )
  return {
    withoutKey: api(gateway.baseUrl, undefined),
    withScopes: (granted = scopes) => {
      const id = newId('apiKey')
      keys.set(id, granted)
      return api(gateway.baseUrl, `${id}_${secret}`)
    },
    close: gateway.close,
  }
}

function keyStore(
  keys: ReadonlyMap<string, readonly Scope[]>,
): Pick<KeyStore, 'findAnywhere' | 'touch' | 'noteRefusal'> {
  return {
    findAnywhere: async (id) => {
      const granted = keys.get(id)
      const user = { user_id: newId('user'), user_name: 'Dr. Jana Vogt', user_active: true }
      const lasting = {
        name: 'Test',
        expires_at: null,
        last_used_at: null,
        refused_at: null,
        revoked_at: null,
        created_at: '',
      }
      const record = {
        id,
        workspace_id: newId('workspace'),
        ...user,
        ...lasting,
        secret_hash: hashSecret(secret),
      }
      return granted && ({ ...record, scopes: [...granted] } as never)
    },
    touch: async () => {},
    noteRefusal: async () => {},
  }
}
