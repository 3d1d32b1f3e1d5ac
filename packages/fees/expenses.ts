import { type Decimal, decimal, germanDecimal, money, rounded } from '#kernel/decimal.ts'
import { invalidAt } from '#kernel/failure.ts'
import { least } from './reckoned-fee.ts'
import type { ExpenseInput, RvgInput, RvgLine } from './rvg-schema.ts'
import { shownVersion, versionOn } from './step-table.ts'
import { expenseTables } from './tables/rvg.ts'

type Field = 'pages' | 'kilometres' | 'hours' | 'amount'

/** The expenses of Teil 7 VV RVG, with the field that each takes. Nr. 7008, the VAT, is always added. */
const expenses: Readonly<Record<string, { name: string; takes?: Field; once?: true }>> = {
  7000: { name: 'Dokumentenpauschale', takes: 'pages', once: true },
  7001: { name: 'Entgelte für Post- und Telekommunikationsdienstleistungen', takes: 'amount' },
  7002: { name: 'Pauschale für Post- und Telekommunikationsdienstleistungen', once: true },
  7003: { name: 'Fahrtkosten, eigenes Kraftfahrzeug', takes: 'kilometres' },
  7004: { name: 'Fahrtkosten, anderes Verkehrsmittel', takes: 'amount' },
  7005: { name: 'Tage- und Abwesenheitsgeld', takes: 'hours' },
  7006: { name: 'Sonstige Auslagen anlässlich einer Geschäftsreise', takes: 'amount' },
  7007: { name: 'Prämie für eine Haftpflichtversicherung', takes: 'amount' },
  7008: { name: 'Umsatzsteuer', once: true },
}

const fields = ['pages', 'kilometres', 'hours', 'amount'] as const

/**
 * The lines of the expenses.
 *
 * @param earned the fees before anything is credited: the base of Nr. 7002
 * @throws Failure VALIDATION_ERROR for an unknown number, a missing or superfluous field, 7001 beside 7002, a second
 *   7000, 7002 or 7008, or hours that do not fit into one day
 */
export function expensesOf(input: RvgInput, earned: Decimal, path: string): RvgLine[] {
  const named = new Set<string>()
  return input.expenses.flatMap((expense, at) => {
    const place = `${path}.expenses.${at}`
    const { vv } = expense
    const known = Object.hasOwn(expenses, vv) ? expenses[vv] : undefined
    if (known === undefined)
      throw invalidAt(`${place}.vv`, `Nr. ${vv} VV RVG is not an expense: 7000 to 7008 are.`)
    if (known.once && named.has(vv)) throw invalidAt(`${place}.vv`, `Nr. ${vv} VV RVG arises once a matter.`)
    named.add(vv)
    if (named.has('7001') && named.has('7002'))
      throw invalidAt(
        `${place}.vv`,
        'Nr. 7002 VV RVG takes the place of Nr. 7001 (Anm. Abs. 1): name one of them.',
      )
    for (const field of fields) {
      const isGiven = expense[field] !== undefined && expense[field] !== null
      if (field === known.takes && !isGiven)
        throw invalidAt(`${place}.${field}`, `This is required for Nr. ${vv} VV RVG.`)
      if (field !== known.takes && isGiven)
        throw invalidAt(`${place}.${field}`, `Nr. ${vv} VV RVG does not take this.`)
    }
    if (vv === '7008') return []
    const { amount, ...about } = reckon(expense, input, earned, place)
    return [
      {
        vv,
        number: `Nr. ${vv} VV RVG`,
        name: known.name,
        value: null,
        rate: null,
        amount: money(amount),
        ...about,
      },
    ]
  })
}

type Reckoned = Pick<RvgLine, 'rule' | 'table' | 'checked_until'> & { amount: Decimal }

const noTable = { table: null, checked_until: null } as const

function reckon(expense: ExpenseInput, input: RvgInput, earned: Decimal, place: string): Reckoned {
  const { vv } = expense
  if (vv === '7000') return copies(expense.pages ?? 0)
  if (vv === '7002') {
    const amount = least(rounded(earned.times('0.2'), 2), decimal(20))
    return {
      amount,
      rule: `20 % der Gebühren vor Anrechnung (${germanDecimal(money(earned))} €), höchstens 20,00 €.`,
      ...noTable,
    }
  }
  if (vv !== '7003' && vv !== '7005')
    return { amount: decimal(expense.amount ?? 0), rule: 'In voller Höhe.', ...noTable }
  const version = versionOn(expenseTables, input.ordered_on, place)
  const table = shownVersion({ law: 'VV RVG Teil 7', ...version })
  if (vv === '7003') {
    const kilometres = decimal(expense.kilometres ?? 0)
    const rule = `${germanDecimal(kilometres.toFixed())} km × ${germanDecimal(version.kilometre)} €.`
    return { amount: kilometres.times(version.kilometre), rule, ...table }
  }
  const hours = decimal(expense.hours ?? 0)
  const found = version.absence.find((one) => hours.lte(one.hours))
  if (found === undefined || hours.eq(0))
    throw invalidAt(`${place}.hours`, 'More than 0 and at most 24: the hours of one day (Nr. 7005 VV RVG).')
  const from = { 4: 'bis zu 4 Stunden', 8: 'mehr als 4 bis 8 Stunden', 24: 'mehr als 8 Stunden' }[found.hours]
  return { amount: decimal(found.amount), rule: `Abwesenheit ${from}, im Inland.`, ...table }
}

/** Nr. 7000 Nr. 1: 0.50 EUR for each of the first 50 pages, 0.15 EUR for each further one. */
function copies(pages: number): Reckoned {
  const first = Math.min(pages, 50)
  const amount = decimal('0.50')
    .times(first)
    .plus(decimal('0.15').times(pages - first))
  const further = pages > first ? `, ${pages - first} weitere × 0,15 €` : ''
  return { amount, rule: `${first} Seiten × 0,50 €${further}.`, ...noTable }
}
