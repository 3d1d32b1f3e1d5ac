import type { Db } from '../db.ts'
import { strongly } from '../db.ts'
import { rewrite } from '../rewrite.ts'
import { secretEntity } from '../secret-entity.ts'
import { transact } from '../transact.ts'

const name = 'mail_signing_key'

/** The key with which the mail service signs its calls (I1): one for the deployment, as the service shows it. */
export type MailSigningKeyStore = {
  /** Undefined if none is set. A new key counts at once, and the old one no more. */
  find: () => Promise<string | undefined>
  replace: (key: string) => Promise<void>
}

export function mailSigningKeyStore(db: Db): MailSigningKeyStore {
  const secrets = secretEntity(db)
  return {
    find: async () => (await secrets.get({ name }).go(strongly)).data?.value,
    replace: (value) => transact(db, [rewrite(secrets, secrets.put({ name, value }), {})]),
  }
}
