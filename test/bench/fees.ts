import { calculateInterest } from '#fees/interest.ts'
import { InterestInput } from '#fees/interest-schema.ts'
import { calculateRvg } from '#fees/rvg.ts'
import { RvgInput } from '#fees/rvg-schema.ts'
import type { Part } from './report.ts'

const measuredMicroseconds = 1_000_000

/** How many calculations of fees and of interest a second of CPU time makes. */
export function measureFees(): Part {
  const fees = RvgInput.parse({
    value: '5000',
    ordered_on: '2026-03-02',
    fees: [{ vv: '3100' }, { vv: '3104' }],
    credited: [{ vv: '2300', rate: '1.3' }],
    expenses: [{ vv: '7002' }],
  })
  const interest = InterestInput.parse({
    principal: '10000',
    from: '2023-11-15',
    to: '2026-11-14',
    rate: { above_base: '5' },
    payments: [{ date: '2024-08-01', amount: '1000' }],
  })
  return {
    title: 'Fees: calculations a second of CPU time',
    method:
      'Calls in this process for a second of CPU time each; a lawsuit with crediting, and three years of interest.',
    rows: [
      {
        calculation: 'fees of a lawyer',
        'per second': perSecond(() => calculateRvg(fees, { today: '2026-11-26' })),
      },
      { calculation: 'interest of three years', 'per second': perSecond(() => calculateInterest(interest)) },
    ],
    targets: [],
  }
}

function perSecond(calculate: () => unknown): number {
  const before = process.threadCpuUsage()
  const used = () => sumOf(process.threadCpuUsage(before))
  let made = 0
  while (used() < measuredMicroseconds) {
    for (let at = 0; at < 20; at += 1) calculate()
    made += 20
  }
  return Math.round((made * 1_000_000) / used())
}

const sumOf = ({ user, system }: NodeJS.CpuUsage) => user + system
