/** The purpose of secrets. A function may use secrets of one purpose only, which IAM checks. */
export type SecretPurpose = 'calendar' | 'bea' | 'webhooks'

/** The context that a sealed secret is bound to. It is not secret: KMS logs it. */
export type SecretContext = {
  purpose: SecretPurpose
  workspace_id: string
  account_id: string
  /** The kind of secret, such as `credentials` or `session`. */
  kind: string
}

/** Encrypts secrets. A secret opens only with the context that it was sealed with. */
export type SecretBox = {
  seal: (text: string, context: SecretContext) => Promise<string>
  /** @throws Error if the secret was changed, or was sealed with another context */
  open: (sealed: string, context: SecretContext) => Promise<string>
}
