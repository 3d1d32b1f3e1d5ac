type Named = { workspace_id: string; id: string }

/** The key of the message as it was given to the provider, or as it arrived: the evidence. */
export function messageKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/message.eml`
}

/** The key of the bodies of a mail, as JSON: `MailBody`. */
export function bodyKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/body.json`
}

/** The key of the facts of a received mail before anything is looked up, as JSON: `MessageFacts` without texts of attachments. */
export function factsKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/facts.json`
}

/**
 * The key of the body of a draft. Every save has a key of its own. So neither a concurrent save nor a late removal of
 * an earlier body can take away the current one. `sha256` shows whether the body differs.
 */
export function draftBodyKey({ workspace_id, id }: Named, save: { id: string; sha256: string }): string {
  return `mails/${workspace_id}/${id}/${save.id}-${save.sha256}.html`
}
