import { calculateRvg } from '#fees/rvg.ts'
import { RvgInput } from '#fees/rvg-schema.ts'

/** A calculation of fees for an order of March 2026, unless `body` says another day. */
export const rvg = (body: object) =>
  calculateRvg(RvgInput.parse({ ordered_on: '2026-03-02', ...body }), { today: '2026-11-26' })

/** The fees of a lawsuit with a hearing. */
export const trial = { fees: [{ vv: '3100' }, { vv: '3104' }], expenses: [{ vv: '7002' }] }
