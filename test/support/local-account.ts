import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { bucketRights } from '#functions/manifest.ts'
import { createQueues } from '#infra/local/create-storage.ts'
import { createTable } from '#infra/local/create-table.ts'
import { startDatabase } from '#infra/local/database.ts'
import { startEmulators } from '#infra/local/emulators/start-emulators.ts'
import { scopes } from '#kernel/scope.ts'
import { newDataFolder } from './data-folder.ts'

/** An AWS account on this machine: one address for all its services, as with LocalStack. */
export type LocalAccount = {
  /** Region, credentials and `AWS_ENDPOINT_URL`. Nothing else leads to its services. */
  environment: Record<string, string>
  /**
   * The variables of a function, as a template has them, with the names of this account for resources.
   *
   * @throws Error for a resource that it does not have
   */
  give: (variables: Record<string, string | object>) => Record<string, string>
  /** A firm with a key that has every scope. */
  firm: { workspaceId: string; apiKey: string; inboundAddress: string }
  /** The services that were called, by their names in signatures. */
  called: ReadonlySet<string>
  stop: () => Promise<void>
}

/** The local services of the repository as one account, with the table, the bucket and the queues of a stage. */
export async function startLocalAccount(configurationSet: string): Promise<LocalAccount> {
  const folder = newDataFolder()
  const bucket = 'aktenlage-account'
  const credentials = { accessKeyId: 'account', secretAccessKey: randomBytes(32).toString('hex') }
  const [database, emulators] = await Promise.all([
    startDatabase(join(folder, 'table.sqlite'), credentials, { PATH: process.env.PATH }),
    startEmulators(
      {
        filesDir: join(folder, 'files'),
        keyFile: join(folder, 'key'),
        signingKeyFile: join(folder, 'signing-key'),
        mailDir: join(folder, 'mail'),
        configurationSet,
        bucket,
        rights: bucketRights,
        credentials,
      },
      {},
    ),
  ])
  const called = new Set<string>()
  const server = await dispatcher(called, {
    dynamodb: database.endpoint,
    ...Object.fromEntries(
      Object.entries(emulators.environment).map(([name, url]) => [
        name.replace('AWS_ENDPOINT_URL_', '').toLowerCase(),
        url,
      ]),
    ),
  })
  const environment = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    // An address with a name: no subdomain of it leads to a bucket.
    AWS_ENDPOINT_URL: `http://localhost:${(server.address() as AddressInfo).port}`,
  }
  // The table of the account represents the table of each stage.
  const stage = 'account'
  Object.assign(process.env, environment, { STAGE: stage })
  const table = 'aktenlage-account'
  const [queues] = await Promise.all([createQueues('aktenlage-account'), createTable(table)])
  const resources: Record<string, string> = {
    TABLE_NAME: table,
    STAGE: stage,
    BUCKET_NAME: bucket,
    SECRETS_KEY_ID: 'alias/account',
    SIGNING_KEY_ID: 'alias/account-signing',
    ...queues,
  }
  Object.assign(process.env, resources)
  return {
    environment,
    give: (variables) =>
      Object.fromEntries(
        Object.entries(variables).map(([name, value]) => {
          const given = typeof value === 'string' && name !== 'STAGE' ? value : resources[name]
          if (given === undefined) throw new Error(`The account has nothing for ${name}.`)
          return [name, given]
        }),
      ),
    firm: await aFirm(),
    called,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await Promise.all([database.stop(), emulators.stop()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function aFirm(): Promise<LocalAccount['firm']> {
  const { admin } = await import('#infra/tools/admin/index.ts')
  const useCases = admin()
  await useCases.mailSigningKey.replace(randomBytes(32).toString('hex'))
  const { id, inbound_address } = await useCases.createWorkspace({
    name: 'Kanzlei Lindner & Partner',
    inbound_domain: 'mail.kanzlei.example',
    holiday_region: 'DE-BY',
  })
  const user = await useCases.createUser(id, {
    name: 'Dr. Katharina Lindner',
    email: 'lindner@kanzlei.example',
  })
  const { key } = await useCases.createKey(id, { user_id: user.id, name: 'Test', scopes: [...scopes] })
  return { workspaceId: id, apiKey: key, inboundAddress: inbound_address }
}

/** Forwards each request, unchanged, to the service for which it is signed: its signature covers the host too. */
async function dispatcher(called: Set<string>, addresses: Record<string, string>): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const service = serviceOf(incoming)
    const address = addresses[service]
    called.add(service)
    if (address === undefined) return void outgoing.writeHead(501).end(`There is no service "${service}".`)
    const passed = request(
      new URL(incoming.url ?? '/', address),
      { method: incoming.method ?? 'GET', headers: incoming.rawHeaders, setHost: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    incoming.on('error', () => passed.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** The service in the scope of the signature: `<key>/<date>/<region>/<service>/aws4_request`. */
function serviceOf({ headers, url = '' }: IncomingMessage): string {
  const presigned = new URLSearchParams(url.split('?')[1]).get('X-Amz-Credential')
  const [, scope = ''] = /Credential=([^\s,]+)/.exec(headers.authorization ?? '') ?? []
  return (presigned ?? scope).split('/')[3] ?? ''
}
