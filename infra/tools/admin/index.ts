import { baseMailboxOf } from '#correspondence/address-schema.ts'
import { bucketFiles } from '#files/bucket.ts'
import { firmObjects } from '#files/firm-objects.ts'
import { foundation } from '#foundation/foundation.ts'
import { once } from '#kernel/once.ts'
import { mailHtml } from '#mail/mail-html.ts'
import { auditLog } from '#store/audit/audit-log.ts'
import { createClient } from '#store/client.ts'
import { mailSigningKeyStore } from '#store/correspondence/mail-signing-key-store.ts'
import { receptionStore } from '#store/correspondence/reception-store.ts'
import { signedRegisters } from '#store/deadlines/signed-registers.ts'
import { jobStore } from '#store/jobs/job-store.ts'
import { lostRecords } from '#store/lost-records.ts'
import { signingCertificateStore } from '#store/sealing/signing-certificate-store.ts'
import { stageName } from '#store/table.ts'
import { searchIndexStore } from '#store/text-search/search-index-store.ts'
import { twoTables } from '#store/two-tables.ts'
import { metered } from '#store/upgrades/metered.ts'
import { tableUpgrades } from '#store/upgrades/run-upgrades.ts'
import { endpointStore } from '#store/webhooks/endpoint-store.ts'
import { allFirms, firmItems } from '#store/workspace/firm-items.ts'
import { userStore } from '#store/workspace/user-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import { workspaceJobs } from '#workspace/jobs.ts'
import { ApiKeyInput, UserInput, WorkspaceInput } from '#workspace/schema.ts'
import { workspaceService } from '#workspace/workspace.ts'

type NewWorkspace = { name: string; inbound_domain: string; time_zone?: string; holiday_region?: string }

/**
 * The use cases of the admin command. It creates the first workspace, user and key of a law firm, before anybody has
 * a key to call the service (W7). It also handles the stored jobs, the certificate of seals, and the key of the mail
 * service. The schemas of the endpoints check the inputs; a malformed input throws a ZodError.
 *
 * @param unitsPerSecond how many units of a table the commands that scan it take in a second; undefined: no limit
 */
export function admin(unitsPerSecond?: number) {
  const base = foundation('admin')
  const scanned = (table: string) => metered({ client: base.db.client, table }, unitsPerSecond).db
  const users = userStore(base)
  base.jobs.handle(...workspaceJobs({ users, keys: base.keys }))
  const workspaces = workspaceStore(base.db)
  const service = workspaceService({ ...base, workspaces, users, cleanHtml: mailHtml.clean })
  return {
    allFirms: () => allFirms(scanned(base.db.table)),
    /** The workspaces, and all data of one workspace, for `workspace export` and `workspace erase`. */
    workspaces,
    audit: auditLog(base),
    firmItems: firmItems(scanned(base.db.table)),
    endpoints: endpointStore(base),
    firmObjects: once(() =>
      firmObjects(process.env.BUCKET_NAME ?? '', { keepsVersions: !process.env.AWS_ENDPOINT_URL_S3 }),
    ),
    files: once(bucketFiles),
    signedRegisters: signedRegisters(base.db),
    /** Upgrades of a table, for `upgrade`: they work on a table that this release does not serve yet. */
    upgrades: (table = base.db.table) =>
      tableUpgrades({ client: createClient(), table }, { stage: stageName() }),
    /** The indexes of texts, for `search`. */
    searchIndex: searchIndexStore(base),
    /** The stored jobs, for `jobs list` and `jobs replay`. */
    jobs: jobStore(base.db),
    /** Another table than the one that the service uses, for `workspace erase`. */
    otherTable: (table: string) => {
      const db = metered({ client: createClient(), table }, unitsPerSecond).db
      return { workspaces: workspaceStore(db), firmItems: firmItems(db) }
    },
    /** The table that the service uses, and any two tables that are compared or copied. */
    table: base.db.table,
    twoTables: (names: { from: string; to: string }) =>
      twoTables({ client: scanned(names.to).client, ...names }),
    lostRecords: (names: { from: string; to: string }) =>
      lostRecords({ client: scanned(names.to).client, ...names }),
    /** The key of the mail service, for `mail signing-key set`. */
    mailSigningKey: mailSigningKeyStore(base.db),
    /** The certificates of the signing key, for `signing`. */
    certificates: signingCertificateStore(base.db),
    /** Whether any workspace receives mail for this address. */
    receivesMail: async (email: string) => {
      const mailboxes = [baseMailboxOf(email)]
      return (await receptionStore(base).workspacesOf(mailboxes)).length > 0
    },
    createWorkspace: (input: NewWorkspace) => service.create(WorkspaceInput.parse(input)),
    /** @throws Failure WORKSPACE_NOT_FOUND */
    createUser: async (workspaceId: string, input: { name: string; email: string }) => {
      const workspace = await service.get({ workspace_id: workspaceId })
      return service.addUser({ workspace_id: workspace.id }, UserInput.parse(input))
    },
    /** Only this answer shows the key. @throws Failure USER_NOT_FOUND */
    createKey: (
      workspaceId: string,
      input: { user_id: string; name: string; scopes: string[]; expires_at?: string },
    ) => service.addKey({ workspace_id: workspaceId }, ApiKeyInput.parse(input)),
  }
}
