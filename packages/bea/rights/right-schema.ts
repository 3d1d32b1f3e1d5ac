import * as z from 'zod'

export const beaRights = Array.from({ length: 30 }, (_, at) => String(at + 1).padStart(2, '0'))

export const BeaRight = z.lazy(() =>
  z
    .string()
    .refine((text) => beaRights.includes(text), 'A right is "01" to "30".')
    .meta({ id: 'BeaRight', pattern: '^(0[1-9]|[12]\\d|30)$' }),
)

/** `01` to `30`. */
export type BeaRight = string
