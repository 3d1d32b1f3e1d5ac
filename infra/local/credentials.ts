import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { writeWhole } from '#infra/write-whole.ts'
import { CannotStart } from './cannot-start.ts'

/** The content of `credentials.json`: everything that is needed to use the demo workspaces. */
export const Credentials = z.object({
  /** The address of the service in this run. */
  base_url: z.string(),
  /** 256 random bits in hexadecimal: the key with which a mail service signs its calls (`POST /api/v1/email/inbound`). */
  mail_signing_key: z.string(),
  /** The address at which this run receives mail by SMTP. */
  smtp_url: z.string().optional(),
  /**
   * The certificates of the demo network (B1), if this run has one. `certificate_base64` is a PKCS#12 file, or the
   * certificate of a card, without its key: `private_key_pem` signs instead of the card.
   */
  bea: z
    .array(
      z.object({
        label: z.string(),
        certificate_base64: z.string(),
        passphrase: z.string(),
        safe_id: z.string(),
        private_key_pem: z.string().optional(),
      }),
    )
    .optional(),
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

/** Writes the file completely or not at all. Only its owner can read it. */
export function writeCredentials(file: string, credentials: Credentials): void {
  writeWhole(file, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 })
}

/** @throws CannotStart if the file is missing or damaged. It cannot be created again: the table has only hashes of keys. */
export function readCredentials(file: string): Credentials {
  try {
    return Credentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new CannotStart(
      `${file} is missing or damaged, and its keys are stored nowhere else. Restore it, or start with new data: npm start -- --fresh`,
      error,
    )
  }
}
