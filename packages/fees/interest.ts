import { calendarDateOf, dayNumber, dayNumberOf } from '#german-time/calendar-date.ts'
import { type Decimal, decimal, germanDecimal, money, sumOf } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import type { InterestInput, InterestPayment, InterestResult, InterestRow } from './interest-schema.ts'
import { least } from './reckoned-fee.ts'
import { baseRates, baseRateTable } from './tables/base-rates.ts'

/**
 * Interest by day, and what payments leave open (V5).
 *
 * Both named days bear interest. A paid amount bears none from the day of its payment on. A row ends with a half-year
 * if the rate depends on the base rate, with the year, and before a payment. Each row is rounded; open interest bears
 * none.
 *
 * @throws Failure VALIDATION_ERROR for days out of order, before the base rates, or a payment outside the days or
 *   above the debt
 */
export function calculateInterest(input: InterestInput): InterestResult {
  refuseDays(input)
  const rows: InterestRow[] = []
  const paid: InterestPayment[] = []
  const debt: Debt = {
    costs: decimal(input.costs),
    interest: decimal(0),
    principal: decimal(input.principal),
  }
  const payments = input.payments
    .map((payment, at) => ({ ...payment, at, day: dayNumberOf(payment.date) }))
    .toSorted((one, other) => one.day - other.day)
  let day = dayNumberOf(input.from)
  const end = dayNumberOf(input.to) + 1
  const earnUntil = (until: number) => {
    while (day < until) {
      const next = Math.min(until, endOfRate(day, input))
      if (debt.principal.gt(0)) {
        const row = rowOf(day, next, debt.principal, input)
        rows.push(row)
        debt.interest = debt.interest.plus(row.amount)
      }
      day = next
    }
  }
  for (const { day: on, at, date, amount } of payments) {
    earnUntil(on)
    paid.push({ date, amount: money(decimal(amount)), ...setOff(debt, decimal(amount), at, input) })
  }
  earnUntil(end)
  const total = sumOf(Object.values(debt))
  return {
    rows,
    interest: money(sumOf(rows.map(({ amount }) => decimal(amount)))),
    open: { ...shown(debt), total: money(total) },
    payments: paid,
    convention: conventionOf(input),
    provisional: rows.some(({ provisional }) => provisional),
  }
}

type Debt = { costs: Decimal; interest: Decimal; principal: Decimal }

function refuseDays({ from, to, rate, payments }: InterestInput): void {
  const first = baseRates[0]?.[0] ?? ''
  if (to < from) throw invalidAt('body.to', `Not before \`from\`, ${from}.`)
  if (rate.above_base && from < first)
    throw invalidAt('body.from', `The base rates (§ 247 BGB) begin on ${first} here.`)
  for (const [at, { date }] of payments.entries())
    if (date < from || date > to)
      throw invalidAt(`body.payments.${at}.date`, `From ${from} to ${to}, the days of the calculation.`)
}

/** The day on which another row begins. */
function endOfRate(day: number, { rate }: InterestInput): number {
  const date = calendarDateOf(day)
  const year = Number(date.slice(0, 4))
  const july = dayNumber(year, 7, 1)
  return rate.above_base && day < july ? july : dayNumber(year + 1, 1, 1)
}

function rowOf(from: number, next: number, principal: Decimal, { rate }: InterestInput): InterestRow {
  const first = calendarDateOf(from)
  const year = Number(first.slice(0, 4))
  const base = rate.above_base ? baseRateOn(first) : null
  const percent = base === null ? decimal(rate.fixed ?? 0) : notNegative(base.rate.plus(rate.above_base ?? 0))
  const days = next - from
  const daysOfYear = dayNumber(year + 1, 1, 1) - dayNumber(year, 1, 1)
  return {
    from: first,
    to: calendarDateOf(next - 1),
    days,
    base_rate: base === null ? null : base.rate.toFixed(2),
    rate: percent.toFixed(),
    principal: money(principal),
    amount: money(
      principal
        .times(percent)
        .times(days)
        .div(100 * daysOfYear),
    ),
    rule:
      base === null
        ? `Fester Zinssatz von ${germanDecimal(percent.toFixed())} %`
        : ruleOf(rate.above_base ?? '', base.rate, first),
    provisional: base?.provisional ?? false,
  }
}

/** Before 2014-07-29, and for older contracts after it, § 288 Abs. 2 BGB had 8 points (Art. 229 § 34 EGBGB). */
const ninePointsSince = '2014-07-29'

function ruleOf(above: string, base: Decimal, day: string): string {
  const points = decimal(above)
  const named: Record<string, string> = {
    5: '§ 288 Abs. 1, § 247 BGB',
    8: '§ 288 Abs. 2 a. F., § 247 BGB (Art. 229 § 34 EGBGB)',
    ...(day >= ninePointsSince && { 9: '§ 288 Abs. 2, § 247 BGB' }),
  }
  const law = named[points.toFixed()] ?? '§ 247 BGB'
  return `${law}: ${germanDecimal(points.toFixed())} Prozentpunkte über dem Basiszinssatz von ${germanDecimal(base.toFixed(2))} %`
}

/** The base rate on a day. If it is not announced yet: the last known one, marked as provisional. */
function baseRateOn(day: string): { rate: Decimal; provisional: boolean } {
  const [, rate = '0'] = baseRates.findLast(([from]) => from <= day) ?? []
  return { rate: decimal(rate), provisional: day >= baseRateTable.known_before }
}

function notNegative(percent: Decimal): Decimal {
  return percent.lt(0) ? decimal(0) : percent
}

const orders = {
  367: ['costs', 'interest', 'principal'],
  497: ['costs', 'principal', 'interest'],
} as const

/** Takes a payment off the debt, and returns what it paid. @throws Failure VALIDATION_ERROR above the debt */
function setOff(
  debt: Debt,
  amount: Decimal,
  at: number,
  { payment_order }: InterestInput,
): ReturnType<typeof shown> {
  const owed = sumOf(Object.values(debt))
  if (amount.gt(owed))
    throw invalidAt(`body.payments.${at}.amount`, `At most ${money(owed)} EUR: that was owed on this day.`)
  const paid: Debt = { costs: decimal(0), interest: decimal(0), principal: decimal(0) }
  let left = amount
  for (const part of orders[payment_order]) {
    paid[part] = least(left, debt[part])
    debt[part] = debt[part].minus(paid[part])
    left = left.minus(paid[part])
  }
  return shown(paid)
}

function shown({ costs, interest, principal }: Debt) {
  return { costs: money(costs), interest: money(interest), principal: money(principal) }
}

function conventionOf({ rate, payment_order }: InterestInput): string {
  const parts = rate.above_base ? 'für jedes Halbjahr' : 'für jedes Kalenderjahr'
  const order =
    payment_order === '367'
      ? '§ 367 Abs. 1 BGB: Kosten, Zinsen, Hauptforderung'
      : '§ 497 Abs. 3 BGB: Kosten, Hauptforderung, Zinsen'
  return `Taggenau, das Jahr zu 365 Tagen, Schaltjahre zu 366; beide genannten Tage zählen, der Tag einer Zahlung nicht. Jede Zeile (${parts} und bis zu jeder Zahlung) ist auf den Cent gerundet, 0,5 Cent aufwärts. Offene Zinsen tragen keine Zinsen (§ 289 BGB). Zahlungen nach ${order}.`
}
