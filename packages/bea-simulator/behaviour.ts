import * as z from 'zod'

/** Behaviour that the gateway does not document, and that a test may change. */
export const Behaviour = z.strictObject({
  /** Whether an answer brings a new token, and whether older tokens stay valid. */
  rotation: z.enum(['off', 'lenient', 'strict']),
  /** A session ends after this time without use. */
  idle_minutes: z.number().positive(),
  /** Whether an identity may have two sessions at once. */
  second_login: z.enum(['allowed', 'refused']),
  /** How many validations `bea_send_message` asks for. */
  validations: z.int().min(0).max(20),
  /** The time after sending at which a message in SENT shows that it has arrived. */
  acknowledged_after_minutes: z.number().min(0),
  /** The form of `error`: a text, or `{code, message}`. */
  error_shape: z.enum(['string', 'object']),
  /** The status of answers with `error`. */
  error_status: z.int().min(200).max(599),
})

export type Behaviour = z.infer<typeof Behaviour>

export const usualBehaviour: Behaviour = {
  rotation: 'lenient',
  idle_minutes: 30,
  second_login: 'allowed',
  validations: 2,
  acknowledged_after_minutes: 0,
  error_shape: 'string',
  error_status: 200,
}
