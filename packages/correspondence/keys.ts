type Named = { workspace_id: string; id: string }

/** The key of the message exactly as it was passed to the provider, or as it arrived. */
export function messageKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/message.eml`
}

/** The key of the bodies of a mail, as JSON: `MailBody`. */
export function bodyKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/body.json`
}

/** The key of the facts of a received mail for the triage, as JSON: `MessageFacts` without the texts of attachments. */
export function factsKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/facts.json`
}

/**
 * The key of the body of a draft. Each save has a new key, so neither a concurrent save nor the late removal of an
 * earlier body can remove the current one. The digest in the key shows whether two bodies differ.
 */
export function draftBodyKey({ workspace_id, id }: Named, save: { id: string; sha256: string }): string {
  return `mails/${workspace_id}/${id}/${save.id}-${save.sha256}.html`
}
