import * as z from 'zod'
import { idOf } from '#kernel/id.ts'
import { lazyObject, namedObject } from '#kernel/lazy-object.ts'
import { orDefault } from '#kernel/or-default.ts'
import { nameText, visibleText } from '#kernel/text.ts'

/** The maximum size of a certificate file in bytes. A PKCS#12 file has a few thousand. */
export const maxCertificateBytes = 1024 * 1024

const maxBase64Characters = Math.ceil(maxCertificateBytes / 3) * 4

const CertificateBase64 = z.lazy(() =>
  z
    .string()
    .max(maxBase64Characters, `At most ${maxCertificateBytes} bytes.`)
    .transform((text) => text.replaceAll(/\s/g, ''))
    .refine((text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text), 'This is not Base64.')
    .meta({
      description:
        'Base64 of a PKCS#12 file (`.p12`), or of a certificate without its key (DER or PEM) for logins with a card (local-login).',
    }),
)

/** Passphrases are never trimmed or normalised: every byte counts. */
const Passphrase = z.lazy(() => z.string().max(1_000))
const ofFile = { description: 'The passphrase of the PKCS#12 file; empty if omitted.' }

const label = z.lazy(nameText)

export const BeaAccountInput = namedObject('BeaAccountInput', () => ({
  certificate_base64: CertificateBase64,
  passphrase: orDefault(Passphrase, '').meta(ofFile),
  label,
}))

export type BeaAccountInput = z.infer<typeof BeaAccountInput>

/** The fields of the form besides the file, which is `certificate` or `file`. */
export const BeaAccountFields = lazyObject(() => ({ passphrase: Passphrase.default('').meta(ofFile), label }))

export type BeaAccountFields = z.infer<typeof BeaAccountFields>

export const BeaKanzleiInput = namedObject('BeaKanzleiInput', () => ({
  login_account_id: idOf('beaAccount'),
  postbox_safe_id: visibleText(200).meta({
    description: 'One of the postboxes that this account sees.',
  }),
  label,
}))

export type BeaKanzleiInput = z.infer<typeof BeaKanzleiInput>

/** Null clears the data. */
export const BeaEdaMahnInput = z.lazy(() =>
  z
    .object({
      pvkezi: z
        .string()
        .trim()
        .regex(/^\d{8}$/, 'A Kennziffer has 8 digits.'),
      ausbaugrad: z.int().min(0).max(127),
    })
    .meta({ id: 'BeaEdaMahnInput' })
    .nullable(),
)

export type BeaEdaMahnInput = z.infer<typeof BeaEdaMahnInput>
