import * as z from 'zod'
import { lazyObject } from '#kernel/lazy-object.ts'
import { line, visibleText } from '#kernel/text.ts'
import { maxSignatureBytes } from '../limits.ts'
import { signingLanguages } from './consent.ts'

const prefix = 'data:image/png;base64,'

/** The longest field with a picture, in bytes: base64 needs four characters for three bytes. */
export const maxSignatureFieldBytes = prefix.length + Math.ceil(maxSignatureBytes / 3) * 4

/** A drawn signature as a data URL; an empty field means that nothing was drawn. The pixels are checked later. */
const signature = () =>
  z
    .string()
    .refine(
      (value) => value === '' || isPngDataUrl(value),
      `Send a PNG of at most 200 KiB as data URL (${prefix}…), or nothing.`,
    )
    .transform((value) => (value === '' ? null : Buffer.from(value.slice(prefix.length), 'base64')))
    .nullable()
    .default(null)
    .meta({ maxLength: maxSignatureFieldBytes, description: 'The drawn signature: a PNG as data URL.' })

function isPngDataUrl(value: string): boolean {
  return (
    value.length <= maxSignatureFieldBytes &&
    value.startsWith(prefix) &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(value.slice(prefix.length))
  )
}

/** The form for signing (S6). */
export const SigningForm = lazyObject(() => ({
  name: line(200).meta({ description: 'The name, typed: this is the signature.' }),
  consent: z.literal('yes'),
  signature: signature(),
  language: z.enum(signingLanguages).optional().meta({
    description: 'The language of the page and of the consent; by default from `Accept-Language`.',
  }),
}))

export type SigningForm = z.infer<typeof SigningForm>

/** The form for declining (S6). */
export const DecliningForm = lazyObject(() => ({ reason: visibleText(2_000) }))

export type DecliningForm = z.infer<typeof DecliningForm>

/** The form for the access code (S4). */
export const AccessForm = lazyObject(() => ({ code: visibleText(200) }))

export type AccessForm = z.infer<typeof AccessForm>
