/**
 * The requests and answers of the REST interface of the beA gateway, by the name of the function. The adapter and the
 * simulator share these types.
 *
 * A gateway should send answers with these members, but does not always. So the adapter checks each member that it
 * reads.
 */
export type GatewayFunctions = {
  bea_login_step1: Call<LoginStep1, LoginChallenges>
  bea_login_step2: Call<LoginStep2, LoginKeys>
  bea_login_step3: Call<LoginStep3, { token: string }>
  bex_login_step1: Call<LoginStep1, LoginChallenges>
  bex_login_step2: Call<LoginStep2, LoginKeys>
  bex_login_step3: Call<LoginStep3, { token: string }>

  bea_check_session: Call<Token, Info>
  bea_logout: Call<Token, Info>
  bea_get_postboxes: Call<Token, Rotated & { postboxes: WirePostbox[] }>
  bea_get_folderstructure: Call<Token & { postboxSafeId: string }, Rotated & WireFolderStructure>
  bea_get_identitydata: Call<Token, Rotated & Unspecified>
  bea_get_username: Call<Token & { identitySafeId: string }, Rotated & { userName: string }>
  bea_get_accessrights: Call<Token, Rotated & Unspecified>
  bex_get_gericht_codes: Call<Token, Rotated & Unspecified>

  bea_add_folder: Call<Token & { parentFolderId: string; newFolderName: string }, Rotated & { id: WireId }>
  bea_remove_folder: Call<Token & { folderId: string }, Rotated & Info>
  bea_move_messagetofolder: Call<Token & { folderId: string; messageId: string }, Rotated & Info>
  bea_move_messagetotrash: Call<Token & { messageId: string }, Rotated & Info>
  bea_restore_messagefromtrash: Call<Token & { messageId: string }, Rotated & Info>
  bea_delete_message: Call<Token & { messageId: string }, Rotated & Info>

  bea_search: Call<Token & WireSearch, Rotated & { results: WireIdentity[] }>

  bea_get_folderoverview: Call<Token & { folderId: string }, Rotated & { messages: WireSummary[] | null }>
  bea_get_message: Call<Token & { messageId: string }, Rotated & WireMessage>

  bea_init_message: Call<Token & { postboxSafeId: string; msg_infos: WireMessageInfos }, WireInitialised>
  bea_init_message_draft: Call<Token & { messageId: string }, WireInitialised & { msg_infos: Unspecified }>
  bea_cleanup_message: Call<{ messageToken: string }, Unspecified>
  bea_save_message: Call<WireEncryptedMessage, Rotated & { messageId: WireId; info?: string }>
  bea_send_message: Call<WireEncryptedMessage, { validationTokenMSG: string; validations?: WireValidation[] }>
  bea_send_message_validation: Call<
    { validationTokenMSG: string; validations: { id: WireId; data: string }[] },
    Rotated & { info: string; messageId: WireId }
  >
}

type Call<Request, Answer> = { request: Request; answer: Answer | WireError }

/** Comes instead of the expected members. The type of `error` is not specified. */
export type WireError = { error: unknown }

/** The input of the functions that use a session. */
export type Token = { token: string }

/** Almost every answer contains a newer token. */
export type Rotated = { token?: string }

/** `info`: free text about a success, without a defined meaning. */
export type Info = { info?: string; token?: string }

/** Members that are not specified. */
export type Unspecified = { [member: string]: unknown }

/** An opaque id, usually a text. Numbers may occur. */
export type WireId = string | number

/** Data encrypted with AES-256-GCM. Members are base64; `tag` has 16 bytes. A member that is empty or null: no data. */
export type Enc = { iv: string; tag: string; value: string }

/** Like `Enc`, with another name for the ciphertext. It is used in sent data and in validations. */
export type EncData = { iv: string; tag: string; data: string }

/** `thumbprint`: SHA-1 of the certificate in DER, 40 lower-case hex digits. */
export type LoginStep1 = { thumbprint: string }

/** Both challenges are base64. */
export type LoginChallenges = { challengeVal: string; challengeValidation: string; tokenPAOS: string }

/**
 * `userCert`: base64 of the certificate in PEM. The signatures are base64. The functions `bea_login_…` expect raw
 * RSASSA-PKCS1-v1_5 with SHA-256 over the decoded challenge. The functions `bex_login_…`, the other version of the
 * login, expect detached CMS SignedData with RSASSA-PSS over the challenge as text.
 */
export type LoginStep2 = {
  tokenPAOS: string
  userCert: string
  challengeSigned: string
  validationSigned: string
}

/** Both keys are encrypted for the certificate (RSA-OAEP with SHA-256), in base64. */
export type LoginKeys = { safeId: string; sessionKey: string; validationKey: string; tokenValidation: string }

/** `validationKey`: base64 of the unwrapped bytes. */
export type LoginStep3 = { tokenValidation: string; validationKey: string }

export type WirePostbox = { postboxSafeId: string; name?: string; folder: WireFolder[] }

/** `type`: INBOX, DRAFT, OUTBOX, SENT, TRASH, or a custom kind. All but `id` and `type` may be missing. */
export type WireFolder = {
  id: WireId
  type: string
  postboxSafeId?: string
  parentId?: WireId | null
  name?: string | null
  unreadMessageCount?: number
}

/** The name of the list is not specified, so it may be any of these. */
export type WireFolderStructure = {
  folder?: WireFolder[]
  folders?: WireFolder[]
  folderstructure?: WireFolder[]
}

/** A sender, a recipient, or a search result. Every member may be missing. */
export type WireIdentity = {
  safeId?: string | null
  name?: string | null
  surname?: string | null
  firstname?: string | null
  postalcode?: string | null
  city?: string | null
  officeName?: string | null
  status?: string | null
}

/** The members of a search. All eleven are sent; those that are not used are empty. */
export type WireSearch = {
  identitySafeId: string
  identityStatus: string
  identityType: string
  identityUsername: string
  identityFirstname: string
  identitySurname: string
  identityPostalcode: string
  identityCity: string
  identityChamberType: string
  identityChamberMembershipId: string
  identityOfficeName: string
}

/** An entry of a folder. `encSubject` is encrypted with the session key. */
export type WireSummary = {
  messageId: WireId
  encSubject: Enc | null
  sender?: WireIdentity | null
  addressees?: WireIdentity[] | null
  zugegangen?: string | null
  sent?: string | null
  received?: string | null
  egvpStatus?: unknown
  attachments?: unknown
  referenceNumber?: string | null
  referenceNumberJustice?: string | null
  osciSubjectType?: string | null
  deletion?: unknown
  urgent?: boolean
  checkRequired?: boolean
  confidential?: boolean
  folderId?: WireId
  exported?: boolean
}

/** A whole message with the contents of its attachments. */
export type WireMessage = {
  messageId: WireId
  osciMessageId?: string | null
  osciSubject?: string | null
  newEGVPMessage?: boolean
  version?: string | null
  symEncAlgorithm?: string | null
  metaData: WireMetaData
  encryptedObjects: WireEncryptedObject[]
  attachments: WireAttachment[] | null
  vhn2attachments?: unknown
}

/** `subject` is encrypted with the session key. */
export type WireMetaData = {
  created?: string | null
  receptionTime?: string | null
  zugegangen?: string | null
  sender?: WireIdentity | null
  addressees?: WireIdentity[] | null
  subject: Enc | null
  referenceNumber?: string | null
  referenceJustice?: string | null
  messageSigned?: boolean
  oneAttachmentSigned?: boolean
  urgent?: boolean
  checkRequired?: boolean
  confidential?: boolean
  eebAngefordert?: boolean
  messageStructureType?: string | null
  originatorCertificate?: string | null
  originatorSignatureCertificate?: string | null
}

/**
 * `encKey`, the key of the object, is encrypted with the session key. If `enc_iv` and `enc_tag` are empty, `enc_data`
 * is encrypted with AES-256-CBC, and begins with the IV. Otherwise it is encrypted with AES-256-GCM.
 */
export type WireEncryptedObject = {
  enc_name: string
  enc_data: string
  enc_iv: string | null
  enc_tag: string | null
  encKeyInfo: { encKey: Enc }
}

/** `reference`: the name of the file. `hashValue`: the SHA-256 of the decrypted file, in base64. */
export type WireAttachment = {
  reference: string
  data: string
  iv: string | null
  tag: string | null
  key: string | null
  symEncAlgorithm?: string | null
  type?: string | null
  sizeKB?: number | string | null
  hashValue?: string | null
}

/** Data about a sent message that the gateway must read. Unlike the attachments, it is not encrypted. */
export type WireMessageInfos = {
  betreff: string
  msg_text: string
  aktz_sender: string
  aktz_rcv: string
  /** SAFE-IDs. */
  receivers: string[]
  /** File names in the order of the encrypted attachments. */
  attachments: string[]
  dringend: boolean
  pruefen: boolean
  nachrichten_typ: 'ALLGEMEINE_NACHRICHT' | 'TESTNACHRICHT' | 'MAHN_ANTRAG'
  xj: boolean
  xj_version3: boolean
  gericht_code: string
  verfahrensgegenstand: string
  eeb_erforderlich: boolean
  is_eeb: boolean
  is_eeb_response: boolean
  eeb_accept: boolean
  eeb_fremdid: string
  eeb_date: string
  eeb_reject_code: string
  eeb_reject_grund: string
}

/** `key` is the key of the message (32 bytes), encrypted with the session key. */
export type WireInitialised = { messageToken: string; key: Enc }

export type WireEncryptedMessage = {
  messageToken: string
  encrypted_data: { encSubject: WireEncryptedSubject; attachments: WireSentAttachment[] }
  msg_infos: WireMessageInfos
}

/** `key` is the message's key in base64, not encrypted. */
export type WireEncryptedSubject = EncData & { key: string }

/** `sizeKB`: the size of the plain bytes in whole kilobytes. `hash`: the SHA-256 of the plain bytes in base64. */
export type WireSentAttachment = EncData & {
  name: string
  key: string
  sizeKB: number
  hash: string
  att_type: 'SCHRIFTSATZ' | 'ATTACHMENT' | ''
}

/** Data that the client must decrypt with the session key and send back. */
export type WireValidation = { id: WireId } & EncData
