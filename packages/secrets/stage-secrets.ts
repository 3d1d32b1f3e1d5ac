import { once } from '#kernel/once.ts'
import type { SecretBox } from '#kernel/secret-box.ts'

/**
 * The `kmsSecretBox` with the key of the stage (`SECRETS_KEY_ID`). The KMS client is loaded at the first call, because
 * most requests to the Lambda functions that may open secrets do not open one.
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
