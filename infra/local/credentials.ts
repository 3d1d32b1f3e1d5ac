import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { CannotStart } from './cannot-start.ts'

/** What `credentials.json` holds: everything that is needed to use the demo workspaces. */
export const Credentials = z.object({
  /** Where the service listens in this run. */
  base_url: z.string(),
  /** 256 random bits in hexadecimal: what the mail service would sign its webhook calls with. */
  mail_signing_key: z.string(),
  workspaces: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      webhook_token: z.string(),
      inbound_address: z.string(),
      users: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          email: z.string(),
          api_key: z.string(),
          scopes: z.array(z.string()),
        }),
      ),
    }),
  ),
})

export type Credentials = z.infer<typeof Credentials>

/** Writes the file whole or not at all, readable by its owner alone. */
export function writeCredentials(file: string, credentials: Credentials): void {
  const unfinished = `${file}.new`
  writeFileSync(unfinished, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, file)
}

/** @throws CannotStart when the file is gone or unreadable: keys are stored as hashes, so it cannot be made again. */
export function readCredentials(file: string): Credentials {
  try {
    return Credentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new CannotStart(
      `${file} is gone or damaged, and the keys in it are kept nowhere else. Put it back, or begin with new data: npm start -- --fresh`,
      error,
    )
  }
}
