import { once } from '#kernel/once.ts'
import type { SecretBox } from '#kernel/secret-box.ts'

/**
 * Secrets under the key of the stage (`SECRETS_KEY_ID`), sealed and opened by `kmsSecretBox`. The first call loads the
 * client of KMS, because most requests of the functions that may open secrets open none.
 */
export function stageSecrets(): SecretBox {
  const loaded = once(async () =>
    (await import('./secret-box.ts')).kmsSecretBox(process.env.SECRETS_KEY_ID ?? ''),
  )
  return {
    seal: async (...call) => (await loaded()).seal(...call),
    open: async (...call) => (await loaded()).open(...call),
  }
}
