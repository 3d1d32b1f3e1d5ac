import * as z from 'zod'
import type { GatewayFunctions } from '#bea-wire/wire.ts'

const id = z.union([z.string(), z.int()]).transform(String)
const token = z.object({ token: z.string() })
const encrypted = { iv: z.string(), tag: z.string(), data: z.string() }
const nothing = token

const step1 = z.object({ thumbprint: z.string().regex(/^[0-9a-f]{40}$/), config: z.undefined().optional() })
const step2 = z.object({
  tokenPAOS: z.string(),
  userCert: z.string(),
  challengeSigned: z.string(),
  validationSigned: z.string(),
})
const step3 = z.object({ tokenValidation: z.string(), validationKey: z.string() })

/** The data with which a message is sent. Every member must exist and have its type. */
export const MessageInfos = z.object({
  betreff: z.string(),
  msg_text: z.string(),
  aktz_sender: z.string(),
  aktz_rcv: z.string(),
  receivers: z.array(z.string()),
  attachments: z.array(z.string()).max(1_000),
  dringend: z.boolean(),
  pruefen: z.boolean(),
  nachrichten_typ: z.enum(['ALLGEMEINE_NACHRICHT', 'TESTNACHRICHT', 'MAHN_ANTRAG']),
  xj: z.boolean(),
  xj_version3: z.boolean(),
  gericht_code: z.string(),
  verfahrensgegenstand: z.string(),
  eeb_erforderlich: z.boolean(),
  is_eeb: z.boolean(),
  is_eeb_response: z.boolean(),
  eeb_accept: z.boolean(),
  eeb_fremdid: z.string(),
  eeb_date: z.string(),
  eeb_reject_code: z.string(),
  eeb_reject_grund: z.string(),
})

const encryptedMessage = z.object({
  messageToken: z.string(),
  encrypted_data: z.object({
    encSubject: z.object({ ...encrypted, key: z.string() }),
    attachments: z.array(
      z.object({
        ...encrypted,
        name: z.string(),
        key: z.string(),
        sizeKB: z.int().nonnegative(),
        hash: z.string(),
        att_type: z.enum(['SCHRIFTSATZ', 'ATTACHMENT', '']),
      }),
    ),
  }),
  msg_infos: MessageInfos,
})

/** The functions of the gateway, each with the schema of its request. */
export const requests = {
  bea_login_step1: step1,
  bea_login_step2: step2,
  bea_login_step3: step3,
  bex_login_step1: step1,
  bex_login_step2: step2,
  bex_login_step3: step3,
  bea_check_session: nothing,
  bea_logout: nothing,
  bea_get_postboxes: nothing,
  bea_get_folderstructure: token.extend({ postboxSafeId: z.string() }),
  bea_get_identitydata: nothing,
  bea_get_username: token.extend({ identitySafeId: z.string() }),
  bea_get_accessrights: nothing,
  bex_get_gericht_codes: nothing,
  bea_add_folder: token.extend({ parentFolderId: id, newFolderName: z.string() }),
  bea_remove_folder: token.extend({ folderId: id }),
  bea_move_messagetofolder: token.extend({ folderId: id, messageId: id }),
  bea_move_messagetotrash: token.extend({ messageId: id }),
  bea_restore_messagefromtrash: token.extend({ messageId: id }),
  bea_delete_message: token.extend({ messageId: id }),
  bea_search: token.extend({
    identitySafeId: z.string(),
    identityStatus: z.string(),
    identityType: z.string(),
    identityUsername: z.string(),
    identityFirstname: z.string(),
    identitySurname: z.string(),
    identityPostalcode: z.string(),
    identityCity: z.string(),
    identityChamberType: z.string(),
    identityChamberMembershipId: z.string(),
    identityOfficeName: z.string(),
  }),
  bea_get_folderoverview: token.extend({ folderId: id }),
  bea_get_message: token.extend({ messageId: id }),
  bea_init_message: token.extend({ postboxSafeId: z.string(), msg_infos: MessageInfos }),
  bea_init_message_draft: token.extend({ messageId: id }),
  bea_cleanup_message: z.object({ messageToken: z.string() }),
  bea_save_message: encryptedMessage,
  bea_send_message: encryptedMessage,
  bea_send_message_validation: z.object({
    validationTokenMSG: z.string(),
    validations: z.array(z.object({ id: id, data: z.string() })),
  }),
} satisfies Partial<Record<keyof GatewayFunctions, z.ZodType>>

export type FunctionName = keyof typeof requests

export type RequestOf<Name extends FunctionName> = z.output<(typeof requests)[Name]>

export type AnswerOf<Name extends FunctionName> = Exclude<
  GatewayFunctions[Name]['answer'],
  { error: unknown }
>

/** The implementations: from a checked request to an answer, or a GatewayError. */
export type Handlers<Name extends FunctionName> = {
  [Each in Name]: (request: RequestOf<Each>) => AnswerOf<Each> | Promise<AnswerOf<Each>>
}
