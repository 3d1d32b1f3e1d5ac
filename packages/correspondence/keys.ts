type Named = { workspace_id: string; id: string }

/** The key of the message as it was given to the provider, or as it arrived: the evidence. */
export function messageKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/message.eml`
}

/** The key of the bodies of a mail, as JSON: `{"body_text":…,"body_html":…}`. */
export function bodyKey({ workspace_id, id }: Named): string {
  return `mails/${workspace_id}/${id}/body.json`
}

/**
 * The key of the body of a draft. It includes the digest of the body, so two requests that save at once cannot
 * replace each other's body, and a repeated request writes the same object.
 */
export function draftBodyKey({ workspace_id, id }: Named, sha256: string): string {
  return `mails/${workspace_id}/${id}/${sha256}.html`
}
