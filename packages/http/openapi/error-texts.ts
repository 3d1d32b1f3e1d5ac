import type { FailureCode } from '#kernel/failure.ts'

/**
 * Real messages for the examples in the document. `errors.ts` makes the messages of the codes that are missing here. A
 * test compares these messages with the source.
 */
export const errorTexts: Partial<Record<FailureCode, string>> = {
  AUTH_INVALID_KEY: 'Send a valid API key as `Authorization: Bearer <key>`.',
  METHOD_NOT_ALLOWED: 'This path accepts only GET, HEAD, POST.',
  ICAL_TOKEN_INVALID: 'This subscription address is invalid or no longer valid. Create a new one.',
  INVALID_DATE_RANGE: '`from` must be before `to`.',
  SLOT_CONFLICT:
    'An attendee has another event at this time. Choose another time, or send `allow_conflict: true`.',
  IS_DEADLINE: 'This is a deadline. Change or delete it under /api/v1/deadlines.',
  SYNC_CREDENTIALS_REFUSED: 'The calendar server refused this user name and password.',
  SYNC_NOT_CONNECTED: 'No external calendar is connected. Connect one under /api/v1/calendar/sync/accounts.',
  SYNC_FAILED:
    'The calendar server could not be reached, refused the request, or its answer does not follow CalDAV.',
  DUAL_CONTROL_REQUIRED: 'You entered this deadline or set its due time: another user must verify it.',
  DELEGATED_TO_OTHER:
    'The verification was delegated to another user. They must verify it, or it must be delegated to you.',
  CHAIN_OCCUPIED: 'This chain has a Vorfrist already. Strike it first.',
  DEADLINE_COMPLETED: 'This deadline is completed: its due time stays. Reopen it, or enter a new deadline.',
  DEADLINE_NOT_COMPLETED: 'This deadline is not completed.',
  DEADLINE_PROVISIONAL:
    'This deadline is provisional: it belongs to the extension request of evt_01993f62-3e5a-7f1c-9d27-8b4a6c0e2f13. Grant, refuse or repeat that request.',
  EXTENSION_NOT_REQUESTED: 'No extension of this deadline is waiting for an answer. Request one first.',
  REGISTER_NOT_SIGNED: 'Nobody has signed the register of this day.',
  DUE_DATE_MISMATCH:
    'The calculation gives 2026-04-16T23:59:59+02:00, not `due_at`. Send one of them, or find out which is right.',
  FILE_NUMBER_TAKEN:
    'Another case, perhaps a deleted one, has this file number. Choose another, or omit it to get the next one.',
  LINK_EXISTS: 'These two cases are linked already.',
  LEGAL_HOLD:
    'This case has a legal hold: neither it nor its documents can be deleted or moved out. Lift the hold first.',
  NOT_DUE:
    'Some of these cases are open, or must be kept longer. Propose only cases that GET /api/v1/retention/due lists.',
  CASE_HAS_OPEN_WORK:
    'Some of these cases have open work. Finish or delete it first, or leave these cases out.',
  CASE_IN_DISPOSAL:
    'Some of these cases are in another disposal that is not done. Withdraw it first, or leave these cases out.',
  DISPOSAL_NOT_DONE: 'This disposal is not done: there is no certificate yet.',
  DISPOSAL_NOT_PROPOSED: 'This disposal was approved already.',
  RETENTION_APPLIES:
    'Some cases with data of this party must still be kept (§ 50 BRAO). Erase it when their retention period is over.',
  PARTY_IN_USE: 'A case, document or invoice names this party. Remove it there first.',
  FOLDER_NOT_EMPTY: 'The folder holds documents or folders. Move or delete them first.',
  LAST_ADMIN:
    'No other active user has a key with `workspace:admin`: nobody could manage users. Create such a key first.',
  UPLOAD_INCOMPLETE: 'The bytes of this document have not arrived yet: send them, then complete the upload.',
  UPLOAD_MISMATCH: 'The uploaded bytes differ from the announcement (sha256). Send them again.',
  EXTRACTION_PENDING: 'The document is still being read. Try again in a moment.',
  EXTRACTION_FAILED: 'The document cannot be read: password_protected.',
  WEBHOOK_TOKEN_INVALID: 'Send the webhook token of the workspace as X-Service-Token.',
  DRAFT_ALREADY_SENT: 'This draft was sent and can no longer be changed or deleted.',
  DRAFT_NOT_UNKNOWN: 'The outcome of this send is known, so there is nothing to decide.',
  MAIL_SIGNATURE_INVALID:
    'Send `timestamp`, `token` and `signature` as the mail service signs them, within five minutes.',
  RECIPIENT_UNKNOWN: 'No workspace receives mail for these recipients.',
  SHARED_LINK_NOT_FOUND: 'This link is unknown or has expired. Ask whoever sent it for a new one.',
  ATTACHMENT_TOO_LARGE:
    'The attachments of a mail may have at most 6 MiB together. Send fewer, or send them as links (`attachments_as`).',
  ATTACHMENT_GONE:
    'An attached document was deleted. Nothing was sent: save the draft without it, then send it.',
  IDEMPOTENCY_KEY_REUSED:
    'You sent another request with this Idempotency-Key within the last 24 hours. Use a new key.',
  REQUEST_IN_PROGRESS: 'Send this request again in a moment.',
  SEND_IN_PROGRESS:
    'This mail is being sent. Repeat the request in a few seconds to get the outcome. The mail is not sent twice.',
  MAIL_NOT_SENT:
    'The mail provider did not confirm this mail within ten minutes. It is not sent again automatically. To send it again, use a new `idempotency_key`, or save the draft again.',
  NO_DOCUMENTS: 'Name at least one document in `document_ids`.',
  NO_SIGNERS: 'Name at least one signer who is not `cc` in `signers`.',
  ENVELOPE_NOT_DRAFT:
    'This envelope was sent: only `expires_at` and `reminders` can be changed. Void it and create another one.',
  ENVELOPE_NOT_SENT: 'This envelope is a draft: send it first.',
  ENVELOPE_ENDED: 'This envelope is completed: it cannot be changed.',
  NOT_YOUR_TURN: 'It is not your turn. Nothing was changed.',
  DOCUMENT_IN_USE:
    'An envelope that was sent needs this document. Void the envelope first, or wait until it has ended.',
  SIGNING_LINK_NOT_FOUND:
    'This link is unknown or was replaced by a newer one. Ask the office for a new one.',
  SIGNING_LINK_ENDED: 'This envelope has ended. Nothing was changed.',
  SIGNING_LINK_LOCKED: 'The access code was wrong too often. Ask the office for a new link.',
  ACCESS_CODE_REQUIRED: 'Enter the access code on the page of this link.',
  ENVELOPE_NOT_OPENED: 'Open the documents before you sign. Nothing was changed.',
  ALREADY_SIGNED: 'You have signed already. Nothing was changed.',
  SIGNATURE_INVALID: 'The drawn signature cannot be used.',
  INVALID_SOURCE:
    'There is no such source. The sources are invoices, time_entries, cases, parties, documents, deadlines.',
  INVALID_FILTER: 'No source has such filters. GET /api/v1/exports/sources lists the filters of each.',
  EXPORT_TOKEN_INVALID: 'Send a valid token of this export as `token` in the query.',
  EVENTS_EXPIRED:
    'This event is older than 30 days, so events after it may be gone. Read all lists again, then the log without `after`.',
  URL_NOT_ALLOWED: 'The address must be public.',
  WEBHOOK_TEST_RUNNING: 'Another test of this endpoint is running: wait for its answer.',
  WEBHOOK_REPLAY_LIMIT: 'An endpoint has at most 10 replays that have not ended: wait for one.',
  WEBHOOK_ENDPOINT_LIMIT: 'A firm has at most 20 endpoints: delete one first.',
  TOKEN_EXPIRED: 'This token has expired. Ask the firm for a new one.',
  RUN_NOT_FINISHED: 'This run has no file: it is running, or has failed.',
  DATEV_SETTINGS_MISSING:
    'DATEV settings of the workspace are missing or invalid: consultant. Set them with PATCH /api/v1/workspace.',
  TIME_ENTRY_INVOICED:
    'The time entry time_01993f6a-1c40-7b2e-8d53-9a0e6f4b7c21 is already on the invoice inv_01993f6b-2a5e-7c19-9e36-4d8b0f7a1c52.',
  INVOICE_NOT_DRAFT: 'The invoice was issued and can no longer be changed. Cancel it and create another one.',
  INVOICE_NOT_ISSUED: 'The invoice is a draft. Issue it first.',
  XRECHNUNG_INCOMPLETE: 'Fields that an XRechnung needs are missing. `details` names them.',
  BEA_NOT_AUTHENTICATED:
    'This account has no session with the beA network. Log in under /api/v1/bea/auth/login, or with a card under /api/v1/bea/auth/local-login.',
  BEA_ACCOUNT_LOCKED:
    'The beA network has locked this postbox or not released its security token. Ask the chamber of lawyers, or release the token in the beA web client.',
  BEA_ACCOUNT_EXISTS: 'This postbox is connected already: disconnect that account first.',
  BEA_CERTIFICATE_INVALID:
    'The certificate has expired: disconnect the account and connect it again with a new one.',
  BEA_GATEWAY_ERROR: 'The beA gateway did not answer in time. Try again in a moment.',
  BEA_LOCAL_LOGIN_REQUIRED: 'A card logs in to this account: use /api/v1/bea/auth/local-login.',
  BEA_RIGHT_MISSING:
    'This needs the right 06 of the beA account. A user with the scope bea:admin can give it to you.',
  BEA_PREFLIGHT_FAILED:
    'This message cannot be sent as it is; nothing was sent. The details name all faults.',
  BEA_RECEIPT_MISSING:
    'The network has not acknowledged this message yet. Synchronise the account, and try again.',
  EEB_NOT_REQUESTED: 'The sender of this message did not request an electronic receipt.',
  EEB_ANSWERED:
    'The request for a receipt was answered already, or its answer is being sent. It can be answered only once.',
  EEB_DEADLINE_REQUIRED:
    'The receipt starts deadlines. Name the deadline that was noted in the case (`deadline_id`), or say why there is none (`override_reason`).',
  PRECONDITION_FAILED: 'It has changed since: get it again, then repeat your change.',
  PAYLOAD_TOO_LARGE:
    'The request is too large: at most 6 MB can be sent at once, of a form with files 4.4 MiB. Larger files, up to 200 MiB: POST /api/v1/documents/uploads.',
  RANGE_NOT_SATISFIABLE: 'The file has 184320 bytes; ask for a part of them.',
  RATE_LIMITED:
    'This API key sends more requests than it may: 25 a second, 100 at once. Wait as long as Retry-After says.',
  REQUEST_BLOCKED: 'The firewall refused this request. If it is a rightful one, report the request id.',
  SERVICE_UNAVAILABLE:
    'The service is busy or has just been started. Nothing was changed: try again in a moment.',
  BYTES_MISSING:
    'The bytes of a stored file are missing or cannot be read. Report the request id: operators can restore lost bytes for 30 days.',
  INTERNAL_ERROR:
    'Something went wrong on our side. Before you send a change again, check whether it was made. If the error persists, report the request id.',
}
