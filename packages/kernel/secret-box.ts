/** What secrets are for. A function may use those of one purpose only, which IAM checks. */
export type SecretPurpose = 'calendar' | 'bea'

/** What a sealed secret is bound to. It is no secret itself: KMS logs it. */
export type SecretContext = {
  purpose: SecretPurpose
  workspace_id: string
  account_id: string
  /** What the secret is, such as `credentials` or `session`. */
  kind: string
}

/** Encrypts secrets. A secret opens only with the context with which it was sealed. */
export type SecretBox = {
  seal: (text: string, context: SecretContext) => Promise<string>
  /** @throws Error where the secret was changed, or was sealed with another context */
  open: (sealed: string, context: SecretContext) => Promise<string>
}
