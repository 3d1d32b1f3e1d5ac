import type { MailSigningKeyStore } from '#store/correspondence/mail-signing-key-store.ts'
import { Misuse } from './target.ts'

/** The help text for received mail. */
export const mailUsage = '  npm run admin -- mail signing-key set < FILE'

type Work = (admin: { mailSigningKey: MailSigningKeyStore }) => Promise<unknown>

/**
 * `mail signing-key set` sets the key with which the mail service signs its calls. It reads the key from
 * standard input: everybody on the machine can see arguments, and they stay in the shell's history.
 */
export const mailCommands = {
  'mail signing-key set':
    (): Work =>
    async ({ mailSigningKey }) => {
      const key = (await readInput()).trim()
      if (!/^[\x21-\x7e]{16,500}$/.test(key))
        throw new Misuse('Send the key to standard input: 16 to 500 printable characters without spaces.')
      await mailSigningKey.replace(key)
      return { signing_key: 'set', characters: key.length }
    },
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
